#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What admit is, in four commands (make demo).
BUILD=${BUILD:-build}

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

echo "The catalogue:"
show "$BUILD/admit" algorithms
printf '\nOne of them as a lock for real processes:\n'
show "$BUILD/examples/lock"
printf '\nAnother, proved for four processes on the weakest registers, by exploring every interleaving of its shipped code:\n'
show "$BUILD/admit" check one_bit -n 4 --registers safe || exit 1
printf '\nWhat it does not promise: a process can be locked out for ever. This is how:\n'
show "$BUILD/admit" check one_bit -n 3 --property lockout-freedom
[ $? -eq 1 ] || exit 1
