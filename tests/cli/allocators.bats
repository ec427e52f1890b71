#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The resource allocators of Fischer, Lynch, Burns, Borodin 1989: what each promises, what the paper says is wrong with the
# naive ones, and how a packed word is shown.
load helper

@test "the naive ones: a semaphore locks out, and has no order" {
    exits 0 check semaphore -n 4 -k 2
    exits 1 check semaphore -n 3 -k 2 --property lockout-freedom
    exits 1 check semaphore -n 3 -k 2 --property fifo-enabling
}

@test "the naive ones: who stands still at the head of the bank's line stops everybody" {
    exits 1 check bank -n 4 -k 2 --property k-deadlock-avoidance
    says "a slot is free and somebody waits for it"
    says "ISSUE=2 VALID=1"
    exits 1 check bank -n 3 -k 2 --fault crash --property lockout-freedom
    exits 0 check bank -n 4 -k 2
}

@test "all that the others claim holds, without faults and with a crash" {
    for algorithm in queue numbered_ticket unbounded_colored_ticket colored_ticket colored_ticket_stack colored_ticket_small; do
        for nk in "2 1" "3 2" "4 2" "4 4"; do
            exits 0 check $algorithm -n "${nk% *}" -k "${nk#* }"
        done
        exits 0 check $algorithm -n 4 -k 2 --property k-deadlock-avoidance --property fifo-enabling
        exits 0 check $algorithm -n 3 -k 2 --fault crash
    done
}

@test "a process that crashed while it waited is not taken for an enabled one that came later" {
    for algorithm in queue numbered_ticket unbounded_colored_ticket colored_ticket bank; do
        exits 0 check $algorithm -n 3 -k 1 --fault crash:2 --property strong-fife --property fifo-enabling --json
        json '[.properties[].verdict] == ["vacuous", "holds"]'
    done
    exits 0 check colored_ticket -n 4 -k 2 --fault crash --property strong-fife --property fifo-enabling --json
    json 'all(.properties[]; .verdict == "holds")'
    # What is wrong without a crash is wrong with one.
    exits 1 check semaphore -n 3 -k 1 --fault crash --property fifo-enabling
    exits 1 check test:barging -n 3 -k 2 --fault crash --property strong-fife
}

@test "a packed word is shown as the paper writes it" {
    exits 1 check colored_ticket:printed_quant -n 2 -k 1 --property exclusion
    says "ISSUE=(1,0) VALID=(1,0) QUANT=1,0"
    exits 1 check queue:one_too_many -n 2 -k 1 --property exclusion
    says "QUEUE=1,0"
}

@test "the shared values of the colored ticket are fewer than binom(2k,k)((k+1)M)^2" {
    exits 0 count colored_ticket -n 4 -k 2 --json
    json 'all(.[]; .shared_values == 123 and .shared_bits == 12)'
    exits 0 count colored_ticket_small -n 4 -k 2 --json
    json 'all(.[]; .shared_values == 78)'
    exits 0 count numbered_ticket -n 4 -k 2
    says unbounded
}

@test "what does not fit into a word is refused, by name" {
    refused "queue with n = 16 and k = 2 packs 80 bits into one word" check queue -n 16 -k 2
    refused "colored_ticket_stack with n = 16 and k = 16 packs" count colored_ticket_stack -n 16 -k 16
}
