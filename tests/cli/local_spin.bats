#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit check --property local-spin: remote references of a passage, exactly.
load helper

# confirmed ARGUMENT...: what `check` finds violated, `replay` confirms.
confirmed() {
    exits 1 check "$@" --trace "$BATS_TEST_TMPDIR/trace.json"
    exits 0 replay "$BATS_TEST_TMPDIR/trace.json"
    says "Confirmed"
}

@test "zehavi waits in its own memory, afek does not" {
    for k in 1 2; do
        exits 0 check zehavi/ideal -n 2 -k $k --property local-spin --json
        json '.properties | map(.name) == ["local-spin", "local-spin"] and map(.model) == ["cc", "dsm"]'
        json '.properties | all(.[]; .verdict == "holds" and .bound > 0)'
    done
    confirmed afek/ideal -n 2 --property local-spin --model dsm
    says "local-spin (dsm) (P13)"
    confirmed afek/ideal -n 3 -k 2 --property local-spin --model dsm
    # Over bounded timestamps a Scan writes, and that is remote with caches too.
    exits 0 check zehavi/linear -n 2 --passages 1 --property local-spin
    for model in cc dsm; do
        confirmed afek/linear -n 2 --passages 1 --property local-spin --model $model
    done
}

@test "references grow linearly with zehavi, and with the wait with afek" {
    exits 0 count zehavi/linear -n 4,8,16,22 -k 2 --json
    json 'all(.[]; (.unbounded | not) and .growth.words == "linear")'
    exits 0 count afek/linear -n 4,8 -k 2 --json
    json 'map(select(.schedule == "adversarial")) | all(.[]; .unbounded and .rmr_max == null)'
    refused "for n up to 22" count zehavi/linear -n 2,23 -k 2
}

@test "bakery spins in caches only, one_bit nowhere" {
    exits 0 check bakery -n 2 --property local-spin --model cc --json
    json '.properties[0] | .verdict == "holds" and .bound == 10'
    exits 0 check bakery -n 2 --property local-spin --model cc-write-back --json
    json '.properties[0] | .model == "cc-write-back" and .verdict == "holds" and .bound == 9'
    confirmed bakery -n 2 --property local-spin --model dsm
    for model in cc cc-write-back dsm; do
        confirmed one_bit -n 2 --property local-spin --model $model
    done
}

@test "peterson is as Table I of Zehavi has it" {
    exits 0 check peterson -n 4 -k 2 --property exclusion --fault crash
    exits 1 check peterson -n 3 -k 2 --property lockout-freedom --fault crash
    exits 1 check peterson -n 4 -k 2 --property fife
    exits 0 check peterson -n 3 -k 1 --property local-spin --model cc
    exits 0 check peterson -n 3 -k 2 --property local-spin --model cc
    confirmed peterson -n 3 -k 2 --property local-spin --model dsm
    # Were it the other algorithm, it would be free of starvation.
    exits 0 check test:counting_filter -n 3 -k 2 --fault crash
}

@test "a process alone makes references only to what is not its own" {
    exits 0 check one_bit -n 1 --property local-spin --json
    json '.properties | map(.bound) == [2, 0]'
}

@test "a trace that does not show it is not confirmed" {
    exits 1 check bakery -n 2 --property local-spin --model dsm --trace "$BATS_TEST_TMPDIR/trace.json"
    jq '.model = "cc"' "$BATS_TEST_TMPDIR/trace.json" >"$BATS_TEST_TMPDIR/other.json"
    exits 1 replay "$BATS_TEST_TMPDIR/other.json"
    jq '.model = "numa"' "$BATS_TEST_TMPDIR/trace.json" >"$BATS_TEST_TMPDIR/other.json"
    exits 2 replay "$BATS_TEST_TMPDIR/other.json"
}

@test "bad usage" {
    refused "cc, cc-write-back or dsm" check one_bit --property local-spin --model numa
    refused "--model is for local-spin" check one_bit --property exclusion --model cc
    refused "atomic registers" check one_bit --property local-spin --registers safe
    refused "not defined under abort" check one_bit --property local-spin --fault abort
    refused "not defined under transient" check one_bit --property local-spin --fault transient
    refused "--fingerprints" check one_bit --property local-spin --fingerprints
}

@test "a crash changes nothing for the others" {
    exits 0 check zehavi/ideal -n 2 --property local-spin --fault crash
    exits 0 check bakery -n 2 --property local-spin --model cc --fault crash
}
