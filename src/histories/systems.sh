#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Lists the mutants of the timestamp systems for systems.c: systems.sh MUTANTS-DIRECTORY
#
# A mutant is SYSTEM.NAME.patch; the lines before its first "---" say what is broken (Brief:) and how it is caught
# (Caught:, which tests/unit/timestamps.c reads).
set -eu
field() { sed -n "/^---/q; s/^$1: *//p" "$2" | sed 's/[\\"]/\\&/g' | head -n 1; }
echo '/* Written by systems.sh. */'
for patch in "$1"/*.patch; do
    [ -f "$patch" ] || continue
    name=$(basename "$patch" .patch)
    printf 'MUTANT(%s, "%s", "%s")\n' "$(printf %s "$name" | sed 's/\./__/g')" "$(field Brief "$patch")" \
        "$(field Caught "$patch")"
done
