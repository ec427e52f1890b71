#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit check --schedule: some steps are given, the rest is explored.
load helper

setup() {
    schedule=$BATS_TEST_TMPDIR/schedule
}

# given TEXT: the schedule.
given() {
    printf '%b' "$1" >"$schedule"
}

@test "what is explored is what can be reached from the end of the schedule" {
    given ''
    exits 0 check afek/ideal -n 2 --json
    everything=$(jq .states <<<"$output")
    exits 0 check afek/ideal -n 2 --schedule "$schedule" --json
    json ".states == $everything and .bounds.schedule.steps == 0 and .exhaustive == false"
    # One passage each: when process 0 has been through, only process 1 is left to move.
    given '0*6'
    exits 0 check afek/ideal -n 2 --passages 1 --schedule "$schedule" --property exclusion
    says "Explored from where the 6 steps"
}

@test "numbers, repetitions, comments and white space" {
    given '# both come\n0 1  0*2\t1*1 # five\n\n'
    exits 0 check afek/ideal -n 2 --schedule "$schedule" --property exclusion --json
    json '.bounds.schedule.steps == 5'
    given '0 1 0 0 1'
    before=$output
    exits 0 check afek/ideal -n 2 --schedule "$schedule" --property exclusion --json
    [ "$(jq .states <<<"$before")" = "$(jq .states <<<"$output")" ]
}

@test "a counterexample begins with the schedule, and is confirmed" {
    given '1*4'
    for property in exclusion lockout-freedom; do
        mutant=zehavi/ideal:$([ $property = exclusion ] && echo no_ignore || echo no_compete)
        exits 1 check "$mutant" -n 2 --schedule "$schedule" --property $property --trace "$BATS_TEST_TMPDIR/trace"
        says "The first 4 steps are the schedule's."
        exits 0 replay "$BATS_TEST_TMPDIR/trace"
        [ "$(jq '[.steps[:4][].process] == [1, 1, 1, 1]' "$BATS_TEST_TMPDIR/trace")" = true ]
    done
}

@test "a schedule that violates exclusion is stopped there" {
    exits 1 check zehavi/ideal:no_ignore -n 2 --property exclusion --trace "$BATS_TEST_TMPDIR/trace"
    jq '.steps[].process' "$BATS_TEST_TMPDIR/trace" >"$schedule"
    steps=$(wc -l <"$schedule")
    echo '0*100' >>"$schedule"
    exits 1 check zehavi/ideal:no_ignore -n 2 --property exclusion --schedule "$schedule"
    says "A shortest counterexample from there, $steps steps in all"
    # The text as it stands goes another way, and nothing happens.
    exits 0 check zehavi/ideal -n 2 --property exclusion --schedule "$schedule"
    says "holds after the schedule"
}

@test "with fingerprints too" {
    given '1*4 0*3'
    exits 1 check zehavi/ideal:no_ignore -n 2 --schedule "$schedule" --property exclusion --fingerprints \
        --trace "$BATS_TEST_TMPDIR/trace"
    exits 0 replay "$BATS_TEST_TMPDIR/trace"
}

@test "a schedule that makes no sense is refused, with its line" {
    given '0 1\n2\n'
    refused "line 2: there is no process 2 when n = 2" check afek/ideal -n 2 --schedule "$schedule"
    for word in x -1 1* '*3' 1*0 1*x 1.5 0,1 99999999999999999999; do
        given "0\\n0 $word\\n"
        refused "line 2: '$word' is neither a process nor PROCESS*TIMES" check afek/ideal -n 2 --schedule "$schedule"
    done
    given '0*99999999'
    refused "line 1: more than" check afek/ideal -n 2 --schedule "$schedule"
    refused "cannot read $schedule.not: No such file" check afek/ideal -n 2 --schedule "$schedule.not"
    refused "it cannot be read" check afek/ideal -n 2 --schedule "$BATS_TEST_TMPDIR"
    given '0'
    refused "begins where everybody begins" check one_bit -n 2 --schedule "$schedule" --fault transient
    given '0*5\n0*50'
    exits 2 check afek/ideal -n 2 --passages 1 --schedule "$schedule"
    says_error "line 2: process 0 has no passage left"
}
