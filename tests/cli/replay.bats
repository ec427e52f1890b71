#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit replay: confirms what a trace shows, and nothing else.
load helper

setup() {
    trace=$BATS_TEST_TMPDIR/trace
}

# found ARGUMENT...: writes a counterexample to $trace.
found() {
    exits 1 check "$@" --trace "$trace"
    [ -s "$trace" ]
}

# changed FILTER: the trace after a change, in $trace.
changed() {
    jq "$1" "$trace" >"$trace.changed"
    mv "$trace.changed" "$trace"
}

@test "a finite run" {
    found one_bit:looks_first -n 2 --property exclusion
    exits 0 replay "$trace"
    says "Confirmed: executed again, the run violates exclusion"
}

@test "a lasso" {
    found bakery:gives_up -n 2 --property lockout-freedom
    exits 0 replay "$trace"
    says "again and again"
    says "Confirmed"
}

@test "a statement about all runs is explored again" {
    for property in strong-fife overtaking; do
        found test:barging -n 3 -k 2 --property $property
        exits 0 replay "$trace"
        says "exploring again"
        says "Confirmed"
    done
    found test:ticket:short_doorway -n 3 --property fifo-enabling
    exits 0 replay "$trace"
    says "exploring again"
    says "Confirmed"
}

@test "unless the one that is enabled is inside" {
    found test:barging -n 3 -k 2 --property fifo-enabling
    exits 0 replay "$trace"
    says_not "exploring again"
    says "Confirmed"
    # The same run says nothing of the other way round.
    jq '.i as $i | .j as $j | .i = $j | .j = $i' "$trace" >"$trace.swapped"
    exits 1 replay "$trace.swapped"
    says "Not confirmed"
}

@test "replay shows the very diagram that check showed" {
    exits 1 check burns_lynch:no_gateway -n 3 --property exclusion --trace "$trace"
    diagram=$(grep ' | ' <<<"$output")
    [ -n "$diagram" ]
    exits 0 replay "$trace"
    [ "$(grep ' | ' <<<"$output")" = "$diagram" ]
}

@test "the trace is the counterexample of the JSON" {
    exits 1 check one_bit -n 3 --property lockout-freedom --json --trace "$trace"
    [ "$(jq -S '.properties[0].counterexample' <<<"$output")" = "$(jq -S . "$trace")" ]
}

@test "a changed step is not confirmed" {
    found one_bit:looks_first -n 2 --property exclusion
    cp "$trace" "$trace.whole"
    steps=$(jq '.steps | length' "$trace")
    for ((s = 0; s < steps; s++)); do
        cp "$trace.whole" "$trace"
        changed ".steps[$s].process = 1 - .steps[$s].process"
        exits 1 replay "$trace"
        says "Not confirmed"
    done
    cp "$trace.whole" "$trace"
    changed 'del(.steps[-1])'
    exits 1 replay "$trace"
    says "Not confirmed: the run is possible, but it does not violate exclusion"
}

@test "the trace of a mutant shows nothing of the text without the edit" {
    found one_bit:looks_first -n 2 --property exclusion
    changed '.algorithm = "one_bit"'
    exits 1 replay "$trace"
    says "Not confirmed"
}

@test "an impossible step is named" {
    found one_bit:looks_first -n 2 --property exclusion
    changed '.steps[0].crash = true'
    exits 1 replay "$trace"
    says "Not confirmed: this run is not possible (step 1 of process"
}

@test "a claim about all runs that does not hold is not confirmed" {
    found test:barging -n 2 --property strong-fife
    changed '.algorithm = "test:ticket"'
    exits 1 replay "$trace"
    says "Not confirmed"
}

@test "what is no trace is refused" {
    refused "which file" replay
    refused "No such file" replay "$BATS_TEST_TMPDIR/missing"
    refused "" replay "$BATS_TEST_TMPDIR"
    : >"$trace"
    refused "$trace: " replay "$trace"
    echo garbage >"$trace"
    refused "$trace: " replay "$trace"
    head -c 1000 /dev/urandom >"$trace"
    refused "$trace: " replay "$trace"
    echo '[]' >"$trace"
    refused "not a trace" replay "$trace"
    echo '{}' >"$trace"
    refused "not a trace" replay "$trace"
    found one_bit:looks_first -n 2 --property exclusion
    size=$(stat -c %s "$trace")
    for ((cut = 1; cut < size - 2; cut += 37)); do
        head -c $cut "$trace" >"$trace.cut"
        refused "$trace.cut: " replay "$trace.cut"
    done
    changed '.format = "admit-trace-99"'
    refused "another format" replay "$trace"
}

@test "where nothing is violated there is no trace to replay" {
    exits 0 check one_bit -n 2 --trace "$trace"
    says_error "nothing was violated"
    exits 2 replay "$trace"
}
