#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the checker and its catalogue are, in seven commands (make demo-checker).
BUILD=${BUILD:-build}

# show STATUS COMMAND...: the command, what it prints, and that it ends as it should.
show() {
    expected=$1
    shift
    printf '\n$ %s\n' "$*"
    "$@"
    status=$?
    [ "$status" -eq "$expected" ] || {
        echo "exit status $status, not $expected" >&2
        exit 1
    }
}

echo "The catalogue:"
show 0 "$BUILD/admit" algorithms

printf '\nOne of them as a lock for real processes: four of them count to 4000 together:\n'
show 0 "$BUILD/examples/lock"

printf '\nAnother, proved for four processes on the weakest registers, by exploring every interleaving of its shipped code:\n'
show 0 "$BUILD/admit" check one_bit -n 4 --registers safe

printf '\nWhat it does not promise: a process can be locked out for ever. This is how:\n'
show 1 "$BUILD/admit" check one_bit -n 2 --property lockout-freedom

printf '\nIts paper says so, and much else. Each sentence is a row of a table, to be asked again:\n'
show 0 "$BUILD/admit" claims lamport86 --only starvation

printf '\nTheorem 8 is not so as it stands. It says that this algorithm comes to work again by itself from any start (docs/findings.md):\n'
show 1 "$BUILD/admit" check n_factorial_bit/one_bit_stabilizing -n 2 --fault transient --property deadlock-freedom

printf '\nA proof that plays: n processes need n variables. If two share one, they lose:\n'
show 1 "$BUILD/admit" bound variables test:folded_one_bit -n 2
