# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The faults of docs/properties.md, V12 to V15.

load helper

# states COUNT ARGUMENT...: so many are explored.
states() {
    local count=$1
    shift
    exits 0 check "$@" --property exclusion --json && json ".states == $count"
}

# One process of One-Bit, whose states can be counted by hand: R is in the remainder, C inside; x is 0 or 1.
@test "one process, counted by hand, atomic registers" {
    states 2 one_bit -n 1                   # R0 C1
    states 5 one_bit -n 1 --fault shutdown  # and faulty with x 0 or 1, and stopped
    states 3 one_bit -n 1 --fault abort     # and faulty with x 1
    states 6 one_bit -n 1 --fault failure   # and malfunctioning with x 0 or 1; then R0 and C1 of one that has failed
    states 4 one_bit -n 1 --fault transient # R0 R1 C0 C1
}

@test "one process, counted by hand, safe registers" {
    states 4 one_bit -n 1 --registers safe                   # R0, its write begun, C1, its write begun
    states 9 one_bit -n 1 --registers safe --fault shutdown  # and faulty, or writing 0, each with x 0 or 1; and stopped
    states 6 one_bit -n 1 --registers safe --fault abort     # and faulty, or writing 0, with x 1
    states 16 one_bit -n 1 --registers safe --fault failure  # and x 0 or 1 with: no write, 0 or 1 or the last 0 begun;
                                                             # and the four of one that has failed
    states 9 one_bit -n 1 --registers safe --fault transient # R C with x 0 or 1; writing in and out with x 0 or 1; and
                                                             # a reset begun with x 1
}

@test "no declared initial value: every one is a start" {
    exits 1 check test:ring_any -n 3 --property exclusion
    says "start"
}

@test "One-Bit is shutdown safe and fail safe, and not abortion safe" {
    for kind in atomic regular safe; do
        exits 0 check one_bit -n 3 --registers $kind --fault shutdown:3 --property exclusion --property deadlock-freedom
        exits 0 check one_bit -n 3 --registers $kind --fault failure:3 --property exclusion --property deadlock-freedom
        exits 0 check one_bit -n 3 --registers $kind --fault abort --property exclusion
        exits 1 check one_bit -n 2 --registers $kind --fault abort --property deadlock-freedom
        says "aborts"
    done
}

@test "One-Bit is not self-stabilizing, and is in the form of Theorem 4" {
    exits 1 check one_bit -n 2 --fault transient --property exclusion
    says "as often as anybody likes"
    exits 1 check one_bit -n 2 --fault transient --property deadlock-freedom
    exits 0 check one_bit_stabilizing -n 3 --fault transient --property exclusion --property deadlock-freedom
}

@test "counterexamples with faults are confirmed by replay" {
    local trace=$BATS_TEST_TMPDIR/trace
    exits 1 check one_bit -n 2 --fault abort --property deadlock-freedom --trace "$trace"
    exits 0 replay "$trace"
    exits 1 check one_bit -n 3 --fault transient --property exclusion --trace "$trace"
    exits 0 replay "$trace"
    exits 1 check n_bit:rewrites -n 2 --registers safe --fault abort --property deadlock-freedom --trace "$trace"
    exits 0 replay "$trace"
    exits 1 check one_bit:unheard_of -n 2 --fault failure:2 --property deadlock-freedom --trace "$trace"
    exits 0 replay "$trace"
    exits 1 check one_bit -n 2 --fault transient --property exclusion --fingerprints --trace "$trace"
    exits 0 replay "$trace"
}

@test "a trace that is tampered with is not confirmed" {
    local trace=$BATS_TEST_TMPDIR/trace
    exits 1 check one_bit -n 2 --fault transient --property exclusion --trace "$trace"
    for edit in '.transient = false' '.start.registers[0] = 1' '.start.registers = [0]' '.loop_end = 99' '.loop = 1' \
        '.start.processes[0] = [[0, 7]]' '.start.processes[0] = [[9, 0]]' '.steps[0].abort = true' '.shutdowns = 7'; do
        jq "$edit" "$trace" >"$trace.edited"
        run "$ADMIT" replay "$trace.edited"
        [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || {
            echo "exit status $status after $edit"
            return 1
        }
    done
}

@test "every finding against a paper is confirmed again" {
    for trace in docs/findings/*.json; do
        exits 0 replay "$trace"
        says "Confirmed"
    done
}

@test "deadlock-freedom from any start: by contents of the registers as by states" {
    for setting in "n_bit -n 2" "n_factorial_bit -n 2" "n_bit -n 2 --registers safe"; do
        # shellcheck disable=SC2086
        exits 0 check $setting --fault transient --property deadlock-freedom
        says "only the contents of the registers"
        # shellcheck disable=SC2086
        exits 0 check $setting --fault transient --property deadlock-freedom --property fcfs
        says_not "only the contents of the registers"
    done
    exits 1 check n_bit -n 3 --fault transient --property deadlock-freedom --trace "$BATS_TEST_TMPDIR/trace"
    exits 0 replay "$BATS_TEST_TMPDIR/trace"
    exits 0 check n_factorial_bit -n 3 --fault transient --property deadlock-freedom
}

@test "what makes no sense is refused" {
    refused "takes no COUNT" check one_bit --fault abort:2
    refused "takes no COUNT" check one_bit --fault transient:2
    refused "4 processes cannot shut down when there are 3" check one_bit --fault shutdown:4
    refused "4 processes cannot fail when there are 3" check one_bit --fault failure:4
    refused "cannot be combined" check one_bit --fault transient --fault crash
    refused "cannot be limited by --passages" check one_bit --fault transient --passages 1
    refused "is not defined under abort" check bakery --fault abort --property fife
    refused "is not defined under transient" check n_bit --fault transient --property bounded-doorway
    refused "unbounded" check bakery --fault failure
    refused "belongs to nobody" check test:barging --fault abort
    refused "lease is for algorithms whose processes are clients of a store" check gate --fault lease
    refused "4 processes cannot freeze when there are 3" check etcd_gate --fault freeze:4
    refused "belongs to nobody" check etcd_gate --fault shutdown
    refused "is for algorithms that say what a newcomer does" check etcd_gate --fault recovery
}

@test "the help explains every fault that there is" {
    exits 2 check one_bit --fault nonsense
    known=$(sed -n 's/.*--fault takes \(.*\), not .*/\1/p' <<<"$stderr")
    counted=$(echo "${known% (each with*}" | tr -d ,)
    uncounted=$(echo "${known#*COUNT), }" | sed 's/,\| or / /g')
    exits 0 check --help
    explained=$(echo "$output" | sed -n 's/^      \([a-z]\)/\1/p' | cut -d ' ' -f 1 | sort)
    # shellcheck disable=SC2086
    [ "$explained" = "$({ printf '%s[:COUNT]\n' $counted && printf '%s\n' $uncounted; } | sort)" ]
}

@test "faults are named in the output" {
    exits 0 check one_bit -n 2 --fault shutdown:2 --fault crash --property exclusion
    says "with crash:1, shutdown:2"
    exits 0 check one_bit -n 2 --fault failure --fault abort --property exclusion --json
    json '.faults == ["failure:1", "abort"]'
}

@test "eventual order is asked of every passage after a loop" {
    exits 1 check test:spoiled_once -n 2 --fault transient --property fcfs --trace "$BATS_TEST_TMPDIR/trace"
    exits 0 replay "$BATS_TEST_TMPDIR/trace"
}

@test "a process that waits on the way out is not forgotten" {
    exits 1 check test:held_up_leaving -n 2 --fault transient --property deadlock-freedom
    exits 1 check test:held_up_leaving -n 2 --fault transient --property deadlock-freedom --property exclusion
}

@test "clients of a store: each fault alone, and together" {
    for fault in crash abort lease repeat watch freeze; do
        exits 0 check etcd_gate -n 3 -k 2 --fault $fault
        says "with $fault"
    done
    exits 0 check etcd_gate -n 2 --fault crash --fault lease --fault repeat --fault watch --fault abort
    says "with crash:1, lease:1, repeat:1, watch:1, abort"
    exits 0 check etcd_gate -n 3 -k 2 --fault crash --property no-slot-lost
    exits 1 check etcd_gate -n 2 -k 2 --fault crash --property no-slot-lost
    exits 1 check etcd_gate -n 2 -k 2 --property fcfs
}


@test "clients of a store: traces tell what was struck, and are replayed" {
    local trace=$BATS_TEST_TMPDIR/trace
    exits 1 check etcd_gate:leaves_by_name -n 2 --fault repeat --property exclusion --trace "$trace"
    says "its request comes late"
    exits 0 replay "$trace"
    exits 1 check etcd_gate:believes_its_lease -n 2 --fault freeze --property exclusion --trace "$trace"
    says "its lease ends"
    exits 0 replay "$trace"
    for edit in '.freeze = 0' '.freeze = 9' '.freeze = "x"' 'del(.freeze)' '.steps[0].freeze = true'; do
        jq "$edit" "$trace" >"$trace.edited"
        run "$ADMIT" replay "$trace.edited"
        [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || {
            echo "exit status $status after $edit"
            return 1
        }
    done
}

@test "the dead do not try" {
    exits 0 check test:walks_in -n 3 --fault crash --fault abort --property deadlock-freedom
}
