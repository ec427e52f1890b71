#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What admit carries of texts, for texts.c: texts.sh MUTANTS-DIRECTORY "MUTANT..." FILE...
#
# Each is a line "text NAME SIZE" and then so many bytes. The name of a file is its path; of what a mutant has changed,
# ALGORITHM:NAME; of what a page may run, "hash" and the file.
set -eu
one() {
    printf 'text %s %s\n' "$1" "$(wc -c <"$2" | tr -d ' ')"
    cat "$2"
}

# As a page's Content-Security-Policy wants it. The shell's printf has octal numbers only.
# shellcheck disable=SC2059 # they are in its format
hash_of() {
    sha256sum "$1" | awk '{
        for (at = 1; at < 64; at += 2)
            printf "\\%o", 16 * (index("0123456789abcdef", substr($1, at, 1)) - 1) \
                + index("0123456789abcdef", substr($1, at + 1, 1)) - 1
    }' | { IFS= read -r octal || true; printf "$octal"; } | base64
}

mutants=$1 names=$2
shift 2
hash=$(mktemp)
trap 'rm -f "$hash"' EXIT
for file; do
    one "$file" "$file"
    case $file in
    *.js)
        hash_of "$file" >"$hash"
        one "hash $file" "$hash"
        ;;
    esac
done
for name in $names; do
    one "$(printf %s "$name" | sed 's/\./:/g')" "$mutants/$name/changes"
done
