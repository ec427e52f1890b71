#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1003,SC2016,SC2030,SC2031,SC2153,SC2154 # commands in quotes; variables of gates.bash
#
# What `admit report` makes of logs whose numbers are known, and of files that are no logs, or half of one.
load gates

export TZ=UTC LC_ALL=C.UTF-8

# line SECOND EVENT PID FIELDS...: of a log, on 2026-03-01 from 10:00 on; k is $k, the user $user, the command $command.
k=2 user=ada command=./train gate=gpu
line() {
    printf '{"time":"2026-03-01T%(%H:%M:%S)T.000000Z","event":"%s","gate":"%s","path":"/srv/%s","k":%s,"pid":%s' \
        $((36000 + $1)) "$2" "$gate" "$gate" "$k" "$3"
    printf ',"user":"%s"' "$user"
    shift 3
    printf ',%s' "$@"
    printf ',"command":"%s"}\n' "$command"
}

# entered SECOND PID SLOT TICKET WAITED, left SECOND PID SLOT TICKET INSIDE [STATUS]
entered() {
    line "$1" enter "$2" "\"slot\":$3,\"ticket\":$4,\"waited\":$5,\"owner_died\":${died:-false}"
}

left() {
    line "$1" exit "$2" "\"slot\":$3,\"ticket\":$4,\"inside\":$5,\"status\":${6:-0}"
}

# has FILTER: the filter is true of the only gate of the report.
has() {
    json ".gates | length == 1 and (.[0] | $1)"
}

report() {
    exits 0 report "$@"
}

# A hundred seconds of two slots: slot 0 is used for 80 of them, slot 1 for 40; one waits for ten seconds.
hundred() {
    entered 0 11 0 1 0.000000
    entered 0 12 1 2 0.000000
    line 30 wait 13 '"place":1'
    left 40 12 1 2 40.000000 3
    left 40 11 0 1 40.000000
    user=bob command="/opt/it\\u00e9 -x" entered 40 13 0 3 10.000000
    user=bob command="/opt/it\\u00e9 -x" left 80 13 0 3 40.000000
    line 100 give_up 14 '"waited":0.000000' '"why":"no_slot"' '"status":75'
}

# The same, and so many who find no slot in the end that there is no lane for each.
many() {
    local n
    hundred
    for n in $(seq 101 124); do
        line 100 give_up "$n" '"waited":0.000000' '"why":"no_slot"' '"status":75'
    done
}

@test "a build that had asked for one more job when it ended has not given up" {
    {
        hundred
        line 50 wait 15 '"place":1'
        line 70 give_up 15 '"waited":20.000000' '"why":"ended"' '"status":0'
    } >"$T/log"
    report --json "$T/log"
    has '.gave_up == {timed_out: 0, no_slot: 1, signal: 0, failed: 0} and .waits_in_vain.count == 1'
    has '.longest_line == 1 and .waiting_at_the_end == 0'
}

@test "use of slots, waits and throughput are those of the log" {
    hundred >"$T/log"
    report --json "$T/log"
    has '.gate == "gpu" and .path == "/srv/gpu" and .seconds == 100 and .first == "2026-03-01T10:00:00Z"'
    has '.entered == 3 and .left == 3 and .waited == 1 and .left_per_minute == 1.8'
    has '.use == 0.6 and .slots == [{slot: 0, use: 0.8}, {slot: 1, use: 0.4}]'
    has '.failed == 1 and .statuses == [{status: 0, count: 2}, {status: 3, count: 1}]'
    has '.gave_up == {timed_out: 0, no_slot: 1, signal: 0, failed: 0} and .longest_line == 1'
    has '.waits == {count: 3, p50: 0, p90: 10, p99: 10, longest: 10}'
    has '.inside == {count: 3, p50: 40, p90: 40, p99: 40, longest: 40}'
    # Over time: two inside until 40, one until 80, nobody after; sixty columns of 100/60 seconds.
    has '.over_time | length == 60 and .[0].inside == 2 and .[23].inside == 2 and .[24].inside == 1 and .[48].inside == 0'
    has '[.over_time[] | .slots] | unique == [2]'
    has '[.over_time[] | select(.longest_line == 1) | .after] | first == 30 and (last < 40)'
    has '.recovered + .exits_not_told + .entries_not_told + .inside_at_the_end + .waiting_at_the_end == 0'
    json '.lines.all == 8 and .lines.torn == 0'
    report "$T/log"
    says "2026-03-01 10:00:00 to 2026-03-01 10:01:40, 1 min 40 s"
    says "left       3, 1.8 a minute, 1 failed: 1 with status 3"
    says "waited     p50 0 s, p90 10 s, p99 10 s, longest 10 s"
    says "full       all slots busy and somebody waiting: 10.0 % of the time"
    says "by user       entered   share    wait p50    wait p90     longest  gave up"
    says "  ada               2    67 %         0 s         0 s         0 s        1"
    says "  bob               1    33 %        10 s        10 s        10 s        0"
    says "  ité               1    33 %        10 s        10 s        10 s        0"
    says "use        60.0 % of the slots"
    says "by slot    0: 80 %, 1: 40 %"
    says "gave up    1: 1 found no slot"
    says "line       1 at most, on 2026-03-01 10:00:30"
    says_not "log"
    many >"$T/log"
    report "$T/log"
    says "gave up    25: 25 found no slot"
    says "  100 % |████████████████████████                                    "
    says "      0 |████████████████████████████████████████████████            "
    says_not "log"
    # Where there are no such characters, others.
    LC_ALL=C report "$T/log"
    says "  100 % |########################      "
    says_not █
}

@test "who entered, used the slots and waited: by user and by command" {
    hundred >"$T/log"
    report --json "$T/log"
    has '.all_busy_and_waiting == 0.1'
    has '.users | length == 2 and .[0].user == "ada" and .[1].user == "bob"'
    has '.users[0] | .entered == 2 and .gave_up == 1 and .seconds == 80 and .share == 0.666667 and .waits.longest == 0'
    has '.users[1] | .entered == 1 and .gave_up == 0 and .seconds == 40 and .waits.p50 == 10 and .waits.count == 1'
    has '[.commands[] | [.command, .entered, .seconds]] == [["train", 2, 80], ["ité", 1, 40]]'
    # One that is inside still has a share, one that was killed too; and one that only waited in vain is there.
    {
        k=1
        user=ann entered 0 1 0 1 0.000000
        user=bob entered 30 2 0 2 20.000000
        user=eve line 40 give_up 3 '"waited":5.000000' '"why":"timed_out"' '"status":124'
        k=2 line 100 wait 4 '"place":1'
    } >"$T/log"
    report --json "$T/log"
    has '[.users[] | [.user, .entered, .gave_up, .seconds, .share]]
        == [["bob", 1, 0, 70, 0.7], ["ann", 1, 0, 30, 0.3], ["eve", 0, 1, 0, 0]]'
    # From 10 to 30 bob waits, and from 35 to 40 eve.
    has '.all_busy_and_waiting == 0.25'
}

@test "all slots busy and somebody waiting: with the k that there was" {
    {
        k=1 entered 0 1 0 1 0.000000
        k=1 line 20 wait 2 '"place":1'
        k=3 line 40 wait 3 '"place":1' # from here on there is a slot for it
        k=3 left 80 1 0 1 80.000000
        k=3 entered 90 2 0 2 70.000000
        k=3 left 100 2 0 2 10.000000
    } | sed 's/ *#.*//' >"$T/log"
    report --json "$T/log"
    has '.seconds == 100 and .all_busy_and_waiting == 0.2'
    # As long as more are inside than there are slots, after a resize, they are busy.
    { k=2 entered 0 1 0 1 0.0; k=2 entered 0 2 1 2 0.0; k=1 line 50 wait 3 '"place":1'; k=1 left 100 1 0 1 100.0; } \
        >"$T/log"
    report --json "$T/log"
    has '.all_busy_and_waiting == 0.5'
}

@test "others: the five largest in text, a hundred in JSON" {
    local n
    for n in $(seq 103); do
        user=u$n command=./c$n
        entered "$n" "$n" "$((n - 1))" "$n" "$n.0"
        left 500 "$n" "$((n - 1))" "$n" "$((500 - n)).0"
    done >"$T/log"
    report --json "$T/log"
    has '.users | length == 101 and .[0].user == "u1" and .[99].user == "u100"'
    has '.users[100] | .user == null and .entered == 3 and .seconds == 399 + 398 + 397'
    has '.users[100].waits | .count == 3 and .p50 == 102 and .longest == 103'
    has '[.commands[] | .entered] | add == 103'
    report "$T/log"
    says "    u5 "
    says_not "    u6 "
    [ "$(grep -c '^    others  *98 ' <<<"$output")" -eq 2 ]
    [[ $output == *"    others "*"54 s  1 min 34 s  1 min 43 s"* ]]
}

@test "a command behind a shell, an interpreter or one that only starts it" {
    local named command names=()
    named=(
        "/opt/train -x=train"
        "nice -n 10 env -u HOME CUDA=1 ./train -x=train"
        "timeout -s KILL -k5s 5m sh -eu night.sh 3=night.sh"
        "/usr/bin/time -v nohup setsid -w ionice -c 2 -n7 x/deep=deep"
        "taskset -c 0-3 stdbuf -oL tool=tool"
        "sudo -u bob -- make=make"
        "python3.11 -u -W ignore '/my code/fit it.py' a=fit it.py"
        "python3 -m pytest -q=pytest"
        "python3 -Bc 'print(1)' x=python3 -c"
        "bash -euo pipefail job.sh=job.sh"
        "bash -euxc 'a; b'=bash -c"
        "nice /bin/sh -c 'time ./x'=sh -c"
        "sh=sh"
        "nice -n=nice"
        "env A=1=env"
        "python3 -=python3"
        "perl -I lib -w run.pl=run.pl"
        "bash env nice=env"
        "shred x=shred"
        "python3 'not ended...=not ended..."
    )
    for command in "${named[@]}"; do
        names+=("${command##*=}")
        command=${command%=*} entered 0 1 0 "${#names[@]}" 0.0
    done >"$T/log"
    report --json "$T/log"
    [ "$(jq -r '.gates[].commands[] | .command' <<<"$output" | sort)" = "$(printf '%s\n' "${names[@]}" | sort -u)" ]
    has '[.commands[] | .entered] | add == 20'
}

@test "what a build inside asks for its jobs is nobody's wait" {
    {
        command="make -j" entered 0 1 0 1 0.000000
        command="make -j" line 10 wait 1 '"place":1' '"token":true'
        command="make -j" entered 30 1 1 2 20.000000 | sed 's/}$/,"token":true}/'
        command="make -j" line 40 wait 1 '"place":1' '"token":true'
        command="make -j" left 80 1 1 2 50.000000 | sed 's/}$/,"token":true}/'
        command="make -j" line 90 give_up 1 '"waited":50.000000' '"why":"ended"' '"status":0' '"token":true'
        command="make -j" line 95 wait 1 '"place":1' '"token":true'
        command="make -j" left 100 1 0 1 100.000000
    } >"$T/log"
    report --json "$T/log"
    has '.entered == 1 and .waited == 0 and .left == 1 and .waits.count == 1 and .waits.longest == 0'
    has '.longest_line == 0 and .all_busy_and_waiting == 0 and .waiting_at_the_end + .ends_of_waits_not_told == 0'
    has '[.over_time[] | .longest_line] | max == 0'
    has '.tokens | .entered == 1 and .waited == 1 and .left == 1 and .waits.longest == 20 and .inside.p50 == 50'
    has '.use == 0.75 and .inside.count == 1 and .inside.longest == 100'
    has '.commands == [.commands[] | select(.entered == 1 and .tokens == 1 and .seconds == 150 and .waits.longest == 0)]'
    report "$T/log" --svg "$T/x.svg"
    grep -q '; 1 token of builds' "$T/x.svg"
    says "tokens     1 taken for jobs of builds"
    says "line       nobody waited"
    says_not "in line, at most"
    # And somebody else who waits meanwhile is one.
    { cat "$T/log"; line 60 wait 9 '"place":1'; entered 80 9 1 3 20.0; left 95 9 1 3 15.0; } >"$T/more"
    report --json "$T/more"
    has '.longest_line == 1 and .all_busy_and_waiting == 0.2 and .waits.longest == 20 and .entered == 2'
    # What is neither true nor false is no line of a log.
    sed 's/"token":true/"token":"yes"/' "$T/log" >"$T/odd"
    report --json "$T/odd"
    json '.lines.foreign + .lines.torn == 6'
}

@test "a build that is alone at a gate has nobody waiting" {
    command -v make >/dev/null || skip "there is no make"
    printf 'all: $(addprefix t,1 2 3 4 5 6)\nt%%:\n\t@sleep 0.05\n' >"$T/Makefile"
    exits 0 jobserver --log "$T/log" -k 2 pool -- make -s -C "$T"
    [ "$(jq -c 'select(.token) | .event' "$T/log" | sort -u | tr -d '\n')" != "" ]
    [ "$(jq -c 'select(.token | not) | .event' "$T/log" | tr -d '\n')" = '"enter""exit"' ]
    report --json "$T/log"
    has '.entered == 1 and .left == 1 and .longest_line == 0 and .waited == 0 and .tokens.entered >= 1'
}

@test "the hundredth parts of many waits" {
    local n
    for n in $(seq 1 200); do
        echo "$n"
    done | shuf | while read -r n; do
        entered 300 "$n" 0 "$n" "$n.500000"
        left 300 "$n" 0 "$n" 0.000000
    done >"$T/log"
    report --json "$T/log"
    has '.waits == {count: 200, p50: 100.5, p90: 180.5, p99: 198.5, longest: 200.5}'
    has '.seconds == 0 and .use == null and .left_per_minute == null and .over_time == []'
    report "$T/log" --svg "$T/moment.svg"
    says "all lines are of one moment"
}

@test "k changes: the slots that were offered are counted" {
    { k=1 entered 0 1 0 1 0.0; k=1 left 50 1 0 1 50.0; k=4 entered 50 2 0 2 0.0; k=4 left 100 2 0 2 50.0; } >"$T/log"
    report --json "$T/log"
    has '.use == 0.4 and [.k[] | .k] == [1, 4] and (.slots | length == 4)'
    report "$T/log"
    says "slots      1; 4 from 2026-03-01 10:00:50"
}

@test "a log that began in the middle, and whose writers were killed" {
    {
        left 10 21 0 1 500.000000             # its entry was before
        entered 10 22 1 2 0.000000            # killed: the next in its slot says so
        line 15 wait 23 '"place":1'
        line 20 wait 24 '"place":1'           # killed in line: 25 came later and is inside
        line 50 recover 23 '"slot":1'
        died=true entered 50 23 1 3 35.000000
        entered 60 25 0 4 30.000000
        left 90 23 1 3 40.000000
        line 90 wait 26 '"place":1'           # waits still
        entered 110 27 1 5 0.000000           # and two are inside still
    } | sed 's/ *#.*//' >"$T/log"
    report --json "$T/log"
    has '.entries_not_told == 1 and .exits_not_told == 1 and .recovered == 1 and .inside_at_the_end == 2'
    has '.ends_of_waits_not_told == 2 and .waiting_at_the_end == 0'
    # From 10 to 110: slot 0 from 60 on, slot 1 from 10 to 50, which is not known, from 50 to 90, and no longer.
    has '.seconds == 100 and .slots[0].use == 0.5 and .slots[1].use == 0.8 and .use == 0.65 and .use_of_unknown_end == 0.2'
    report "$T/log"
    says "exits: 1"
    says "entries: 1"
    says "at the end 2 inside, 0 waiting"
    # Without the last entry nobody who came later is inside.
    sed -i '$d' "$T/log"
    report --json "$T/log"
    has '.ends_of_waits_not_told == 1 and .waiting_at_the_end == 1 and .inside_at_the_end == 1'
}

@test "lines in any order, in several files, and some of them twice" {
    hundred >"$T/log"
    report --json "$T/log"
    local whole=$output
    sed -n 5,8p "$T/log" >"$T/late"
    sed -n 1,6p "$T/log" >"$T/early"
    report --json "$T/late" "$T/early"
    [ "$(jq -c .gates <<<"$output")" = "$(jq -c .gates <<<"$whole")" ]
    json '.lines.all == 10 and .lines.repeated == 2 and .lines.times_go_back == 0'
    tac "$T/log" >"$T/backwards"
    report --json - <"$T/backwards"
    [ "$(jq -c '.gates[].slots' <<<"$output")" = "$(jq -c '.gates[].slots' <<<"$whole")" ]
    json '.lines.times_go_back == 100'
    report "$T/backwards"
    says "times go back by up to 1 min 40 s"
    # A clock that was set back between an entry and its exit.
    { entered 50 1 0 1 0.0; left 10 1 0 1 5.0; entered 60 2 0 2 0.0; left 70 2 0 2 10.0; } >"$T/log"
    report --json "$T/log"
    has '.entered == 2 and .left == 2 and .exits_not_told == 0 and .entries_not_told == 0 and .inside_at_the_end == 0'
}

@test "what is no line of a log is left out and counted" {
    {
        echo
        printf 'hello\xff\xfe\n'
        head -c 200000 /dev/zero
        echo
        echo '{"time":"2026-03-01T10:00:00.000000Z"}'
        echo '[1, {"a": [}]'
        line 1 dance 9 '"steps":[1,2]'
        line 1 enter 9 '"slot":9999' '"ticket":1' '"waited":0'
        line 1 enter 9 '"slot":0' '"ticket":1' '"waited":-1'
        line 1 exit 9 '"slot":0' '"ticket":1' '"inside":1e300'
        line 1 wait 9 '"place":1' | sed 's/2026/1970/'
        line 1 wait 9 '"place":1' | sed 's/2026/9026/'
        line 1 wait 9 '"place":1' | head -c 70
        hundred | sed 's/,"command"/,"added":{"later":[1,{"x":null}],"and":"\\ud83d\\ude00"},"command"/'
        line 1 wait 9 '"place":1' | head -c 100
    } >"$T/log"
    report --json "$T/log"
    has '.entered == 3 and .use == 0.6 and .path == "/srv/gpu"'
    json '.lines | .all == 21 and .foreign == 7 and .unknown_event == 1 and .misdated == 2 and .torn == 2 and .too_long == 1'
    report "$T/log"
    says "21 in all; left out: 2 torn, 7 that are no log's,"
    says "1 of an event unknown here, 2 dated before 2000 or after tomorrow,"
    says "1 too long"
}

@test "names that are no text harm nothing, in text, JSON or picture" {
    gate='x\u001b[31m&<b>\"\\' command="'\\ufffe\\\\u0000]]>&' <y>" user=$'\xff\xfe<i>' hundred >"$T/log"
    report "$T/log" --svg "$T/x.svg"
    [[ $output != *$'\e'* ]]
    report --json "$T/log"
    json '.gates[0].gate == "x\u001b[31m&<b>\"\\"'
    grep -q '&#60;i&#62;' "$T/x.svg"
    [ "$(LC_ALL=C grep -cE $'\e|\xff|\xef\xbf\xbe|<b>|<i>' "$T/x.svg")" -eq 0 ]
}

@test "one gate of several" {
    { hundred; gate=other entered 0 1 0 1 0.000000; gate=other left 10 1 0 1 10.000000; } >"$T/log"
    report --json "$T/log"
    json '[.gates[].gate] == ["gpu", "other"]'
    report --json --gate other "$T/log"
    has '.gate == "other" and .use == 0.5'
    report --json --gate=/srv/gpu "$T/log"
    has '.gate == "gpu"'
    refused "nothing about gate 'gpa'; there is about gpu, other" report --gate gpa "$T/log"
}

# Of a minute. 2 is killed inside, and 4 has its slot; 5 is killed in line, 6 gives up, 7 waits and 8 is inside still.
minute() {
    entered 0 1 0 1 0.000000
    entered 5 2 1 2 0.000000
    line 10 wait 4 '"place":1'
    line 15 wait 5 '"place":2'
    line 20 wait 6 '"place":3'
    line 30 recover 4 '"slot":1'
    died=true entered 30 4 1 3 20.000000
    line 35 give_up 6 '"waited":15.000000' '"why":"timed_out"' '"status":124'
    line 36 wait 8 '"place":3'
    left 40 1 0 1 40.000000
    entered 40 8 0 5 4.000000
    line 45 wait 7 '"place":1'
    line 60 give_up 9 '"waited":0.000000' '"why":"no_slot"' '"status":75'
}

@test "a lane for each that came, if they are few" {
    minute >"$T/log"
    report "$T/log" --svg "$T/x.svg"
    says "a column is 1.2 s"
    says "  train             1        0000000000000000000000000000000000"$'\n'
    says "  train             2            111111111111111111111X"$'\n'
    says "  train             4                .................1111111111111111111111111"$'\n'
    says "  train             5                    .....................X"$'\n'
    says "  train             6                        .............-"$'\n'
    says "  train             8                                      ...00000000000000000"$'\n'
    says "  train             7                                             ............."$'\n'
    [[ $output == *"  train             9                                                         -" ]]
    says_not "slots in use"
    # One lane below the other, in the order in which they came; and who has the slot goes in where the other was killed.
    grep -q '<desc id=.about.>For each process that came a lane' "$T/x.svg"
    grep -q '8 came, 2 inside at once at most, 1 killed inside, 1 killed in line; entered in the order' "$T/x.svg"
    [ "$(grep -o "class='pid'>[0-9]*" "$T/x.svg" | tr -dc '0-9\n' | tr '\n' ' ')" = "1 2 4 5 6 8 7 9 " ]
    grep -q "process 2: waited 0 s, in slot 1 for 25 s; killed</title><rect class='c1' x='259.67' .* width='298.33'" "$T/x.svg"
    grep -q "process 4: waited 20 s, in slot 1 for 30 s, not over</title><rect class='waits' .*<rect class='c1' x='558.00'" \
        "$T/x.svg"
    grep -q "cx='558.00'.*>killed: slot 1 goes to the next in line<" "$T/x.svg"
    grep -q 'process 5: waited 25 s at most; killed in line' "$T/x.svg"
    grep -q '>its time was over<' "$T/x.svg"
    # Who goes in before one that had come earlier is seen to.
    { entered 0 1 0 2 0.0; entered 5 2 1 1 5.0; left 10 1 0 2 10.0; } >"$T/log"
    report "$T/log" --svg "$T/x.svg"
    grep -q '2 came, 2 inside at once at most<' "$T/x.svg"
    # An exit that was not written is no death.
    { entered 0 1 0 1 0.0; entered 5 2 0 2 0.0; left 10 2 0 2 5.0; } >"$T/log"
    report "$T/log" --svg "$T/x.svg"
    grep -q 'process 1: .* for 5.0 s at most: its exit is not in the log' "$T/x.svg"
    run ! grep -q 'killed inside\|slot goes to' "$T/x.svg"
    # Twenty-four are few, and one more is many.
    many | head -n -4 >"$T/log"
    report "$T/log"
    says "a column is"
    many | head -n -3 >"$T/log"
    report "$T/log"
    says_not "a column is"
}

@test "a lane says which command of a program it is, and its job" {
    {
        command="nice -n 3 ./train 1" line 0 enter 1 '"slot":0,"ticket":1,"waited":0.0,"job":"@319"'
        command="nice -n 3 ./train 1" line 5 exit 1 '"slot":0,"ticket":1,"inside":5.0,"job":"@319"'
        command="bash bin/nightly --of 'a day'" entered 6 2 0 2 0.0
        command="./train 3" line 7 wait 3 '"place":1,"job":"@320"'
        command="sh -c 'make; make check'" line 8 give_up 4 '"waited":1.0,"why":"timed_out","status":124,"job":"@x1"'
        command="./train 5" line 10 exit 5 '"slot":1,"ticket":0,"inside":10.0,"job":"@1"'
    } >"$T/log"
    report "$T/log" --svg "$T/x.svg"
    says "  train 1           @319     0000"
    says "  nightly --of '... 2     "
    says "  train 3           @320  "
    says "  sh -c 'make; m... 4     "
    says "  train 5           @1       1111"
    [ "$(wc -L <<<"$output")" -le 80 ]
    grep -q '>train 1 <tspan class=.pid.>@319<' "$T/x.svg"
    grep -q '>train 3, job @320, process 3: waited' "$T/x.svg"
    says "    train             1    79 %"
}

@test "a picture: each stay, with who it was, or columns if they are many" {
    many >"$T/log"
    report "$T/log" --svg "$T/log.svg"
    grep -q '<svg .*role=.img' "$T/log.svg"
    grep -q '<title id=.title.>Use of slots' "$T/log.svg"
    grep -q 'prefers-color-scheme' "$T/log.svg"
    grep -q '>waiting</text>' "$T/log.svg"
    run ! grep -q 'nobody waited' "$T/log.svg"
    [ "$(grep -c 'process 1[123], slot [01]; from' "$T/log.svg")" -eq 3 ]
    grep -q "x='76.00' .*width='335.40' .*process 12, slot 1; from 2026-03-01 10:00:00, 40 s; status 3" "$T/log.svg"
    [ "$(stat -c %a "$T/log.svg")" = "$(printf %o $((0666 & ~$(umask))))" ]
    # 4000 stays of a second: small still, and every column of the slot's lane in one piece.
    awk 'BEGIN { for (t = 0; t < 4000; t++) {
        at = sprintf("2026-03-01T%02d:%02d:%02d", t / 3600, t / 60 % 60, t % 60)
        line = "\"gate\":\"g\",\"path\":\"/g\",\"k\":1,\"pid\":" t + 1 ",\"slot\":0,\"ticket\":" t
        print "{\"time\":\"" at ".000000Z\",\"event\":\"enter\"," line ",\"waited\":0}"
        print "{\"time\":\"" at ".999999Z\",\"event\":\"exit\"," line ",\"inside\":1}" } }' >"$T/log"
    report "$T/log" --svg "$T/log.svg"
    says "left       4000, 1.0 a second"
    [ "$(wc -c <"$T/log.svg")" -lt 20000 ]
    grep -q 'h840v18h-840z' "$T/log.svg"
    # No empty axis where nobody waited.
    grep -q '>nobody waited</text>' "$T/log.svg"
    run ! grep -q '>waiting</text>' "$T/log.svg"
    # Of none who left there is no rate.
    { entered 0 11 0 1 0.000000; entered 40 12 1 2 0.000000; } >"$T/log"
    report "$T/log"
    [ "$(grep '^  left' <<<"$output")" = "  left       0" ]
}

@test "a picture that cannot be written is not begun" {
    hundred >"$T/log"
    exits 2 report "$T/log" --svg "$T/none/x.svg"
    says_error "cannot write '$T/none/x.svg': No such file"
    exits 2 report "$T/log" --svg "$T"
    says_error "Is a directory"
    exits 2 report "$T/log" --svg /dev/full
    says_error "No space left"
    echo before >"$T/x.svg"
    run --separate-stderr bash -c 'ulimit -f 1; trap "" XFSZ; "$1" report "$2" --svg "$3" >/dev/null' - \
        "$ADMIT" "$T/log" "$T/x.svg"
    [ "$status" -eq 2 ]
    says_error "File too large"
    [ "$(cat "$T/x.svg")" = before ]
    [ "$(find "$T" -name 'x.svg*' | wc -l)" -eq 1 ]
    # One that is there is replaced, behind a link too.
    ln -s x.svg "$T/link.svg"
    report "$T/log" --svg "$T/link.svg"
    [ -L "$T/link.svg" ]
    grep -q '</svg>' "$T/x.svg"
}

@test "bad usage, and files that cannot be read" {
    refused "which log?" report
    refused "no option '--jsn'" report --jsn x
    refused "--svg takes a file" report --svg - x
    run --separate-stderr bash -c '"$1" report - <&-' - "$ADMIT"
    [ "$status" -eq 2 ]
    says_error "cannot read 'standard input': Bad file descriptor"
    refused "cannot read '$T/none'" report "$T/none"
    refused "cannot read '$T'" report "$T"
    : >"$T/empty"
    refused "the log is empty" report "$T/empty"
    echo '{"event":"enter"}' >"$T/foreign"
    refused "no line is one of a log" report "$T/foreign"
    # The others are told, and the status says that something is missing.
    hundred >"$T/log"
    exits 2 report "$T/none" "$T/log" --json
    says_error "cannot read '$T/none'"
    has '.use == 0.6'
    run --separate-stderr bash -c '"$1" report "$2" >/dev/full' - "$ADMIT" "$T/log"
    [ "$status" -ne 0 ]
}

@test "what processes logged is what is told, whoever is killed" {
    export ADMIT_LOG=$T/log
    enter holder demo -k 1
    eventually inside holder
    exits 75 run --try demo -- true
    background run demo -- sh -c 'exit 7'
    local waiter=$pid
    eventually is 1 waiters demo
    let_go holder
    ends 7 "$waiter"
    # One is killed inside, with its command; the next in its slot tells of it.
    background run demo -- sh -c 'echo $$ >$T/command; exec sleep 1000'
    eventually test -s "$T/command"
    kill -KILL "$pid" "$(cat "$T/command")"
    eventually "$ADMIT" run --try demo -- true
    report --json "$T/log"
    has '.gate == "demo" and .entered == 4 and .left == 3 and .waited == 1 and .exits_not_told == 1'
    has '.recovered == 1 and .gave_up.no_slot >= 1 and .longest_line == 1 and .inside_at_the_end == 0'
    has '.use > 0 and .use <= 1.000001 and .waits.longest > 0 and .inside.count == 3'
    json '.lines | .torn + .foreign + .repeated == 0'
}
