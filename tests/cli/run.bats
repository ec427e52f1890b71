#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands in quotes; variables of gates.bash
#
# admit run: who is let in, in which order, and what the command and its caller see of it.
load gates

@test "at most k inside, slots 0 to k-1, nobody else has mine, in the order of arrival" {
    # Who takes a slot takes a lock of the kernel's too: a second taker is a violation.
    local witness='exec 9>>$T/slot.$ADMIT_SLOT; flock -n 9 || echo "two in slot $ADMIT_SLOT" >>$T/violations;'
    for i in 1 2 3 4 5 6 7 8; do
        background run -k 2 demo -- sh -c "$witness $STAY" "job$i"
        eventually is "$i" everybody demo
    done
    for i in 1 2 3 4 5 6 7 8; do
        # All before i have left: i and the next are inside, and nobody after them.
        eventually inside "job$i"
        [ "$i" -eq 8 ] || eventually inside "job$((i + 1))"
        [ "$i" -ge 7 ] || outside "job$((i + 2))"
        eventually is "$((i < 8 ? 2 : 1))" holders demo
        let_go "job$i"
        eventually is "$((i < 8 ? 8 - i : 0))" everybody demo
    done
    wait
    [ ! -e "$T/violations" ]
    [ "$(cut -d' ' -f2 "$T"/job?.in | sort -u | paste -sd' ')" = "0 1" ]
    # Tickets grow in the order of arrival.
    cut -d' ' -f1 "$T"/job?.in | sort -n -u -C
    [ "$(cut -d' ' -f1 "$T"/job?.in | sort -u | wc -l)" -eq 8 ]
    exits 0 status demo --json
    json '.entered == 8 and .recovered == 0 and .abandoned == 0'
}

@test "eight at once, each for a moment" {
    for i in 1 2 3 4 5 6 7 8; do
        background run -k 2 demo -- \
            sh -c 'exec 9>>$T/slot.$ADMIT_SLOT; flock -n 9 || exit 9; echo $ADMIT_SLOT; sleep 0.2'
        pids[i]=$pid
    done
    for i in 1 2 3 4 5 6 7 8; do
        ends 0 "${pids[i]}"
    done
    [ "$(sort "$T/background.out" | uniq -c | awk '{n += $1; printf "%s ", $2} END {print n}')" = "0 1 8" ]
    free demo 2
}

@test "what the command sees" {
    exits 0 run -k 3 demo -- sh -c 'echo "$ADMIT_GATE $ADMIT_SLOT"; test "$ADMIT_TICKET" -ge 0'
    [ "$output" = "demo 0" ]
    run bash -c 'printf "a\nb\n" | "$0" run demo -- cat' "$ADMIT"
    [ "$output" = $'a\nb' ]
    exits 0 run demo -- printf '%s|' 'a b' -- '' -k
    [ "$output" = 'a b|--||-k|' ]
    # No descriptor of the gate's is left to the command. (No pipe behind ls: the shell that lays it has it open, too.)
    run --separate-stderr ls /proc/self/fd
    local without=$output
    exits 0 run demo -- ls /proc/self/fd
    [ "$output" = "$without" ]
}

@test "the exit status is the command's" {
    for code in 0 1 42 124 255; do
        exits $code run -k 1 demo -- sh -c "exit $code"
    done
    exits 143 run demo -- sh -c 'kill -TERM $$'
    exits 137 run demo -- sh -c 'kill -KILL $$'
    run -127 --separate-stderr "$ADMIT" run demo -- no-such-command-anywhere
    says_error "admit run: cannot run 'no-such-command-anywhere'"
    # Also if it might be in a directory that one may not search, as root may.
    mkdir -m 0 "$T/closed"
    PATH=$T/closed:$PATH run -127 "$ADMIT" run demo -- no-such-command-anywhere
    exits 126 run demo -- /etc/passwd
    says_error "admit run: cannot run '/etc/passwd'"
    exits 126 run demo -- /
    free demo 1
}

@test "a signal sent to admit is sent on to the command" {
    for signal in HUP INT TERM USR1 USR2; do
        rm -f "$T/ready"
        background run -k 1 demo -- sh -c "trap 'exit 7' $signal; touch \$T/ready; $LINGER"
        eventually test -e "$T/ready"
        kill -s $signal "$pid"
        ends 7 "$pid"
    done
    background run demo -- sh -c "echo \$\$ >\$T/command; exec sleep 1000"
    eventually test -s "$T/command"
    kill -TERM "$pid"
    ends 143 "$pid"
    ended "$(cat "$T/command")"
    free demo 1
}

@test "what was ignored stays ignored" {
    run sh -c 'trap "" HUP CHLD; exec "$0" run -k 1 demo -- sh -c "kill -HUP \$PPID \$\$; sleep 0.2; exit 5"' "$ADMIT"
    [ "$status" -eq 5 ]
}

@test "--try: a slot at once or 75, and it draws no place" {
    enter holder demo -k 1
    eventually inside holder
    exits 75 run --try demo -- touch "$T/never"
    [ -z "$output" ]
    says_error "demo"
    exits 75 run --try -q demo -- touch "$T/never"
    [ -z "$stderr" ]
    exits 0 status demo --json
    json '.waiters == [] and .abandoned == 0 and (.holders | length) == 1'
    let_go holder
    ends 0 "$pid"
    exits 3 run --try demo -- sh -c 'exit 3'
    [ ! -e "$T/never" ]
}

@test "-w: 124 when the time is over, and the others keep their places" {
    enter holder demo -k 1
    local holder=$pid
    eventually inside holder
    exits 124 run -w 0 demo -- touch "$T/never"
    exits 124 run -w 50ms demo -- touch "$T/never"
    says_error "demo"
    enter first demo
    eventually is 1 waiters demo
    exits 124 run -q -w 0.1 demo -- touch "$T/never"
    [ -z "$stderr" ]
    enter second demo
    eventually is 2 waiters demo
    let_go holder
    ends 0 "$holder"
    eventually inside first
    outside second
    let_go first
    eventually inside second
    let_go second
    eventually is 0 holders demo
    [ ! -e "$T/never" ]
    exits 0 run -w 1h demo -- true
    free demo 1
}

@test "Ctrl-C while waiting gives the place up: 130" {
    enter holder demo -k 1
    eventually inside holder
    for signal in INT:130 TERM:143 HUP:129; do
        enter "quitter$signal" demo
        local quitter=$pid
        eventually is 1 waiters demo
        enter "patient$signal" demo
        eventually is 2 waiters demo
        kill -s "${signal%:*}" "$quitter"
        ends "${signal#*:}" "$quitter"
        eventually is 1 waiters demo
        kill -KILL "$pid"
        eventually is 0 waiters demo
    done
    exits 0 status demo --json
    json '.abandoned == 3'
    enter patient demo
    eventually is 1 waiters demo
    let_go holder
    eventually inside patient
    let_go patient
    eventually is 0 holders demo
    free demo 1
    ls "$T"/quitter*.in && return 1
    true
}

@test "stopped and continued" {
    background run -k 1 demo -- sh -c "echo \$\$ >\$T/command; $LINGER"
    eventually test -s "$T/command"
    local command
    command=$(cat "$T/command")
    kill -TSTP "$pid"
    eventually is T state "$command"
    eventually is T state "$pid"
    [ "$(holders demo)" -eq 1 ]
    kill -CONT "$pid"
    eventually is S state "$pid"
    # A waiter that is stopped keeps its place.
    enter waiter demo
    local waiter=$pid
    eventually is 1 waiters demo
    kill -TSTP "$waiter"
    eventually is T state "$waiter"
    touch "$T/end"
    eventually ended "$command"
    outside waiter
    kill -CONT "$waiter"
    eventually inside waiter
    let_go waiter
    ends 0 "$waiter"
}

@test "the place in line is shown on a terminal, on one line; not elsewhere, and not with -q" {
    last_waiter() { "$ADMIT" status demo --json | jq '.waiters[-1].pid'; }
    enter holder demo -k 1
    eventually inside holder
    enter first demo
    eventually is 1 waiters demo
    at_terminal "$ADMIT run demo -- true"
    eventually grep -q 'demo, place 2, since' "$T/screen"
    [ "$(wc -l <"$T/screen")" -eq 0 ]
    kill -TERM "$(last_waiter)"
    ends 143 $terminal
    at_terminal "$ADMIT run -q demo -- true"
    eventually is 2 waiters demo
    kill -TERM "$(last_waiter)"
    ends 143 $terminal
    [ ! -s "$T/screen" ]
    enter second demo
    eventually is 2 waiters demo
    [ ! -s "$T/background.err" ]
}

@test "Ctrl-C at a terminal while waiting" {
    enter holder demo -k 1
    eventually inside holder
    at_terminal "$ADMIT run demo -- touch $T/never"
    eventually grep -q 'place 1' "$T/screen"
    printf '\003' >&8
    ends 130 $terminal
    [ ! -e "$T/never" ]
    eventually is 0 waiters demo
}

@test "Ctrl-C at a terminal while the command runs: it gets one, not two, and decides" {
    at_terminal "$ADMIT run -k 1 demo -- bash -c 'trap \"echo INT >>$T/got\" INT; echo ready; $LINGER; exit 6'"
    eventually grep -q ready "$T/screen"
    printf '\003' >&8
    eventually test -s "$T/got"
    [ "$(holders demo)" -eq 1 ]
    touch "$T/end"
    ends 6 $terminal
    [ "$(cat "$T/got")" = INT ]
}

@test "Ctrl-Z at a terminal, and fg" {
    at_terminal "bash --norc -i"
    echo "$ADMIT run -k 1 demo -- bash -c 'echo \$\$ >$T/command; $LINGER; exit 5'" >&8
    eventually test -s "$T/command"
    printf '\032' >&8
    eventually is T state "$(cat "$T/command")"
    echo 'jobs >$T/jobs' >&8
    eventually grep -q Stopped "$T/jobs"
    [ "$(holders demo)" -eq 1 ]
    echo 'fg' >&8
    eventually is S state "$(cat "$T/command")"
    touch "$T/end"
    echo 'echo "ended with $?" >$T/result; exit' >&8
    eventually grep -q 'ended with 5' "$T/result"
    ends 0 $terminal
    free demo 1
}

# hang_up: whoever keeps the terminal is killed.
hang_up() {
    kill -KILL $terminal
    ends 137 $terminal
    exec 8>&-
}

@test "a terminal that hangs up ends the command and gives the slot back, also if admit leads its session" {
    at_terminal "$ADMIT run -k 1 demo -- sh -c 'echo \$\$ >$T/command; $LINGER'"
    eventually test -s "$T/command"
    hang_up
    eventually ended "$(cat "$T/command")"
    eventually is 0 holders demo
    # A command that has left admit's group, as a shell with jobs does.
    at_terminal "$ADMIT run demo -- setsid sh -c 'echo \$\$ >$T/apart; $LINGER'"
    eventually test -s "$T/apart"
    hang_up
    eventually ended "$(cat "$T/apart")"
    eventually is 0 holders demo
    # What the command has started, and stopped, too: here it is what holds the slot.
    at_terminal "$ADMIT run --children demo -- bash -c 'trap \"\" HUP; (trap - HUP; touch $T/up; $LINGER) &
        until test -e $T/up; do sleep 0.05; done; kill -STOP \$!; echo \$! >$T/child; wait'"
    eventually test -s "$T/child"
    eventually is T state "$(cat "$T/child")"
    hang_up
    eventually ended "$(cat "$T/child")"
    eventually is 0 holders demo
    # A command that takes it otherwise decides, and gets one, not two.
    at_terminal "$ADMIT run demo -- bash -c 'trap \"echo HUP >>$T/got\" HUP; echo \$\$ >$T/trapper; $LINGER'"
    eventually test -s "$T/trapper"
    hang_up
    eventually test -s "$T/got"
    [ "$(holders demo)" -eq 1 ]
    touch "$T/end"
    eventually ended "$(cat "$T/trapper")"
    [ "$(cat "$T/got")" = HUP ]
    eventually is 0 holders demo
    free demo 1
}

@test "a terminal that hangs up while admit waits: the place is given up" {
    enter holder demo -k 1
    eventually inside holder
    at_terminal "$ADMIT run demo -- touch $T/never"
    eventually is 1 waiters demo
    hang_up
    eventually is 0 waiters demo
    [ ! -e "$T/never" ]
}

@test "closed standard descriptors: what is printed does not go into the gate's file" {
    exits 0 run -k 1 demo -- true
    for command in /nonexistent /etc/passwd "true"; do
        for closed in '>&-' '2>&-' '<&-' '>&- 2>&-' '<&- >&- 2>&-'; do
            bash -c '"$0" run "$@" '"$closed" "$ADMIT" demo -- "$command" || true
            bash -c '"$0" run "$@" '"$closed" "$ADMIT" --children demo -- "$command" || true
            exits 0 run demo -- true
        done
    done
    # The exit status is as ever, and the command finds closed what its caller closed.
    run -127 bash -c '"$0" run demo -- /nonexistent >&- 2>&-' "$ADMIT"
    mkdir "$T/fds"
    for option in "" --children; do
        # shellcheck disable=SC2086
        bash -c '"$0" run '$option' demo -- "$@" <&- >&- 2>&-' "$ADMIT" \
            bash -c 'for fd in 0 1 2; do test -e /proc/$$/fd/$fd && touch $T/fds/$fd; done; echo spoilt >&2; true' || true
        [ -z "$(ls "$T/fds")" ]
        free demo 1
    done
    # Also while it is made, and while somebody waits.
    bash -c '"$0" run -k 1 fresh -- /nonexistent <&- >&- 2>&-' "$ADMIT" || true
    free fresh 1
    enter holder demo
    eventually inside holder
    bash -c '"$0" run -w 0.2 demo -- true <&- >&- 2>&-' "$ADMIT" || [ $? -eq 124 ]
    bash -c '"$0" remove demo <&- >&- 2>&-' "$ADMIT" || [ $? -eq 1 ]
    let_go holder
    eventually is 0 holders demo
    free demo 1
}

@test "run -k beside remove of an idle gate: the gate is made anew" {
    local round failures=0 remover
    while [ ! -e "$T/enough" ]; do
        "$ADMIT" remove demo 2>/dev/null || true
    done 3>&- &
    remover=$!
    for ((round = 0; round < 600; round++)); do
        "$ADMIT" run -k 1 demo -- true 2>>"$T/errors" || failures=$((failures + 1))
    done
    touch "$T/enough"
    ends 0 $remover
    [ "$failures" -eq 0 ] || {
        printf '%s of 600 failed\n' "$failures"
        sort "$T/errors" | uniq -c
        return 1
    }
}

@test "a command that would be in another pid namespace is refused with a reason" {
    unshare --pid true 2>/dev/null || skip "it takes root to make a pid namespace"
    # The search for leaks needs a process more than such a namespace allows.
    run --separate-stderr env ASAN_OPTIONS=detect_leaks=0 unshare --pid "$ADMIT" run -k 1 demo -- echo hello
    [ "$status" -eq 125 ]
    [ -z "$output" ]
    [[ $stderr == *"pid namespace"* ]]
    exits 0 run --try demo -- true
}

# with_call_refused WHICH ARGUMENT...: `admit ARGUMENT...`, with this injection of strace.
with_call_refused() {
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 run --separate-stderr timeout -s KILL 20 \
        strace -qq -o "$T/calls" -e trace="${1%%:*}" -e inject="$1" "$ADMIT" "${@:2}"
}

@test "calls that are refused once, or always: the end of the command is seen, or it is not begun" {
    strace -o "$T/calls" true || skip "needs strace"
    local call
    for call in waitid:error={ENOMEM,EINTR,EINVAL}:when=1 waitid:error=ENOSYS rt_sigprocmask:error={EPERM,ENOMEM}:when={1,2} \
        rt_sigtimedwait:error={EINTR:when=1,EINVAL:when=1,ENOSYS}; do
        with_call_refused "$call" run -k 1 demo -- sh -c 'exit 3'
        [ "$status" -eq 3 ] || { echo "$call: $status"; return 1; }
        [ -z "$stderr" ]
    done
    with_call_refused rt_sigprocmask:error=EPERM run demo -- touch "$T/ran"
    [ "$status" -eq 125 ]
    says_error "cannot hold signals"
    [ ! -e "$T/ran" ]
    free demo 1
}
