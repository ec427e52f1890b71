#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands in quotes; variables of gates.bash
#
# A queue: run -b, jobs, wait, cancel, output.
load gates

# job ID FILTER: what `jobs` says of it.
job() {
    "$ADMIT" jobs --json | jq -r --arg id "$1" ".[] | select(.id == \$id) | $2"
}

# fill GATE [K]: K are inside, 1 if it is not said, until there is the file `end`.
fill() {
    local s k=${2:-1}
    for ((s = 0; s < k; s++)); do
        background run -k "$k" "$1" -- sh -c "$LINGER"
    done
    eventually is "$k" holders "$1"
}

# left_no_job: nor anything of one.
left_no_job() {
    [ "$("$ADMIT" jobs --json)" = "[]" ]
    ! ls "$ADMIT_DIR"/@jobs-*/[1-9]* 2>/dev/null
}

@test "run -b: the jobs of a loop run in its order" {
    local i
    for _ in 1 2 3; do
        rm -f "$T/order"
        for i in 1 2 3 4 5 6 7 8 9 10; do
            "$ADMIT" run -b -k 2 q -- sh -c 'echo "$ADMIT_TICKET $0" >>$T/order; sleep 0.01' "$i"
        done
        "$ADMIT" wait q
        [ "$(sort -n "$T/order" | cut -d' ' -f2 | paste -sd' ')" = "1 2 3 4 5 6 7 8 9 10" ]
    done
    exits 0 jobs q --json
    json 'length == 30 and all(.state == "done" and .status == 0) and (map(.ticket) | . == sort)'
}

@test "run -b: prints the id alone, when the place has been drawn" {
    local place # `run` has an i of its own
    fill q
    for place in 1 2 3; do
        exits 0 run -b q -- true
        [ "$output" = "@$place" ]
        [ -z "$stderr" ]
        [ "$(waiters q)" -eq "$place" ]
        [ "$(job "@$place" '"\(.state) \(.place) \(.slot) \(.status)"')" = "waiting $place null null" ]
    done
    touch "$T/end"
    exits 0 wait @1 @2 @3
}

@test "run -b: what is refused before leaves no job" {
    fill q
    exits 75 run -b --try q -- true
    says_error "no slot is free"
    exits 7 run -b --try -E 7 -q q -- true
    [ -z "$stderr" ]
    run_refused "has k = 1, not 2" -b -k 2 q -- true
    run_refused "there is no gate 'r'" -b r -- true
    run_refused "etcd" -b etcd:r -- true
    run_refused "$T/none/x" -b -o "$T/none/x" q -- true
    mkfifo "$T/pipe"
    run_refused "$T/pipe" -b -o "$T/pipe" q -- true
    run_refused "a job that never began would count as done" -b -w 1s -E 0 q -- true
    run_refused "-o" -o "$T/x" q -- true
    left_no_job
    background run --children -k 1 nested -- sh -c '"$0" run -b nested -- true 2>$T/nested; echo $? >>$T/nested' "$ADMIT"
    ends 0 "$pid"
    grep -q "inside 'nested' already" "$T/nested"
    grep -qx 125 "$T/nested"
    left_no_job
    touch "$T/end"
}

@test "run -b: where there is no room in line, it waits for a place" {
    fill q
    "$ADMIT" remove --force q
    enter holder full -k 1 --capacity 2
    eventually inside holder
    "$ADMIT" run -b full -- true
    exits 124 run -b -w 0.2 full -- true
    says_error "the line of 'full' is full (2): waiting for a place; --capacity N gives a gate a longer line when it is made"
    [ "$("$ADMIT" jobs full --json | jq length)" -eq 1 ]
    let_go holder
    exits 0 wait full
    touch "$T/end"
}

@test "run -b: a gate that it makes has room for a long queue" {
    exits 0 run -b -k 2 long -- true
    [ "$("$ADMIT" status long --json | jq .capacity)" -eq 1024 ]
    exits 0 run -b -k 1000 wide -- true
    [ "$("$ADMIT" status wide --json | jq .capacity)" -eq 2000 ]
    exits 0 run -b -k 1 --capacity 3 short -- true
    [ "$("$ADMIT" status short --json | jq .capacity)" -eq 3 ]
    exits 0 wait long wide short
}

@test "run -b: the time of -w is over in line" {
    fill q
    exits 0 run -b -w 0.1 q -- touch "$T/ran"
    exits 124 wait @1
    exits 0 run -b -w 0.1 -E 9 q -- touch "$T/ran"
    exits 9 wait @2
    [ "$(job @1 '"\(.state) \(.status) \(.began) \(.slot)"')" = "done 124 null null" ]
    exits 0 output @1
    says "the time is over"
    [ ! -e "$T/ran" ]
    [ "$(waiters q)" -eq 0 ]
    touch "$T/end"
}

@test "run -b: is detached from its caller" {
    local id
    mkfifo "$T/held"
    cat "$T/held" >/dev/null &
    exec 7>"$T/held"
    id=$(cd "$T" && TEXT=seen "$OLDPWD/$ADMIT" run -b -k 1 q -- sh -c '
        cat; pwd; echo $TEXT; ls -l /proc/self/fd >fds; cat /proc/self/stat >stat; cat /proc/self/status >status
        '"$LINGER")
    eventually test -s "$T/status"
    exec 7>&-
    wait # for what reads the pipe, which nobody else holds
    touch "$T/end"
    exits 0 wait "$id"
    exits 0 output "$id"
    [ "$output" = "$T"$'\nseen' ]
    run ! grep -q "$T/held" "$T/fds"
    grep -q ' 0 -> /dev/null' "$T/fds"
    [ "$(cut -d' ' -f6 "$T/stat")" -ne "$(cut -d' ' -f6 /proc/self/stat)" ]
    (($(sed -n 's/^SigIgn:\t//;T;s/^/0x/;p' "$T/status") & 1)) # SIGHUP
}

@test "run -b: outlives the terminal" {
    export STAY
    printf '"$1" run -b -k 1 q -- sh -c "$STAY" job\nread -r line\n' >"$T/session"
    at_terminal "sh $T/session $ADMIT"
    eventually grep -q @1 "$T/screen"
    exec 8>&-
    wait "$terminal" || true
    eventually inside job
    let_go job
    exits 0 wait @1
}

@test "run -b: the other options of run" {
    local id
    exits 0 run -b --slot-env PORT=8000+ --log "$T/log" -k 1 q -- sh -c 'echo $PORT'
    exits 0 wait @1
    [ "$("$ADMIT" output @1)" = 8000 ]
    [ "$(jq -r .job "$T/log" | sort -u)" = @1 ]
    exits 0 run -b --limit 0.1 q -- sleep 1000
    exits 143 wait @2
    [ "$(job @2 .state)" = "done" ]
    exits 0 run -b --children q -- sh -c "($LINGER) & exit 5"
    eventually is 1 holders q
    exits 124 wait -w 0.1 @3
    touch "$T/end"
    exits 5 wait @3
    exits 0 run -b q -- "$T/none"
    run -127 "$ADMIT" wait @4
    [[ $("$ADMIT" output @4) == *"cannot run"* ]]
    exits 0 run -b --resize -k 2 q -- true
    exits 0 wait q
    [ "$("$ADMIT" status q --json | jq .k)" -eq 2 ]
}

@test "run -b: a job queues its successor, at the gate that it is inside of" {
    exits 0 run -b -k 1 q -- sh -c '"$0" run -b q -- sh -c "echo second \$ADMIT_TICKET >>\$T/order" &&
        "$0" status q --json | jq "[.holders, .waiters | length] | @csv" >"$T/meanwhile"; echo first >>"$T/order"' "$ADMIT"
    exits 0 wait @1
    exits 0 wait @2
    [ "$(cut -d' ' -f1 "$T/order" | paste -sd' ')" = "first second" ]
    [ "$(jq -r . "$T/meanwhile")" = 1,1 ]
    # In the foreground it is refused as ever; and where all that is left running is waited for.
    exits 125 run q -- "$ADMIT" run q -- true
    says_error "this is inside 'q' already"
    exits 125 run --children q -- "$ADMIT" run -b q -- true
    says_error "by --children"
    exits 0 run --children q -- "$ADMIT" run -b -k 1 other -- true
    # Nor is a job inside of what whoever queued it is inside of.
    background run q -- sh -c '"$0" run -b other -- "$0" run q -- touch "$T/after"; '"$LINGER" "$ADMIT"
    eventually is 1 waiters q
    touch "$T/end"
    exits 0 wait other
    [ -e "$T/after" ]
    free q 1
}

@test "run -b: a job is not inside of what has put it there, from its first moment on" {
    local round
    for ((round = 1; round <= 30; round++)); do
        exits 0 run -k 1 q -- sh -c '"$0" run -b -k 1 other -- "$0" run -w 60s q -- true; sleep 0.02' "$ADMIT"
        exits 0 wait "@$round"
    done
}

@test "run -b: ids are unique" {
    local i
    for i in $(seq 60); do
        "$ADMIT" run -b -k 3 q -- true >>"$T/ids" 3>&- &
    done
    wait
    exits 0 wait q
    [ "$(sort -u "$T/ids" | wc -l)" -eq 60 ]
    [ "$("$ADMIT" jobs --json | jq 'map(select(.status == 0)) | length')" -eq 60 ]
}

@test "run -b -o: %j, and a file that there is" {
    cd "$T"
    [[ $ADMIT == /* ]] || ADMIT=$OLDPWD/$ADMIT
    exits 0 run -b -k 1 -o 'log-%j-%%' q -- sh -c 'echo out; echo err >&2'
    exits 0 wait @1
    [ "$(cat log-1-%)" = $'out\nerr' ]
    for file in 'log-%x' '%' '100%' '%%%' '%J'; do
        exits 125 run -b -o "$file" q -- true
        says_error "admit run: -o $file: there is %j, the number of the job, and %% for a percent sign, and no other"
    done
    echo before >all
    exits 0 run -b -o all q -- sh -c "$LINGER; echo one"
    exits 0 run -b -o all q -- echo two
    cd /
    touch "$T/end"
    exits 0 wait @2 @3
    [ "$(cat "$T/all")" = $'before\none\ntwo' ]
    echo after >>"$T/all"
    [ "$("$ADMIT" output @1)" = $'out\nerr' ]
    [ "$("$ADMIT" output @2)" = one ]
    [ "$("$ADMIT" output @3)" = two ]
    [ "$(job @3 .output)" = "$T/all" ]
    rm "$T/all"
    exits 1 output @2
    says_error "'$T/all'"
    exits 0 run -b -o /dev/null q -- echo gone
    exits 1 output @4
    says_error "keeps nothing"
}

@test "output: so far, and until the end" {
    exits 0 run -b -k 1 q -- sh -c "echo one; $LINGER; echo two; exit 3"
    eventually is one "$ADMIT" output @1
    "$ADMIT" output -f @1 >"$T/followed" 3>&- &
    local follows=$!
    eventually grep -q one "$T/followed"
    touch "$T/end"
    wait "$follows"
    [ "$(cat "$T/followed")" = $'one\ntwo' ]
    refused "there is no job @9" output @9
    refused "'q' is no job's id" output q
    refused "of which job" output
    rm "$ADMIT_DIR"/@jobs-*/1.out
    exits 1 output @1
    says_error "cannot read the output of @1"
}

@test "jobs: waiting, running, done" {
    exits 0 jobs
    [ -z "$output" ]
    says_error "There is no job; "
    exits 0 run -b -k 1 q -- sh -c "$LINGER; exit 3"
    exits 0 run -b q -- echo "it's"
    exits 0 run -b -k 1 "$ADMIT_DIR/./other" -- true
    eventually is "running 0 null" job @1 '"\(.state) \(.slot) \(.ended)"'
    [ "$(job @1 .pid)" -eq "$("$ADMIT" status q --json | jq '.holders[0].pid')" ]
    exits 0 jobs q
    [ "$(wc -l <<<"$output")" -eq 3 ]
    [[ $output =~ "@1  running  slot 0 " ]]
    [[ $output =~ "@2  waiting  place 1 " ]]
    # The column of gates is for those who see several.
    [[ ${lines[0]} =~ "for  command" ]]
    exits 0 jobs
    [[ ${lines[0]} =~ "gate "*"command" ]]
    exits 0 jobs q
    says "echo 'it'\\''s'"
    touch "$T/end"
    exits 3 wait @1 @2 @3
    exits 0 jobs q
    [[ $output =~ "@1  done   status 3 " ]]
    exits 0 jobs other --json
    json 'length == 1 and .[0].id == "@3" and .[0].gate != "other" and .[0].seconds >= 0 and .[0].command == "true"'
    exits 0 run -k 1 idle -- true
    exits 0 jobs idle
    says_error "There is no job at 'idle'"
    # Neither a gate nor a job; of a gate that was removed there are jobs still.
    refused "there is no gate 'idel' in $ADMIT_DIR; did you mean 'idle'?" jobs idel
    exits 2 jobs none --json
    [ "$output" = "[]" ]
    says_error "there is no gate 'none'"
    exits 0 remove q
    exits 0 jobs q --json
    json 'length == 2'
    refused 'bad gate name "a b"' jobs 'a b'
}

@test "output: why there is none of a job that has not begun" {
    fill q
    exits 0 run -b q -- echo late
    exits 0 run -b q -- true
    exits 0 run -b -q -w 10ms q -- true
    exits 0 output @1
    [ -z "$output" ]
    says_error "admit output: @1 waits, and has not begun yet"
    exits 0 cancel @2
    exits 0 output @2
    says_error "admit output: @2 was cancelled before it began"
    exits 0 output -f @2
    says_error "admit output: @2 was cancelled before it began"
    exits 124 wait @3
    exits 0 output @3
    says_error "admit output: @3 ended before it could begin"
    touch "$T/end"
    exits 0 output -f @1
    [ "$output" = late ]
    [ -z "$stderr" ]
    exits 0 run -b q -- true
    exits 0 wait @4
    exits 0 output @4
    [ -z "$stderr" ]
}

@test "jobs: those that are named, those of a state, the ids alone" {
    exits 0 run -b -k 1 q -- true
    exits 0 run -b q -- false
    exits 0 run -b -k 1 other -- true
    exits 0 wait q other
    fill q
    exits 0 run -b q -- true
    exits 0 run -b q -- true
    exits 0 jobs @3 @1
    [ "$(awk '{ print $1 }' <<<"$output" | paste -sd' ')" = "job @3 @1" ]
    exits 0 jobs $'@1\n@2' --json
    json 'map(.id) == ["@1", "@2"]'
    exits 0 jobs -q
    [ "$(paste -sd' ' <<<"$output")" = "@1 @2 @3 @4 @5" ]
    exits 0 jobs --ids --state waiting q
    [ "$(paste -sd' ' <<<"$output")" = "@4 @5" ]
    exits 0 jobs --ids --state failed
    [ "$output" = "@2" ]
    exits 0 jobs --state done,waiting q --json
    json 'map(.id) == ["@1", "@2", "@4", "@5"]'
    exits 0 jobs --state running
    [ -z "$output" ]
    says_error "There is no such job."
    exits 0 jobs --ids --state running
    [ -z "$output" ]
    [ -z "$stderr" ]
    "$ADMIT" jobs --ids --state waiting q | xargs -r "$ADMIT" cancel
    exits 0 jobs --ids --state cancelled
    [ "$(paste -sd' ' <<<"$output")" = "@4 @5" ]
    refused "--state takes waiting, running, done, failed, cancelled, orphan or killed, not 'over'" jobs --state over
    refused "not ''" jobs --state waiting,
    refused "--ids and --json: which one?" jobs --ids --json
    refused "there is no job @77" jobs @1 @77
    refused "several are words of their own, as in @17 @18" jobs @1,@2
    refused "there is no gate '3'; did you mean @3?" jobs 3
    refused "'other' is one argument too many" jobs q other
    touch "$T/end"
}

@test "jobs: on a terminal of 80 columns commands that begin alike are told apart" {
    local n
    for n in 1 2; do
        exits 0 run -b -k 1 "a-gate-with-a-very-long-name-of-fifty-characters" -- /usr/bin/env sh -c true /home/ada/pictures/2026/img_$n.jpg
    done
    exits 0 wait @1 @2
    at_terminal "sh -c 'stty cols 80; $ADMIT jobs'"
    wait "$terminal"
    exec 8>&-
    grep -q 'a-gate-w\.\.\.haracters .*img_1\.jpg' "$T/screen"
    grep -q 'img_2\.jpg' "$T/screen"
    [ "$(tr -d '\r' <"$T/screen" | awk '{ print length }' | sort -n | tail -1)" -le 80 ]
    # What is no terminal has all of it.
    exits 0 jobs
    says "a-gate-with-a-very-long-name-of-fifty-characters  /usr/bin/env sh -c true /home/ada/pictures/2026/img_2.jpg"
    exits 0 run -b -k 1 long -- echo "$(printf 'x%.0s' {1..1000})" the-end
    exits 0 wait @3
    exits 0 jobs
    says "xx the-end"
}

@test "jobs: commands are cut at the edge of a terminal" {
    exits 0 run -b -k 1 q -- echo "$(printf 'x%.0s' {1..90})"
    exits 0 wait @1
    at_terminal "sh -c 'stty cols 100; $ADMIT jobs'"
    wait "$terminal"
    exec 8>&-
    grep -q 'xx\.\.\.' "$T/screen"
    [ "$(tr -d '\r' <"$T/screen" | awk '{ print length }' | sort -n | tail -1)" -le 100 ]
}

@test "jobs: a day after the end they are gone" {
    exits 0 run -b -k 1 q -- echo old
    exits 0 run -b q -- echo young
    exits 0 run -b q -- sh -c "$LINGER"
    exits 0 wait @1 @2
    touch -d '25 hours ago' "$ADMIT_DIR"/@jobs-*/1
    touch -d '23 hours ago' "$ADMIT_DIR"/@jobs-*/2
    touch -d '25 hours ago' "$ADMIT_DIR"/@jobs-*/3
    echo torn >"$(echo "$ADMIT_DIR"/@jobs-*)/100"
    touch -d '25 hours ago' "$ADMIT_DIR"/@jobs-*/100
    [ "$("$ADMIT" jobs --json | jq -c 'map(.id)')" = '["@2","@3"]' ]
    [ "$(cd "$ADMIT_DIR"/@jobs-* && echo *)" = "2 2.out 3 3.out last" ]
    exits 125 wait @1
    touch "$T/end"
    exits 0 wait @3
}

@test "wait: the status of the first that failed, in order of ids" {
    local status
    for status in 0 4 3; do
        exits 0 run -b -k 1 q -- sh -c "exit $status"
    done
    exits 4 wait @3 @2 @1
    exits 3 wait @3
    exits 0 wait @1
    exits 0 wait q
    exits 4 wait q @3 @2
    exits 125 wait @1 @4
    says_error "there is no job @4"
    exits 125 wait 17
    says_error "there is no gate '17'; did you mean @17?"
    refused "did you mean @17?" cancel 17
    refused "did you mean @17?" output 17
    # Several in one word.
    exits 4 wait $'@3\n @2\n@1\n'
    exits 1 cancel "@1 @2" $'@3\n'
    says_error "@3 has ended already"
    exits 125 wait "@1 17"
    says_error "did you mean @17?"
    exits 2 cancel "@1 x"
    says_error "'x' is no job's id, such as @17"
    exits 125 wait @x
    exits 125 wait none
    says_error "there is no gate 'none'"
    exits 125 wait
    exits 125 wait -x
}

@test "wait: its own time, a signal; it takes nothing" {
    exits 0 run -b -k 1 q -- sh -c "$LINGER"
    exits 124 wait -w 0.1 @1
    exits 124 wait --wait=0.1 q
    [ "$("$ADMIT" status q --json | jq -c '[.entered, .abandoned, (.waiters | length)]')" = "[1,0,0]" ]
    background wait q
    local at_gate=$pid
    background wait @1
    eventually is S state "$at_gate"
    eventually is S state "$pid"
    kill -INT "$at_gate" "$pid"
    ends 130 "$at_gate"
    ends 130 "$pid"
    touch "$T/end"
    exits 0 wait q
}

@test "wait: for a gate, whoever is there" {
    enter first q -k 1
    eventually inside first
    enter second q
    eventually is 1 waiters q
    background wait q
    local waits=$pid
    let_go first
    eventually inside second
    kill -0 "$waits"
    let_go second
    ends 0 "$waits"
    # Those inside a gate that has been removed are inside still.
    enter third q
    eventually inside third
    background wait q
    waits=$pid
    exits 124 wait -w 0.1 q
    "$ADMIT" remove --force q
    exits 125 wait q
    kill -0 "$waits"
    let_go third
    ends 0 "$waits"
}

@test "cancel: in line, and the others keep their places" {
    local i
    fill q
    for i in 1 2 3; do
        exits 0 run -b q -- touch "$T/ran$i"
    done
    exits 0 cancel @2
    [ "$(waiters q)" -eq 2 ]
    [ "$(job @2 '"\(.state) \(.status) \(.began)"')" = "cancelled 143 null" ]
    [ "$(job @3 .place)" -eq 2 ]
    exits 143 wait @2
    exits 1 cancel @2
    says_error "@2 has ended already"
    refused "there is no job @9" cancel @1 @9
    [ "$(job @1 .state)" = waiting ]
    refused "which job" cancel
    touch "$T/end"
    exits 0 wait q
    [ -e "$T/ran1" ]
    [ ! -e "$T/ran2" ]
    [ -e "$T/ran3" ]
    exits 1 cancel @1
    [ "$(job @1 .state)" = "done" ]
}

@test "cancel: a command and its group, also one that is stopped" {
    exits 0 run -b -k 3 q -- sh -c 'sleep 1000 & echo $! >$T/child; wait'
    exits 0 run -b q -- sh -c 'kill -STOP $$'
    exits 0 run -b q -- sh -c 'trap "exit 0" TERM; echo >$T/trapped; while test -e $T; do sleep 0.01; done'
    eventually test -s "$T/child"
    eventually test -s "$T/trapped"
    eventually is running job @2 .state # before that its process is admit's
    eventually is T state "$(job @2 .pid)"
    kill -STOP "$(job @3 .supervisor)"
    exits 0 cancel @1 @2 @3
    eventually ended "$(cat "$T/child")"
    [ "$("$ADMIT" jobs --json | jq -c 'map([.state, .status])')" = '[["cancelled",143],["cancelled",143],["cancelled",143]]' ]
    eventually is 0 holders q
}

@test "cancel: a job whose caller ignores SIGTERM" {
    (trap "" TERM && exits 0 run -b -k 1 q -- sleep 1000)
    (trap "" TERM && exits 0 run -b q -- true)
    exits 0 cancel @2 @1
    [ "$("$ADMIT" jobs --json | jq -c 'map([.state, .status])')" = '[["cancelled",143],["cancelled",143]]' ]
}

@test "cancel: what does not end by SIGTERM, a command or what it has started, also of a job that was killed" {
    local stubborn='trap "" TERM; echo >$T/$0; while test -e $T; do sleep 0.1; done'
    exits 0 run -b -k 3 q -- sh -c "$stubborn" one
    exits 0 run -b q -- sh -c "$stubborn" two
    exits 0 run -b q -- sh -c '(trap "" TERM; echo >$T/three; exec sleep 1000) & echo $! >$T/child; exec sleep 1000'
    eventually test -s "$T/one"
    eventually test -s "$T/two"
    eventually test -s "$T/three"
    kill -KILL "$(job @2 .supervisor)"
    eventually is orphan job @2 .state
    exits 0 cancel @1 @2 @3
    [ "$("$ADMIT" jobs --json | jq -c 'map([.state, .status])')" = '[["cancelled",137],["cancelled",null],["cancelled",143]]' ]
    eventually ended "$(cat "$T/child")"
    free q 3
}

@test "kill -9 of a job in line, and of one whose command runs" {
    fill q
    exits 0 run -b q -- true
    exits 0 run -b q -- sh -c 'echo "$ADMIT_SLOT" >$T/slot; echo one; '"${LINGER//end/stop}"
    kill -KILL "$(job @1 .supervisor)"
    exits 137 wait @1
    [ "$(job @1 '"\(.state) \(.status)"')" = "killed null" ]
    [ "$(job @2 .place)" -eq 1 ]
    touch "$T/end"
    eventually test -s "$T/slot"
    kill -KILL "$(job @2 .supervisor)"
    eventually is orphan job @2 .state
    exits 124 wait -w 0.2 @2
    [ "$(holders q)" -eq 1 ]
    touch "$T/stop"
    exits 137 wait @2
    exits 0 wait q
    [ "$(job @2 '"\(.state) \(.status)"')" = "killed null" ]
    [ "$("$ADMIT" output @2)" = one ]
    free q 1
}

@test "kill -9 of a job: its command is cancelled all the same" {
    exits 0 run -b -k 1 q -- sh -c 'sleep 1000 & echo $! >$T/child; wait'
    eventually test -s "$T/child"
    kill -KILL "$(job @1 .supervisor)"
    eventually is orphan job @1 .state
    exits 0 cancel @1
    eventually ended "$(cat "$T/child")"
    [ "$(job @1 .state)" = cancelled ]
    exits 137 wait @1
    free q 1
}

@test "jobs of another time namespace, where all processes have started at other times" {
    local supervisor
    [ "$(id -u)" -eq 0 ] && unshare --time --boottime 100000 true 2>/dev/null || skip "needs root, and time namespaces"
    exits 0 run -b -k 1 q -- sh -c "$LINGER"
    supervisor=$(job @1 .supervisor)
    # It cannot be told from another process of its number: so nothing is done to it, and that is said.
    run --separate-stderr unshare --time --boottime 100000 "$ADMIT" cancel @1
    [ "$status" -eq 1 ]
    says_error "cannot end @1: its processes cannot be seen from here"
    # Of one that may run nobody says that it has ended.
    kill -KILL "$supervisor"
    eventually is orphan job @1 .state
    [ "$(unshare --time --boottime 100000 "$ADMIT" jobs --json | jq -r '.[0].state')" = orphan ]
    run unshare --time --boottime 100000 "$ADMIT" wait -w 0.2 @1
    [ "$status" -eq 124 ]
    exits 0 cancel @1
}

@test "jobs: too few descriptors are no reason to say that there is no job" {
    grep -q __asan_init "$ADMIT" && skip "the sanitizers need descriptors"
    exits 0 run -b -k 1 q -- true
    exits 0 wait @1
    for limit in 4 5; do
        run --separate-stderr prlimit --nofile=$limit "$ADMIT" jobs @1
        [ "$status" -eq 2 ]
        says_error "Too many open files"
    done
}

@test "jobs: what cannot be written down for a moment is written down then" {
    local supervisor
    exits 0 run -b -k 1 q -- sh -c "$LINGER; exit 7"
    supervisor=$(job @1 .supervisor)
    prlimit --pid "$supervisor" --fsize=0:unlimited
    touch "$T/end"
    sleep 0.3
    prlimit --pid "$supervisor" --fsize=unlimited:unlimited
    exits 7 wait @1
    [ "$(job @1 .state)" = done ]
}

@test "cancel: a later process of the same number is let alone" {
    [ "$(id -u)" -eq 0 ] && unshare --pid --fork --mount-proc true || skip "needs root, and namespaces"
    unshare --pid --fork --mount-proc bash -c '
        "$0" run -b -k 1 q -- sleep 1000
        number() { "$0" jobs --json | jq ".[0].$1"; }
        supervisor=$(number supervisor) command=$(number pid)
        kill -KILL "$supervisor" "$command"
        while [ -e /proc/$command ]; do sleep 0.01; done
        until [ -e /proc/$command ]; do
            echo $((command - 1)) >/proc/sys/kernel/ns_last_pid
            sleep 1000 &
        done
        "$0" jobs --json | jq -r ".[0].state"
        "$0" cancel @1
        echo $?
        "$0" wait -w 5 @1
        echo $?
        grep ^State /proc/$command/status' "$ADMIT" >"$T/said" 3>&-
    [ "$(paste -sd' ' "$T/said")" = $'@1 killed 1 137 State:\tS (sleeping)' ]
}

@test "after a reboot nothing is an orphan" {
    [ "$(id -u)" -eq 0 ] && unshare --mount true || skip "needs root, and namespaces"
    exits 0 run -b -k 1 q -- sh -c "$LINGER"
    eventually is running job @1 .state
    kill -KILL "$(job @1 .supervisor)"
    eventually is orphan job @1 .state
    tr 0-9a-f 1-9a-f0 </proc/sys/kernel/random/boot_id >"$T/boot_id"
    unshare --mount sh -c 'mount --bind "$T/boot_id" /proc/sys/kernel/random/boot_id && exec "$0" jobs' "$ADMIT" >"$T/said"
    grep -q '@1  killed ' "$T/said"
    touch "$T/end"
    exits 137 wait @1
}

@test "a full disk: no job, and those that there are go on" {
    [ "$(id -u)" -eq 0 ] && unshare --mount true || skip "needs root, and namespaces"
    unshare --mount bash -c '
        mount -t tmpfs -o size=1m tmpfs "$ADMIT_DIR"
        "$0" run -b -k 1 --capacity 64 q -- sh -c "$1; exit 3"
        cat /dev/zero >"$ADMIT_DIR/zero"
        "$0" run -b q -- true
        echo $?
        touch "$T/end"
        "$0" wait @1
        echo $?
        rm "$ADMIT_DIR/zero"
        "$0" run -b q -- true
        "$0" jobs --json | jq length' "$ADMIT" "$LINGER" >"$T/said" 2>"$T/errors" 3>&-
    grep -q "No space left" "$T/errors"
    [ "$(sed 's/@.*/@/' "$T/said" | paste -sd' ')" = "@ 125 3 @ 2" ]
}

@test "jobs are kept where nobody else can write, or not at all" {
    mkdir -m 777 "$ADMIT_DIR/@jobs-$(id -u)"
    chmod 777 "$ADMIT_DIR/@jobs-$(id -u)"
    run_refused "it is not yours alone" -b -k 1 q -- true
    exits 125 wait @1
    says_error "it is not yours alone"
    exits 2 jobs
    says_error "it is not yours alone"
    rmdir "$ADMIT_DIR/@jobs-$(id -u)"
    ADMIT_DIR=$T/none \
        run_refused "-b: cannot open the directory of gates $T/none: ADMIT_DIR names it, and it does not exist; make it" \
        -b -k 1 "$T/q" -- true
}

@test "a job whose file was overwritten: the list says so, has the others, and is no success" {
    local j form
    for j in 1 2 3 4; do
        "$ADMIT" run -b -k 1 q -- true
    done
    "$ADMIT" wait q
    printf XXXX | dd of="$(echo "$ADMIT_DIR"/@jobs-*/1)" conv=notrunc status=none
    printf X | dd of="$(echo "$ADMIT_DIR"/@jobs-*/2)" bs=1 seek=40 conv=notrunc status=none
    truncate -s 20 "$ADMIT_DIR"/@jobs-*/3
    for form in "" --json q --ids; do
        # shellcheck disable=SC2086 # none, or one
        exits 2 jobs $form
        says "@4"
        says_not "@1"
        for j in 1 2 3; do
            says_error "cannot read what is kept of @$j in"
        done
        [ "$(grep -c "it was overwritten" <<<"$stderr")" -eq 3 ]
    done
    exits 125 wait @2
    says_error "it was overwritten"
    # A day later they are litter.
    touch -d "2 days ago" "$ADMIT_DIR"/@jobs-*/[123]
    exits 0 jobs
    says "@4"
    # One that nobody has begun to write is no job.
    : >"$(dirname "$ADMIT_DIR"/@jobs-*/4)/5"
    exits 0 jobs
    [ -z "$stderr" ]
}

@test "a job that comes from a directory that was deleted: it has none" {
    local admit
    admit=$(realpath "$ADMIT")
    mkdir "$T/gone"
    (cd "$T/gone" && rmdir "$T/gone" && "$admit" run -b -k 1 q -- true)
    "$ADMIT" run -b q -- true
    exits 0 jobs --json
    json ".[0].directory == null and .[1].directory == \"$PWD\" and (.[0].output | startswith(\"$ADMIT_DIR/\"))"
}

@test "an id that cannot be printed: the job is not run; and if that is known too late, it goes on, and that is said" {
    local status=0 place
    "$ADMIT" run -b -k 1 q -- touch "$T/ran" >&- 2>"$T/errors" || status=$?
    [ "$status" -eq 125 ]
    grep -q "standard output is closed" "$T/errors"
    [ ! -e "$ADMIT_DIR/q" ]
    # Where a slot is free, and in line.
    for place in free line; do
        status=0
        "$ADMIT" run -b -k 1 q -- touch "$T/ran" >/dev/full 2>"$T/errors" || status=$?
        [ "$status" -eq 125 ]
        grep -q "cannot print the job's id: No space left on device; the job is not run" "$T/errors"
        is 0 waiters q
        if [ "$place" = free ]; then
            free q 1
            fill q
        fi
    done
    touch "$T/end"
    "$ADMIT" wait q
    left_no_job
    [ ! -e "$T/ran" ]
    # The pipe is full until its reader goes.
    { head -c 65536 /dev/zero && "$ADMIT" run -b q -- touch "$T/late" 2>"$T/errors" && echo $? >"$T/went"; } | sleep 2.5
    eventually test -s "$T/went"
    grep -q "cannot print the job's id: Broken pipe; it goes on: @" "$T/errors"
    "$ADMIT" wait "$(sed 's/.*: @/@/' "$T/errors")"
    [ -e "$T/late" ]
}
