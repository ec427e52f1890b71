#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit equivalent: the same regions after every schedule, or a shortest schedule that tells two algorithms apart.
load helper

setup() {
    prefix=$BATS_TEST_TMPDIR/runs
}

# same A B [OPTION...]
same() {
    exits 0 equivalent "$@" --json
    json ".a == \"$1\" and .b == \"$2\" and .outcome == \"same\" and .pairs >= .states_a and .pairs >= .states_b
        and .states_a > 0 and .states_b > 0 and .schedule == null and .regions_a == null and .regions_b == null
        and .differs == null and .undecided == null"
}

# apart STEPS REGION_A REGION_B A B [OPTION...]: a shortest schedule has so many steps, and leads a process there.
apart() {
    local steps=$1 a=$2 b=$3
    shift 3
    exits 1 equivalent "$@" --json
    json ".a == \"$1\" and .b == \"$2\" and .outcome == \"different\" and (.schedule | length) == $steps
        and .differs == {process: .schedule[-1], region_a: \"$a\", region_b: \"$b\"}
        and .regions_a[.differs.process] == \"$a\" and .regions_b[.differs.process] == \"$b\"
        and (.regions_a | length) == .n and (.regions_b | length) == .n
        and ([.regions_a, .regions_b] | transpose | map(select(.[0] != .[1])) | length) == 1"
}

@test "an algorithm is equivalent to itself" {
    same test:ticket test:ticket -n 4 -k 2
    same bakery bakery -n 2
    same one_bit one_bit -n 4
    same burns_lynch burns_lynch
}

@test "the order of the two does not matter" {
    same test:lock_bit test:lock_holder
    same test:lock_holder test:lock_bit
    apart 3 T C burns_lynch one_bit
    apart 3 C T one_bit burns_lynch
}

@test "two texts, and no schedule tells them apart" {
    for n in 1 2 3 4 5 6; do
        same test:lock_bit test:lock_holder -n $n
    done
    exits 0 equivalent test:lock_bit test:lock_holder -n 2
    says "7 pairs of states, of 7 states of the one and 7 of the other"
    says "EQUIVALENT: after every schedule all processes are in the same regions of both."
}

# Two steps a passage. After twenty passages, in, and out: the second step is the difference.
@test "a difference that is forty-two steps away" {
    apart 42 R E test:lock_bit test:wears_out -n 1
    apart 42 R E test:lock_holder test:wears_out -n 3
    exits 3 equivalent test:lock_bit test:wears_out -n 2 --max-states 50
}

@test "the ticket lock and its mutants" {
    apart 2 C T test:ticket test:ticket:in_turn -n 2
    apart 2 C T test:ticket test:ticket:short_doorway -n 2
    # With k slots, k draw; the last of them finds its slot idle.
    for k in 1 2 3; do
        apart $((k + 1)) C T test:ticket test:ticket:one_too_few -n 4 -k $k
    done
}

# Fischer, Lynch, Burns, Borodin 1989, section 4: each of the three is equivalent to the one before it.
@test "the queue, and three ways to simulate it" {
    most=4
    [ -z "$ADMIT_TEST_QUICK" ] || most=3
    for n in $(seq 1 $most); do
        for k in $(seq 1 $((n < 3 ? n : 3))); do
            same queue numbered_ticket -n $n -k $k
            same numbered_ticket unbounded_colored_ticket -n $n -k $k
            same unbounded_colored_ticket colored_ticket -n $n -k $k
        done
    done
    # Who takes a valid ticket is inside by that step; the small ticket lock looks once more.
    for k in 1 2 3; do
        apart 1 C T numbered_ticket test:ticket -n 3 -k $k
    done
}

# With N = k + 1 and M = k + 1 the first k tickets are valid, and the next one starts a block. As printed, it has the
# color of the block before, and so is as good as a valid one.
@test "Figures 4 and 7 as printed are told from the queue" {
    for k in 1 2; do
        apart $((k + 1)) T C queue colored_ticket:printed_leads -n $((k + 1)) -k $k
        apart $((k + 1)) T C queue colored_ticket:printed_quant -n $((k + 1)) -k $k
    done
    apart 1 C T colored_ticket bank -n 3 -k 2
    # k are inside and one waits; one leaves, and whoever comes next is as good as the one that waits.
    for k in 1 2 3; do
        apart $((k + 3)) T C queue semaphore -n 4 -k $k
    done
}

@test "the stack of free colors and the smaller M change nothing" {
    for k in 1 2 3; do
        same queue colored_ticket_stack -n 3 -k $k
        same queue colored_ticket_small -n 3 -k $k
    done
}

# A doorway is part of the trying region; only the native order of a for-all loop is run.
@test "some mutants are broken where regions do not show it" {
    same bakery bakery:short_doorway -n 2
    same burns_lynch burns_lynch:counts_on_order
    apart 7 C T bakery bakery:looks_twice -n 2
}

@test "one_bit and what it could be taken for" {
    # l, and a look at each of the others.
    apart 3 C T one_bit burns_lynch -n 3
    apart 3 C T one_bit one_bit:rewrites -n 3
    # The stabilizing one corrects its bit each time it has waited for another, although it is right.
    apart 6 C T one_bit one_bit_stabilizing -n 2
}

@test "what a person sees, and the runs in two files" {
    exits 1 equivalent one_bit one_bit_stabilizing -n 2 --trace "$prefix"
    says "DIFFERENT: after a schedule of 6 steps process 0 is in its critical region (C) in the one and in its trying"
    says "No shorter schedule tells them apart"
    says "one_bit: the regions are at last C T"
    says "one_bit_stabilizing: the regions are at last T T"
    [ "$(grep -A1 'this step tells them apart' <<<"$output" | grep -c ' 6 | ')" -eq 2 ]
    exits 0 replay "$prefix-a.json"
    says "one_bit, n = 2"
    says "process 0 ends up in its critical region, and in one_bit_stabilizing in its trying region"
    says "Confirmed: the run is possible"
    exits 0 replay "$prefix-b.json"
    says "one_bit_stabilizing, n = 2"
    exits 0 equivalent one_bit one_bit -n 2 --trace "$prefix"
    says_error "there is no trace"
    [ ! -s "$prefix-a.json" ] && [ ! -s "$prefix-b.json" ]
}

@test "results do not depend on the number of threads" {
    for pair in "one_bit one_bit" "bakery bakery" "test:ticket test:ticket" "bakery bakery:no_choosing"; do
        # shellcheck disable=SC2086
        ADMIT_THREADS=1 run --separate-stderr "$ADMIT" equivalent $pair --json
        one=$(jq 'del(.seconds, .memory_bytes)' <<<"$output")
        # shellcheck disable=SC2086
        ADMIT_THREADS=7 run --separate-stderr "$ADMIT" equivalent $pair --json
        [ "$(jq 'del(.seconds, .memory_bytes)' <<<"$output")" = "$one" ]
    done
}

@test "undecided is not success" {
    exits 3 equivalent one_bit one_bit --max-states 10
    says "UNDECIDED: the limit of --max-states was reached"
    exits 3 equivalent one_bit one_bit --memory 1K --json
    json '.outcome == "undecided" and .undecided == "the memory limit was reached" and .schedule == null'
}

# Both outcomes of an ambiguous step are taken with both of the other side's, so that some pairs are not real.
@test "what may be a difference is none unless it can be executed with real tickets" {
    [ -z "$ADMIT_TEST_QUICK" ] || skip "it takes long"
    exits 3 equivalent test:shared_tickets test:shared_tickets -n 3 --json
    json '.outcome == "undecided" and .ambiguous_steps > 0 and (.undecided | contains("tickets"))'
}

@test "bad usage" {
    refused "which algorithm" equivalent
    refused "It takes two algorithms" equivalent one_bit
    refused "one argument too many" equivalent one_bit bakery burns_lynch
    refused "did you mean one_bit" equivalent one_bti bakery
    refused "did you mean bakery" equivalent one_bit bakrey
    refused "there is no algorithm ''" equivalent one_bit ""
    refused "there is no option '--property'" equivalent one_bit bakery --property fcfs
    for option in --order --registers --fault; do
        refused "$option would leave it to more than the schedule" equivalent one_bit bakery $option any
    done
    refused "without a declared initial value" equivalent one_bit three_bit
    for n in 0 17 -1 two ""; do
        refused "-n takes a whole number from 1 to 16" equivalent one_bit bakery -n "$n"
    done
    refused "-k takes a whole number" equivalent test:ticket test:barging -k 0
    refused "k = 4 is more than n = 3" equivalent test:ticket test:barging -k 4
    refused "one_bit works for k = 1 only" equivalent one_bit test:ticket -k 2
    refused "one_bit works for k = 1 only" equivalent test:ticket one_bit -k 2
    refused "--max-states takes" equivalent one_bit bakery --max-states 0
    for size in 0 -5 much 5X ""; do
        refused "--memory takes a size" equivalent one_bit bakery --memory "$size"
    done
    refused "cannot write" equivalent one_bit bakery --trace "$BATS_TEST_TMPDIR/no/such/directory"
    exits 0 equivalent --help
    says "usage: admit equivalent ALGORITHM ALGORITHM"
}
