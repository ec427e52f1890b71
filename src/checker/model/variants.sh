#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Lists the mutants and the test algorithms for catalogue.c: variants.sh "MUTANT..." TEST-ALGORITHMS-DIRECTORY
#
# A mutant is tests/mutants/ALGORITHM.NAME.patch; the lines before its first "---" say what is broken (Brief:), how it is
# caught (Caught:, arguments of `admit check`), and where it must still pass (Passes:, any number of lines).
set -eu
. tests/said.sh
# symbol NAME: what the Makefile makes of it.
symbol() { printf %s "$1" | sed 's/\./__/g; s|/|_with_|g'; }
echo '/* Written by variants.sh. */'
for name in $1; do
    mutant "$(symbol "$name")" "tests/mutants/$name.patch" '-n 2 --property exclusion'
done
for source in "$2"/*.c; do
    [ -f "$source" ] || continue
    printf 'TEST_ALGORITHM(test_%s)\n' "$(basename "$source" .c)"
done
