#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Ways through the gate's text that are explored if --with asks for them.
load helper

@test "without ways all is as it was, and each way adds states" {
    exits 0 check gate -n 2 --json
    json '.states == 856 and .with == []'
    exits 0 check gate -n 2 --with try --json
    json '.states > 856 and .with == ["try"] and ([.properties[].verdict] | all(. == "holds" or . == "vacuous"))'
    exits 0 check gate -n 2 --with try
    says "atomic registers, with try"
    exits 0 check gate -n 2 --fault abort --with try --property exclusion
    says "with abort, try"
}

@test "everything holds with all ways, whoever is killed or gives up" {
    for k in 1 2; do
        for ways in "--with try" "--with alone" "--with resize" "--with heir" "--with try --with alone --with resize"; do
            exits 0 check gate -n 2 -k $k $ways --fault recovery --fault abort
        done
    done
}

@test "one that tries and finds nothing free goes back to its remainder" {
    exits 1 check gate:tries_with_ticket -n 2 --with try --passages 2 --property deadlock-freedom --trace "$BATS_TEST_TMPDIR/trace"
    says "free?"
    exits 0 replay "$BATS_TEST_TMPDIR/trace"
    jq '.with = []' "$BATS_TEST_TMPDIR/trace" >"$BATS_TEST_TMPDIR/without"
    exits 1 replay "$BATS_TEST_TMPDIR/without"
    jq '.with = ["fly"]' "$BATS_TEST_TMPDIR/trace" >"$BATS_TEST_TMPDIR/nonsense"
    exits 2 replay "$BATS_TEST_TMPDIR/nonsense"
}

@test "what is kept back is inside, and comes back" {
    exits 0 check gate -n 3 -k 2 --passages 2,1,1 --with resize --property exclusion --property distinct-slots
    exits 0 check gate -n 2 -k 1 --with resize --json
    json '.states == 856' # the only slot is not kept back
}

@test "a command is inside once it has inherited, and outlives its starter" {
    exits 1 check gate:heir_ignored -n 2 --with heir --fault recovery --property exclusion --trace "$BATS_TEST_TMPDIR/trace"
    says "command 0"
    says "is killed"
    exits 0 replay "$BATS_TEST_TMPDIR/trace"
    jq '.with = []' "$BATS_TEST_TMPDIR/trace" >"$BATS_TEST_TMPDIR/without"
    exits 2 replay "$BATS_TEST_TMPDIR/without"
    exits 0 check gate -n 2 --with heir --property bounded-exit --json
    json '.with == ["heir"] and .properties[0].verdict == "holds"'
}

@test "ways that there are not are refused" {
    refused "with a command of each, n is at most 8" check gate -n 9 --with heir
    refused "with those that remove, n is at most 15" check gate -n 16 --with removal
    refused "with a command of each, n is at most 7" check gate -n 8 --with heir --with removal
    refused "--with takes try, alone, resize, heir or removal, not 'fly'" check gate --with fly
    refused "no-slot-lost is about what can still happen, which --with removal ends" check gate --with removal --property no-slot-lost
    refused "the text of one_bit has no way 'try'" check one_bit --with try
    refused "--with needs a value" check gate --with
}

@test "who removes and who goes in see each other" {
    for setting in "-n 1 --fault recovery --fault abort" "-n 2" "-n 2 -k 2"; do
        exits 0 check gate $setting --with removal
    done
    exits 1 check gate:removes_drawer -n 1 --with removal --property exclusion --trace "$BATS_TEST_TMPDIR/trace"
    says "remover 0"
    says "REMOVED"
    exits 0 replay "$BATS_TEST_TMPDIR/trace"
}

# The library's own conditions, and its haste: registers/haste.h.
@test "everything holds in haste, with numbers that wrap around" {
    exits 0 check test:gate_in_haste -n 3 --passages 1
    for k in 1 2; do
        exits 0 check test:gate_in_haste -n 2 -k $k --passages 3 --fault recovery:1 --fault abort
        exits 0 check test:gate_in_haste -n 2 -k $k --passages 2 --fault recovery:1 --fault abort --with try --with alone --with resize
    done
}
