#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What is said of order and of enabled processes, on the small algorithms of tests/algorithms at k = 2. What each of them
# should do is argued at the top of its file.
load helper

# verdicts ALGORITHM N "PROPERTY..." VERDICT [OPTION...]: all of these properties get that verdict.
verdicts() {
    local algorithm=$1 n=$2 properties=$3 verdict=$4 property asked=()
    shift 4
    for property in $properties; do
        asked+=(--property "$property")
    done
    run "$ADMIT" check "$algorithm" -n "$n" -k 2 "${asked[@]}" --json "$@"
    json "all(.properties[]; .verdict == \"$verdict\" and (.fired > 0 or .verdict == \"violated\"))"
}

@test "the ticket lock: first in, first enabled" {
    verdicts test:ticket 4 "exclusion deadlock-freedom lockout-freedom bounded-doorway bounded-exit k-deadlock-avoidance
        fife strong-fife overtaking fifo-enabling" holds
    json '[.properties[] | select(.name == "overtaking").bound] == [0]'
    json '[.properties[] | select(.name == "fife").bound] == [1]'
    # With two slots, the second to come may be inside first.
    verdicts test:ticket 4 "fcfs bounded-waiting" violated
}

@test "the ticket lock at k = 1: first come, first served" {
    exits 0 check test:ticket -n 3 -k 1 --property fcfs --property bounded-waiting --json
    json '[.properties[].verdict] == ["holds", "holds"]'
}

@test "the barging semaphore: no order at all" {
    verdicts test:barging 3 "exclusion deadlock-freedom bounded-doorway bounded-exit k-deadlock-avoidance" holds
    verdicts test:barging 3 "lockout-freedom fcfs bounded-waiting fife strong-fife overtaking fifo-enabling" violated
}

@test "the naive k-bakery: a process that stops in the doorway stops all" {
    verdicts test:naive_k_bakery 2 "exclusion deadlock-freedom bounded-doorway bounded-exit" holds
    verdicts test:naive_k_bakery 2 "lockout-freedom k-deadlock-avoidance fife strong-fife overtaking fifo-enabling" violated
    verdicts test:naive_k_bakery 2 deadlock-freedom violated --fault crash
}

@test "the ticket lock goes on when one of two slots is lost, and not when both are" {
    verdicts test:ticket 3 "lockout-freedom deadlock-freedom" holds --fault crash
    verdicts test:ticket 3 "exclusion lockout-freedom" holds --fault crash:2
    # Two that crash while they wait take both slots with them, although nobody is inside.
    verdicts test:ticket 3 deadlock-freedom violated --fault crash:2
}

@test "one on its way out of its last passage fills no slot" {
    verdicts test:two_step_exit 2 "exclusion deadlock-freedom" holds -k 1
    verdicts test:two_step_exit 2 k-deadlock-avoidance violated -k 1
    verdicts test:two_step_exit 2 k-deadlock-avoidance violated -k 1 --passages 1
}

@test "values of a register that never occur lead nowhere" {
    verdicts test:unseen_values 3 bounded-exit holds
    verdicts test:unseen_values 3 exclusion violated
}
