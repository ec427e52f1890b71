#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit algorithms: the catalogue.
load helper

@test "every algorithm of the source tree is listed, with its paper" {
    exits 0 algorithms
    for source in src/algorithms/*.c src/algorithms/*/*.c; do
        id=${source#src/algorithms/}
        says "${id%.c}"
    done
    says "lamport86 Figure 1"
    says "bl93 Fig. 1"
    says_not "no_gateway"
    says_not "test:"
}

@test "the fields of the JSON" {
    exits 0 algorithms --json
    json 'type == "array" and length >= 3'
    json 'all(.[]; has("id") and has("paper") and has("figure") and has("k") and has("registers") and has("bits_formula")
        and has("shared_bits") and has("bits_per_process") and has("max_n") and has("fairness") and has("claims"))'
    json 'all(.[]; (.claims | length) > 0)'
    # Two are parts that only keep the order.
    json 'map(select(.claims | map(.property) | contains(["exclusion"]) | not).id) == ["n_bit", "n_factorial_bit"]'
    json '(.[] | select(.id == "one_bit")) | .registers == "safe" and .k == 1 and .doorway == false'
    json '(.[] | select(.id == "bakery")) | .registers == "regular" and .doorway == true and .shared_bits == null'
}

# in_jq FORMULA: the formula in jq's language. It is arithmetic in n and k, with (...)! and sum(m = FROM..TO, TERM),
# max(A, B), and bits(A): how many bits the numbers 0 .. A take.
in_jq() {
    echo 'def factorial: reduce range(2; . + 1) as $f (1; . * $f);'
    echo 'def bits(a): if a < 1 then 0 else (a | log2 | floor) + 1 end;'
    echo 'def larger(a; b): if a > b then a else b end;'
    sed -e 's/max(\([^,()]*\), \([^,()]*\))/larger(\1; \2)/g' \
        -e 's/(\([^()]*\))!/((\1) | factorial)/g' \
        -e 's/sum(m = \([^.]*\)\.\.\([^,]*\), \(.*| factorial)\))/([range(\1; (\2) + 1) as $m | \3] | add \/\/ 0)/' \
        -e 's/\(^\|[^$a-z]\)\([nkm]\)\>/\1$\2/g' <<<"$1"
}

# The formulas are for people, the numbers are computed from the declared registers: they say the same. What is unbounded
# has no number, nor what has several writers, nor an n that the algorithm is not for.
@test "the formulas of the shared bits agree with the declared registers" {
    for n in 1 2 3 7 9 16 64; do
        exits 0 algorithms --json -n $n
        compared=0
        while IFS=$'\t' read -r id formula bits max_n; do
            if [ "$max_n" != null ] && [ "$n" -gt "$max_n" ]; then
                [ "$bits" = null ]
            elif [ "$bits" = null ]; then
                [ "$formula" = unbounded ] || [ "$formula" = none ]
            else
                expected=$(jq -n --argjson n $n --argjson k 1 "$(in_jq "$formula")")
                [ "$bits" -eq "$expected" ] || { echo "$id: $formula at n = $n is not $bits"; false; }
                compared=$((compared + 1))
            fi
        done < <(jq -r '.[] | [.id, .bits_formula, .shared_bits, .max_n], [.id, .bits_per_process_formula // "none",
            .bits_per_process, .max_n] | map(tostring) | @tsv' <<<"$output")
        [ $compared -ge 12 ]
    done
}

@test "bits per process are the paper's" {
    exits 0 algorithms --json -n 5
    json '[.[] | select(.paper == "lamport86") | {(.id): .bits_per_process}] | add == {"one_bit": 1,
        "one_bit_stabilizing": 1, "three_bit": 3, "three_bit_stabilizing": 3, "n_bit": 5, "n_bit/one_bit": 6,
        "n_factorial_bit": 65, "n_factorial_bit/one_bit": 66, "n_factorial_bit/one_bit_stabilizing": 66,
        "n_factorial_bit/one_bit_mending": 66}'
    exits 0 algorithms -n 5
    says "bits per process: 1 + sum(m = 2..n, (n - 1)! / (n - m)!) = 65"
    exits 0 algorithms -n 10
    says "n <= 9"
}

@test "an n that is too much for an algorithm is refused by name" {
    refused "n_factorial_bit/one_bit is for n up to 9, not for n = 10" check n_factorial_bit/one_bit -n 10
    refused "n_factorial_bit is for n up to 9, not for n = 16" count n_factorial_bit -n 16
}

@test "where mutants are listed, or that this build has none" {
    exits 0 algorithms --mutants --json
    if json 'any(.kind == "mutant")'; then
        refused "'admit algorithms --mutants' lists them" check one_bit:no_such_mutant
    else
        refused "'one_bit:no_such_mutant': this build has no mutants" check one_bit:no_such_mutant
        exits 0 algorithms --mutants
        says "Mutants: this build has none"
    fi
    refused "'admit algorithms --mutants' lists them" check test:no_such_algorithm
    refused "'admit algorithms' lists them" check no_such_algorithm
}

@test "mutants and test algorithms, on demand" {
    exits 0 algorithms --mutants
    says "one_bit:rewrites"
    says "caught by: -n 2 --registers safe --property exclusion"
    says "test:ticket"
    exits 0 algorithms --mutants --json
    json 'map(.kind) | unique == ["algorithm", "mutant", "test"]'
    json 'all(.[] | select(.kind == "mutant"); (.broken | length) > 0 and (.caught_by | startswith("-n ")))'
}

# Over bounded timestamps one passage each: two processes that go on for ever have many millions of states.
@test "every claim of the catalogue is one that check accepts" {
    exits 0 algorithms --json
    while read -r id property registers model; do
        case $id in */linear | */snapshot) few=1 ;; *) few= ;; esac
        exits 0 check "$id" -n 2 --property "$property" --registers "$registers" ${model:+--model "$model"} \
            ${few:+--passages "$few"}
    done < <(jq -r '.[] | .id as $id | .claims[] | "\($id) \(.property) \(.registers) \(.model // "")"' <<<"$output")
}

@test "n and k out of range" {
    refused "-n takes" algorithms -n 0
    refused "-n takes" algorithms -n 65
    refused "k = 3 is more than n = 2" algorithms -n 2 -k 3
}

@test "the table in docs/checking.md is that of the catalogue" {
    sh tests/catalogue.sh docs/checking.md >"$BATS_TEST_TMPDIR/checking.md"
    diff docs/checking.md "$BATS_TEST_TMPDIR/checking.md" || {
        echo "make catalogue writes it anew"
        return 1
    }
    [ "$(grep -c "^| \[" docs/checking.md)" -eq "$("$ADMIT" algorithms --json | jq length)" ]
}
