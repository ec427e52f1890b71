# SPDX-License-Identifier: MIT
#
# awk -v want=comments|code -f tests/comments.awk FILE.[ch]...
#
# The comments of C files, each line as "FILE:LINE: TEXT"; or the code without them, what is between quotes included.

FNR == 1 { inside = 0 }
{
    rest = $0
    comment = code = ""
    while (rest != "") {
        if (inside) {
            at = index(rest, "*/")
            inside = at == 0
            comment = comment " " (inside ? rest : substr(rest, 1, at - 1))
            rest = inside ? "" : substr(rest, at + 2)
        } else if (match(rest, /\/\*|\/\/|["']/)) {
            code = code substr(rest, 1, RSTART - 1)
            sign = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART)
            if (sign == "/*") {
                inside = 1
                rest = substr(rest, 3)
            } else if (sign == "//") {
                comment = comment " " substr(rest, 3)
                rest = ""
            } else {
                if (!match(rest, sign == "\"" ? "^\"([^\"\\\\]|\\\\.)*\"" : "^'([^'\\\\]|\\\\.)*'"))
                    RLENGTH = 1
                code = code substr(rest, 1, RLENGTH)
                rest = substr(rest, RLENGTH + 1)
            }
        } else {
            code = code rest
            rest = ""
        }
    }
    if (want == "code")
        print code
    else if (comment != "")
        print FILENAME ":" FNR ":" comment
}
