#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2153 # commands in quotes; variables of gates.bash
#
# What README.md's table says of GNU sem and task-spooler: each cell is a case here. sem_t, System V semaphores and flock are
# in tests/native/peers.c, and what `admit run` does is in the suites of its own.
load gates

setup() {
    [[ ${BUILD:-build} != */asan ]] || skip "there is nothing of ours in it"
    export T=$BATS_TEST_TMPDIR PARALLEL_HOME=$BATS_TEST_TMPDIR/parallel TS_SOCKET=$BATS_TEST_TMPDIR/socket TMPDIR=$BATS_TEST_TMPDIR
    mkdir "$PARALLEL_HOME"
    touch "$PARALLEL_HOME/will-cite"
    # stay NAME: notes what it is given, its process, and that it is inside; ends when it is told to.
    {
        echo '#!/bin/sh'
        echo 'env | grep -v "^_=" | sort >$T/$1.env'
        echo 'echo $1 >>$T/order; echo $$ >$T/$1.in'
        echo 'until test -e $T/$1.end -o -e $T/all.end -o ! -e $T; do sleep 0.05; done'
    } >"$T/stay"
    chmod +x "$T/stay"
}

# The server of task-spooler is nobody's job here; it is asked to end.
teardown() {
    local pid
    touch "$T/all.end"
    for pid in $(jobs -p); do
        kill -KILL "$pid" 2>/dev/null || true
    done
    [ ! -e "$TS_SOCKET" ] || ! command -v tsp >/dev/null || tsp -K >/dev/null 2>&1 3>&- || true
}

process() {
    cat "$T/$1.in"
}

parent() {
    sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 2
}

order() {
    paste -sd ' ' "$T/order"
}

# --- GNU sem ----------------------------------------------------------------------------------------------------------------

needs_sem() {
    sem --version 2>/dev/null | grep -q 'GNU parallel' || skip "there is no GNU sem (Debian: parallel)"
}

# by_sem K NAME: somebody who stays inside, as soon as sem lets it in; the process of sem is in $pid.
by_sem() {
    sem -j "$1" --id demo --fg "$T/stay" "$2" >>"$T/sem.out" 2>&1 3>&- </dev/null &
    pid=$!
}

# It looks again and again, and sleeps between.
looks_again() {
    [ "$(sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status")" -ge 50 ]
}

@test "GNU sem: each caller brings its own k" {
    needs_sem
    by_sem 1 first
    eventually inside first
    by_sem 2 second
    eventually inside second
}

@test "GNU sem: who waits goes in in any order" {
    needs_sem
    local name
    for _ in {1..6}; do
        rm -f "$T"/*.in "$T"/*.end "$T/order"
        by_sem 1 holder
        eventually inside holder
        for name in a b c d; do
            by_sem 1 $name
            eventually looks_again "$pid"
            let_go $name
        done
        outside a
        let_go holder
        wait
        [ "$(order)" = "holder a b c d" ] || return 0
    done
    echo "they went in in the order in which they came"
    return 1
}

@test "GNU sem: the slot of one that is killed with its command comes back" {
    needs_sem
    by_sem 1 first
    eventually inside first
    kill -KILL "$pid" "$(process first)"
    by_sem 1 second
    eventually inside second
}

@test "GNU sem: if it is killed alone, the next goes in while its command runs" {
    needs_sem
    by_sem 1 first
    eventually inside first
    kill -KILL "$pid"
    by_sem 1 second
    eventually inside second
    ! ended "$(process first)"
}

@test "GNU sem: no slot number, and of those who wait nothing is seen" {
    needs_sem
    local holder
    by_sem 2 first
    holder=$pid
    eventually inside first
    by_sem 2 second
    eventually inside second
    [ "$(grep -h '^PARALLEL_JOBSLOT=' "$T/first.env")" = "$(grep -h '^PARALLEL_JOBSLOT=' "$T/second.env")" ]
    by_sem 2 third
    eventually looks_again "$pid"
    outside third
    # Those inside are files, named by the processes.
    [ -n "$(find "$PARALLEL_HOME" -name "$holder@*")" ]
    [ -z "$(find "$PARALLEL_HOME" -name "$pid@*")" ]
}

# --- task-spooler -------------------------------------------------------------------------------------------------------------

# needs_tsp K: and a server with so many slots.
needs_tsp() {
    command -v tsp >/dev/null || skip "there is no tsp (Debian: task-spooler)"
    tsp -S "$1" 3>&-
}

by_tsp() {
    tsp "$T/stay" "$1" >>"$T/tsp.out" 3>&-
}

# The server is what is left of the command that started it.
server() {
    local each
    for each in /proc/[0-9]*; do
        if [ "$(tr '\0' ' ' <"$each/cmdline")" = "tsp -S 1 " ] && grep -qzx "TS_SOCKET=$TS_SOCKET" "$each/environ"; then
            echo "${each#/proc/}"
        fi
    done 2>/dev/null
}

@test "task-spooler: in the order in which they came; it shows who is inside and who waits, and since when" {
    needs_tsp 1
    for name in a b c; do by_tsp $name; done
    eventually inside a
    run tsp
    [[ $output =~ 0\ +running.*stay\ a.*1\ +queued.*stay\ b.*2\ +queued.*stay\ c ]]
    tsp -i 0 | grep -q '^Start time:'
    tsp -i 1 | grep -q '^Enqueue time:'
    for name in c b a; do let_go $name; done
    eventually inside c
    [ "$(order)" = "a b c" ]
}

@test "task-spooler: two commands at once are told nothing that is different" {
    needs_tsp 2
    for name in a b; do
        by_tsp $name
        eventually inside $name
    done
    diff "$T/a.env" "$T/b.env"
}

@test "task-spooler: the slot of a command that is killed comes back, also if its child lives on" {
    needs_tsp 1
    tsp sh -c 'sleep 1000 & echo $! >$T/child; exec $T/stay first' >/dev/null 3>&-
    by_tsp second
    eventually inside first
    kill -KILL "$(process first)"
    eventually inside second
    ! ended "$(cat "$T/child")"
    kill "$(cat "$T/child")"
}

@test "task-spooler: if the tsp of a command is killed, the next goes in while the command runs" {
    needs_tsp 1
    by_tsp first
    by_tsp second
    eventually inside first
    kill -KILL "$(parent "$(process first)")"
    eventually inside second
    ! ended "$(process first)"
}

@test "task-spooler: if its server is killed, those who wait are lost, and the next goes in while the command runs" {
    needs_tsp 1
    by_tsp first
    by_tsp second
    eventually inside first
    kill -KILL "$(server)"
    eventually is "" server
    by_tsp third
    eventually inside third
    ! ended "$(process first)"
    tsp 3>&- >"$T/list"
    ! grep -q second "$T/list"
}
