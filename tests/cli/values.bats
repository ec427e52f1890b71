#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit bound values: the construction of Fischer, Lynch, Burns and Borodin 1989, sections 5.2 to 5.4, reaches as many
# values as Theorem 5.8 says, or finds out why not.
load helper

setup() {
    trace=$BATS_TEST_TMPDIR/trace
}

# confirms ID N K: so many values, in k levels, and all those that count are different.
confirms() {
    exits 0 bound values "$1" -n "$2" -k "$3" --json
    json ".bound == \"values\" and .algorithm == \"$1\" and .n == $2 and .k == $3 and .outcome == \"confirmed\"
        and .violation == null and .undecided == null"
    json 'def binom2: . * (. - 1) / 2;
        .needed == .k * ((.n - .k - 1) | binom2) + .n - .k - 1 and .lemma == ((.n - .k) | binom2)
        and .distinct == .needed and .distinct_all >= .distinct
        and (.levels | map(.k)) == ([range(.k)] | map(. + 1) | reverse)
        and all(.levels[]; .lemma == ((.n - .k) | binom2) and (.values | length) == .lemma
            and (.values | map(.value) | unique | length) == .lemma
            and .counted == if .k == 1 then ((.n - 1) | binom2) else ((.n - .k - 1) | binom2) end
            and .counted == ([.values[] | select(.counts)] | length))
        and ([.levels[].values[] | select(.counts) | .value] | unique | length) == .needed'
}

# violates ID N K PROPERTY: and replay, which explores where one run does not suffice, confirms it.
violates() {
    exits 1 bound values "$1" -n "$2" -k "$3" --trace "$trace"
    says "VIOLATED: $4"
    exits 0 replay "$trace"
    says "Confirmed: executed again, the run violates $4"
    exits 1 bound values "$1" -n "$2" -k "$3" --json
    json ".outcome == \"violated\" and .violation.property == \"$4\" and (.violation.how | length) > 0
        and .violation.trace == $(cat "$trace") and .distinct == null"
}

@test "whoever solves the problem takes on all values" {
    for id in queue numbered_ticket unbounded_colored_ticket colored_ticket test:ticket; do
        for setting in "3 1" "6 1" "4 2" "6 2" "5 3" "8 3" "9 5"; do
            confirms "$id" $setting
        done
    done
}

@test "two runs that leave the same value end with one overtaken, by both cases of Lemma 5.7" {
    violates semaphore 5 2 fifo-enabling
    exits 1 bound values semaphore -n 5 -k 2
    says "q(3, 2) and q(4, 2) of k = 2 have the same shared value"
    says "Confirmed: executed again"
    violates test:forgets_arrivals 5 1 fifo-enabling
    exits 1 bound values test:forgets_arrivals -n 5 -k 1
    says "q(3, 1) and q(3, 2) of k = 1 have the same shared value: process 2 overtakes process 1"
}

@test "one too many" {
    violates numbered_ticket:one_too_many 5 2 exclusion
    violates queue:joins_in_front 4 1 exclusion
}

@test "one that waits in vain for a free slot" {
    violates bank 4 2 k-deadlock-avoidance
    exits 1 bound values bank -n 4 -k 2
    says "no more than 1 of 2 slots can be taken"
    violates test:ticket:in_turn 5 2 k-deadlock-avoidance
    violates bakery 3 1 k-deadlock-avoidance
    violates one_bit 3 1 k-deadlock-avoidance
}

@test "one that was there first is overtaken by whoever steps before it" {
    violates test:barging 5 2 fifo-enabling
}

@test "the bank has no trouble with one teller" {
    confirms bank 6 1
}

@test "a person gets a table" {
    exits 0 bound values colored_ticket -n 5 -k 2
    says "Theorem 5.8: at least 2 C(2, 2) + 2 = 4 values"
    says "3   2  *  ISSUE=(1,1) VALID=(0,1) QUANT=1,1,0"
    says "k = 1, processes 0 to 3; enabled and standing still: 4"
    says "CONFIRMED: 4 different values"
}

@test "without -n there are enough processes" {
    exits 0 bound values queue --json
    json '.n == 4 and .k == 1'
    exits 0 bound values queue -k 3 --json
    json '.n == 6'
}

@test "undecided is not success" {
    exits 3 bound values test:counts_for_ever -n 3 --trace "$trace"
    says "UNDECIDED: "
    says_error "there is no trace"
    [ ! -s "$trace" ]
}

@test "bad usage" {
    refused "which algorithm" bound values
    refused "3 is less than 2 + 2" bound values queue -n 3 -k 2
    refused "2 is less than 1 + 2" bound values queue -n 2
    refused "works for k = 1 only" bound values bakery -n 5 -k 2
    refused "-n takes a whole number" bound values queue -n 17
    refused "-k takes a whole number" bound values queue -k 0
    refused "there is no option '--max-steps'" bound values queue --max-steps 3
    refused "cannot write" bound values queue --trace "$BATS_TEST_TMPDIR/no/such/directory"
    exits 0 bound values --help
    says "usage: admit bound values"
}
