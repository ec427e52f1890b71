#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The manual pages: that they are well formed, and that admit(3) and admit.h have the same in them.
. tests/tap.sh

command -v mandoc >/dev/null || { echo "1..0 # SKIP there is no mandoc" && exit 0; }

header=include/admit.h
page=docs/man/admit.3

is_well_formed() {
    mandoc -Tlint -W warning "$1" >"$scratch/lint" 2>&1
    cat "$scratch/lint"
    test ! -s "$scratch/lint"
}

# rendered PAGE WIDTH: as on a terminal, but nothing is bold.
rendered() {
    mandoc -Tascii -O width="$2" "$1" | sed 's/.\x08//g'
}

fits_a_terminal() {
    rendered "$1" 80 >"$scratch/page"
    test -s "$scratch/page" && ! grep -nE '.{81}' "$scratch/page"
}

# A heading that begins with a word such as In is to be that word, not what a macro of that name makes of it.
headings_are_words() {
    ! grep -nE '^\.It [A-Z][a-z] ' "$1" |
        grep -vE '^[0-9]+:\.It (Bq|Cm|Ev|Fl|Fn|Li|Pa|Va|Vt) '
}

without_comments() {
    awk '{ text = text $0 "\n" }
        END {
            while ((from = index(text, "/*")) > 0)
                text = substr(text, 1, from - 1) substr(text, from + index(substr(text, from), "*/") + 1)
            printf "%s", text }' "$1"
}

# Each function as "TYPE NAME(ARGUMENTS)".
declared() {
    without_comments "$header" | grep -v '^#' | tr '\n' ' ' | tr ';' '\n' | sed -n 's/.*ADMIT_API //p' | tr -s ' '
}

in_synopsis() {
    rendered "$1" 1000 |
        awk '/^[A-Z]/ { synopsis = $1 == "SYNOPSIS" }
            synopsis && /admit_.*;$/ { sub(/^ +/, ""); sub(/;$/, ""); print type (type ~ /\*$/ ? "" : " ") $0 }
            { type = $0; sub(/^ +/, "", type) }'
}

has_all_functions() {
    declared | LC_ALL=C sort >"$scratch/declared"
    in_synopsis "$page" | LC_ALL=C sort >"$scratch/synopsis"
    test "$(wc -l <"$scratch/declared")" -gt 50 && diff "$scratch/declared" "$scratch/synopsis"
}

# Each function is explained, beside standing in the synopsis.
explains_all_functions() {
    sed -n '/^\.Sh DESCRIPTION/,$p' "$page" >"$scratch/explanations"
    declared | sed 's/.*[ *]\(admit_[a-z_]*\)(.*/\1/' | while read -r word; do
        grep -qE "^\.(It )?Fn $word( |$)" "$scratch/explanations" || echo "$page does not explain $word"
    done >"$scratch/missing"
    cat "$scratch/missing"
    test ! -s "$scratch/missing"
}

# Constants, types, and what is in them.
names_in_header() {
    without_comments "$header" | grep -oE '\b(ADMIT_[A-Z_]+|admit_[a-z_]+)\b' | grep -vxE 'ADMIT_(H|API)'
    without_comments "$header" | sed -n '/^typedef struct admit_.* {/,/^}/p' | sed -nE \
        -e '/[{}]/d' -e 's/.*\(\*([a-z_]+)\).*/\1/p' -e 't' -e 's/^ .*[ *]([a-z_]+)(\[[A-Z_]*\])?;.*/\1/p' \
        -e 's/^ *unsigned ([a-z_, ]+), [a-z_]+;.*/\1/p' | tr -d ',' | tr ' ' '\n'
}

names_are_in_page() {
    names_in_header | sort -u >"$scratch/names"
    test "$(grep -c '^ADMIT_' "$scratch/names")" -gt 50 && grep -qx look_only "$scratch/names" &&
        grep -qx most_k "$scratch/names" || return 1
    while read -r word; do
        grep -qE "(^|[^A-Za-z_])$word([^A-Za-z_]|$)" "$page" || { echo "not in $page: $word" && return 1; }
    done <"$scratch/names"
}

# What the page names is in the header, but for variables of the environment.
names_are_in_header() {
    grep -oE '\b(ADMIT_[A-Z_]+|admit_[a-z_]+)\b' "$page" | sort -u |
        grep -vxE 'ADMIT_(DIR|ETCD|ETCD_CA)|admit_elsewhere_provide' >"$scratch/named"
    names_in_header | sort -u | comm -13 - "$scratch/named" >"$scratch/unknown"
    cat "$scratch/unknown"
    test -s "$scratch/named" && test ! -s "$scratch/unknown"
}

# In a copy of the header in which sed has made that edit, the check does not hold.
notices() {
    sed "$2" include/admit.h >"$scratch/edited.h"
    cmp -s include/admit.h "$scratch/edited.h" && echo "$2 edits nothing" && return 1
    ! (header=$scratch/edited.h && "$1")
}

differences_are_noticed() {
    notices has_all_functions 's/admit_gate_open(const char \*name, unsigned k)/admit_gate_open(const char *name, int k)/' &&
        notices has_all_functions '/admit_gate_declare(/d' &&
        notices names_are_in_page 's/ADMIT_FULL,/ADMIT_OVERFULL,/' &&
        notices names_are_in_page 's/int look_only;/int only_look;/' &&
        notices names_are_in_header '/ADMIT_LOST,/d'
}

for file in docs/man/admit.*; do
    check "$file is well formed" is_well_formed "$file"
    check "$file fits a terminal" fits_a_terminal "$file"
    check "$file has the headings that it says" headings_are_words "$file"
done
check "admit(3) has the functions of admit.h, as they are declared" has_all_functions
check "admit(3) explains each of them" explains_all_functions
check "what admit.h names is in admit(3)" names_are_in_page
check "what admit(3) names is in admit.h" names_are_in_header
check "a difference is noticed" differences_are_noticed
finish
