#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit bound variables (for admit bound values see values.bats): the adversary of Burns and Lynch 1993, Theorem 5.1, wins against whoever has too few variables,
# and finds n nullified ones with everybody else.
load helper

setup() {
    trace=$BATS_TEST_TMPDIR/trace
}

# loses ID N...: with N processes there are fewer than N variables; a violation is found, and replay confirms it.
loses() {
    local id=$1 n
    shift
    for n; do
        exits 1 bound variables "$id" -n "$n" --trace "$trace"
        says "these are too few"
        says "Confirmed: executed again"
        diagram=$(grep ' | ' <<<"$output")
        exits 0 replay "$trace"
        says "Confirmed: executed again, the run violates"
        [ "$(grep ' | ' <<<"$output")" = "$diagram" ]
        exits 1 bound variables "$id" -n "$n" --json
        json ".algorithm == \"$id\" and .n == $n and .variables < $n and .outcome == \"violated\"
            and (.violation | .property == .trace.property and .what == .trace.what and (.how | length) > 0)
            and .violation.trace == $(cat "$trace")
            and .nullified == [] and .history == null and .undecided == null and (.verified | length) == 1"
    done
}

# nullifies ID N...: N distinct variables are nullified, by N processes; there are so many.
nullifies() {
    local id=$1 n
    shift
    for n; do
        exits 0 bound variables "$id" -n "$n" --json
        # 0*3 1 0*2 is 6 steps.
        json ".algorithm == \"$id\" and .n == $n and .variables >= $n and .outcome == \"nullified\"
            and (.nullified | map(.process)) == [range($n)]
            and (.nullified | map(.variable) | unique | length) == $n
            and (.nullified | map(.region) | unique) - [\"remainder\", \"trying\"] == []
            and .history.steps ==
                ([.history.schedule | splits(\" \") | split(\"*\") | (.[1] // \"1\" | tonumber)] | add)
            and (.levels | map(.variables)) == [range(1; $n + 1)]
            and (.levels[1:] | all(.side_branches_most >= 2 and .times >= 1))
            and .violation == null and .undecided == null and (.verified | length) == 4"
    done
}

@test "n variables are nullified where there are enough" {
    nullifies burns_lynch 2 3 4 5 6 7
    nullifies one_bit 2 3 4
    nullifies bakery 2 3 4
    nullifies test:dijkstra 2 3 4
    nullifies test:scribbles 2 3 4
}

@test "what a person sees" {
    exits 0 bound variables burns_lynch
    says "burns_lynch, n = 3, 3 variables"
    says "p_2 covers Flag[2], resting before \"Entry\""
    says "3 variables were nullified 1 time, with 2 side branches"
    says "0*6 1 0 1 0 1 0 1 0 1*5 0*5"
    says "Verified by executing it from the initial configuration"
}

@test "side branches end at different variables before two are the same" {
    exits 0 bound variables test:scribbles -n 2 --json
    json '.levels[1].side_branches_most == 3'
    json '.nullified | map(.variable) | sort == ["scrap[0]", "scrap[1]"]'
    exits 0 bound variables test:scribbles -n 3 --json
    json '.nullified | map(.region) == ["trying", "trying", "trying"]'
}

@test "one variable loses" {
    loses test:read_then_write 2 3 4
    loses test:turn_alone 2 3 4
    loses test:fischer_undelayed 2 3 4
}

@test "two variables lose against three and four" {
    loses test:fast_path 3 4
    loses test:shared_tickets 3 4
}

@test "n - 1 variables lose" {
    loses test:gates 2 3 4 5 6
    loses test:folded_burns_lynch 2 3 4
    loses test:victims_alone 2 3 4
    loses test:folded_dijkstra 3 4
}

@test "a bit for every two loses" {
    loses test:folded_one_bit 2 3 4
}

@test "it is exclusion or progress that is violated" {
    exits 1 bound variables test:gates -n 4 --json
    json '.violation.property == "exclusion" and .violation.trace.loop == null'
    exits 1 bound variables test:turn_alone --json
    json '.violation.property == "deadlock-freedom" and .violation.trace.loop != null'
    exits 1 bound variables test:victims_alone
    says "again and again"
}

@test "a mutant has enough variables, or is caught on the way" {
    exits 0 bound variables burns_lynch:no_gateway
    exits 1 bound variables burns_lynch:no_subentry -n 4 --trace "$trace"
    says "ret(q) does not exist"
    says_not "too few"
    exits 0 replay "$trace"
    exits 1 bound variables one_bit:stands_firm -n 3
}

@test "undecided is not success" {
    exits 3 bound variables burns_lynch --max-steps 10
    says "UNDECIDED: a history would be longer than 10 steps"
    exits 3 bound variables burns_lynch --max-steps 10 --json
    json '.outcome == "undecided" and (.undecided | length) > 0 and .nullified == [] and .violation == null'
    exits 3 bound variables test:counts_for_ever --trace "$trace"
    says "UNDECIDED: tickets grow too large"
    says_error "there is no trace"
    [ ! -s "$trace" ]
}

@test "what is no read/write algorithm is refused" {
    refused "test:ticket is no read/write algorithm" bound variables test:ticket
    refused "reads and writes" bound variables test:barging
    refused "reads and writes" bound variables test:two_step_exit --json
}

@test "bad usage" {
    refused "which bound" bound
    refused "there is no bound 'bits'; there are 'variables' and 'values'" bound bits
    refused "there is no bound 'burns_lynch'" bound burns_lynch
    refused "which algorithm" bound variables
    refused "did you mean burns_lynch" bound variables burns_lynhc
    refused "one argument too many" bound variables burns_lynch one_bit
    refused "there is no option '-k'" bound variables burns_lynch -k 1
    for n in 0 1 17 -1 two ""; do
        refused "-n takes a whole number from 2 to 16" bound variables burns_lynch -n "$n"
    done
    refused "--max-steps takes a whole number" bound variables burns_lynch --max-steps 0
    refused "cannot write" bound variables burns_lynch --trace "$BATS_TEST_TMPDIR/no/such/directory"
    exits 0 bound --help
    exits 0 bound variables --help
    says "usage: admit bound variables"
}

# Burns and Lynch 1993, section 1: Dijkstra's solution uses one n-valued variable and n three-valued ones. All n * 3^n
# contents do occur.
@test "Dijkstra's solution takes n * 3^n shared values" {
    exits 0 count test:dijkstra -n 2,3,4 --json
    json 'all(.[]; .shared_values == .n * pow(3; .n))'
    for n in 2 3; do
        exits 0 check test:dijkstra -n $n --property exclusion --property deadlock-freedom
    done
}
