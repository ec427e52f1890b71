#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every mutant (tests/mutants/ALGORITHM.NAME.patch) is caught by what its patch says catches it, and by nothing less:
#
#   Caught: ARGUMENTS   `admit check MUTANT ARGUMENTS` finds a violation, and `admit replay` confirms it; with one process
#                       fewer there is none; in the text without the edit there is none
#   Passes: ARGUMENTS   `admit check MUTANT ARGUMENTS` finds none: it takes the registers, fault, order or property under
#                       Caught to see what is broken
#
# That a mutant is wrong only with a crash can be shown for liveness only. A crash is a process that is not scheduled any
# more, which every exploration contains; it makes a difference only where a schedule must be fair.
#
# With ONLY in the environment, as of `make check-all`, those alone whose id (one_bit:lingers) matches it:
# tests/run BUILD=build ONLY=one_bit: tests/suites/mutants.sh
. tests/tap.sh
only=${ONLY:-}

# said FIELD PATCH: the arguments under this field, one line each.
said() {
    sed -n "/^---/q; s/^$1: *//p" "$2"
}

# ends STATUS COMMAND...
ends() {
    expected=$1
    shift
    "$@"
    status=$?
    [ "$status" -eq "$expected" ] || {
        echo "exit status $status, not $expected: $*"
        return 1
    }
}

# caught ID ARGUMENTS...: a violation that replay confirms.
caught() {
    ends 1 "$BUILD/admit" check "$@" --trace "$scratch/trace" && ends 0 "$BUILD/admit" replay "$scratch/trace"
}

# with_one_less "-n N ...": the same with N - 1, the last of several numbers of passages dropped; fails where that would be
# fewer than k, and where a schedule was made for N.
with_one_less() {
    case $1 in *--schedule*) return 1 ;; esac
    n=$(expr "$1" : '-n \([0-9]*\)') k=$(expr "$1" : '.*-k \([0-9]*\)')
    [ $((n - 1)) -ge "${k:-1}" ] && echo "-n $((n - 1)) ${1#-n * }" | sed 's/\(--passages [0-9,]*\),[0-9]*/\1/'
}

count=0 asked=0
for patch in tests/mutants/*.patch tests/mutants/*/*.patch; do
    count=$((count + 1))
    name=${patch#tests/mutants/}
    mutant=$(printf %s "${name%.patch}" | tr . :)
    original=${mutant%:*}
    printf '%s\n' "$mutant" | grep -q -e "$only" || continue
    asked=$((asked + 1))
    said Caught "$patch" >"$scratch/caught"
    check "$mutant says how it is caught" test -s "$scratch/caught"
    # The lists of arguments are meant to be split into words.
    # shellcheck disable=SC2086
    while read -r arguments; do
        check "$mutant is caught by $arguments" caught "$mutant" $arguments
        check "$original is not" ends 0 "$BUILD/admit" check "$original" $arguments
        if fewer=$(with_one_less "$arguments"); then
            check "$mutant passes $fewer" ends 0 "$BUILD/admit" check "$mutant" $fewer
        fi
    done <"$scratch/caught"
    said Passes "$patch" >"$scratch/passes"
    # shellcheck disable=SC2086
    while read -r arguments; do
        check "$mutant passes $arguments" ends 0 "$BUILD/admit" check "$mutant" $arguments
    done <"$scratch/passes"
done

[ -z "$only" ] || {
    check "there is a mutant that matches $only" test "$asked" -gt 0
    finish
    exit
}

# Every shipped algorithm has mutants, and every property is broken by one.
has_mutant() {
    ls tests/mutants/"$1".*.patch
}
breaks() {
    grep -l -e "^Caught: .*--property $1\$" -e "^Caught: .*--property $1 " tests/mutants/*.patch tests/mutants/*/*.patch
}
for source in src/algorithms/*.c src/algorithms/*/*.c; do
    id=${source#src/algorithms/}
    check "${id%.c} has a mutant" has_mutant "${id%.c}"
done
properties=$("$BUILD/admit" check --help | sed -n 's/^properties: //p' | tr -d ,)
check "there are properties to break" test -n "$properties"
for property in $properties; do
    check "a mutant breaks $property" breaks "$property"
done

# The catalogue lists them all, with the first of those lines.
listed() {
    "$BUILD/admit" algorithms --mutants --json >"$scratch/list" && grep -c '"caught_by": "-n ' "$scratch/list" >"$scratch/n" &&
        cat "$scratch/n" && test "$(cat "$scratch/n")" -eq "$count"
}
check "admit algorithms --mutants lists $count" listed
finish
