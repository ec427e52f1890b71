# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# helper.bash - for all command line tests: bats runs them in the project's directory, BUILD says which build.

bats_require_minimum_version 1.5.0
ADMIT=${BUILD:-build}/admit

# exits STATUS ARGUMENT...: what `admit ARGUMENT...` prints is in $output (stdout) and $stderr afterwards.
exits() {
    local expected=$1
    shift
    run --separate-stderr "$ADMIT" "$@"
    [ "$status" -eq "$expected" ] || {
        printf 'exit status %s, not %s, of: admit %s\n%s\n%s\n' "$status" "$expected" "$*" "$output" "${stderr:-}"
        return 1
    }
}

# refused TEXT ARGUMENT...: bad usage; the message names the command and contains TEXT, and nothing is on stdout.
refused() {
    local text=$1
    shift
    exits 2 "$@" && says_error "admit $1: " && says_error "$text" && [ -z "$output" ]
}

says() {
    [[ $output == *"$1"* ]] || {
        printf 'does not say "%s":\n%s\n' "$1" "$output"
        return 1
    }
}

says_not() {
    [[ $output != *"$1"* ]] || {
        printf 'says "%s":\n%s\n' "$1" "$output"
        return 1
    }
}

says_error() {
    [[ $stderr == *"$1"* ]] || {
        printf 'does not say "%s" on stderr:\n%s\n' "$1" "$stderr"
        return 1
    }
}

# json FILTER: the filter is true of $output, of which the beginning is shown if not.
json() {
    jq --exit-status "$1" <<<"$output" >/dev/null || {
        printf 'not true: %s\n' "$1"
        awk 'NR <= 40 { print } END { if (NR > 40) print "... and " NR - 40 " lines more" }' <<<"$output"
        return 1
    }
}
