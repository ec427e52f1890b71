#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every example builds (make did that) and prints what it should: tests/examples/NAME.expected.
. tests/tap.sh

prints_what_it_should() {
    "$BUILD/examples/$1" >"$scratch/printed" && diff "tests/examples/$1.expected" "$scratch/printed"
}

for example in examples/*.c; do
    name=$(basename "$example" .c)
    check "examples/$name" prints_what_it_should "$name"
done
finish
