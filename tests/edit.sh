#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The texts of a mutant: edit.sh PATCH DIRECTORY TEXT
#
# Makes DIRECTORY anew, with copies of TEXT and of all that PATCH edits, and applies PATCH to them, exactly. Then there are
# DIRECTORY/edited and, with the lines where they are now, DIRECTORY/changes; DIRECTORY/edited.d tells make to begin anew
# when one of the originals changes.
set -eu
patch=$1 directory=$2 text=$3

edited=$(sed -n 's/^+++ \([^[:space:]]*\).*/\1/p' "$patch")
rm -rf "$directory"
for original in $(printf '%s\n' "$text" "$edited" | sort -u); do
    mkdir -p "$directory/$(dirname "$original")"
    cp "$original" "$directory/$original"
    echo "$directory/edited: $original" >>"$directory/edited.d"
done
patch --quiet --fuzz=0 --strip=0 --directory="$directory" <"$patch" || {
    cat >&2 <<HELP
$patch does not fit the text any more. A mutant is the shipped text with one edit, so its patch has to follow the text.
To break an algorithm, edit a copy of it in tests/algorithms/ ("Break one yourself" in docs/checking.md); or leave the
mutants out: make MUTANTS= TIMESTAMP_MUTANTS=
HELP
    exit 1
}
for original in $(printf '%s\n' "$edited" | sort -u); do
    diff -U 0 --label "$original" --label "$original" "$original" "$directory/$original" || test $? -eq 1
done >"$directory/changes"
touch "$directory/edited"
