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
