#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What documents show of a session with the laboratory is what it prints, but for time and memory: blocks of code that
# begin with `$ admit` or `$ build/admit`. A line of three dots stands for any lines. And what they show of a program is one,
# once a reader has added the part that does the work.
. tests/tap.sh

case $BUILD in
/*) ;;
*) BUILD=$PWD/$BUILD ;;
esac
export ADMIT_DIR="$scratch/gates"
mkdir -m 700 "$ADMIT_DIR"

documents='docs/checking.md docs/bound.md docs/algorithms/gate.md'

# split DOCUMENT NAME: a file NAME.NUMBER for each command, which is its first line. Blocks that begin otherwise are others'.
split() {
    awk -v name="$2" '
        /^```/ { inside = !inside; shown = empty = 0; first = 1; next }
        !inside { next }
        /^\$ (build\/)?admit / && (first || shown) { file = name "." ++count; shown = 1; empty = 0 }
        { first = 0 }
        shown && /^$/ { empty++; next } # between two commands, or a line that is printed
        shown {
            for (; empty > 0; empty--) print "" >file
            print >file
        }' "$1"
}

without_measures() {
    sed -E 's/[0-9.]+ s\>(, [0-9.]+ [KMG]?B)?/TIME/g' "$1"
}

# as_shown SHOWN PRINTED: the lines of the one are those of the other.
as_shown() {
    awk 'BEGIN { lines = next_one = 0 }
        NR == FNR { printed[lines++] = $0; next }
        $0 == "..." { any = 1; next }
        {
            while (any && next_one < lines && printed[next_one] != $0) next_one++
            if (printed[next_one] != $0 || next_one >= lines) { print "shown:   " $0; print "printed: " printed[next_one]; exit failed = 1 }
            next_one++
            any = 0
        }
        END {
            if (!failed && !any && next_one < lines) { print "also printed: " printed[next_one]; failed = 1 }
            exit failed
        }' "$2" "$1"
}

is_printed() {
    command=$(sed -E '1!d; s/^\$ (build\/)?admit //' "$1")
    # shellcheck disable=SC2086 # its words
    "$BUILD/admit" $command >"$scratch/printed" 2>&1
    sed 1d "$1" >"$scratch/shown"
    without_measures "$scratch/shown" >"$scratch/shown.plain"
    without_measures "$scratch/printed" >"$scratch/printed.plain"
    as_shown "$scratch/shown.plain" "$scratch/printed.plain"
}

differences_are_noticed() {
    printf 'a\nb\nc\n' >"$scratch/printed.plain"
    for shown in 'a\nc\n' 'a\nb\n' '...\nd\n' 'a\nb\nc\nd\n' '...\nb\n'; do
        # shellcheck disable=SC2059
        printf "$shown" >"$scratch/shown.plain"
        as_shown "$scratch/shown.plain" "$scratch/printed.plain" && return 1
    done
    for shown in 'a\nb\nc\n' '...\nc\n' 'a\n...\n' 'a\n...\nc\n'; do
        # shellcheck disable=SC2059
        printf "$shown" >"$scratch/shown.plain"
        as_shown "$scratch/shown.plain" "$scratch/printed.plain" || return 1
    done
}

# block LANGUAGE DOCUMENT: its first block of code in this language.
block() {
    awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } /^```/ { if (inside) exit } inside' "$2"
}

# is_a_program DOCUMENT WORK: in C; the function WORK does the work, and prints in which slot.
is_a_program() {
    block c "$1" >"$scratch/block"
    {
        printf '#include <admit.h>\n#include <err.h>\n#include <stdio.h>\n'
        grep '^#' "$scratch/block"
        printf 'static void %s(unsigned slot) { printf("in slot %%u\\n", slot); }\nint main(void)\n{\n' "$2"
        grep -v '^#' "$scratch/block"
        echo '}'
    } >"$scratch/program.c"
    cc -Wall -Wextra -Werror "$scratch/program.c" -Iinclude "$BUILD/libadmit.a" -o "$scratch/program" || return 1
    test "$("$scratch/program")" = "in slot 0"
}

# The same in Python.
is_a_script() {
    {
        printf 'import admit\ndef %s(slot):\n    print("in slot", slot)\n' "$2"
        block python "$1"
    } >"$scratch/script.py"
    test "$(PYTHONPATH=python ADMIT_LIBRARY=$BUILD/libadmit.so PYTHONDONTWRITEBYTECODE=1 python3 "$scratch/script.py")" = "in slot 0"
}

for document in $documents; do
    name=$scratch/$(basename "$document" .md)
    split "$document" "$name"
    for transcript in "$name".*; do
        check "$document: $(sed 1q "$transcript")" is_printed "$transcript"
    done
done
check "the C program of README.md" is_a_program README.md train
check "the C program of docs/using.md" is_a_program docs/using.md train_on_gpu
if command -v python3 >/dev/null; then
    check "the Python program of README.md" is_a_script README.md train
    check "the Python program of docs/using.md" is_a_script docs/using.md train_on_gpu
fi
check "a difference is noticed" differences_are_noticed
finish
