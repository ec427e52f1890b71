#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2153,SC2154 # commands in quotes; variables of gates.bash
#
# What happens at gates, as lines in a file, and what `admit report` makes of them.
load gates

# lines FILTER [FILE]: what jq makes of the log's lines, one after the other.
lines() {
    jq -c "$1" "${2:-$T/log}"
}

events() {
    jq -r .event "${1:-$T/log}" | paste -sd' '
}

# in_log FILTER: it is true of one line.
in_log() {
    lines "select($1)" | grep -q .
}

@test "a line each for a wait, an entry and an exit, with who, where and how long" {
    enter holder demo -k 1 --log "$T/log"
    eventually inside holder
    background run --log="$T/log" demo -- sh -c 'exit 7' "it's" $'a\e\xff"\\'
    eventually is 1 waiters demo
    let_go holder
    ends 7 "$pid"
    [ "$(events)" = "enter wait exit enter exit" ]
    [ "$(lines .slot | paste -sd' ')" = "0 null 0 0 0" ]
    [ "$(lines 'select(.event == "exit") | .status' | paste -sd' ')" = "0 7" ]
    # What one process does has its number, its user, its gate, its command.
    [ "$(lines "select(.pid == $pid) | .event" | paste -sd' ')" = '"wait" "enter" "exit"' ]
    [ "$(lines "[.gate, .path, .user, .k]" | sort -u)" = "[\"demo\",\"$ADMIT_DIR/demo\",\"$(id -un)\",1]" ]
    [ "$(lines "select(.pid == $pid) | .command" | sort -u | jq -r .)" = \
        $'sh -c \'exit 7\' \'it\'\\\'\'s\' \'a\e\xef\xbf\xbd"\\\'' ]
    in_log '.event == "wait" and .place == 1'
    # Somebody waited as long as the other was inside, nearly; who did not wait has waited for nothing.
    in_log ".event == \"enter\" and .pid == $pid and .waited > 0 and .owner_died == false"
    in_log '.event == "enter" and .pid != '"$pid"' and .waited == 0'
    in_log '.event == "exit" and .inside > 0'
    # Times are in the order of the lines.
    lines .time | LC_ALL=C sort -c
    lines .time | grep -qE '^"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z"$'
    # Nobody else reads what commands are run.
    [ "$(stat -c %a "$T/log")" = 600 ]
}

@test "who was not let in, and why" {
    export ADMIT_LOG=$T/log
    enter holder demo -k 1
    eventually inside holder
    exits 124 run -w 500ms demo -- true # so long that it waits on any machine
    exits 75 run --try demo -- true
    exits 9 run -E 9 --try demo -- true
    background run demo -- true
    eventually is 1 waiters demo
    kill -TERM "$pid"
    ends 143 "$pid"
    background run demo -- true
    eventually is 1 waiters demo
    exits 0 remove --force demo
    ends 125 "$pid"
    [ "$(lines 'select(.event == "give_up") | [.why, .status]' | paste -sd' ')" = \
        '["timed_out",124] ["no_slot",75] ["no_slot",9] ["signal",143] ["failed",125]' ]
    in_log '.why == "timed_out" and .waited >= 0.5'
    in_log '.why == "no_slot" and .waited == 0'
    # An empty ADMIT_LOG is none.
    ADMIT_LOG='' exits 0 run -k 1 other -- true
    [ "$(lines 'select(.gate == "other")')" = "" ]
}

@test "who died inside is told by the next in that slot" {
    exits 0 run -k 1 demo -- true
    background run --log "$T/log" demo -- sh -c 'echo $$ >$T/command; exec sleep 1000'
    eventually test -s "$T/command"
    kill -KILL "$pid" "$(cat "$T/command")"
    eventually "$ADMIT" run --log "$T/log" --try demo -- true
    [ "$(events | sed 's/give_up //g')" = "enter recover enter exit" ]
    in_log '.event == "recover" and .slot == 0'
    in_log '.event == "enter" and .owner_died'
}

@test "lines of many processes stand whole, and there are never k+1 inside by their order" {
    export ADMIT_LOG=$T/log
    exits 0 run -k 3 demo -- true
    pids=()
    for _ in $(seq 120); do
        background run demo -- true
        pids+=("$pid")
    done
    for pid in "${pids[@]}"; do
        ends 0 "$pid"
    done
    [ "$(lines 'select(.event == "enter").ticket' | sort -u | wc -l)" -eq 121 ]
    [ "$(lines 'select(.event == "exit").ticket' | sort -u | wc -l)" -eq 121 ]
    jq -rs 'reduce .[] as $line ({inside: 0, most: 0};
        .inside += {"enter": 1, "exit": -1}[$line.event] // 0 | .most = ([.most, .inside] | max)) | .inside, .most' \
        "$T/log" >"$T/counted"
    [ "$(head -1 "$T/counted")" -eq 0 ]
    [ "$(tail -1 "$T/counted")" -le 3 ]
}

@test "a line is less than 4096 bytes and JSON, however long the command and the gate's path" {
    local deep=$T/deep
    for _ in 1 2 3 4 5 6; do
        deep=$deep/$(printf 'd%.0s' {1..200})
    done
    mkdir -p "$deep"
    exits 0 run -k 1 --log "$T/log" "$deep/gate" -- sh -c : "$(head -c 5000 /dev/zero | tr '\0' '\1')"
    exits 0 run --log "$T/log" "$deep/gate" -- sh -c : "$(for _ in $(seq 3000); do printf 'é'; done)"
    [ "$(events)" = "enter exit enter exit" ]
    awk 'length($0) > 4095 { exit 1 }' "$T/log"
    in_log '.command | endswith("é...")'
}

@test "a log that is renamed meanwhile is followed by a new one, and none is kept from a command" {
    enter holder demo -k 1 --log "$T/log"
    eventually inside holder
    mv "$T/log" "$T/log.1"
    let_go holder
    ends 0 "$pid"
    [ "$(events "$T/log.1")" = enter ]
    [ "$(events)" = exit ]
    # The command has no descriptor of it.
    exits 0 run --log "$T/log" demo -- sh -c 'ls -l /proc/self/fd'
    says_not log
}

@test "a log that cannot be opened: --log refuses, ADMIT_LOG does not" {
    run_refused "cannot open the log '$T/none/log': No such file" -k 1 --log "$T/none/log" demo -- touch "$T/never"
    run_refused "cannot open the log '$T': Is a directory" -k 1 --log "$T" demo -- touch "$T/never"
    run_refused "cannot open the log ''" -k 1 --log '' demo -- touch "$T/never"
    mkfifo "$T/unread"
    run_refused "cannot open the log" -k 1 --log "$T/unread" demo -- touch "$T/never"
    [ ! -e "$T/never" ]
    [ "$("$ADMIT" list --json | jq length)" -eq 0 ]
    ADMIT_LOG=$T/none/log exits 3 run -k 1 demo -- sh -c 'exit 3'
    says_error "admit run: cannot open the log '$T/none/log': No such file or directory; going on without"
}

@test "a log that cannot be written: one word, and the command runs" {
    exits 3 run -k 1 --log /dev/full demo -- sh -c 'exit 3'
    [ "$stderr" = "admit run: cannot write the log '/dev/full': No space left on device; going on without" ]
    # Neither a limit on the size of files nor a reader that is gone ends anything.
    head -c 2048 /dev/zero >"$T/log"
    run --separate-stderr bash -c 'ulimit -f 2; "$1" run --log "$2" demo -- sh -c "exit 4"' - "$ADMIT" "$T/log"
    [ "$status" -eq 4 ]
    says_error "File too large"
    mkfifo "$T/fifo"
    exec 4<>"$T/fifo" # so that there is a reader from the beginning
    cat "$T/fifo" >"$T/read" 4>&- &
    local reader=$!
    enter holder demo --log "$T/fifo" 4>&-
    eventually inside holder
    exec 4>&-
    eventually test -s "$T/read"
    background run --log "$T/fifo" demo -- sh -c 'exit 5'
    eventually is 1 waiters demo
    local waiting=$pid
    kill "$reader"
    let_go holder
    ends 5 "$waiting"
    grep -q "Broken pipe" "$T/background.err"
    [ "$("$ADMIT" status demo --json | jq '.holders | length')" -eq 0 ]
}
