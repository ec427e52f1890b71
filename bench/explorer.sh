#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The explorer measured: against SPIN at the same steps, liveness and `enabled` against safety, and cost per state as
# the number of states grows. What the tables mean: bench/README.md.
#
#   BUILD=build        where admit and bench/measure are
#   CC=cc              compiles what spin generates
#   BENCH_REPS=3       repetitions; contenders take turns, and medians are printed
#   BENCH_SIZES="6 7"  how many processes, against SPIN; 7 takes pan some minutes in all
#   BENCH_LONG=1       also exhaust One-Bit with 8 processes, on fingerprints
set -u

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
cc=${CC:-cc}
reps=${BENCH_REPS:-3}
sizes=${BENCH_SIZES:-6 7}
cores=$(nproc)

work=$(mktemp -d "${TMPDIR:-/tmp}/admit-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# --- running and reading ----------------------------------------------------------------------------------------------

run() { # KEY COMMAND...: one line of bench/measure more in KEY.times, output in KEY.out
    key=$1
    shift
    "$build/bench/measure" "$key.out" "$@" >>"$key.times"
}

median() { # KEY COLUMN (1 wall, 2 processor, 3 peak KiB)
    awk -v column="$2" '{ print $column }' "$1.times" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

admit() { # KEY ARGUMENT...
    key=$1
    shift
    run "$key" "$build/admit" check "$@" --json
}

# admit exits with 0 or 1 once it has a verdict.
decided() { # KEY
    awk '$4 > 1 { bad = 1 } END { exit bad }' "$1.times"
}

number() { # KEY FIELD: a number from admit's JSON
    grep -o "\"$2\": *[0-9]*" "$1.out" | head -n 1 | grep -o '[0-9]*$'
}

verdict() { # KEY
    grep -o '"verdict": *"[a-z]*"' "$1.out" | head -n 1 | sed 's/.*"\([a-z]*\)"$/\1/'
}

complain() { # KEY WHAT
    echo "$2: failed with status $(awk 'END { print $4 }' "$1.times")"
    head -n 3 "$1.out" | sed 's/^/    /'
}

# --- against SPIN -----------------------------------------------------------------------------------------------------

# The ways to compile and run pan that are exact; hash compaction and bit states are not. NAME: COMPILER: OPTIONS.
ways() { # N
    depth=200000
    table=22
    if [ "$1" -ge 7 ]; then
        depth=3000000
        table=25
    fi
    common="-O3 -DSAFETY -DNOFAIR -DNOBOUNDCHECK -DMEMLIM=8000"
    echo "reduced:$common:-m$depth -w$table"
    echo "unreduced:$common -DNOREDUCE:-m$depth -w$table"
    echo "uncompressed:$common -DNOREDUCE -DNOCOMP:-m$depth -w$table"
    if [ "$cores" -gt 1 ]; then
        echo "multi_core:$common -DNOREDUCE -DNCORE=$cores:-m$depth -w$table"
        echo "multi_core_bfs:$common -DNOREDUCE -DBFS_PAR:-u$cores -w$table"
    fi
}

prepare_pan() { # N WAY SWITCHES
    mkdir -p "pan.$1" && (
        cd "pan.$1" || exit 1
        [ -f pan.c ] || spin -DN="$1" -a "$top/tests/spin/one_bit.pml" >spin.out || exit 1
        # shellcheck disable=SC2086
        "$cc" -w $3 -o "$2" pan.c
    )
}

row() { # NAME KEY STATES TRANSITIONS
    awk -v name="$1" -v wall="$(median "$2" 1)" -v cpu="$(median "$2" 2)" -v kib="$(median "$2" 3)" -v states="$3" \
        -v transitions="$4" 'BEGIN {
            printf "%-26s %8.2f %8.2f %11d %12d %10.1f %8.1f\n", name, wall, cpu, states, transitions,
                transitions / wall / 1e6, kib * 1024 / states
        }'
}

against_spin() { # N
    n=$1
    echo
    echo "One-Bit, atomic registers, exclusion, n = $n"
    printf '%-26s %8s %8s %11s %12s %10s %8s\n' "" "wall s" "cpu s" states transitions "M trans/s" "B/state"
    ways "$n" >"ways.$n"
    while IFS=: read -r way switches options; do
        prepare_pan "$n" "$way" "$switches" </dev/null || echo "pan, $way: does not compile"
    done <"ways.$n"

    best=
    round=1
    while [ "$round" -le "$reps" ]; do
        admit "admit.$n" one_bit -n "$n" --property exclusion
        while IFS=: read -r way switches options; do
            [ -x "pan.$n/$way" ] || continue
            # Long ones get one chance each; then the best goes on.
            [ "$n" -ge 7 ] && [ "$round" -gt 1 ] && [ "$way" != "$best" ] && continue
            # shellcheck disable=SC2086
            run "pan.$n.$way" timeout 900 "pan.$n/$way" -n $options </dev/null
        done <"ways.$n"
        least=
        while IFS=: read -r way switches options; do
            grep -q 'errors: 0' "pan.$n.$way.out" 2>/dev/null || continue
            wall=$(median "pan.$n.$way" 1)
            if [ -z "$least" ] || awk "BEGIN { exit !($wall < $least) }"; then
                least=$wall
                best=$way
            fi
        done <"ways.$n"
        round=$((round + 1))
    done

    states=
    if decided "admit.$n"; then
        states=$(number "admit.$n" states)
        row admit "admit.$n" "$states" "$(number "admit.$n" transitions)"
    else
        complain "admit.$n" admit
    fi
    while IFS=: read -r way switches options; do
        [ -f "pan.$n.$way.out" ] || continue
        if ! grep -q 'errors: 0' "pan.$n.$way.out" || grep -q 'too small' "pan.$n.$way.out"; then
            complain "pan.$n.$way" "pan, $way"
            continue
        fi
        pan_states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "pan.$n.$way.out")
        pan_transitions=$(sed -n 's/^ *\([0-9.e+]*\) transitions .*/\1/p' "pan.$n.$way.out")
        row "pan, $way" "pan.$n.$way" "$pan_states" "$pan_transitions"
        [ -z "$states" ] || [ "$states" = "$pan_states" ] || echo "^ NOT THE SAME STATES: this comparison means nothing"
    done <"ways.$n"
    if [ -n "$states" ] && [ -n "$best" ]; then
        awk -v pan="$least" -v admit="$(median "admit.$n" 1)" -v best="$best" 'BEGIN {
            printf "time of pan (best: %s) / time of admit: %.1f   (aim: 4 or more)\n", best, pan / admit }'
        awk -v states="$states" -v bytes="$(number "admit.$n" memory_bytes)" 'BEGIN {
            if (bytes) printf "what admit says it used itself: %.1f bytes a state   (aim: 40 or less)\n", bytes / states }'
    fi
    rm -rf "pan.$n"
}

# --- other properties against safety ----------------------------------------------------------------------------------

ratios() { # "ALGORITHM ARGUMENTS" AIM PROPERTY...
    setting=$1
    aim=$2
    shift 2
    name=$(echo "$setting" | tr -c 'a-z0-9\n' _)
    round=1
    while [ "$round" -le "$reps" ]; do
        for property in exclusion "$@"; do
            # shellcheck disable=SC2086
            admit "ratio.$name.$property" $setting --property "$property"
        done
        round=$((round + 1))
    done
    for property; do
        key=ratio.$name.$property
        if ! decided "$key" || ! decided "ratio.$name.exclusion"; then
            complain "$key" "$setting $property"
            continue
        fi
        awk -v setting="$setting" -v property="$property" -v safety="$(median "ratio.$name.exclusion" 1)" \
            -v other="$(median "$key" 1)" -v verdict="$(verdict "$key")" -v states="$(number "$key" states)" \
            -v aim="$aim" 'BEGIN {
                printf "%-18s %-22s %-9s %10d %11.3f %11.3f %7.2f  (aim: %d or less)\n", setting, property, verdict, states,
                    safety, other, other / safety, aim }'
    done
}

# --- scale ------------------------------------------------------------------------------------------------------------

scale() { # "ALGORITHM ARGUMENTS" REPETITIONS
    key=scale.$(echo "$1" | tr -c 'a-z0-9\n' _)
    round=1
    while [ "$round" -le "$2" ]; do
        # shellcheck disable=SC2086
        admit "$key" $1 --property exclusion
        round=$((round + 1))
    done
    if ! decided "$key"; then
        complain "$key" "$1"
        return
    fi
    awk -v name="$1" -v wall="$(median "$key" 1)" -v kib="$(median "$key" 3)" -v states="$(number "$key" states)" \
        -v transitions="$(number "$key" transitions)" 'BEGIN {
            printf "%-30s %11d %12d %9.2f %9.0f %11.1f %8.1f\n", name, states, transitions, wall, wall / states * 1e9,
                wall / transitions * 1e9, kib * 1024 / states }'
}

# ----------------------------------------------------------------------------------------------------------------------

echo "Explorer: $cores cores, medians of $reps"
if command -v spin >/dev/null 2>&1; then
    for size in $sizes; do
        against_spin "$size"
    done
else
    echo "spin is not installed: nothing to compare with"
fi

echo
echo "Other properties against exclusion (wall time)"
printf '%-18s %-22s %-9s %10s %11s %11s %7s\n' "" "" verdict states "exclusion s" "property s" ratio
ratios "one_bit -n 6" 3 deadlock-freedom lockout-freedom
ratios "burns_lynch -n 6" 3 deadlock-freedom lockout-freedom
ratios "bakery -n 3" 3 deadlock-freedom lockout-freedom
ratios "one_bit -n 6" 8 k-deadlock-avoidance

echo
echo "Scale (exclusion)"
printf '%-30s %11s %12s %9s %9s %11s %8s\n' "" states transitions "wall s" "ns/state" "ns/trans" "B/state"
for setting in "one_bit -n 4" "one_bit -n 5" "one_bit -n 6" "one_bit -n 7" \
    "burns_lynch -n 5" "burns_lynch -n 6" "burns_lynch -n 7"; do
    scale "$setting" "$reps"
done
if [ "${BENCH_LONG:-0}" = 1 ]; then
    scale "one_bit -n 7 --fingerprints" 1
    scale "one_bit -n 8 --fingerprints" 1
fi
