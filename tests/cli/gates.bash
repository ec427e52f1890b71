# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# gates.bash - for tests of gates: a directory of gates for each test, commands inside that end when they are told to,
# and waiting for what will happen, however long it takes: nothing here depends on how fast the machine is.
load helper

setup() {
    export ADMIT_DIR=$BATS_TEST_TMPDIR/gates
    mkdir -m 700 "$ADMIT_DIR"
    T=$BATS_TEST_TMPDIR
    export T
}

# What a failed test leaves behind: commands inside end by themselves, and of the rest only what is still a job here, so
# that its process id is its own, is ended.
teardown() {
    local pid
    touch "$T/all.end"
    for pid in $(jobs -p); do
        kill -KILL "$pid" 2>/dev/null || true
    done
}

# eventually COMMAND...: repeats it until it succeeds. Only what never happens takes a minute.
eventually() {
    local tries
    for ((tries = 0; tries < 1200; tries++)); do
        "$@" 2>/dev/null && return 0
        sleep 0.05
    done
    printf 'never happened: %s\n' "$*"
    "$ADMIT" status || true
    return 1
}

# background ARGUMENT...: `admit ARGUMENT...`, with signals as at a prompt; its process is in $pid.
background() {
    env --default-signal=INT,QUIT "$ADMIT" "$@" >>"$T/background.out" 2>>"$T/background.err" 3>&- </dev/null &
    pid=$!
}

# For commands: wait until there is the file `end`, which `touch $T/end` or the end of the test makes; or until the
# test's directory is gone, which may come before they have looked.
# shellcheck disable=SC2016,SC2034
LINGER='until test -e $T/end -o -e $T/all.end -o ! -e $T; do sleep 0.05; done'

# A command that notes in NAME.in its ticket, its slot and its process, and ends when there is NAME.end.
# shellcheck disable=SC2016
STAY='echo "$ADMIT_TICKET $ADMIT_SLOT $$" >$T/$0.in
until test -e $T/$0.end -o -e $T/all.end -o ! -e $T; do sleep 0.05; done'

# enter NAME GATE [OPTION...]: somebody who stays inside, as soon as they are let in, until `let_go NAME`.
enter() {
    local name=$1 gate=$2
    shift 2
    background run "$@" "$gate" -- sh -c "$STAY" "$name"
}

inside() {
    [ -s "$T/$1.in" ]
}

outside() {
    [ ! -s "$T/$1.in" ]
}

let_go() {
    touch "$T/$1.end"
}

# The number of those inside, in line, waiting for a place in line, or inside or in line: holders GATE, waiters GATE,
# outsiders GATE, everybody GATE.
# is EXPECTED COMMAND...: that is what it prints.
holders() {
    "$ADMIT" status "$1" --json | jq 'select(.error == null) | .holders | length'
}

waiters() {
    "$ADMIT" status "$1" --json | jq 'select(.error == null) | .waiters | length'
}

outsiders() {
    "$ADMIT" status "$1" --json | jq .outside
}

everybody() {
    "$ADMIT" status "$1" --json | jq 'select(.error == null) | (.holders | length) + (.waiters | length)'
}

is() {
    local expected=$1
    shift
    [ "$("$@" 2>/dev/null)" = "$expected" ]
}

# state PID: as ps shows it.
state() {
    sed 's/.*) //; s/ .*//' "/proc/$1/stat"
}

# ended PID: gone, or dead and not yet buried.
ended() {
    is "" state "$1" || is Z state "$1"
}

# ends STATUS PID: it ends, with this exit status.
ends() {
    local status=0
    wait "$2" || status=$?
    [ "$status" -eq "$1" ] || {
        printf 'exit status %s, not %s\n%s\n' "$status" "$1" "$(cat "$T/background.err")"
        return 1
    }
}

# free GATE K: when nobody is there any more, exactly K can be inside at once.
free() {
    local gate=$1 k=$2 s
    rm -f "$T"/free*
    eventually is 0 everybody "$gate" || return 1
    for ((s = 0; s < k; s++)); do
        enter "free$s" "$gate" --try
        eventually inside "free$s" || return 1
    done
    run "$ADMIT" run --try "$gate" -- true
    [ "$status" -eq 75 ] || return 1
    for ((s = 0; s < k; s++)); do
        let_go "free$s"
    done
    eventually is 0 holders "$gate"
}

# run_refused TEXT ARGUMENT...: `admit run` fails by itself; the message contains TEXT, and nothing is on stdout.
run_refused() {
    local text=$1
    shift
    exits 125 run "$@" && says_error "admit run: " && says_error "$text" && [ -z "$output" ]
}

# at_terminal COMMAND: in a terminal of its own; what is written to fd 8 is typed there. The shell that script(1) starts
# gives way to the command: one that stayed would get each Ctrl-C as well, and some (dash) then die of it.
at_terminal() {
    [ -p "$T/keyboard" ] || mkfifo "$T/keyboard"
    env --default-signal=INT,QUIT script -qec "exec $1" /dev/null <"$T/keyboard" >"$T/screen" 2>&1 3>&- &
    terminal=$!
    exec 8>"$T/keyboard"
}

# as_nobody COMMAND...: by another user, if this one is root.
as_nobody() {
    setpriv --reuid=nobody --regid=nogroup --clear-groups env -i PATH="$PATH" T="$T" "$@"
}
