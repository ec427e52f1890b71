#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# admit algorithms: the catalogue.
load helper

@test "every algorithm of the source tree is listed, with its paper" {
    exits 0 algorithms
    for source in src/algorithms/*.c; do
        says "$(basename "$source" .c)"
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
        and has("shared_bits") and has("fairness") and has("claims"))'
    json 'all(.[]; (.claims | length) > 0 and (.claims | map(.property) | contains(["exclusion"])))'
    json '(.[] | select(.id == "one_bit")) | .registers == "safe" and .k == 1 and .doorway == false'
    json '(.[] | select(.id == "bakery")) | .registers == "regular" and .doorway == true and .shared_bits == null'
}

# The formula is for people, the number is computed from the declared registers: they say the same. It is arithmetic in n
# and k, which jq understands; an unbounded one has no number.
@test "the formula of the shared bits agrees with the declared registers" {
    for n in 1 2 3 7 16 64; do
        exits 0 algorithms --json -n $n
        while IFS=$'\t' read -r id formula bits; do
            if [ "$bits" = null ]; then
                [ "$formula" = unbounded ]
            else
                expected=$(jq -n --argjson n $n --argjson k 1 "$(sed 's/\<[nk]\>/$&/g' <<<"$formula")")
                [ "$bits" -eq "$expected" ] || { echo "$id: $formula at n = $n is not $bits"; false; }
            fi
        done < <(jq -r '.[] | [.id, .bits_formula, (.shared_bits | tostring)] | @tsv' <<<"$output")
    done
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

@test "every claim of the catalogue is one that check accepts" {
    exits 0 algorithms --json
    while read -r id property registers; do
        exits 0 check "$id" -n 2 --property "$property" --registers "$registers"
    done < <(jq -r '.[] | .id as $id | .claims[] | "\($id) \(.property) \(.registers)"' <<<"$output")
}

@test "n and k out of range" {
    refused "-n takes" algorithms -n 0
    refused "-n takes" algorithms -n 65
    refused "k = 3 is more than n = 2" algorithms -n 2 -k 3
}
