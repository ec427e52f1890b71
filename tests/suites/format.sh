#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The file of a gate is as docs/gate.md tells: each row of its tables of fields, and of bits, becomes assertions that the
# compiler makes. And no byte is left out, and no bit: each row begins where the one before has ended.
. tests/tap.sh

# Rows of tables whose third column is headed "field of `struct NAME`": offset, bytes, struct, field ("" if it is unused).
rows() {
    awk -F' *[|] *' '
        /^\| offset \| bytes \| field of `struct / { split($4, part, /[` ]/); of = part[5]; next }
        of != "" && /^\| [0-9]+ \|/ { gsub(/`/, "", $4); print $2, $3, of, $4; next }
        of != "" && !/^\|--/ { of = "" }' "$1"
}

# Fails, naming the field, if the structures are not so.
is_as_told() {
    rows "$1" >"$scratch/rows"
    awk 'BEGIN { print "#include \"gate/file/file.h\"" }
        NF == 4 {
            printf "_Static_assert(offsetof(struct %s, %s) == %s, \"begins at %s\");\n", $3, $4, $1, $1
            printf "_Static_assert(sizeof(((struct %s *)0)->%s) == %s, \"has %s bytes\");\n", $3, $4, $2, $2
        }
        { end[$3] = $1 + $2 }
        END { for (of in end) printf "_Static_assert(sizeof(struct %s) <= %d, \"no more\");\n", of, end[of] }' \
        "$scratch/rows" >"$scratch/asserted.c"
    grep -c offsetof "$scratch/asserted.c" || return 2
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -fsyntax-only "$scratch/asserted.c"
}

# Rows of tables whose third column is headed "of WORD": from bit, bits, word, field ("" if it is unused).
bits() {
    awk -F' *[|] *' '
        /^\| from bit \| bits \| of / { split($4, part, / /); of = part[2]; next }
        of != "" && /^\| [0-9]+ \|/ { gsub(/`/, "", $4); print $2, $3, of, $4; next }
        of != "" && !/^\|--/ { of = "" }' "$1"
}

# The same for bits: by what the text calls them, and the kernel.
has_bits_as_told() {
    bits "$1" >"$scratch/bits"
    awk 'BEGIN {
            print "#include \"gate/life/heir.c\"\n#include <linux/futex.h>"
            from["number"] = "NUMBER_AT"; count["number"] = "TICKET_BITS"
            from["name"] = "PHASE_BITS"; count["name"] = "WHO_BITS"
            from["phase"] = "0"; count["phase"] = "PHASE_BITS"
            from["state"] = "PHASE_BITS"; count["state"] = "STATE_BITS"
            from["rest"] = "0"; count["rest"] = "REST_BITS"
            from["kind"] = "REST_BITS"; count["kind"] = "(64 - REST_BITS)"
            value["thread"] = "LIFE_NUMBER"
            value["kept"] = "(LIFE_RESERVED & ~LIFE_NUMBER)"
            value["dead"] = "FUTEX_OWNER_DIED"
            value["watched"] = "FUTEX_WAITERS"
        }
        $4 in from {
            printf "_Static_assert(%s == %s && %s == %s, \"%s of %s\");\n", from[$4], $1, count[$4], $2, $4, $3
            next
        }
        $4 in value { printf "_Static_assert(%s == ((UINT64_C(1) << %s) - 1) << %s, \"%s\");\n", value[$4], $2, $1, $4; next }
        NF == 4 { print "#error \"" $4 " of " $3 " is none\"" }' "$scratch/bits" >"$scratch/asserted.c"
    [ "$(grep -c _Static_assert "$scratch/asserted.c")" -ge 16 ] || return 2
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -fsyntax-only "$scratch/asserted.c"
}

leaves_no_bit_out() {
    bits docs/gate.md | awk '
        { if ($1 != end[$3] + 0) { print $3 ": " end[$3] + 0 " is followed by " $1; wrong = 1 } end[$3] = $1 + $2 }
        END {
            for (of in end) {
                words++
                if (end[of] != (of == "LIFE" ? 32 : 64)) { print of " ends at " end[of]; wrong = 1 }
            }
            exit wrong || words != 6
        }'
}

leaves_nothing_out() {
    rows docs/gate.md | awk '
        $3 != of { of = $3; end = 0 }
        $1 != end { print $3 ": " end " is followed by " $1; wrong = 1 }
        { end = $1 + $2 }
        END { exit wrong }'
}

# One row too high, and one too long.
is_noticed() {
    for change in 's/^| 136 | 4 | `removed`/| 140 | 4 | `removed`/' 's/^| 48 | 40 | `boot_id`/| 48 | 36 | `boot_id`/'; do
        sed "$change" docs/gate.md >"$scratch/changed.md"
        cmp -s docs/gate.md "$scratch/changed.md" && return 1
        is_as_told "$scratch/changed.md" && return 1
    done
    for change in 's/^| 17 | 47 | `number`/| 18 | 46 | `number`/' 's/^| 30 | 1 | `dead`/| 31 | 1 | `dead`/' \
        's/^| 1 | 3 | `state`/| 1 | 4 | `state`/'; do
        sed "$change" docs/gate.md >"$scratch/changed.md"
        cmp -s docs/gate.md "$scratch/changed.md" && return 1
        has_bits_as_told "$scratch/changed.md" && return 1
    done
    return 0
}

check "the gate's file is as docs/gate.md tells" is_as_told docs/gate.md
check "its words are so bit by bit" has_bits_as_told docs/gate.md
check "no bit is left out" leaves_no_bit_out
check "its tables leave no byte out" leaves_nothing_out
check "a row that is wrong is noticed" is_noticed
finish
