#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit claims: what the papers say, row by row, and what is found.
load helper

setup() {
    scratch=$(mktemp -d)
}

teardown() {
    rm -rf "$scratch"
}

@test "every row has all fields, and what is found is a verdict" {
    exits 0 claims bl93 --traces "$scratch/traces" --json
    json 'length > 50'
    json 'all(.[]; keys_unsorted == ["paper", "claim", "algorithm", "n", "k", "registers", "faults", "passages", "property",
        "published", "found", "measured", "bound", "states", "seconds", "agrees", "note"])'
    json 'all(.[]; .paper == "bl93" and (.claim | contains(": ")) and (.faults | type) == "array")'
    json 'all(.[]; [.found] | inside(["holds", "violated", "undecided", "vacuous"]))'
    json 'all(.[]; .agrees == (if .found == "holds" then .published else (.published | not) end))'
    json 'all(.[]; (.measured == null) or (.bound == null) or .measured == .bound)'
    json 'any(.[]; .property == "shared values" and .n == 4 and .measured == 16 and .bound == 16)'
    json 'any(.[]; .published == false and .found == "violated")'
    replays_all
}

@test "a person gets a table, by paper and theorem, and a summary" {
    exits 0 claims bl93 --only "Theorem 4.1"
    says "bl93: Burns, Lynch"
    says "Theorem 4.1 "
    says_not "Section 6"
    [[ $output =~ [0-9]+" rows: "[0-9]+" agree, 0 disagree, 0 undecided" ]]
}

@test "faults are in the rows, as many as there are processes" {
    exits 0 claims lamport86 --only "Lemma 2" --json
    json 'any(.[]; .n == 3 and .registers == "safe" and .faults == ["failure:3"])'
    json 'any(.[]; .n == 2 and .faults == ["shutdown:2"])'
    json 'all(.[]; .agrees)'
}

@test "rows can be chosen, upper and lower case alike" {
    exits 0 claims --only "LOCKED OUT" --json
    json 'length > 0 and all(.[]; .claim | test("locked out"))'
    exits 0 claims --only one_bit:rewrites --json
    json 'length > 0 and all(.[]; .algorithm == "one_bit:rewrites")'
    refused "no row is about 'xyzzy'" claims --only xyzzy
}

@test "the rows come in the same order, with the same findings, every time" {
    without_times='map(del(.seconds))'
    exits 0 claims bl93 --json
    first=$(jq "$without_times" <<<"$output")
    exits 0 claims bl93 --json
    [ "$first" = "$(jq "$without_times" <<<"$output")" ]
    # However many processes share the work.
    ADMIT_THREADS=1 exits 0 claims bl93 --json
    [ "$first" = "$(jq "$without_times" <<<"$output")" ]
    ADMIT_THREADS=3 exits 0 claims bl93 --json
    [ "$first" = "$(jq "$without_times" <<<"$output")" ]
}

# quickly ARGUMENTS: some of the rows, where all would take too long (sanitizers); what is then to be said of all, is not.
quickly() {
    [ -n "$ADMIT_TEST_QUICK" ] || return 0
    exits 0 claims "$@" --json
    json 'length > 5 and all(.[]; .found != "undecided" and .found != "vacuous")'
    skip "all rows take long"
}

# Each counterexample that the last `claims` wrote below $scratch/traces is one.
replays_all() {
    local trace
    for trace in "$scratch"/traces/*.json; do
        exits 0 replay "$trace"
        [[ $output == *Confirmed* ]] || return 1
    done
}

@test "lamport86: all rows are decided, and these disagree; all counterexamples are replayed" {
    quickly lamport86 --only "Lemma 4"
    exits 0 claims lamport86 --traces "$scratch/traces" --json
    json 'length > 500 and all(.[]; .found != "undecided" and .found != "vacuous")'
    json 'map(select(.agrees == false) | .claim | sub(":.*"; "")) | unique == ["Figure 4", "Lemma 4", "Theorem 8"]'
    # N-Bit keeps its order to the end of the critical section, which it alone cannot without y being up in there.
    json 'any(.[]; .algorithm == "n_bit" and .n == 3 and .property == "served-before" and .found == "holds" and .agrees)'
    json 'any(.[]; .algorithm == "n_bit:lowers_y_too_soon" and .property == "served-before" and .found == "violated")'
    json 'any(.[]; .algorithm == "n_bit:lowers_y_too_soon" and .property == "fcfs" and .found == "holds")'
    replays_all
}

@test "flbb89: all rows are decided, and only the figures as printed disagree" {
    quickly flbb89 --only semaphore
    exits 0 claims flbb89 --traces "$scratch/traces" --json
    json 'length > 800 and all(.[]; .found != "undecided" and .found != "vacuous")'
    json 'map(select(.agrees == false) | .algorithm) | unique ==
        ["colored_ticket:printed_leads", "colored_ticket:printed_quant"]'
    json 'any(.[]; .algorithm == "colored_ticket" and .n == 5 and .k == 3 and .property == "fifo-enabling")'
    json 'any(.[]; .algorithm == "bank" and .n == 4 and .k == 2 and .property == "k-deadlock-avoidance"
        and .found == "violated" and .agrees)'
    # Bounds in n and k: not exceeded, reached.
    json 'any(.[]; .algorithm == "colored_ticket" and .n == 4 and .k == 2 and .property == "shared values"
        and .measured == 123 and .bound == 486)'
    json 'all(.[] | select(.claim | startswith("Theorem 5.8")); .measured >= .bound)'
    json 'all(.[] | select(.property == "values reached" and .found == "holds"); .measured == .bound)'
    json 'any(.[]; .property == "equivalent to queue" and .algorithm == "colored_ticket" and .n == 5 and .k == 3)'
    replays_all
}

@test "afek94, zehavi13: all rows are decided, and these disagree" {
    quickly afek94 zehavi13 --only Observation
    exits 0 claims afek94 zehavi13 --traces "$scratch/traces" --json
    json 'length > 400 and all(.[]; .found != "undecided" and .found != "vacuous")'
    # Two slips of the pen; and what spins locally in caches although section II, or III, says that it does not.
    json 'map(select(.agrees == false) | .property) | unique ==
        ["local-spin", "order() of the example", "unbounded:as_printed: LS/LS"]'
    json 'map(select(.agrees == false and .property == "local-spin") | .algorithm) | unique ==
        ["afek/ideal", "bakery", "colored_ticket", "queue"]'
    # The stronger Definition 5.1, which was open for bounded timestamps.
    for system in unbounded ideal snapshot linear; do
        json "any(.[]; .algorithm == \"afek/$system\" and .property == \"strong-fife\" and .found == \"holds\")"
    done
    # Step counts, as the text has them.
    json 'any(.[]; .algorithm == "afek/unbounded" and .n == 3 and .property == "bounded-doorway" and .measured == 6)'
    json 'any(.[]; .algorithm == "zehavi/ideal" and .property == "bounded-exit" and .measured == 4 and .bound == 4)'
    # What is a sample says so, and agrees with nobody.
    json 'all(.[] | select(.property | test("random runs|^remote references: .*|percent")); .published != true)'
    json 'all(.[] | select(.property | test("random runs")); .measured == 0 and (.note | startswith("a sample")))'
    # Some go through once each, and some are explored from where a schedule leads.
    json 'any(.[]; .algorithm == "zehavi/linear" and .passages == 1)'
    json 'any(.[]; .algorithm == "afek/ideal:no_second_label" and .passages == [1, 1, 2, 2] and .found == "violated")'
    replays_all
}

@test "a run that begins with a schedule is a counterexample like any other" {
    exits 0 claims afek94 --only "second Label" --traces "$scratch"
    exits 0 replay "$scratch"/*no_second_label*fife*.json
    says "Confirmed"
}

@test "counterexamples of different k do not overwrite each other" {
    exits 0 claims flbb89 --only semaphore --traces "$scratch"
    exits 0 replay "$scratch/flbb89.semaphore.n3.atomic.normal.fifo-enabling.json"
    exits 0 replay "$scratch/flbb89.semaphore.n3.k2.atomic.normal.lockout-freedom.json"
    exits 0 replay "$scratch/flbb89.semaphore.n5.k2.atomic.normal.values_reached.json"
    says "Confirmed"
}

@test "a list asks nothing, and has the long rows too" {
    exits 0 claims --list --json
    json 'all(.[]; .found == null and .states == null and .agrees == null)'
    json 'any(.[]; .algorithm == "burns_lynch" and .n == 7)'
    exits 0 claims --list
    says " full"
}

# The papers, a line each, in the order in which they are known.
papers() {
    "$ADMIT" claims --help | sed -n 's/.*Without PAPER: all of \(.*\)\./\1/p' | tr -d ' ' | tr , '\n'
}

@test "every paper has rows, and all of them can be named" {
    exits 0 claims --list --json
    listed=$(jq -r '.[].paper' <<<"$output" | uniq)
    [ "$listed" = "$(papers)" ]
    # shellcheck disable=SC2046 # a word each
    exits 0 claims --list --json $(papers)
    [ "$(jq -r '.[].paper' <<<"$output" | uniq)" = "$listed" ]
}

@test "every algorithm is of one of the papers, or says where it is printed, or is our own" {
    exits 0 algorithms --mutants --json
    jq --exit-status --arg papers "$(papers)" 'map(select(.kind != "test").paper) - ($papers | split("\n")) - ["-"] == []' \
        <<<"$output"
    json 'map(select(.kind == "algorithm" and .printed_in == null).id) == ["gate", "etcd_gate"]'
    json 'any(.[]; .id == "one_bit" and .printed_in == "Lamport 1986, Figure 1")'
    # What is in none of them says so itself.
    json 'any(.[]; .id == "test:dijkstra" and .printed_in == "CACM 8(9), 1965")'
}

@test "every algorithm and every property in the tables is one that there is" {
    exits 0 algorithms --mutants --json
    jq 'map(.id)' <<<"$output" >"$scratch/ids"
    exits 0 claims --list --json
    jq --exit-status --slurpfile ids "$scratch/ids" \
        'map(.algorithm | select(. != null)) - $ids[0] == []' <<<"$output"
    # Names like those of properties are those of properties.
    exits 2 check one_bit --property xyzzy
    known=$stderr
    exits 0 claims --list --json
    for name in $(jq -r '.[].property | select(test("^[a-z]+(-[a-z]+)*( [+] [a-z]+(-[a-z]+)*)*$")) | split(" + ")[]' \
        <<<"$output" | sort -u); do
        [[ $known == *"$name"* ]] || {
            echo "there is no property $name"
            return 1
        }
    done
}

@test "a violated row has a counterexample that replay confirms" {
    exits 0 claims bl93 --only "locked out" --traces "$scratch"
    [ -f "$scratch/bl93.burns_lynch.n3.atomic.normal.lockout-freedom_of_p_n-1.json" ]
    for trace in "$scratch"/*.json; do
        exits 0 replay "$trace"
        says "Confirmed"
    done
    exits 0 claims lamport86 --only "not abortion safe" --traces "$scratch"
    exits 0 replay "$scratch/lamport86.one_bit.n2.safe.abort.deadlock-freedom.json"
}

@test "what no property names is executed, too" {
    exits 0 claims lamport86 --only "starts first" --traces "$scratch"
    exits 0 replay "$scratch/lamport86.one_bit.n2.atomic.normal.starts_first__enters_first.json"
    says "the run is possible"
}

@test "bad usage" {
    refused "there is no paper 'knuth66'; there are $(papers | paste -sd, | sed 's/,/, /g')" claims knuth66
    refused "there is no option" claims --frobnicate
    refused "--only needs a value" claims --only
    refused "cannot write to" claims bl93 --traces "$scratch/no/where"
    exits 0 claims --help
    says "usage: admit claims"
}
