#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands in quotes; variables of gates.bash
#
# admit run inside admit run.
load gates

@test "inside the same gate: refused, since it would wait for itself" {
    exits 125 run -k 1 demo -- "$ADMIT" run demo -- touch "$T/never"
    says_error "admit run: "
    says_error "demo"
    says_error "--nested"
    # Also where there is room: two of them, each inside and each waiting for the other, would be stuck.
    exits 125 run -k 2 two -- "$ADMIT" run two -- touch "$T/never"
    exits 125 run two -- sh -c "exec $ADMIT run --try two -- touch $T/never"
    [ ! -e "$T/never" ]
    free demo 1
    free two 2
}

@test "wait: nobody waits for the gate that it is inside of, nor a job for itself" {
    exits 125 run -k 2 demo -- "$ADMIT" wait demo
    says_error "admit wait: this is inside 'demo' itself and would wait for itself for ever"
    exits 125 run demo -- env -u ADMIT_INSIDE "$ADMIT" wait demo
    says_error "for ever"
    run bash -c 'eval "$("$0" enter --pid $$ demo)" || exit; "$0" wait demo' "$ADMIT"
    [ "$status" -eq 125 ]
    # Another gate, or another job, is no matter.
    exits 0 run -k 1 other -- "$ADMIT" wait demo
    exits 0 run -b demo -- sh -c "$LINGER"
    exits 0 run -b demo -- sh -c 'until test -e $T/go; do sleep 0.05; done; env -u ADMIT_INSIDE "$0" wait @2' "$ADMIT"
    exits 0 run -b -k 1 own -- sh -c '"$0" wait @1 && touch $T/waited' "$ADMIT"
    exits 0 run -b -k 1 loop -- sh -c 'until test -e $T/go; do sleep 0.05; done; "$0" output -f @4' "$ADMIT"
    touch "$T/go"
    exits 125 wait @2
    exits 0 output @2
    says "admit wait: this is part of '@2' itself and would wait for itself for ever"
    exits 2 wait @4
    exits 0 output @4
    says "admit output: -f: this is part of @4 itself"
    [ ! -e "$T/waited" ]
    touch "$T/end"
    exits 0 wait @3
    [ -e "$T/waited" ]
}

@test "--nested allows it" {
    exits 6 run -k 2 demo -- "$ADMIT" run --nested demo -- sh -c 'echo $ADMIT_SLOT; exit 6'
    [ "$output" = 1 ]
    exits 75 run -k 1 one -- "$ADMIT" run --nested --try one -- true
    exits 124 run one -- "$ADMIT" run --nested -w 0.1 one -- true
}

@test "inside another gate is no matter; but the first one is remembered" {
    exits 0 run -k 1 a -- "$ADMIT" run -k 1 b -- true
    exits 125 run -k 1 a -- "$ADMIT" run -k 1 b -- "$ADMIT" run a -- touch "$T/never"
    says_error "inside"
    [ ! -e "$T/never" ]
}

@test "by another name" {
    exits 125 run -k 1 demo -- "$ADMIT" run "$ADMIT_DIR/../gates/demo" -- touch "$T/never"
    says_error "inside"
    [ ! -e "$T/never" ]
}

@test "with an empty environment: noticed before it waits for itself" {
    exits 125 run -k 1 demo -- env -i ADMIT_DIR="$ADMIT_DIR" "$ADMIT" run demo -- touch "$T/never"
    says_error "inside"
    [ ! -e "$T/never" ]
}

@test "who has left is not inside: a daemon of an earlier command" {
    exits 0 run -k 1 demo -- sh -c '(until [ -e $T/go ] || [ -e $T/all.end ]; do sleep 0.05; done
        "$0" run demo -- touch $T/done) >/dev/null 2>&1 3>&- &' "$ADMIT"
    [ "$(holders demo)" -eq 0 ]
    touch "$T/go"
    eventually test -e "$T/done"
}
