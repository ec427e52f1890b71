#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit check: verdicts, exit statuses, what is printed and what is in the JSON.
load helper

# --- one_bit, burns_lynch, bakery ----------------------------------------------------------------------------------------

@test "one_bit excludes and does not deadlock, on safe registers" {
    exits 0 check one_bit -n 4 --registers safe --property exclusion --property deadlock-freedom
    [ "$(grep -c ' holds ' <<<"$output")" -eq 2 ]
}

@test "one_bit locks out: a lasso" {
    exits 1 check one_bit -n 4 --registers safe --property lockout-freedom
    says "lockout-freedom      P3   VIOLATED"
    says "then a loop of"
    says "from here on, again and again"
}

@test "burns_lynch likewise" {
    exits 0 check burns_lynch -n 4 --property exclusion --property deadlock-freedom
    exits 1 check burns_lynch -n 4 --property lockout-freedom
    says "from here on, again and again"
}

@test "bakery serves in order and locks nobody out" {
    exits 0 check bakery -n 3 --property fcfs --property lockout-freedom
    [ "$(grep -c ' holds ' <<<"$output")" -eq 2 ]
}

@test "all that the catalogue claims holds" {
    for algorithm in one_bit burns_lynch bakery; do
        for registers in atomic regular safe; do
            [ "$algorithm $registers" = "bakery safe" ] && continue
            exits 0 check $algorithm -n 2 --registers $registers
            exits 0 check $algorithm -n 2 --registers $registers --fault crash
            exits 0 check $algorithm -n 2 --registers $registers --order any
            says_not vacuous
        done
    done
}

@test "two processes over linear timestamps, however often they go through" {
    exits 0 check afek/linear -n 2 --json
    json '.states == 349145 and ([.properties[].verdict] | unique) == ["holds", "vacuous"]'
    exits 0 check afek/linear -n 2 -k 2 --fault crash
    says_not vacuous
    exits 0 check zehavi/linear -n 2 --property exclusion
    # Where many states are kept as one, loops still close in what is executed again.
    exits 1 check afek/linear -n 2 --property k-deadlock-avoidance --trace "$BATS_TEST_TMPDIR/trace"
    exits 0 replay "$BATS_TEST_TMPDIR/trace"
}

@test "by default n is 3 and everything claimed is checked, never nothing" {
    exits 0 check bakery --json
    json '.n == 3 and .k == 1 and .registers == "atomic" and .faults == []'
    json '[.properties[].name] == ["exclusion", "deadlock-freedom", "lockout-freedom", "fcfs", "bounded-doorway",
        "bounded-exit"]'
    # Nothing is claimed of Burns-Lynch on registers that are not atomic.
    exits 0 check burns_lynch -n 2 --registers safe --json
    json '[.properties[].name] == ["exclusion"]'
}

@test "one process alone" {
    for algorithm in one_bit burns_lynch bakery; do
        exits 0 check $algorithm -n 1
    done
}

# --- counterexamples -----------------------------------------------------------------------------------------------------

@test "a safety counterexample is a shortest one, with lanes, registers and sections" {
    exits 1 check one_bit:no_second_wait -n 2 --property exclusion
    says "A shortest counterexample, 3 steps"
    says "process 0"
    says "process 1"
    says "x[0]=1"
    says "# critical section"
    exits 1 check one_bit:no_second_wait -n 2 --property exclusion --json
    json '.properties[0].counterexample | .loop == null and (.steps | length) == 3'
}

@test "a liveness counterexample has a loop" {
    exits 1 check one_bit:stands_firm -n 2 --property deadlock-freedom --json
    json '.properties[0].counterexample | .loop >= 0 and .loop < (.steps | length)'
}

@test "one violated among several: exit 1, and the others have their verdicts" {
    exits 1 check one_bit -n 2 --property exclusion --property lockout-freedom --property bounded-exit --json
    json '[.properties[].verdict] == ["holds", "violated", "holds"]'
}

@test "a crash is shown where it happens" {
    exits 1 check one_bit -n 2 --fault crash --property deadlock-freedom
    says "crashes"
}

@test "where more may crash than lockout-freedom speaks of, that is said" {
    exits 0 check test:ticket -n 2 -k 1 --fault crash --property lockout-freedom
    says "only runs with fewer than 1 faulty processes"
    exits 0 check test:ticket -n 2 -k 2 --fault crash --property lockout-freedom
    says_not "only runs with fewer"
}

# --- limits ----------------------------------------------------------------------------------------------------------------

@test "a limit that is reached is undecided, and never holds" {
    exits 3 check one_bit -n 5 --max-states 100
    says UNDECIDED
    says_not " holds"
    exits 3 check one_bit -n 5 --max-states 100 --json
    json '.exhaustive == false and all(.properties[]; .verdict == "undecided")'
    json '.bounds.stopped | test("max-states")'
    exits 3 check one_bit -n 6 --memory 1K --property exclusion
    says "UNDECIDED: the memory limit"
    # There are more states to start in than anybody has memory for.
    exits 3 check one_bit -n 6 --memory 10M --fault transient --property exclusion --json
    json '.states < 2000000 and .transitions == 0 and (.bounds.stopped | test("memory"))'
}

@test "interrupted, it says what it has: undecided" {
    run timeout --preserve-status --signal=INT 0.5 "$ADMIT" check one_bit -n 8 --property exclusion
    [ "$status" -eq 3 ]
    says "UNDECIDED: interrupted"
}

@test "what is violated before the limit is violated" {
    exits 1 check one_bit:no_second_wait -n 5 --max-states 1000 --property exclusion
}

@test "a limit that is not reached is not mentioned" {
    exits 0 check one_bit -n 2 --max-states 1000 --json
    json '.exhaustive == true and .bounds == {}'
}

@test "with --passages it holds up to so many" {
    exits 0 check bakery -n 2 --passages 1,2 --property exclusion
    says "holds up to 1,2 passages"
    exits 0 check bakery -n 2 --passages 2 --property exclusion --json
    json '.exhaustive == false and .bounds.passages == [2, 2]'
}

@test "a register that is declared to grow, and does not, is refused" {
    exits 2 check test:goes_back -n 2
    says_error 'writes 0 to LOCK[0], which holds 1 and is declared to grow, at "give back"'
}

@test "idle steps are taken at once, or with --every-step one by one, with the same verdicts" {
    exits 0 check gate -n 2 -k 2 --fault recovery
    says "Steps that do nothing, whenever they are taken, were taken at once"
    exits 0 check gate -n 2 -k 2 --fault recovery --json
    json '.bounds.idle_steps == "at once" and .exhaustive'
    at_once=$output
    exits 0 check gate -n 2 -k 2 --fault recovery --every-step --json
    json '.bounds.idle_steps == null and .exhaustive'
    [ "$(jq -c '[.properties[].verdict]' <<<"$output")" = "$(jq -c '[.properties[].verdict]' <<<"$at_once")" ]
    [ "$(jq .states <<<"$output")" -gt "$(jq .states <<<"$at_once")" ]
    for how in "" --every-step; do
        exits 1 check gate:note_fails -n 2 --fault recovery --property exclusion $how
    done
    # Where steps are counted, all are.
    exits 0 check gate -n 2 -k 2 --json
    json '.bounds.idle_steps == null'
    exits 1 check gate -n 2 --fault recovery --property bounded-exit --json
    json '.bounds.idle_steps == null'
}

@test "with --fingerprints it holds up to a probability, and finds the same" {
    exits 0 check bakery -n 3 --fingerprints --property exclusion
    says "holds up to fingerprints (a state is missed with probability"
    exits 0 check bakery -n 3 --fingerprints --json
    json '.exhaustive == false and .bounds.fingerprints.omission_probability < 1e-9'
    fingerprints=$output
    exits 0 check bakery -n 3 --json
    for count in .states .transitions '[.properties[].fired]'; do
        [ "$(jq -c "$count" <<<"$output")" = "$(jq -c "$count" <<<"$fingerprints")" ]
    done
    exits 1 check bakery:no_choosing -n 3 --fingerprints --property exclusion
    exits 1 check bakery:gives_up -n 2 --fingerprints --property lockout-freedom
}

@test "states of one word have exact fingerprints" {
    exits 0 check one_bit -n 4 --fingerprints --property exclusion
    says "holds up to fingerprints (which are exact"
    exits 0 check one_bit -n 4 --fingerprints --json
    json '.exhaustive == false and .bounds.fingerprints.omission_probability == 0'
    exits 1 check one_bit:looks_first -n 3 --fingerprints --property exclusion
    says "A shortest counterexample"
}

@test "a premise that never comes true is vacuous, not held" {
    exits 0 check bakery -n 1 --property fcfs
    says "vacuous"
    says_not " holds"
    exits 0 check bakery -n 1 --property fcfs --json
    json '.properties[0] | .verdict == "vacuous" and .fired == 0'
    exits 0 check one_bit -n 2 --passages 0 --property exclusion --json
    json '.properties[0].verdict == "vacuous" and .states == 1'
}

# --- JSON ------------------------------------------------------------------------------------------------------------------

@test "the fields of the JSON object" {
    exits 1 check bakery:short_doorway -n 2 --registers regular --fault crash:2 --property fcfs --property bounded-doorway --json
    json 'has("algorithm") and has("n") and has("k") and has("registers") and has("faults") and has("states") and
        has("transitions") and has("seconds") and has("exhaustive") and has("bounds") and has("properties")'
    json '.algorithm == "bakery:short_doorway" and .n == 2 and .k == 1 and .registers == "regular" and .faults == ["crash:2"]'
    json '(.states | type) == "number" and (.seconds | type) == "number"'
    json 'all(.properties[]; has("name") and has("verdict") and has("fired") and has("bound") and has("counterexample"))'
    json '.properties[0] | .name == "fcfs" and .verdict == "violated" and .bound == null and .counterexample.format == "admit-trace-1"'
    json '.properties[1] | .name == "bounded-doorway" and .verdict == "holds" and .fired > 0 and .bound > 0 and .counterexample == null'
}

@test "bounds are counted in own steps" {
    # Lines 1, 2 (n reads and a write) and 3: n + 3; a write that is not atomic is two steps.
    for n in 1 2 3; do
        exits 0 check bakery -n $n --property bounded-doorway --json
        json ".properties[0].bound == $n + 3"
    done
    exits 0 check bakery -n 2 --registers regular --property bounded-doorway --property bounded-exit --json
    json '.properties[0].bound == 2 + 6 and .properties[1].bound == 2'
}

@test "the table of properties has each of them, with a link to its definition" {
    exits 0 check --help
    for property in $(sed -n 's/^properties: //p' <<<"$output" | tr -d ','); do
        grep -q "^| .*\`$property\`.*](properties.md#p[0-9]*-$property)" docs/checking.md || { echo "$property" && false; }
        grep -q "^### (P[0-9]*) $property\$" docs/properties.md || { echo "$property" && false; }
        grep -q "](#p[0-9]*-$property)" docs/properties.md || { echo "$property" && false; }
    done
}

# --- every run says the same -------------------------------------------------------------------------------------------------

@test "the same counts, verdicts and counterexamples with any number of threads" {
    for arguments in "one_bit -n 5" "one_bit -n 4 --registers safe --property lockout-freedom" \
        "bakery -n 3 --property exclusion --property fcfs" "bakery:gives_up -n 2 --property lockout-freedom --property fcfs" \
        "burns_lynch:counts_on_order -n 4 --order any --property exclusion" "test:barging -n 4 -k 2 --property fife" \
        "bakery -n 3 --fault crash --fingerprints --property exclusion"; do
        for threads in 1 2 3; do
            # shellcheck disable=SC2086
            ADMIT_THREADS=$threads "$ADMIT" check $arguments --json |
                jq 'del(.seconds, .memory_bytes)' >"$BATS_TEST_TMPDIR/$threads"
        done
        cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
        cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/3"
        [ -s "$BATS_TEST_TMPDIR/1" ]
    done
}
