#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit count: remote references, steps, shared bits and reachable shared values.
load helper

@test "burns_lynch takes all of its 2^n shared values" {
    exits 0 count burns_lynch -n 4 --json
    json 'all(.[]; .algorithm == "burns_lynch" and .n == 4 and .shared_bits == 4 and .shared_values == 16)'
}

@test "several n at once, each in both models and under three schedules" {
    exits 0 count one_bit -n 2,3 --json
    json 'map(.n) | unique == [2, 3]'
    json 'all(.[]; has("model") and has("schedule") and has("rmr_max") and has("rmr_mean") and has("steps_max"))'
    json 'map(.model) | unique == ["cc", "dsm"]'
    json 'map(.schedule) | unique == ["adversarial", "random", "round-robin"]'
    json 'length == 12'
}

@test "one model" {
    exits 0 count bakery -n 3 --model cc-write-back --json
    json 'all(.[]; .model == "cc-write-back") and length == 3'
}

@test "bad usage" {
    refused "there is no algorithm" count xyzzy
    refused "from 1 to 64" count one_bit -n 0
    refused "from 1 to 64" count one_bit -n 65
    refused "from 1 to 64" count one_bit -n 2,
    refused "up to 16 numbers" count one_bit -n 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
    refused "k = 1 only" count one_bit -k 2
    refused "more than n" count semaphore -n 2 -k 3
    refused "for n up to 9" count n_factorial_bit -n 2,10
    refused "there is no option" count one_bit --frobnicate
    refused "cc, cc-write-back or dsm" count one_bit --model numa
    refused "--seed" count one_bit --seed 0
    refused "cannot write" count one_bit --svg "$BATS_TEST_TMPDIR/no/such/file"
}

@test "a run in which somebody does not get through has no most" {
    exits 0 count one_bit:stands_firm -n 3 --model dsm --json
    json 'map(select(.schedule != "adversarial")) | all(.[]; .starved and .steps_max == null and .rmr_max == null)'
    exits 0 count bakery -n 3 --json
    json 'all(.[]; .starved | not)'
    json 'map(select(.schedule != "adversarial")) | all(.[]; .steps_max > 0 and .rmr_max > 0)'
}

@test "what grows with the wait has no most either, and says so" {
    exits 0 count bakery -n 2,4,8 --model dsm --json
    json 'map(select(.schedule == "adversarial"))
        | all(.[]; .unbounded and .rmr_max == null and .rmr_mean == null and (.note | startswith("unbounded: grows")))'
    exits 0 count bakery -n 2,4,8 --model cc --json
    json 'all(.[]; (.unbounded | not) and .note == null and .rmr_max > 0)'
    exits 0 count one_bit -n 2 --model dsm
    says "unbounded: grows with the wait, by 1 in every step"
    exits 0 count bakery -n 3 --model dsm
    says "unbounded: grows with the wait, by"
}

@test "growth: linear for bakery with caches, none to tell where there is no number" {
    exits 0 count bakery -n 4,8,16,32 --json
    json 'map(select(.model == "cc")) | all(.[]; .growth.exponent > 0.8 and .growth.exponent < 1.2
        and .growth.words == "linear")'
    json 'map(select(.model == "dsm" and .schedule == "adversarial")) | all(.[]; .growth == null)'
    exits 0 count bakery -n 4,8,16 --model cc
    says "linear, for n = 4 to 16"
    exits 0 count bakery -n 4,8 --model cc
    says "not fitted: fewer than three n"
}

@test "64 processes" {
    exits 0 count numbered_ticket -n 64 -k 8 --model cc --json
    json 'all(.[]; .n == 64 and .rmr_max > 0)'
}

@test "the same seed gives the same numbers, another one others" {
    exits 0 count bakery -n 5 --seed 3 --json
    first=$output
    exits 0 count bakery -n 5 --seed 3 --json
    [ "$output" = "$first" ]
    exits 0 count bakery -n 5 --seed 4 --json
    [ "$(jq -c 'map(.steps_mean)' <<<"$output")" != "$(jq -c 'map(.steps_mean)' <<<"$first")" ]
}

@test "a limit that was asked for and reached is said" {
    exits 0 count colored_ticket -n 3 -k 2
    exits 3 count one_bit -n 3 --max-states 5
    says "not counted"
}

@test "the plot is well-formed, and has a curve for each model and schedule" {
    exits 0 count queue -k 2 -n 2,3,4 --svg "$BATS_TEST_TMPDIR/plot.svg"
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$BATS_TEST_TMPDIR/plot.svg"
    for words in "cc, round-robin" "cc, random" "cc, adversarial" "dsm, adversarial" "queue, k = 2" "no most"; do
        grep -q "$words" "$BATS_TEST_TMPDIR/plot.svg"
    done
}
