#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What documents show of a session with the laboratory is what it prints, but for time and memory: blocks of code that
# begin with `$ admit` or `$ build/admit`. A line of three dots stands for any lines.
. tests/tap.sh

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

for document in $documents; do
    name=$scratch/$(basename "$document" .md)
    split "$document" "$name"
    for transcript in "$name".*; do
        check "$document: $(sed 1q "$transcript")" is_printed "$transcript"
    done
done
check "a difference is noticed" differences_are_noticed
finish
