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

# runs LOOP STEP...: the trace with another run, given as who steps (iX: i crashes), repeated for ever from step LOOP on.
runs() {
    jq --argjson loop "$1" '.loop = $loop | .loop_end = ($ARGS.positional | length) | .steps = ($ARGS.positional
        | map({process: .[:1] | tonumber, crash: endswith("X")}))' "$trace" --args "${@:2}" >"$trace.other"
}

# refuses TEXT: the other run is possible, but shows no violation; TEXT is what it lacks.
refuses() {
    exits 1 replay "$trace.other"
    says "Not confirmed: the run is possible, but it does not violate $(jq -r .property "$trace"): $1"
}

@test "where it matters who is enabled, the setting is explored again" {
    for setting in "test:ticket:short_doorway -n 3 --property strong-fife" \
        "test:ticket:short_doorway -n 3 --property strong-fife --fault crash:1" \
        "bakery:gives_up -n 2 --registers regular --property strong-fife" \
        "test:barging -n 3 -k 2 --property overtaking" \
        "unbounded_colored_ticket:left_behind -n 3 -k 2 --property overtaking" \
        "bakery -n 2 --property k-deadlock-avoidance" \
        "bakery -n 2 --registers regular --fault crash:1 --property k-deadlock-avoidance" \
        "test:two_step_exit -n 2 --passages 1 --property k-deadlock-avoidance" \
        "test:ticket:short_doorway -n 3 --property fifo-enabling" \
        "test:narrow_exit -n 2 -k 2 --property fifo-enabling" \
        "n_bit -n 2 --registers safe --property fifo-enabling"; do
        found $setting
        exits 0 replay "$trace"
        says "exploring again"
        says "Confirmed"
    done
}

@test "unless the one that is enabled is inside" {
    for property in fifo-enabling strong-fife; do
        found test:barging -n 3 -k 2 --property $property
        exits 0 replay "$trace"
        says_not "exploring again"
        says "Confirmed"
        # The same run says nothing of the other way round.
        jq '.i as $i | .j as $j | .i = $j | .j = $i' "$trace" >"$trace.other"
        refuses "process $(jq .j "$trace") does not step for ever in vain"
    done
}

@test "or a process that steps for ever is overtaken" {
    found test:barging -n 2 --property overtaking
    runs 3 0 1 1 0 1 1 1
    exits 0 replay "$trace.other"
    says_not "exploring again"
    says "Confirmed"
}

# In what follows the setting violates the property, and somebody steps in vain, but not in this run.

@test "strong-fife: the run itself must show one enabled who came later" {
    found test:barging -n 3 -k 2 --property strong-fife
    runs 5 1 1 2 2 0 0
    refuses "process 0 steps in vain, but it has not been waiting since process 1 left its remainder"
    jq '.loop = null' "$trace" >"$trace.other"
    refuses "it has no loop that comes back to where it began"
    found test:ticket:short_doorway -n 3 --property strong-fife
    jq -e '.i == 0 and .j == 1' "$trace"
    runs 5 2 2 0 1 0 0
    refuses "process 0 steps in vain, but process 1, which came later, is at no moment enabled"
    runs 5 0 1 2 1 0 0
    exits 0 replay "$trace.other"
}

@test "strong-fife: a process that crashed is not enabled" {
    found test:barging -n 3 --fault crash:1 --property strong-fife
    jq -e '.i == 0 and .j == 1' "$trace"
    runs 5 2 2 0 1 1X 0
    refuses "process 0 steps in vain, but process 1, which came later, is at no moment enabled with nobody crashed"
}

@test "overtaking: who is enabled, or has crashed, is not overtaken" {
    found test:ticket:short_doorway -n 3 -k 2 --property overtaking
    jq -e '.i == 0' "$trace"
    round="1 1 1 1"
    runs 34 0 0 $round $round $round $round $round $round $round $round $round
    refuses "others enter again and again past process 0, but it is enabled all the while"
    found test:barging -n 2 --fault crash:1 --property overtaking
    runs 2 0 0X 1 1 1
    refuses "others enter again and again past process 0, but it has crashed"
    runs 1 0 1 1 1
    exits 0 replay "$trace.other"
    runs 3 1 1 1 0 0 0
    refuses "in its loop, process 0 does not wait while another enters"
}

@test "k-deadlock-avoidance: whoever steps in vain while all slots are taken may" {
    found bakery -n 2 --property k-deadlock-avoidance
    alone="0 0 0 0 0 0 0"
    runs 13 $alone 1 1 1 1 1 1 1
    refuses "since somebody last made progress, nobody waits to leave, and nobody waits to enter while fewer than 1 are"
    runs 0 $alone
    refuses "it has no loop"
    found test:barging -n 2 --property overtaking
    changed '.property = "k-deadlock-avoidance"'
    cp "$trace" "$trace.other"
    refuses "somebody makes progress in its loop, or nobody steps"
}

@test "fifo-enabling: the run itself must show one enabled who came later" {
    found test:ticket:short_doorway -n 3 --property fifo-enabling
    jq -e '.i == 0 and .j == 1' "$trace"
    runs 4 1 1 0 0 0
    refuses "process 0 steps in vain, but it has not been waiting since process 1 was in its remainder"
    runs 5 2 2 0 1 0 0
    refuses "process 0 steps in vain, but process 1, which came later, is at no moment enabled"
}

@test "fifo-enabling: nor on the way out" {
    found test:narrow_exit -n 3 -k 3 --property fifo-enabling
    jq -e '.i == 0 and .j == 1' "$trace"
    runs 5 0 1 1 1 0 0
    refuses "process 0 steps in vain, but it has not been waiting since process 1 was inside"
    runs 6 2 2 2 1 0 0 0
    refuses "process 0 steps in vain, but process 1, which came later, is at no moment enabled to leave"
}

@test "where tickets are not kept exactly, it is undecided who is enabled" {
    found bakery -n 2 --registers regular --passages 1 --property fifo-enabling
    exits 0 replay "$trace"
    changed '.passages = null | .ticket_gap = 2'
    exits 3 replay "$trace"
    says "Undecided whether the run violates fifo-enabling: tickets are not kept exactly here"
    says_not "onfirmed"
}

@test "replay shows the very diagram that check showed" {
    exits 1 check burns_lynch:no_gateway -n 3 --property exclusion --trace "$trace"
    diagram=$(grep ' | ' <<<"$output")
    [ -n "$diagram" ]
    exits 0 replay "$trace"
    [ "$(grep ' | ' <<<"$output")" = "$diagram" ]
}

@test "the heading says the whole setting, as that of check does" {
    found gate -n 2 -k 1 --with try --fault crash:1 --property deadlock-freedom
    says "gate, n = 2, k = 1, atomic registers, with crash:1, try"
    run "$ADMIT" replay "$trace"
    says "gate, n = 2, k = 1, atomic registers, with crash:1, try: deadlock-freedom"
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
    refused "$BATS_TEST_TMPDIR is a directory" replay "$BATS_TEST_TMPDIR"
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

# Taken for absent, it would leave another run than the one that was meant.
@test "a field of the wrong type is refused, and null is none" {
    found one_bit -n 2 --fault transient --property exclusion
    cp "$trace" "$trace.whole"
    for wrong in '.transient = 1' '.aborts = "yes"' '.undisturbed = 0' '.model = 5' '.with = "x"' '.with = {}' '.with = [1]' \
        '.passages = 2' '.passages = [1, "x"]' '.loop = "1"' '.loop_end = "x"' '.start = 3' '.start.registers[0] = "x"' \
        '.start.processes[0] = 1' '.start.processes[0] = [1]' '.start.processes[0] = [["x", 0]]' '.n = 4294967298' \
        '.recoveries = "1"' '.steps[0] = 3' '.steps[0].crash = 1' '.steps[0].choice = "x"' '.steps[0].reads = 4' \
        '.steps[0].value = "x"'; do
        cp "$trace.whole" "$trace"
        changed "$wrong"
        refused "$trace: " replay "$trace" || { echo "$wrong" && false; }
    done
    cp "$trace.whole" "$trace"
    changed '.transient = 1'
    refused '"transient" is not true or false' replay "$trace"
    cp "$trace.whole" "$trace"
    changed '.with = null | .model = null | .undisturbed = null | .steps[0].choice = null'
    exits 0 replay "$trace"
}

@test "where nothing is violated there is no trace to replay" {
    exits 0 check one_bit -n 2 --trace "$trace"
    says_error "nothing was violated"
    exits 2 replay "$trace"
}
