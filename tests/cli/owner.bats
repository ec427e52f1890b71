#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands in quotes; variables of gates.bash
#
# The command, not admit, owns the slot: it is held until the process that admit started has ended, however admit dies.
load gates

# The process that is inside, as the command itself noted it.
command_of() {
    cut -d' ' -f3 "$T/$1.in"
}

@test "admit killed while its command runs: the slot is held until the command ends" {
    enter first demo -k 1
    local wrapper=$pid
    eventually inside first
    enter second demo
    eventually is 1 waiters demo
    kill -KILL "$wrapper"
    ends 137 "$wrapper"
    exits 75 run --try demo -- true
    [ "$(holders demo)" -eq 1 ]
    exits 0 status demo --json
    json ".holders[0].pid == $(command_of first)"
    outside second
    let_go first
    eventually inside second
    let_go second
    eventually is 0 holders demo
    free demo 1
}

@test "admit killed while its command runs, which nobody waits for: found by the next who comes" {
    enter first demo -k 1
    local wrapper=$pid
    eventually inside first
    kill -KILL "$wrapper"
    ends 137 "$wrapper"
    exits 75 run --try demo -- true
    kill -KILL "$(command_of first)"
    eventually ended "$(command_of first)"
    exits 0 run demo -- true
    free demo 1
}

@test "admit and its command killed together" {
    enter first demo -k 2
    local wrapper=$pid
    eventually inside first
    kill -KILL "$wrapper" "$(command_of first)"
    ends 137 "$wrapper"
    exits 0 run demo -- true
    free demo 2
}

@test "the command killed: 137, and the slot is free" {
    enter first demo -k 1
    local wrapper=$pid
    eventually inside first
    kill -KILL "$(command_of first)"
    ends 137 "$wrapper"
    free demo 1
}

@test "admit killed while it waits: those behind it move up" {
    enter first demo -k 1
    eventually inside first
    enter second demo
    local second=$pid
    eventually is 1 waiters demo
    enter third demo
    eventually is 2 waiters demo
    kill -KILL "$second"
    ends 137 "$second"
    eventually is 1 waiters demo
    let_go first
    eventually inside third
    outside second
    let_go third
    eventually is 0 holders demo
    free demo 1
}

@test "a command that becomes a daemon has ended when the process that admit started has" {
    exits 0 run -k 1 demo -- sh -c "(touch \$T/up; $LINGER; rm \$T/up) >/dev/null 2>&1 3>&- &"
    eventually test -e "$T/up"
    exits 0 run --try demo -- true
    [ -e "$T/up" ]
    free demo 1
    touch "$T/end"
}

@test "--children: its daemon holds the slot too" {
    background run -k 1 --children demo -- sh -c \
        "(touch \$T/up; $LINGER; rm \$T/up) & exit 4"
    local wrapper=$pid
    eventually test -e "$T/up"
    exits 75 run --try demo -- true
    touch "$T/end"
    # The status is the command's, not its daemon's.
    ends 4 "$wrapper"
    [ ! -e "$T/up" ]
    free demo 1
}

@test "--children: a daemon in a session of its own, its parents gone; a signal reaches it" {
    background run -k 1 --children demo -- sh -c \
        "setsid sh -c '(trap \"touch \$T/told; exit\" TERM; touch \$T/up; $LINGER) &'"
    local wrapper=$pid
    eventually test -e "$T/up"
    exits 75 run --try demo -- true
    kill -TERM "$wrapper"
    ends 0 "$wrapper"
    [ -e "$T/told" ]
    free demo 1
}

@test "--children: admit killed, its command ended: the daemon holds the slot still" {
    background run -k 1 --children demo -- sh -c "(touch \$T/up; $LINGER; rm \$T/up) & echo \$\$ >\$T/command"
    local wrapper=$pid
    eventually test -e "$T/up"
    eventually test -s "$T/command"
    kill -KILL "$wrapper"
    ends 137 "$wrapper"
    eventually ended "$(cat "$T/command")"
    exits 75 run --try demo -- true
    [ -e "$T/up" ]
    touch "$T/end"
    exits 0 run demo -- true
    [ ! -e "$T/up" ]
    rm "$T/end"
    free demo 1
}

@test "a process that is let in by a death is let in once: kills at random moments, and no slot is lost" {
    local round killed=0 pids=() witness
    witness='exec 9>>$T/slot.$ADMIT_SLOT; flock -n 9 || echo two >>$T/violations'
    # It waits by reading what never comes: a `sleep` would be a process of its own, and keep the lock.
    mkfifo "$T/silence"
    for ((round = 0; round < 60; round++)); do
        background run -k 2 storm -- bash -c "$witness; read -t 0.0\$((RANDOM % 3)) <>\$T/silence"
        pids+=("$pid")
        if ((round % 3 > 0)); then
            sleep "0.00$((RANDOM % 10))"
            # Of some nothing is left to kill.
            ! kill -KILL "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null || killed=$((killed + 1))
        fi
    done
    wait
    [ "$killed" -gt 0 ]
    [ -e "$T/slot.0" ]
    [ ! -e "$T/violations" ]
    eventually is 0 holders storm
    free storm 2
}
