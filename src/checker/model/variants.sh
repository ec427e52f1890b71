#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Lists the mutants and the test algorithms for catalogue.c: variants.sh MUTANTS-DIRECTORY TEST-ALGORITHMS-DIRECTORY
#
# A mutant is ALGORITHM.NAME.patch; the lines before its first "---" say what is broken (Brief:), how it is caught
# (Caught:, arguments of `admit check`), and where it must still pass (Passes:, any number of lines).
set -eu
field() { sed -n "/^---/q; s/^$1: *//p" "$2" | sed 's/[\\"]/\\&/g' | head -n 1; }
# symbol NAME: what the Makefile makes of it.
symbol() { printf %s "$1" | sed 's/\./__/g; s|/|_with_|g'; }
echo '/* Written by variants.sh. */'
for patch in "$1"/*.patch "$1"/*/*.patch; do
    [ -f "$patch" ] || continue
    name=${patch#"$1"/}
    printf 'MUTANT(%s, "%s", "%s")\n' "$(symbol "${name%.patch}")" "$(field Brief "$patch")" "$(field Caught "$patch")"
done
for source in "$2"/*.c; do
    [ -f "$source" ] || continue
    printf 'TEST_ALGORITHM(test_%s)\n' "$(basename "$source" .c)"
done
