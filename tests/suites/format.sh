#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The file of a gate is as docs/gate.md tells: each row of its tables of fields becomes two assertions that the compiler
# makes. And no byte is left out: each row begins where the one before has ended.
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
    return 0
}

check "the gate's file is as docs/gate.md tells" is_as_told docs/gate.md
check "its tables leave no byte out" leaves_nothing_out
check "a row that is wrong is noticed" is_noticed
finish
