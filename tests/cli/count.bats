#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit count: shared bits and reachable shared values.
load helper

@test "burns_lynch takes all of its 2^n shared values" {
    exits 0 count burns_lynch -n 4 --json
    json 'all(.[]; .algorithm == "burns_lynch" and .n == 4 and .shared_bits == 4 and .shared_values == 16)'
}

@test "several n at once" {
    exits 0 count one_bit -n 2,3 --json
    json 'map(.n) | unique == [2, 3]'
    json 'all(.[]; has("model") and has("schedule") and has("rmr_max") and has("rmr_mean") and has("steps_max"))'
}

@test "bad usage" {
    refused "there is no algorithm" count xyzzy
    refused "" count one_bit -n 0
    refused "" count one_bit -k 2
    refused "there is no option" count one_bit --frobnicate
}

@test "a run in which somebody does not get through has no most steps" {
    exits 0 count one_bit:stands_firm -n 3 --json
    json 'all(.[]; .starved and .steps_max == null)'
    exits 0 count bakery -n 3 --json
    json 'all(.[]; (.starved | not) and .steps_max > 0)'
}
