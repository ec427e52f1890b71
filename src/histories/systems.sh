#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Lists the mutants of the timestamp systems for systems.c: systems.sh "MUTANT..."
#
# A mutant is tests/timestamps/SYSTEM.NAME.patch; the lines before its first "---" say what is broken (Brief:) and how it
# is caught (Caught:, which tests/unit/timestamps.c reads).
set -eu
. tests/said.sh
echo '/* Written by systems.sh. */'
for name in $1; do
    mutant "$(printf %s "$name" | sed 's/\./__/g')" "tests/timestamps/$name.patch" '-n 2 --runs 10'
done
