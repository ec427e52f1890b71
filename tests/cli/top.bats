#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands in quotes; variables of gates.bash
#
# admit top and admit status --watch: what is seen of a gate while something happens there, and that whatever happens the
# terminal, the reader and the gate are left as they were. The terminals are tmux's.
load gates

# Its socket's name must be short.
teardown() {
    [ -z "${TMUX_PLACE:-}" ] || { in_tmux kill-server && rm -rf "$TMUX_PLACE"; } || true
    touch "$T/all.end"
    local pid
    for pid in $(jobs -p); do
        kill -KILL "$pid" 2>/dev/null || true
    done
}

in_tmux() {
    env -u TMUX tmux -S "$TMUX_PLACE/t" -f /dev/null "$@" 3>&-
}

# screen WIDTH HEIGHT: a shell in a terminal of this size.
screen() {
    command -v tmux >/dev/null || skip "there is no tmux: ./setup installs it"
    TMUX_PLACE=$(mktemp -d /tmp/admit-top.XXXXXX)
    in_tmux new-session -d -x "$1" -y "$2" "exec env -u NO_COLOR PS1='ready ' \
        PROMPT_COMMAND='echo \$? >$T/end; stty -g >$T/after' bash --norc --noprofile -i"
    eventually shown 'ready'
}

keys() {
    in_tmux send-keys "$@"
}

# What is seen there; shown REGEX: in one of its lines.
picture() {
    in_tmux capture-pane -p
}
shown() {
    picture | grep -qE -- "$1"
}
not_shown() {
    ! shown "$1"
}

# top ARGUMENT...: in that terminal, whose settings are in before, and after it in after; its exit status is in end then, and
# its process in process.
top() {
    keys "clear; stty -g >$T/before; rm -f $T/after; bash -c 'echo \$\$ >$T/process; exec $PWD/$ADMIT top $*'" Enter
    eventually shown 'admit top: |so it prints lines'
    not_shown 'without ncurses' || skip "this admit was built without ncurses"
}

# left STATUS: it has ended so, and the terminal is as before: its settings, its cursor, what was on it.
left() {
    eventually test -s "$T/after"
    is "$1" cat "$T/end"
    cmp "$T/before" "$T/after"
    eventually shown '^ready'
    not_shown 'q quit'
    [ "$(in_tmux display-message -p '#{cursor_flag} #{alternate_on} #{keypad_cursor_flag}')" = "1 0 0" ]
}

@test "top: usage" {
    exits 0 top --help
    says "usage: admit top"
    refused "there is no gate 'nothing'" top nothing
    refused "there is no option '--jsn'" top --jsn
    echo x >"$T/file"
    refused "is not a gate" top "$T/file"
    exits 2 watch
    says_error "did you mean 'top'?"
    refused "there is no gate 'nothing'" status --watch nothing
}

@test "top: who is there, who comes, who dies, and back to the shell" {
    enter a demo -k 1
    eventually inside a
    local command
    command=$(cut -d' ' -f3 "$T/a.in")
    "$ADMIT" run -k 2 other -- true
    screen 100 24
    top
    eventually shown '2 gates in '
    eventually shown "demo: 1 of 1 inside, 0 waiting; entered 1, recovered 0"
    eventually shown "^ +0 +$command .* sh -c"
    eventually shown 'other: 0 of 2 inside'
    enter b demo
    eventually shown "demo: 1 of 1 inside, 1 waiting"
    eventually shown "^ +1 +$pid .* sh -c"
    eventually shown "demo +waits +place 1 +$pid "
    let_go a
    eventually shown "demo +left +slot 0 +$command "
    eventually shown "demo +entered +slot 0 +[0-9]+ .* sh -c"
    eventually inside b
    # Whoever is killed inside while somebody waits is recovered at once.
    local dead=$pid
    command=$(cut -d' ' -f3 "$T/b.in")
    enter c demo
    eventually shown "demo +waits .* $pid "
    kill -KILL "$dead" "$command"
    eventually shown "demo +recovered +slot 0 +$command .* sh -c"
    eventually shown "recovered 1, abandoned 0"
    "$ADMIT" resize demo 3
    eventually shown 'demo +resized +from 1 to 3 slots'
    # The gate that is chosen, alone; then help, and a pause, in which nothing changes.
    keys Tab
    eventually shown '^> demo'
    keys Right
    eventually shown '^> other'
    keys Enter
    eventually not_shown 'demo: 1'
    keys Enter
    eventually shown 'demo: 1'
    keys h
    eventually shown 'Page Up'
    enter d demo
    eventually shown 'demo +entered +slot 1 '
    let_go d
    eventually shown 'demo +left +slot 1 '
    shown 'Page Up'
    keys x
    eventually not_shown 'Page Up'
    keys p
    eventually shown PAUSED
    let_go c
    eventually is 0 holders demo
    shown 'demo: 1 of 3 .*inside'
    keys p
    eventually shown 'demo: 0 of 3 .*inside'
    "$ADMIT" remove other
    eventually shown 'other +removed'
    keys q
    left 0
    not_shown 'demo: '
}

@test "top: many wait, and the terminal is small, or of another size" {
    local many=100 w
    [ -z "${ADMIT_TEST_QUICK:-}" ] || many=30
    enter a demo -k 1 --capacity 400
    eventually inside a
    for ((w = 0; w < many; w++)); do
        background run demo -- true
    done
    eventually is "$many" waiters demo
    screen 80 20
    top demo
    eventually shown "rows 1-[0-9]+ of $((many + 5))"
    keys End
    eventually shown "^ +$many "
    keys Home
    eventually shown '^ +1 '
    keys j
    eventually shown 'rows 2-'
    keys k
    eventually shown 'rows 1-'
    keys NPage
    eventually shown 'rows 1[0-9]-'
    keys Home
    in_tmux resize-window -x 20 -y 5
    eventually shown '^admit top: demo$'
    [ "$(picture | wc -l)" -eq 5 ]
    in_tmux resize-window -x 1 -y 1
    in_tmux resize-window -x 3 -y 2
    in_tmux resize-window -x 120 -y 30
    eventually shown 'q quit'
    eventually shown "demo: 1 of 1 inside, $many waiting"
    "$ADMIT" remove --force demo
    eventually shown 'demo: there is no such gate any more'
    eventually shown ' removed '
    "$ADMIT" run -k 5 demo -- true
    eventually shown 'demo: 0 of 5 inside'
    keys q
    left 0
}

@test "top: Ctrl-C, Ctrl-Z and fg, signals, a terminal that goes away, no keyboard" {
    "$ADMIT" run -k 1 demo -- true
    screen 80 20
    top
    eventually shown 'demo: 0 of 1'
    keys C-c
    left 130
    local signal
    for signal in TERM:143 HUP:129 QUIT:131; do
        top
        eventually shown 'demo: 0 of 1'
        kill "-${signal%:*}" "$(cat "$T/process")"
        left "${signal#*:}"
    done
    top
    eventually shown 'demo: 0 of 1'
    keys C-z
    eventually shown 'Stopped'
    keys "clear; stty -g >$T/stopped; fg" Enter
    eventually shown 'demo: 0 of 1'
    cmp "$T/before" "$T/stopped"
    keys q
    eventually shown '^ready'
    top '</dev/null'
    eventually shown 'demo: 0 of 1'
    keys q
    left 0
    top
    eventually shown 'demo: 0 of 1'
    in_tmux kill-server
    eventually ended "$(cat "$T/process")"
}

@test "top: without a screen it prints lines, and says why" {
    "$ADMIT" run -k 1 demo -- true
    screen 120 20
    keys "clear; $PWD/$ADMIT top | cat" Enter
    eventually shown 'demo: 0 of 1 inside'
    not_shown 'q quit'
    keys C-c
    eventually shown '^ready'
    for terminal in TERM=dumb TERM=no-such-terminal 'TERM='; do
        keys "clear; $terminal $PWD/$ADMIT top demo" Enter
        eventually shown 'so it prints lines'
        eventually shown 'demo: 0 of 1 inside'
        keys C-c
        eventually shown '^ready'
    done
    # One with a small stack has what there is room for.
    keys "clear; (ulimit -s 32; $PWD/$ADMIT top demo)" Enter
    eventually shown 'demo: 0 of 1 inside'
    keys C-c
    eventually shown '^ready'
}

@test "top: nothing that others wrote reaches the terminal raw; colours only where they are wanted" {
    local evil=$'\e]0;evil\a\e[2J\xff'
    enter a demo -k 1
    eventually inside a
    background run demo -- true "$evil"
    local waiter=$pid
    eventually is 1 waiters demo
    kill -STOP "$waiter"
    for colour in '' 1; do
        rm -f "$T/keyboard"
        TERM=xterm-256color NO_COLOR=$colour LC_ALL=C.UTF-8 at_terminal "$PWD/$ADMIT top"
        eventually grep -qa 'so it prints lines\|stopped' "$T/screen"
        ! grep -qa 'without ncurses' "$T/screen" || skip "this admit was built without ncurses"
        printf q >&8
        eventually ended "$terminal"
        [ "$(grep -ca $'\e]0;evil\|\e\\[2J\xff\|\xff' "$T/screen")" -eq 0 ]
        if [ -z "$colour" ]; then
            grep -qa $'\e\\[33m' "$T/screen"
        else
            [ "$(grep -ca $'\e\\[3[0-7]m' "$T/screen")" -eq 0 ]
        fi
    done
    kill -CONT "$waiter"
}

# watch ARGUMENT...: `admit status --watch`, whose lines are in lines, in the background.
watch() {
    background status --watch "$@"
    watcher=$pid
    eventually test -s "$T/background.out"
}
line() {
    grep -qE -- "$1" "$T/background.out"
}

@test "status --watch: a line for each change, until the gate is removed" {
    "$ADMIT" run -k 2 demo -- true
    watch demo
    eventually line 'demo: 0 of 2 inside'
    enter a demo
    eventually line "^[0-9:]{8}  entered    slot 0    [0-9]+ .* sh -c"
    kill -STOP "$(cut -d' ' -f3 "$T/a.in")"
    eventually line ' stopped +slot 0 '
    kill -CONT "$(cut -d' ' -f3 "$T/a.in")"
    eventually line ' goes on +slot 0 '
    "$ADMIT" resize demo 1
    eventually line ' resized +from 2 to 1 slots'
    enter b demo
    eventually line ' waits +place 1 '
    kill -TERM "$pid"
    eventually line ' gave up +(place 1|-) '
    # The admit of a command that runs is killed, and then the command; nobody comes.
    local wrapper
    wrapper=$(sed 's/.*) . //; s/ .*//' "/proc/$(cut -d' ' -f3 "$T/a.in")/stat")
    kill -KILL "$wrapper"
    eventually line ' orphan +slot 0 .*holds on'
    let_go a
    eventually line ' died +slot 0 .*has ended'
    "$ADMIT" run demo -- true
    eventually line ' recovered +slot 0 '
    "$ADMIT" remove demo
    ends 0 "$watcher"
    line ' removed '
}

@test "status --watch: all gates, those too that come" {
    watch
    eventually grep -q 'There is no gate' "$T/background.err"
    enter a new -k 1
    eventually line '  new +new gate'
    eventually line '  new +entered +slot 0 '
    let_go a
    eventually line '  new +left +slot 0 '
    "$ADMIT" remove new
    eventually line '  new +removed '
    kill -INT "$watcher"
    ends 130 "$watcher"
}

@test "status --watch --json: the object of status, with the time and what happened" {
    "$ADMIT" run -k 1 demo -- true
    background status --watch --json demo
    watcher=$pid
    eventually test -s "$T/background.out"
    enter a demo
    eventually line '"event": "entered"'
    eventually is 1 holders demo
    exits 0 status --json demo
    jq -c '[.holders[].pid]' <<<"$output" >"$T/now"
    eventually is "$(cat "$T/now")" jq -cs '[.[-1].holders[].pid]' "$T/background.out"
    [ "$(jq -c 'keys + ["events", "time"] | sort' <<<"$output")" = "$(tail -1 "$T/background.out" | jq -c keys)" ]
    enter b demo
    eventually line '"event": "waits"'
    kill -KILL "$(cut -d' ' -f3 "$T/a.in")"
    let_go b
    "$ADMIT" wait demo
    "$ADMIT" remove demo
    ends 0 "$watcher"
    output=$(jq -cs . "$T/background.out")
    json '.[0].events == [] and .[0].entered == 1'
    json '[.[].time | fromdate | . > 1600000000 and . <= now + 1] | all'
    json '[.[].events[] | select(.event == "waits")][0] | .place == 1 and .command[0:2] == "sh"'
    json '.[-1].events == [{"event": "removed"}] and .[-1].k == null and (.[-1].error | length) > 0'
}

@test "status --watch: ends when its reader goes away, also if nothing happens" {
    "$ADMIT" run -k 1 demo -- true
    local reader form
    mkfifo "$T/pipe"
    for form in demo '--json demo'; do
        env "$ADMIT" status --watch $form >"$T/pipe" 2>"$T/err" 3>&- &
        watcher=$!
        exec 9<"$T/pipe"
        read -r -u 9 reader
        [ -n "$reader" ]
        exec 9<&-
        ends 0 "$watcher"
        [ ! -s "$T/err" ]
    done
    run bash -c '"$0" status --watch demo >/dev/full' "$ADMIT"
    [ "$status" -eq 2 ]
    says "cannot write the output"
}

@test "what becomes of a gate's file while it is watched" {
    enter a demo -k 1
    eventually inside a
    cp "$ADMIT_DIR/demo" "$T/copy"
    "$ADMIT" run -k 7 other -- true
    watch
    eventually line 'demo: 1 of 1 inside'
    # Another gate in its place: nobody of the old one is in it.
    mv "$ADMIT_DIR/other" "$ADMIT_DIR/demo"
    eventually line ' demo +replaced '
    eventually line ' other +removed '
    # Shortened under the watcher.
    truncate -s 5000 "$ADMIT_DIR/demo"
    eventually line ' demo +unusable .*demo'
    cat "$T/copy" >"$ADMIT_DIR/demo"
    eventually line ' demo +usable'
    truncate -s 0 "$ADMIT_DIR/demo"
    eventually is 2 grep -c ' demo +unusable\| demo .*unusable ' "$T/background.out"
    rm "$ADMIT_DIR/demo"
    eventually line ' demo +removed '
    kill -0 "$watcher"
}

@test "a gate that may not be read is shown, with the reason, beside the others" {
    [ "$(id -u)" -eq 0 ] || skip "needs root, to be somebody else"
    local shared
    shared=$(mktemp -d /tmp/admit-top.XXXXXX)
    chmod 1777 "$shared"
    cp "$ADMIT" "$shared/admit"
    mkdir -m 1777 "$shared/gates"
    as_nobody ADMIT_DIR="$shared/gates" "$shared/admit" run -k 1 --mode 0666 theirs -- true
    ADMIT_DIR=$shared/gates "$ADMIT" run -k 1 mine -- true
    as_nobody ADMIT_DIR="$shared/gates" timeout -s KILL 60 "$shared/admit" status --watch >"$T/background.out" 2>&1 3>&- &
    watcher=$!
    eventually line 'theirs: 0 of 1 inside'
    line ' mine +unusable .*ermission'
    # It comes to be readable, and goes on to be watched when it is not any more.
    chmod 644 "$shared/gates/mine"
    eventually line ' mine +usable'
    kill "$watcher"
    rm -rf "$shared"
}
