#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A process with glibc and one with musl at one gate: they wait for each other, in order, and each learns of the other's
# death. Where there is no musl-gcc there is nobody to meet.
. tests/tap.sh

glibc=$BUILD/tests/homes/visitor
musl=$BUILD/musl/tests/homes/visitor
if ! command -v musl-gcc >/dev/null; then
    echo "1..0 # SKIP no musl-gcc: musl-tools is not installed"
    exit 0
fi

export ADMIT_DIR="$scratch/gates"
mkdir "$ADMIT_DIR"
visitors=
trap 'for visitor in $visitors; do kill -9 "$visitor" 2>/dev/null; done; rm -rf "$scratch"' EXIT

# soon COMMAND...: within seconds it succeeds.
soon() {
    for _ in $(seq 1000); do
        "$@" && return 0
        sleep 0.01
    done
    echo "not within seconds: $*"
    return 1
}

# comes WHO PROGRAM: what it says goes to a file of its name, its number into a variable of that name.
comes() {
    "$2" gate >"$scratch/$1" 2>&1 &
    eval "$1=$!"
    visitors="$visitors $!"
}

# there INSIDE WAITING
there() {
    "$BUILD/admit" status gate | grep -q "^gate: $1 of [0-9]* inside, $2 waiting"
}

# is_in WHO WORDS
is_in() {
    [ "$(cat "$scratch/$1")" = "$2" ]
}

made_with() { # K
    "$BUILD/admit" run -k "$1" gate -- true
}

all_gone() {
    "$BUILD/admit" remove gate
}

# Five in line, of one libc and the other by turns. The first leaves, the next two are killed inside, one is killed as it
# waits, and the last goes in.
in_line() { # PROGRAM OTHER
    made_with 1 || return 1
    comes first "$1" && soon is_in first "slot 0" || return 1
    comes second "$2" && soon there 1 1 || return 1
    comes third "$1" && soon there 1 2 || return 1
    comes fourth "$2" && soon there 1 3 || return 1
    comes fifth "$1" && soon there 1 4 || return 1
    kill "$first" && soon is_in second "slot 0" && soon there 1 3 || return 1
    kill -9 "$second" && soon is_in third "slot 0, whose owner died" && soon there 1 2 || return 1
    kill -9 "$fourth" && soon there 1 1 || return 1
    kill -9 "$third" && soon is_in fifth "slot 0, whose owner died" || return 1
    kill "$fifth" && soon there 0 0 && all_gone
}

# Three records share a page, and each libc has its links elsewhere: as many as three pages have, and all are killed at
# once but for the last.
side_by_side() { # PROGRAM OTHER
    made_with 9 || return 1
    for pair in 1 2 3 4; do
        comes "one$pair" "$1" && comes "other$pair" "$2" || return 1
    done
    soon there 8 0 || return 1
    for pair in 1 2 3 4; do
        eval "kill -9 \$one$pair \$other$pair" || return 1
    done
    for one in 1 2 3 4 5 6 7 8 9; do
        comes "new$one" "$1"
    done
    soon there 9 0 && comes late "$2" && soon there 9 1 || return 1
    # shellcheck disable=SC2154 # comes sets it
    kill -9 "$new5" && soon grep -q "whose owner died" "$scratch/late" || return 1
    for one in 1 2 3 4 6 7 8 9; do
        eval "kill \$new$one" || return 1
    done
    # shellcheck disable=SC2154
    kill "$late" && soon there 0 0 && all_gone
}

check "musl waits for glibc, and glibc for musl, in order" in_line "$glibc" "$musl"
check "glibc waits for musl, and musl for glibc, in order" in_line "$musl" "$glibc"
check "side by side, killed together, glibc comes after" side_by_side "$glibc" "$musl"
check "side by side, killed together, musl comes after" side_by_side "$musl" "$glibc"
finish
