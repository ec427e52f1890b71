#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The gate, checked: deaths and newcomers, giving up, the draw, and slots (docs/properties.md, V17 to V20, P14 to P16).
load helper

@test "the gate: all that is claimed holds, whoever is killed or gives up" {
    for faults in "" "--fault recovery" "--fault abort" "--fault recovery --fault abort" "--fault recovery:1"; do
        # shellcheck disable=SC2086
        exits 0 check gate -n 2 $faults
        says "exclusion            P1   holds"
        says "deadlock-freedom     P2   holds"
        says "lockout-freedom      P3   holds"
        says "no-slot-lost         P14  holds"
        says_not bounded-doorway
    done
    exits 0 check gate -n 2 -k 2 --fault recovery
    says "fife                 P9   holds"
    says "distinct-slots       P15  holds"
}

@test "the more may be killed, the more there is to explore" {
    local states=0
    for faults in "" "--fault recovery:1" "--fault recovery:2" "--fault recovery:2 --fault abort"; do
        # shellcheck disable=SC2086
        exits 0 check gate -n 2 $faults --property exclusion --json
        json ".states > $states and .exhaustive"
        states=$(jq .states <<<"$output")
    done
}

@test "what is asked by default is what is claimed under these faults" {
    exits 0 check gate -n 2 --fault recovery --json
    json '[.properties[].name] | contains(["no-slot-lost", "distinct-slots"]) and (contains(["bounded-exit"]) | not)'
    exits 0 check gate -n 2 --json
    json '[.properties[].name] | contains(["bounded-exit"])'
    exits 0 check gate -n 2 -k 2 --fault recovery --fault abort --json
    json '[.properties[].name] | contains(["strong-fife", "fifo-enabling", "no-slot-idle"])'
}

@test "who sleeps may wake by itself: a text that trusts in being woken is caught, and only by that" {
    local trace=$BATS_TEST_TMPDIR/trace
    [ -e tests/mutants/gate.trusts_waking.patch ] || skip "there is no such mutant"
    exits 0 check gate:trusts_waking -n 2 --undisturbed
    says "No process that sleeps wakes by itself here"
    exits 1 check gate:trusts_waking -n 2 --property exclusion --trace "$trace"
    says "wakes by itself"
    exits 0 replay "$trace"
    jq '.undisturbed = true' "$trace" >"$trace.undisturbed"
    exits 1 replay "$trace.undisturbed"
    says "nobody wakes by itself here"
    # Awake, it cannot.
    jq '.steps[0] = {"process": 0, "timed_look": true}' "$trace" >"$trace.awake"
    exits 1 replay "$trace.awake"
    says "it is not asleep"
    # Nor once it has crashed.
    jq '.crashes = 1 | (.steps | map(.timed_look == true) | index(true)) as $at |
        .steps |= .[:$at] + [{"process": .[$at].process, "crash": true}] + .[$at:]' "$trace" >"$trace.crashed"
    exits 1 replay "$trace.crashed"
    says "it has crashed"
    exits 0 check gate -n 2 --undisturbed --json
    json '.bounds.sleep == "undisturbed" and (.exhaustive | not)'
    refused "nobody sleeps in bakery" check bakery --undisturbed
}

# That it will wake by itself does not make up for a wake-up that is lost.
@test "a lost wake-up is a deadlock, whether or not sleepers wake by themselves" {
    [ -e tests/mutants/gate.no_wake.patch ] || skip "there is no such mutant"
    exits 1 check gate:no_wake -n 2 --property deadlock-freedom
    exits 1 check gate:no_wake -n 2 --undisturbed --property deadlock-freedom
}

@test "who is asleep is enabled if it will go in when it wakes by itself" {
    local trace=$BATS_TEST_TMPDIR/trace setting="-n 3 -k 2 --passages 1,1,2 --property strong-fife"
    [ -e tests/mutants/gate.no_wake.patch ] || skip "there is no such mutant"
    # shellcheck disable=SC2086
    exits 0 check gate:no_wake $setting
    # shellcheck disable=SC2086
    exits 1 check gate:no_wake $setting --undisturbed --trace "$trace"
    exits 0 replay "$trace"
    # To find itself asleep for ever shows nothing of a process that wakes by itself.
    jq '.undisturbed = false' "$trace" >"$trace.disturbed"
    exits 1 replay "$trace.disturbed"
    says "does not step for ever in vain"
    exits 0 check gate -n 2 -k 2 --fault recovery --undisturbed --json
    json '[.properties[].name] | (contains(["strong-fife"]) or contains(["fifo-enabling"])) | not'
}

@test "a slot that stays empty while somebody waits, and another stays inside, is idle" {
    local trace=$BATS_TEST_TMPDIR/trace
    exits 0 check numbered_ticket -n 3 -k 2 --property no-slot-idle
    says "no-slot-idle         P16  holds"
    # A process that stays inside keeps nobody out but for want of slots.
    exits 0 check bakery -n 2 --passages 1 --property no-slot-idle
    # A process that crashed, there or on its way, keeps one slot; with one more who stays inside there is none for others.
    exits 0 check numbered_ticket -n 3 -k 2 --fault crash:1 --property no-slot-idle
    [ -e tests/mutants/gate.no_wake.patch ] || skip "there is no such mutant"
    exits 1 check gate:no_wake -n 3 -k 2 --passages 1 --property no-slot-idle --trace "$trace"
    says "of 2 slots"
    exits 0 replay "$trace"
    # With one slot there is no such run.
    jq ".k = 1" "$trace" >"$trace.other"
    exits 1 replay "$trace.other"
}

@test "a newcomer comes although no passage is left, and finishes what the dead one left" {
    exits 0 check gate -n 1 --passages 1 --fault recovery --property deadlock-freedom
    exits 0 check gate -n 2 --passages 1,2 --fault recovery:1 --property lockout-freedom
}

@test "the faults are named, in the output and in the JSON" {
    exits 0 check gate -n 2 --fault recovery --fault abort --property exclusion
    says "with abort, recovery"
    exits 0 check gate -n 2 --fault recovery --fault abort --property exclusion --json
    json '.faults == ["abort", "recovery"]'
    exits 0 check gate -n 2 --fault recovery:2 --property exclusion --json
    json '.faults == ["recovery:2"]'
    exits 0 check --help
    says "recovery[:COUNT]"
    says "no-slot-lost, distinct-slots, no-slot-idle"
}

# Each death costs a leaver some steps, and P6 is about runs with deaths for ever too.
@test "a counterexample with deaths is shown, and confirmed by replay" {
    local trace=$BATS_TEST_TMPDIR/trace
    exits 1 check gate -n 2 --fault recovery --property bounded-exit --trace "$trace"
    says "is killed"
    says "kernel: wake one"
    says "claim life"
    exits 0 replay "$trace"
    says "with recovery"
    says "is killed"
    # Without this fault nobody can be killed, and once each is not for ever.
    jq '.recoveries = 0' "$trace" >"$trace.without"
    exits 1 replay "$trace.without"
    says "no such fault can begin here"
    jq '.recoveries = 1' "$trace" >"$trace.once"
    exits 1 replay "$trace.once"
    jq '.recoveries = 3' "$trace" >"$trace.more"
    refused "3 processes cannot be killed when there are 2" replay "$trace.more"
}

# Replay explores with idle steps taken at once, and the run takes them in its own time.
@test "who is enabled, with deaths: the run is found in what is explored again" {
    local trace=$BATS_TEST_TMPDIR/trace
    exits 1 check gate -n 2 --fault recovery --property k-deadlock-avoidance --trace "$trace"
    exits 0 replay "$trace"
    says "exploring again"
    says "Confirmed"
    # Process 0's look at its own record is idle: the run is the same if it comes later.
    jq '.steps |= [.[1], .[0]] + .[2:]' "$trace" >"$trace.later"
    exits 0 replay "$trace.later"
    jq '.property = "overtaking"' "$trace" >"$trace.other"
    exits 1 replay "$trace.other"
}

@test "a mutant of the gate: its deadlock after a death is confirmed by replay" {
    local trace=$BATS_TEST_TMPDIR/trace
    [ -e tests/mutants/gate.nobody_rewakes.patch ] || skip "there is no such mutant"
    exits 1 check gate:nobody_rewakes -n 2 --fault recovery --property deadlock-freedom --trace "$trace"
    says "is killed"
    exits 0 replay "$trace"
    says "Confirmed"
    jq '.algorithm = "gate"' "$trace" >"$trace.shipped"
    exits 1 replay "$trace.shipped"
}

@test "a slot is lost where nobody is left to use it; that is confirmed by exploring again" {
    local trace=$BATS_TEST_TMPDIR/trace
    exits 0 check one_bit -n 2 --fault shutdown:1 --property no-slot-lost
    exits 1 check one_bit -n 2 --fault shutdown:2 --property no-slot-lost --trace "$trace"
    says "never inside at once again"
    exits 0 replay "$trace"
    jq 'del(.steps[1])' "$trace" >"$trace.shorter"
    exits 1 replay "$trace.shorter"
}

@test "what makes no sense is refused" {
    for count in 0 x -1 17 1x ""; do
        refused "--fault takes recovery:COUNT with a number from 1 to 16" check gate --fault "recovery:$count"
    done
    refused "3 processes cannot be killed when there are 2" check gate -n 2 --fault recovery:3
    refused "newcomer" check bakery --fault recovery
    refused "bakery" check bakery --fault recovery:1
    refused "newcomer" check test:ticket -k 2 --fault recovery
    for fault in crash shutdown failure; do
        refused "combined with abort alone" check gate -n 2 --fault recovery --fault $fault
    done
    refused "cannot be combined" check gate --fault recovery --fault transient
    refused "bakery gives none" check bakery --property distinct-slots
    refused "numbered_ticket gives none" check numbered_ticket -k 2 --property distinct-slots
    refused "do not tell whose register each step refers to" check gate -n 2 --property local-spin
    refused "what can still happen, which --passages ends" check gate --passages 1 --property no-slot-lost
    echo 0 >"$BATS_TEST_TMPDIR/schedule"
    refused "which --schedule ends" check gate --schedule "$BATS_TEST_TMPDIR/schedule" --property no-slot-lost
    refused "has several" check gate --registers regular
}

@test "where passages are limited, or a schedule comes first, it is not asked what can still happen" {
    echo 0 >"$BATS_TEST_TMPDIR/schedule"
    exits 0 check gate -n 2 --schedule "$BATS_TEST_TMPDIR/schedule"
    says_not no-slot-lost
    exits 0 check gate -n 2 --passages 1 --fault recovery --json
    json '[.properties[].name] | contains(["exclusion", "lockout-freedom"]) and (contains(["no-slot-lost"]) | not)'
}

@test "fingerprints do not tell the slots: undecided, not success" {
    exits 3 check gate -n 2 -k 2 --property distinct-slots --fingerprints
    says "UNDECIDED"
}
