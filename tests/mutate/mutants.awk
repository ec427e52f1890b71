# SPDX-License-Identifier: MIT
#
# All one-line mutants of C files: one per line, FILE LINE KIND TEXT, separated by tabs. What is outside of functions is
# left alone; so are comments, and lines for the preprocessor. Whether a mutant compiles, and to other code than the
# original, is for the compiler to say.

function mutant(kind, text) { printf "%s\t%d\t%s\t%s\n", FILENAME, FNR, kind, text remark }

# One mutant for each time that `from`, a plain string, stands in the code; unless = follows, as in !=.
function replace(kind, from, to,    at, start, rest) {
    for (start = 1; (at = index(substr(code, start), from)) > 0; start += at) {
        rest = substr(code, start + at - 1 + length(from))
        if (rest !~ /^=/)
            mutant(kind, substr(code, 1, start + at - 2) to rest)
    }
}

# The same for + 1 and - 1, if no digit follows.
function leave_out_one(sign,    at, start) {
    for (start = 1; (at = index(substr(code, start), sign " 1")) > 0; start += at)
        if (substr(code, start + at - 1 + length(sign) + 2, 1) !~ /[0-9.x]/)
            mutant("one left out", substr(code, 1, start + at - 2) substr(code, start + at - 1 + length(sign) + 2))
}

function opened(text,    copy) { copy = text; return gsub(/\(/, "", copy) - gsub(/\)/, "", text) }

FNR == 1 { inside = comment = 0; ended = 1 }
/^\{/ { inside = 1; ended = 1; next }
/^\}/ { inside = 0 }
!inside || /^#/ || /_Static_assert/ { next }
comment { comment = !/\*\//; next }
/^ *\/\*/ { comment = !/\*\//; next }

{
    code = $0
    remark = ""
    if ((at = index(code, "/*")) > 1) {
        remark = " " substr(code, at)
        code = substr(code, 1, at - 1)
        sub(/ +$/, "", code)
        comment = remark !~ /\*\//
    }
    begins = ended # a statement begins here; one ends on this line if the next one can begin after it
    ended = code ~ /[;{}:]$|^ *else$|\)$/ && (code !~ /\)$/ || (code ~ /^ *(} else )?(if|for|while) \(/ && opened(code) == 0))
    indent = code
    sub(/[^ ].*/, "", indent)
    whole = begins && code ~ /;$/ && opened(code) == 0
    is_return = code ~ /^ *return .*;$/
    is_jump = code ~ /^ *(break|continue|goto [a-z_]+);$/
    is_declaration = code ~ /^ *(const |static |struct |enum |union |unsigned )/ ||
                     code ~ /^ *[A-Za-z_0-9]+ \**[A-Za-z_0-9]+(\[[^]]*\])?( =|;|,)/ && !is_return && !is_jump

    replace("turned", " == ", " != ")
    replace("turned", " != ", " == ")
    replace("turned", " < ", " >= ")
    replace("turned", " >= ", " < ")
    replace("turned", " > ", " <= ")
    replace("turned", " <= ", " > ")
    replace("one more", " < ", " <= ")
    replace("one less", " <= ", " < ")
    replace("one less", " > ", " >= ")
    replace("one more", " >= ", " > ")
    replace("or", " && ", " || ")
    replace("and", " || ", " && ")
    replace("not left out", "(!", "(")
    replace("not left out", " !", " ")
    replace("overwritten", " |= ", " = ")
    replace("overwritten", " &= ", " = ")
    replace("overwritten", " += ", " = ")
    leave_out_one(" +")
    leave_out_one(" -")
    if (match(code, /if \(.*\)( \{)?$/) && opened(code) == 0) {
        tail = code ~ /\{$/ ? " {" : ""
        mutant("always", substr(code, 1, RSTART - 1) "if (1)" tail)
        mutant("never", substr(code, 1, RSTART - 1) "if (0)" tail)
    }
    if (match(code, /while \(.*\)$/) && opened(code) == 0)
        mutant("never", substr(code, 1, RSTART - 1) "while (0)")
    if (whole && !is_return && !is_declaration && code ~ /[a-z]/)
        mutant(code ~ / = |store/ ? "store left out" : "left out", indent ";")
    if (whole && code ~ /^ *return (true|false);$/)
        mutant("returns", indent (code ~ /true/ ? "return false;" : "return true;"))
    else if (whole && code ~ /^ *return ADMIT_OK;$/)
        mutant("returns", indent "return ADMIT_BUSY;")
    else if (whole && is_return && code !~ / [=!<>]=? |return -?[A-Z0-9_]+;/) {
        text = code
        sub(/return /, "return !(", text)
        sub(/;$/, ");", text)
        mutant("returns", text)
    }
}
