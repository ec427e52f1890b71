#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every example builds (make did that) and prints what it should: tests/examples/NAME.expected. Those in shell find admit as
# anybody does. What the demos show is checked by themselves: tests/cli/demo.bats has the other one.
. tests/tap.sh

PATH=$(realpath "$BUILD"):$PATH

prints_what_it_should() {
    "$1" >"$scratch/printed" && diff "tests/examples/$2.expected" "$scratch/printed"
}

# Of a run of its own; what comes of that in a tenth of the time is not the picture that is shown.
draws_a_picture() {
    PACE=0.1 docs/pictures/order.sh "$scratch/order.svg" && grep -q '>render ' "$scratch/order.svg"
}

for example in examples/*.c; do
    name=$(basename "$example" .c)
    check "examples/$name" prints_what_it_should "$BUILD/examples/$name" "$name"
done
check "examples/batch.sh" prints_what_it_should examples/batch.sh batch
check "docs/pictures/order.sh" draws_a_picture
check "make demo-checker" sh examples/checker.sh
finish
