#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2153,SC2154 # commands in quotes; variables of gates.bash
#
# admit enter and leave: a slot for several commands of a shell.
load gates

# shellcheck disable=SC2034
export ADMIT

# in_shell NAME COMMAND [ARGUMENT...]: in a new process, whose number is in $shell.
in_shell() {
    "${@:2}" >>"$T/$1.out" 2>>"$T/$1.err" 3>&- </dev/null &
    shell=$!
}

# A script that takes a slot at demo, says so in NAME.in, and stays until there is NAME.end; then it ends without a word.
SCRIPT='eval "$($ADMIT enter -k 1 --pid $$ demo)" || exit
'$STAY

# shell_enters NAME [SHELL [OPTION...]]
shell_enters() {
    in_shell "$1" "${2:-bash}" "${@:3}" -c "$SCRIPT" "$1"
}

# with_words WORD...: the processes in whose command line all of these stand.
with_words() {
    local word found=(/proc/[0-9]*/cmdline)
    for word; do
        mapfile -t found < <(grep -lzxF -e "$word" "${found[@]}" /dev/null 2>/dev/null)
    done
    printf '%s\n' "${found[@]}" | sed -n 's|^/proc/\([0-9]*\)/.*|\1|p'
}

# keeper_of PID: the process that keeps a slot for it.
keeper_of() {
    with_words enter "$1"
}

# traced PID: somebody traces it; false if that cannot be.
traced() {
    [ "$(awk '$1 == "TracerPid:" { print $2 }' "/proc/$1/status")" != 0 ]
}

traced_or_refused() {
    traced "$1" || ended "$2"
}

condition() {
    "$ADMIT" status "$1" --json | jq -r '.holders[0].condition'
}

# enter_fails TEXT STATUS ARGUMENT...: it does, with this message, and what the shell evaluates does too.
enter_fails() {
    exits "$2" enter "${@:3}"
    says_error "admit enter: " && says_error "$1"
    local evaluated=0
    (eval "$output") || evaluated=$?
    [ "$evaluated" -eq "$2" ]
}

@test "a slot for several commands, in each shell there is" {
    local name script='
        eval "$($ADMIT enter -k 2 --pid $$ demo)" || exit
        sh -c "echo \$ADMIT_GATE \$ADMIT_SLOT \${ADMIT_OWNER_DIED-unset}"
        $ADMIT status demo --json | jq -c .
        $ADMIT leave demo || exit
        $ADMIT status demo --json | jq -c .
        echo end'
    for name in sh dash bash "bash --posix" "busybox sh" zsh "ksh" mksh yash; do
        # shellcheck disable=SC2086 # words
        command -v ${name%% *} >/dev/null || continue
        # shellcheck disable=SC2086
        run $name -euc "$script"
        [ "$status" -eq 0 ]
        [ "${lines[0]}" = "demo 0 unset" ]
        jq -e ".holders[0].command | startswith(\"$name -euc\")" <<<"${lines[1]}" >/dev/null
        [ "$(jq '.holders | length' <<<"${lines[2]}")" -eq 0 ]
        [ "${lines[3]}" = end ]
        # Where there is none, the script ends, by || or by -e, with the status that tells why.
        # shellcheck disable=SC2086
        run $name -c 'eval "$($ADMIT enter --pid $$ nowhere)" || exit; echo went on'
        [ "$status" -eq 125 ]
        says_not "went on"
        # shellcheck disable=SC2086
        run $name -ec 'eval "$($ADMIT enter --pid $$ nowhere)"; echo went on'
        [ "$status" -eq 125 ]
        says_not "went on"
    done
    free demo 2
}

@test "without eval, and without --pid: it is the shell's that called, past its subshells" {
    run bash -c '
        $ADMIT enter -k 1 demo >/dev/null || exit
        echo $$
        $ADMIT status demo --json | jq ".holders[0].pid"
        $ADMIT leave demo || exit
        eval "$($ADMIT enter demo; :)" || exit
        $ADMIT status demo --json | jq ".holders[0].pid"
        (: ; (: ; $ADMIT leave demo; exit $?); exit $?) || exit
        (: ; (: ; $ADMIT enter demo >/dev/null; exit $?); exit $?) || exit
        $ADMIT status demo --json | jq ".holders[0].pid"'
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 4 ]
    [ "$(printf '%s\n' "${lines[@]}" | sort -u | wc -l)" -eq 1 ]
    eventually is 0 holders demo
}

@test "without --pid, and something in between: that has the slot, and the shell is told" {
    local name
    for name in sh dash bash; do
        run $name -c 'slot=$(timeout 60 $ADMIT enter -k 1 demo) && eval "$slot" || exit; echo went on'
        [ "$status" -eq 125 ]
        says 'say --pid $$'
        says_not "went on"
        run $name -c 'slot=$(timeout 60 $ADMIT enter -k 1 --pid $$ demo) && eval "$slot" || exit; echo went on'
        [ "$status" -eq 0 ]
        says "went on"
    done
}

@test "eval without quotes does the same" {
    local name pid
    for name in sh dash bash; do
        for pid in '' '--pid $$'; do
            run $name -c "eval \$(\$ADMIT enter -k 1 $pid demo) || exit; echo \$ADMIT_GATE \$ADMIT_SLOT"
            [ "$status" -eq 0 ]
            [ "$output" = "demo 0" ]
            run $name -c "eval \$(\$ADMIT enter $pid nowhere) || exit; echo went on"
            [ "$status" -eq 125 ]
            says_not "went on"
        done
    done
}

@test "it comes back when the shell ends, is killed, and not while it is stopped" {
    shell_enters one
    eventually inside one
    kill -STOP "$shell"
    eventually is stopped condition demo
    exits 75 run --try demo -- true
    kill -CONT "$shell"
    let_go one
    ends 0 "$shell"
    eventually is 0 holders demo
    [ ! -s "$T/one.err" ]
    shell_enters two
    eventually inside two
    kill -KILL "$shell"
    ends 137 "$shell"
    eventually is 0 holders demo
    free demo 1
    # Given back by a process that lived: there was no death at the gate.
    [ "$("$ADMIT" status demo --json | jq .recovered)" -eq 0 ]
}

@test "what the shell becomes by exec has it; what it has forked has it no longer" {
    in_shell one bash -c 'eval "$($ADMIT enter -k 1 --pid $$ demo)" || exit
        (echo $BASHPID >$T/child; '"$LINGER"') &
        exec sh -c "$0" one' "$STAY"
    eventually inside one
    eventually test -s "$T/child"
    is "$shell" jq -r '.holders[0].pid' <("$ADMIT" status demo --json)
    exits 75 run --try demo -- true
    let_go one
    ends 0 "$shell"
    eventually is 0 holders demo
    is S state "$(cat "$T/child")"
    touch "$T/end"
}

@test "the keeper is killed: the slot stays the shell's until that ends" {
    shell_enters one
    eventually inside one
    kill -KILL "$(keeper_of "$shell")"
    eventually is orphan condition demo
    [ "$("$ADMIT" status demo --json | jq '.holders[0].pid')" -eq "$shell" ]
    exits 75 run --try demo -- true
    exits 124 run -w 0.2 demo -- true
    exits 1 leave --pid "$shell" demo
    says_error "killed: it comes back when process $shell has ended"
    enter_fails "inside 'demo' already" 125 --pid "$shell" demo
    enter next demo
    eventually is 1 waiters demo
    outside next
    let_go one
    ends 0 "$shell"
    eventually inside next
    let_go next
    eventually is 0 holders demo
    free demo 1
}

@test "the keeper hears no signal but SIGKILL, keeps nothing open, and is in nobody's job" {
    mkfifo "$T/pipe"
    in_shell one bash -c 'exec 7>$T/pipe; trap : INT HUP TERM; eval "$($ADMIT enter -k 1 --pid $$ demo)" || exit
        exec 7>&-; '"$STAY" one
    timeout 60 cat "$T/pipe" # which has an end
    eventually inside one
    local keeper
    keeper=$(keeper_of "$shell")
    [ "$(stat -Lc %F "/proc/$keeper/fd/0" "/proc/$keeper/fd/1" "/proc/$keeper/fd/2" | sort -u)" = "character special file" ]
    [ "$(ps -o sid=,pgid= "$keeper" | tr -s ' ' '\n' | sort -u | xargs)" = "$keeper" ]
    local signal
    for signal in INT HUP TERM QUIT USR1 ALRM PIPE; do
        kill -$signal "$keeper"
    done
    exits 75 run --try demo -- true
    # What is set is the caller's alone: nothing is printed when it was let in but that.
    [ ! -s "$T/one.out" ] && [ ! -s "$T/one.err" ]
    let_go one
    ends 0 "$shell"
    eventually ended "$keeper"
    free demo 1
}

@test "leave: by whom, and when there is nothing to leave" {
    in_shell one bash -c 'eval "$($ADMIT enter -k 2 --pid $$ demo)" || exit
        env -i ADMIT_DIR=$ADMIT_DIR "$ADMIT" leave demo || exit
        "$ADMIT" leave demo; echo $? >$T/again
        eval "$($ADMIT enter --pid $$ demo)" || exit
        '"$STAY" one
    eventually inside one
    [ "$(cat "$T/again")" -eq 1 ]
    grep -q "no process from which this is called is inside 'demo'" "$T/one.err"
    # Not of others, unless it is said.
    exits 1 leave demo
    exits 1 leave --pid $$ demo
    says_error "process $$ is not inside 'demo' by 'admit enter'"
    [ "$(holders demo)" -eq 1 ]
    exits 0 leave --pid "$shell" demo
    [ -z "$output$stderr" ]
    [ "$(holders demo)" -eq 0 ]
    exits 1 leave --pid "$shell" demo
    let_go one
    # Of `run` it is not to be had.
    enter two demo
    eventually inside two
    exits 1 leave --pid "$("$ADMIT" status demo --json | jq '.holders[0].pid')" demo
    let_go two
    exits 2 leave nowhere
    says_error "there is no gate 'nowhere'"
    refused "which gate" leave
    refused "one argument too many" leave demo demo
    refused "there is no option '-k'" leave -k 2 demo
    refused "--pid takes a whole number" leave --pid x demo
}

@test "not of another user" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    local shared=$BATS_RUN_TMPDIR/enter.$$
    mkdir "$shared"
    chmod 711 "$BATS_RUN_TMPDIR"
    chmod 777 "$shared"
    cp "$ADMIT" "$shared/admit"
    in_shell one bash -c 'eval "$($ADMIT enter -k 1 --mode 0666 --pid $$ $1/gate)" || exit; '"$STAY" one "$shared"
    eventually inside one
    run as_nobody "$shared/admit" leave --pid "$shell" "$shared/gate"
    [ "$status" -eq 1 ]
    says "kept by another user"
    run as_nobody "$shared/admit" enter -k 1 --pid "$shell" "$shared/gate"
    [ "$status" -eq 125 ]
    says "process $shell is somebody else's"
    exits 75 run --try "$shared/gate" -- true
    exits 0 leave --pid "$shell" "$shared/gate"
    let_go one
    ends 0 "$shell"
    rm -r "$shared"
}

@test "a keeper that is stopped is continued by who leaves" {
    shell_enters one
    eventually inside one
    local keeper
    keeper=$(keeper_of "$shell")
    kill -STOP "$keeper"
    eventually is T state "$keeper"
    exits 0 leave --pid "$shell" demo
    [ -z "$stderr" ]
    is 0 holders demo
    let_go one
    ends 0 "$shell"
}

@test "a keeper that does not answer: an error after five seconds, and who gave up leaving has not left" {
    command -v strace >/dev/null || skip "needs strace"
    shell_enters one
    eventually inside one
    local keeper tracer
    keeper=$(keeper_of "$shell")
    # It goes no further than its tracer lets it, which is stopped.
    strace -qq -o "$T/traced" -p "$keeper" 2>"$T/strace" 3>&- &
    tracer=$!
    eventually traced_or_refused "$keeper" "$tracer"
    traced "$keeper" || skip "cannot trace: $(cat "$T/strace")"
    kill -STOP "$tracer"
    eventually is T state "$tracer"
    run timeout 0.3 "$ADMIT" leave --pid "$shell" demo
    [ "$status" -eq 124 ]
    exits 1 leave --pid "$shell" demo
    says_error "process $keeper, does not answer"
    says_error "process $shell has the slot still"
    kill -CONT "$tracer"
    kill "$tracer"
    wait "$tracer" || true
    eventually is S state "$keeper"
    exits 75 run --try demo -- true
    exits 0 leave --pid "$shell" demo
    [ "$(holders demo)" -eq 0 ]
    let_go one
    ends 0 "$shell"
}

@test "inside twice: refused, unless it is said; and then the last one is left first" {
    run --separate-stderr bash -c '
        eval "$($ADMIT enter -k 2 --pid $$ demo)" || exit
        (eval "$($ADMIT enter --pid $$ demo)"); echo $?
        (unset ADMIT_INSIDE; eval "$($ADMIT enter demo)"); echo $?
        bash -c '\''eval "$($ADMIT enter --pid $$ demo)"; exit $?'\''; echo $?
        $ADMIT run demo -- true; echo $?
        eval "$($ADMIT enter --nested --pid $$ demo)" || exit
        $ADMIT leave demo || exit
        $ADMIT status demo --json | jq ".holders[0].slot"
        $ADMIT leave demo || exit
        $ADMIT leave demo; echo $?'
    [ "$output" = $'125\n125\n125\n125\n0\n1' ]
    [ "$(grep -c "inside 'demo' already" <<<"$stderr")" -eq 4 ]
    free demo 2
}

@test "in and out again and again: what the environment says does not grow" {
    run bash -ec 'for pass in 1 2 3 4 5 6 7 8; do
            eval "$($ADMIT enter -k 1 --pid $$ demo)"
            eval "$($ADMIT enter -k 1 --pid $$ other)"
            $ADMIT leave demo; $ADMIT leave other
            echo "$ADMIT_INSIDE" | wc -w
        done'
    [ "$status" -eq 0 ]
    [ "$(sort -u <<<"$output")" -le 3 ]
    [ "$(tail -n 1 <<<"$output")" -eq 2 ]
}

@test "names that a shell would read otherwise" {
    local gate="$T/a 'b' \$(touch $T/never) \"c\" \`d\` *"
    mkdir -p "$(dirname "$gate")"
    run bash -c 'eval "$($ADMIT enter -k 1 --pid $$ "$0")" || exit; echo "$ADMIT_GATE"; $ADMIT leave "$0"' "$gate"
    [ "$status" -eq 0 ]
    [ "$output" = "$gate" ]
    [ ! -e "$T/never" ]
    # From outside comes what is in the environment, too.
    run env ADMIT_INSIDE="1:2:3';touch\${IFS}$T/never;' x" bash -c 'eval "$($ADMIT enter -k 1 --pid $$ demo)" || exit; echo in'
    [ "$output" = in ]
    [ ! -e "$T/never" ]
    local quotes
    quotes=$(printf "%200s" "" | tr ' ' "'")
    gate=$T/$quotes/$quotes/$quotes/$quotes/$quotes/$quotes
    mkdir -p "$gate"
    enter_fails "is too long" 125 -k 1 --pid $$ "$gate/gate"
    is 0 holders "$gate/gate"
}

@test "the next one learns that the owner died" {
    in_shell one bash -c 'eval "$($ADMIT enter -k 1 --pid $$ demo)"; '"$STAY" one
    eventually inside one
    kill -KILL "$(keeper_of "$shell")"
    kill -KILL "$shell"
    ends 137 "$shell"
    run bash -c 'for pass in 1 2; do eval "$($ADMIT enter --pid $$ demo)"; echo ${ADMIT_OWNER_DIED-unset}; $ADMIT leave demo; done'
    [ "$output" = $'1\nunset' ]
}

@test "no slot: --try, -w, -E, -q; and Ctrl-C at a terminal" {
    enter holder demo -k 1
    eventually inside holder
    enter_fails "no slot is free" 75 --try --pid $$ demo
    enter_fails "the time is over" 124 -w 10ms --pid $$ demo
    enter_fails "the time is over" 9 -w 10ms -E 9 --pid $$ demo
    exits 75 enter -q --try --pid $$ demo
    [ -z "$stderr" ]
    enter_fails "has k = 1" 125 -k 2 --pid $$ demo
    at_terminal "bash -c 'eval \"\$($ADMIT enter --pid \$\$ demo)\" || exit; touch $T/never'"
    eventually grep -q 'demo, place 1' "$T/screen"
    printf '\003' >&8
    ends 130 $terminal
    [ ! -e "$T/never" ]
    eventually is 0 waiters demo
    let_go holder
    eventually is 0 holders demo
    free demo 1
}

@test "as soon as a script has ended, its slot is there for those who do not wait, and its gate can be removed" {
    run bash -c '
        for ((round = 0; round < 50; round++)); do
            bash -c "eval \"\$($ADMIT enter -k 1 --pid \$\$ demo)\" || exit"
            case $((round % 4)) in
            0) $ADMIT run --try demo -- true ;;
            1) $ADMIT run -w 0 demo -- true ;;
            2) $ADMIT remove demo ;;
            3) bash -c "slot=\$($ADMIT enter --try --pid \$\$ demo) && eval \"\$slot\" || exit" ;;
            esac || exit
        done'
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "whoever does not wait waits for a second at most for a keeper that is stopped, and for no other holder" {
    local shell keeper
    in_shell sleeper sleep 1000
    exits 0 enter -k 1 --pid "$shell" demo
    keeper=$(keeper_of "$shell")
    kill -STOP "$keeper"
    eventually is T state "$keeper"
    kill "$shell"
    eventually ended "$shell"
    exits 75 run --try demo -- true
    exits 1 remove demo
    says_error "in use: inside $shell"
    # It goes on while somebody looks.
    (sleep 0.3; kill -CONT "$keeper") 3>&- &
    exits 0 run --try demo -- true
}

@test "-E 0 is refused: the script would go on without a slot" {
    enter holder demo -k 1
    eventually inside holder
    enter_fails "-E 0: without a slot the script would go on as if it had one" 125 --try -E 0 --pid $$ demo
    run bash -c 'eval "$("$ADMIT" enter -E 0 -w 10ms --pid $$ demo)" || exit; echo went on'
    [ "$status" -eq 125 ]
    says_not "went on"
    let_go holder
}

@test "which process: one that lives, of this user, and neither admit nor the first of all" {
    local child
    enter_fails "there is no process" 125 -k 1 --pid 4194304 demo
    enter_fails "process 1 cannot have the slot" 125 -k 1 --pid 1 demo
    enter_fails "--pid takes a whole number" 125 -k 1 --pid 0 demo
    enter_fails "--pid takes a whole number" 125 -k 1 --pid -5 demo
    enter_fails "--pid takes a whole number" 125 -k 1 --pid "" demo
    run bash -c 'exec $ADMIT enter -k 1 --pid $$ demo'
    [ "$status" -eq 125 ]
    says "that is admit itself"
    # Dead, and not yet buried: it ends when its parent has become a program that buries nobody.
    bash -c '(until [ "$(cat /proc/$$/comm)" = sleep ]; do :; done) & echo $! >$T/child; exec sleep 1000' 3>&- &
    eventually test -s "$T/child"
    child=$(cat "$T/child")
    eventually is Z state "$child"
    enter_fails "process $child has ended" 125 -k 1 --pid "$child" demo
    kill -KILL $!
    [ ! -e "$ADMIT_DIR/demo" ]
}

@test "on a terminal, where nobody evaluates it: the slot is held, and how to leave is said" {
    at_terminal "bash -c '$ADMIT enter -k 1 --pid \$\$ demo; $ADMIT leave --pid \$\$ demo && echo left; $ADMIT enter -q --pid \$\$ demo; exit'"
    ends 0 "$terminal"
    [ "$(grep -c 'for eval' "$T/screen")" -eq 1 ]
    grep -q "has a slot at 'demo' until it ends or: admit leave --pid [0-9]* demo" "$T/screen"
    grep -q '^left' "$T/screen"
    # Nothing of the text that is for eval.
    [ "$(wc -l <"$T/screen")" -eq 3 ]
    at_terminal "$ADMIT enter -k 1 --try --nonsense demo"
    ends 125 "$terminal"
    run ! grep -q 'exit 125' "$T/screen"
    # A shell that evaluates it, at a terminal or not, hears nothing of it.
    at_terminal "bash -c 'eval \"\$($ADMIT enter --pid \$\$ demo)\"'"
    ends 0 "$terminal"
    run ! grep -q 'eval' "$T/screen"
}

@test "bad usage fails where it is evaluated, too" {
    enter_fails "which gate" 125
    enter_fails "there is no option '--children'" 125 --children demo
    enter_fails "there is no option '-b'" 125 -b demo
    enter_fails "there is no option '--limit'" 125 --limit 3 demo
    enter_fails "no command stands here" 125 -k 1 demo -- true
    enter_fails "admit run demo -- true" 125 -k 1 demo true
    enter_fails "which one" 125 --try -w 3 demo
    exits 0 enter --help
    says "usage: admit enter"
    says_not "! :"
    run bash -c '"$ADMIT" enter -k 1 demo >/dev/full'
    [ "$status" -eq 125 ]
    [ ! -e "$ADMIT_DIR/demo" ]
}

@test "entries and exits are in the log" {
    bash -c 'eval "$($ADMIT enter -k 1 --log "$T/log" --pid $$ demo)" || exit; $ADMIT leave demo'
    ADMIT_LOG=$T/log bash -c 'eval "$($ADMIT enter -k 1 --pid $$ demo)" || exit'
    eventually is 0 holders demo
    [ "$(jq -r .event "$T/log" | paste -sd' ')" = "enter exit enter exit" ]
    [[ "$(jq -r .command "$T/log" | head -n 1)" == "bash -c "* ]]
    [ "$(jq -c .pid "$T/log" | sort -u | wc -l)" -eq 2 ]
}

@test "killed in line: the script that waited ends, and its place is given up" {
    enter holder demo -k 1
    eventually inside holder
    local whom script='eval "$($ADMIT enter --pid $$ demo)" || exit; echo went on'
    for whom in front waiter shell; do
        in_shell $whom bash -c "$script"
        eventually is 1 waiters demo
        local waiter front
        waiter=$("$ADMIT" status demo --json | jq '.waiters[0].pid')
        front=$(ps -o ppid= "$waiter")
        case $whom in
        front) kill -KILL "$front" ;;
        waiter) kill -KILL "$waiter" ;;
        shell) kill -KILL "$shell" ;;
        esac
        eventually is 0 waiters demo
        local status=0
        wait "$shell" || status=$?
        [ "$status" -ne 0 ]
        [ ! -s "$T/$whom.out" ]
    done
    let_go holder
    eventually is 0 holders demo
    free demo 1
}

# A script that goes through `many` again and again. Whoever has the same slot and lives is a violation; who that is, stands
# in a file for each slot, and to look at /proc starts no process that could outlive the script. What is killed before it
# has said anything is noticed by this form of the line alone (docs/faults.md).
WORKER='lives() { read -r _ _ state _ <"/proc/$1/stat" && [ "$state" != Z ] && [ "$state" != X ]; } 2>/dev/null
until test -e $T/enough -o -e $T/all.end -o ! -e $T; do
    text=$($ADMIT enter -q --pid $$ $ADMIT_DIR/many) && eval "$text" || exit
    owner=
    read -r owner <$T/owner.$ADMIT_SLOT
    test -n "$owner" && lives "$owner" && echo "$owner and $$" >>$T/violations
    echo $$ >$T/owner.$ADMIT_SLOT
    echo >>$T/entries
    sleep 0.$((RANDOM % 5))
    read -r owner <$T/owner.$ADMIT_SLOT
    test "$owner" = $$ || echo "$$ is $owner" >>$T/violations
    echo >$T/owner.$ADMIT_SLOT
    $ADMIT leave $ADMIT_DIR/many || exit
done'

# One of the processes that are at it: what waits for a script, keepers, those that leave; now and then a script.
victim() {
    { with_words "$ADMIT" "$ADMIT_DIR/many"; printf '%s\n' "${workers[RANDOM % 4]}"; } | shuf -n 1
}

@test "scripts, keepers and all others are killed at random: never more than k, and nothing is lost" {
    local kill w workers=()
    exits 0 run -k 2 many -- true
    echo >"$T/owner.0"
    echo >"$T/owner.1"
    for ((kill = 0; kill < 25; kill++)); do
        for w in 0 1 2 3; do
            if [ -z "${workers[w]:-}" ] || ended "${workers[w]}"; then
                in_shell worker bash -c "$WORKER"
                workers[w]=$shell
            fi
        done
        sleep "0.0$((RANDOM % 6))"
        kill -KILL "$(victim)" 2>/dev/null || true
    done
    touch "$T/enough"
    wait
    [ ! -e "$T/violations" ] || cat "$T/violations"
    [ ! -e "$T/violations" ]
    [ "$(wc -l <"$T/entries")" -gt 4 ]
    eventually is 0 everybody many
    free many 2
}

@test "what cannot be printed whole: the slot is given back, and that is said" {
    local shell
    enter holder demo -k 1
    eventually inside holder
    # What reads it goes when it has the first line, before there is a slot.
    bash -c '"$ADMIT" enter --pid $$ demo 2>"$T/errors"; echo $? >"$T/status"; until test -e "$T/go"; do sleep 0.05; done' \
        3>&- | head -n 1 >"$T/first" &
    eventually is 1 waiters demo
    eventually test -s "$T/first"
    let_go holder
    eventually test -s "$T/status"
    [ "$(cat "$T/status")" -eq 125 ]
    grep -q "cannot print what the shell is to evaluate: Broken pipe; the slot is given back" "$T/errors"
    free demo 1
    touch "$T/go"
    wait
    # Nobody reads it at all, or nobody can.
    run bash -c '"$ADMIT" enter --pid $$ demo >/dev/full; echo $?; "$ADMIT" enter --pid $$ demo >&-; echo $?'
    [ "$(grep -c "cannot print what the shell is to evaluate" <<<"$output")" -eq 2 ]
    [ "$(grep -cx 125 <<<"$output")" -eq 2 ]
    free demo 1
}

@test "of several slots of one shell, each of its subshells leaves its own" {
    bash -c '
        work() {
            slot=$("$ADMIT" enter -k 2 --nested --pid $$ demo) && eval "$slot" || exit
            echo "$ADMIT_SLOT" >"$T/$1.slot"
            until test -e "$T/$1.go"; do sleep 0.05; done
            "$ADMIT" leave demo
            echo left >"$T/$1.left"
        }
        work first &
        until test -s "$T/first.slot"; do sleep 0.05; done
        work second &
        wait' 3>&- &
    eventually test -s "$T/second.slot"
    touch "$T/first.go"
    eventually test -s "$T/first.left"
    [ "$("$ADMIT" status demo --json | jq .holders[].slot)" = "$(cat "$T/second.slot")" ]
    touch "$T/second.go"
    wait
    is 0 holders demo
}

@test "with hardly a descriptor left: what reads the text does not wait for the keeper" {
    local most text worked=0
    limited() {
        ulimit -n "$1"
        exec timeout 20 "$ADMIT" enter -k 1 --pid $$ few 3>&-
    }
    for most in 6 7 8 9 10 11 12; do
        (sleep 10 && "$ADMIT" leave --pid $$ few) >/dev/null 2>&1 3>&- &
        text=$(limited "$most" 2>/dev/null | cat)
        kill $! 2>/dev/null || true
        [[ $text != *ADMIT_SLOT* ]] || {
            "$ADMIT" leave --pid $$ few # which is another's by now if the text came with its end
            worked=1
        }
    done
    [ "$worked" = 1 ]
}

@test "a keeper that is stopped keeps the slot of a shell that has ended, and the status says stopped" {
    local shell keeper
    in_shell sleeper sleep 1000
    exits 0 enter -k 1 --pid "$shell" demo
    keeper=$(keeper_of "$shell")
    kill -STOP "$keeper"
    eventually is T state "$keeper"
    is lives condition demo
    kill "$shell"
    eventually is stopped condition demo
    kill -CONT "$keeper"
    eventually is 0 holders demo
}
