#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A second opinion: SPIN explores hand-written Promela models (tests/spin) at our steps, and must find exactly as many
# states and transitions as `admit check` finds in the shipped text, and the same verdicts. Skipped without spin.
#
# BUILD (default build) is where admit is; CC compiles what spin generates.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
cc=${CC:-cc}

if ! command -v spin >/dev/null 2>&1; then
    echo "1..1"
    echo "ok 1 - the state counts of SPIN # SKIP spin is not installed"
    exit 0
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/admit-spin.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

tests=0
failed=0
report() { # STATUS DESCRIPTION [DIAGNOSTIC]
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
    else
        failed=$((failed + 1))
        echo "not ok $tests - $2"
        printf '%s\n' "${3:-}" | sed 's/^/# /'
    fi
}

pan() { # MODEL N "MODEL SWITCHES" "COMPILER SWITCHES" "PAN OPTIONS": pan's report goes to pan.out
    rm -f pan pan.* ./*.trail pan.out
    # shellcheck disable=SC2086 # the switches are lists
    spin -DN="$2" -DSELF_LOOP $3 -a "$top/tests/spin/$1.pml" >pan.out 2>&1 &&
        "$cc" -O1 -w -DNOREDUCE $4 -o pan pan.c >>pan.out 2>&1 &&
        ./pan -n $5 >pan.out 2>&1
    status=$?
    grep -q 'search depth too small' pan.out && return 1
    return $status
}

number() { # KEY: the number behind it in admit's JSON
    grep -o "\"$1\": *[0-9]*" admit.out | head -n 1 | grep -o '[0-9]*$'
}

# The same states, the same transitions (pan counts one more: into the initial state), nothing violated.
counts() { # ALGORITHM N "MODEL SWITCHES" "ADMIT OPTIONS"
    what="$1 -n $2${4:+ $4}"
    # shellcheck disable=SC2086
    if ! pan "$1" "$2" "$3" "-DSAFETY" "-m1000000 -w20" || ! grep -q 'errors: 0' pan.out; then
        report 1 "$what: as many states as in SPIN" "$(cat pan.out)"
        return
    fi
    states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' pan.out)
    transitions=$(sed -n 's/^ *\([0-9]*\) transitions .*/\1/p' pan.out)
    transitions=$((transitions - 1))
    # shellcheck disable=SC2086
    "$build/admit" check "$1" -n "$2" --property exclusion $4 --json >admit.out 2>&1
    [ "$(number states)" = "$states" ] && [ "$(number transitions)" = "$transitions" ]
    report $? "$what: as many states as in SPIN ($states, $transitions transitions)" "$(cat admit.out)"
}

# The same verdict on a property of infinite runs.
verdict() { # ALGORITHM N PROPERTY "MODEL SWITCHES" "COMPILER SWITCHES" "PAN OPTIONS"
    what="$1 -n $2 $3: the same verdict as SPIN's"
    if ! pan "$1" "$2" "-DREST $4" "-DNFAIR=3 $5" "-f -m1000000 $6"; then
        report 1 "$what" "$(cat pan.out)"
        return
    fi
    if grep -q 'errors: 0' pan.out; then spin=holds; else spin=violated; fi
    "$build/admit" check "$1" -n "$2" --property "$3" --json >admit.out 2>&1
    admit=$(grep -o '"verdict": *"[a-z]*"' admit.out | head -n 1 | sed 's/.*"\([a-z]*\)"$/\1/')
    [ "$admit" = "$spin" ]
    report $? "$what ($spin)" "admit: $admit, SPIN: $spin"
}

for n in 2 3 4 5; do
    counts one_bit $n "" ""
    counts burns_lynch $n "" ""
    counts burns_lynch $n -DANY_ORDER "--order any"
done
for passages in 1,1 1,1,1 1,1,1,1; do
    n=$(printf '%s' "$passages" | tr -cd 1 | wc -c)
    counts bakery "$n" "" "--passages $passages"
    [ "$n" -le 3 ] && counts bakery "$n" -DANY_ORDER "--passages $passages --order any"
done
for algorithm in one_bit burns_lynch; do
    verdict $algorithm 3 deadlock-freedom "" -DNP -l
    verdict $algorithm 3 lockout-freedom -DLOCKOUT "" -a
done

echo "1..$tests"
[ "$failed" -eq 0 ]
