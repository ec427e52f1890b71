# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# said.sh - to be sourced by what lists mutants: what a patch says of itself, in lines before its first "---".

# said FIELD PATCH PATTERN EXAMPLE: its first line of this field that is like the pattern, for a string of C. Ends the script
# if there is none.
said() {
    line=$(sed -n "/^---/q; s/^$1: *//p" "$2" | grep -m 1 -e "$3") || {
        echo "$2: before its first line that begins with --- there must be one like '$1: $4' (CONTRIBUTING.md)" >&2
        exit 1
    }
    printf %s "$line" | sed 's/[\\"]/\\&/g'
}

# mutant SYMBOL PATCH EXAMPLE: its line of the list; the example is of how one is caught.
mutant() {
    brief=$(said Brief "$2" . 'what is broken')
    caught=$(said Caught "$2" '^-n [0-9]' "$3")
    printf 'MUTANT(%s, "%s", "%s")\n' "$1" "$brief" "$caught"
}
