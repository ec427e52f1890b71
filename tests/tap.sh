# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# tap.sh - to be sourced by a suite that is a shell script: run each case by `check NAME COMMAND...`, end with `finish`.

cases=0
BUILD=${BUILD:-build}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# The case passes if the command succeeds; what it prints is shown if it does not.
check() {
    name=$1
    shift
    cases=$((cases + 1))
    if "$@" >"$scratch/output" 2>&1; then
        echo "ok $cases - $name"
    else
        echo "not ok $cases - $name"
        sed 's/^/# /' "$scratch/output"
    fi
}

finish() {
    echo "1..$cases"
}
