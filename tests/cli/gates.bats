#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # commands in quotes; variables of gates.bash
#
# admit status, list, resize, remove; who meets at which gate; what is refused, and in which words.
load gates

@test "status: who is inside, who waits, since when" {
    enter a demo -k 2
    eventually inside a
    enter b demo
    eventually inside b
    enter c demo
    eventually is 1 waiters demo
    enter d demo
    eventually is 2 waiters demo
    exits 0 status demo --json
    json '(keys - ["gate", "k", "capacity", "declared_k", "holders", "waiters", "outside", "dead", "entered", "recovered", "abandoned", "error"]) == []'
    json '.outside == 0 and .error == null'
    json '.gate == "demo" and .k == 2 and .capacity >= 4 and .entered == 2 and .recovered == 0 and .abandoned == 0'
    json '[.holders[].slot] == [0, 1] and [.waiters[].place] == [1, 2]'
    json ".holders[0].pid == $(cut -d' ' -f3 "$T/a.in") and .holders[1].pid == $(cut -d' ' -f3 "$T/b.in")"
    json ".waiters[1].pid == $pid"
    json '[.holders[], .waiters[] | .command | startswith("sh -c")] | all'
    json '[.holders[], .waiters[] | .since | fromdate | . > 1600000000 and . <= now + 1] | all'
    json "[.holders[], .waiters[] | .condition == \"lives\" and .user == \"$(id -un)\"] | all and length == 4"
    json '.dead == []'
    exits 0 status demo
    says "demo"
    says "$pid"
    says "sh -c"
    # All gates: an array.
    exits 0 run -k 1 other -- true
    exits 0 status --json
    json '[.[].gate] == ["demo", "other"] and .[0].k == 2 and .[1].holders == []'
    exits 0 status
    says other
}

# condition LIST: of the first one there, in JSON; and the table says so too, in the line of its process, before the
# command: unless all is well.
condition() {
    local word shown pid
    word=$("$ADMIT" status demo --json | jq -r ".$1[0] | .condition")
    pid=$("$ADMIT" status demo --json | jq ".$1[0].pid")
    shown=$("$ADMIT" status demo | grep -E "^ +[0-9-]+ +$pid " | sed -nE 's/.* \(([a-z]+)\) sh .*/\1/p')
    [ "${shown:-lives}" = "$word" ] && echo "$word"
}

@test "status: who is stopped, and who has a turn and no slot yet" {
    enter a demo -k 1
    eventually inside a
    local command holder=$pid
    command=$(cut -d' ' -f3 "$T/a.in")
    kill -STOP "$command"
    eventually is stopped condition holders
    kill -CONT "$command"
    eventually is lives condition holders
    # The admit of a command that runs may be stopped; the command holds.
    kill -STOP "$holder"
    eventually is T state "$holder"
    [ "$(condition holders)" = lives ]
    kill -CONT "$holder"
    enter b demo
    local waiter=$pid
    eventually is 1 waiters demo
    kill -STOP "$waiter"
    eventually is stopped condition waiters
    # Its turn comes: it holds up who comes after it, and has no slot.
    let_go a
    eventually ended "$holder"
    eventually is 0 waiters demo
    exits 0 status demo --json
    json '.holders | length == 1'
    json ".holders[0] | .slot == null and .pid == $waiter and .condition == \"stopped\""
    exits 0 status demo
    grep -E "^ +- +$waiter .* \(stopped\) " <<<"$output"
    says "1 of 1 inside"
    exits 75 run --try demo -- true
    kill -CONT "$waiter"
    eventually inside b
    exits 0 status demo --json
    json '.holders[0].slot == 0'
    let_go b
    ends 0 "$waiter"
}

@test "status: orphans, and the dead that nobody has come upon" {
    enter a demo -k 2
    eventually inside a
    kill -KILL "$pid"
    eventually is orphan condition holders
    [ "$(holders demo)" -eq 1 ]
    kill -KILL "$(cut -d' ' -f3 "$T/a.in")"
    eventually is 0 holders demo
    exits 0 status demo
    says "0 of 2 inside, 0 waiting"
    exits 0 status demo --json
    json ".holders == [] and .waiters == [] and (.dead | length == 1)"
    json ".dead[0] | .slot == 0 and .condition == \"died\" and (.command | startswith(\"sh -c\"))"
    [ "$(condition dead)" = died ]
    # Whoever comes buries it, and is told.
    exits 0 run demo -- sh -c 'echo "$ADMIT_OWNER_DIED"'
    [ "$output" = 1 ]
    exits 0 status demo --json
    json '.dead == [] and .recovered == 1'
}

@test "status of none" {
    exits 0 status --json
    json '. == []'
    exits 0 status
    exits 0 list --json
    json '. == []'
    exits 0 list
    export ADMIT_DIR=$T/not-there
    refused "not-there" list --json
    [ ! -e "$ADMIT_DIR" ]
}

@test "a name that would disturb a terminal or JSON does not" {
    export LINGER
    background run -k 1 demo -- sh -c 'touch $T/up; eval "$LINGER"' $'\e[31mred\n\xff"\\'
    eventually test -e "$T/up"
    exits 0 status demo
    [[ $output != *$'\e'* ]]
    exits 0 status demo --json
    json '.holders[0].command | contains("red")'
}

@test "list: the gates there are" {
    exits 0 run -k 3 c -- true
    exits 0 run -k 1 a -- true
    enter x b -k 2
    eventually inside x
    exits 0 list --json
    json '[.[] | {gate, k, holders, waiters, outside}] == [{"gate":"a","k":1,"holders":0,"waiters":0,"outside":0},
        {"gate":"b","k":2,"holders":1,"waiters":0,"outside":0}, {"gate":"c","k":3,"holders":0,"waiters":0,"outside":0}]'
    exits 0 list
    says_not outside
    exits 2 list extra
}

@test "list and status of all: one that is no gate does not hide the others, and the exit status tells" {
    exits 0 run -k 3 c -- true
    exits 0 run -k 1 a -- true
    exits 0 status
    exits 0 list
    echo nonsense >"$ADMIT_DIR/broken"
    exits 2 list
    [[ $output == *a\ *broken*"is not a gate"*c\ * ]]
    exits 2 list --json
    json '[.[] | .gate] == ["a", "broken", "c"] and [.[] | .k] == [1, null, 3]'
    json '[.[] | .outside] == [0, null, 0] and (.[1].error | contains("is not a gate"))'
    exits 2 status
    says "a: 0 of 1 inside"
    says "c: 0 of 3 inside"
    says_error "broken is not a gate"
    exits 2 status --json
    json '[.[] | .gate] == ["a", "broken", "c"] and [.[] | .k] == [1, null, 3]'
    json '.[0].error == null and .[2].error == null and (.[1].error | contains("is not a gate"))'
    json '.[1].holders == null and ([.[] | keys] | unique | length) == 1'
    # One that is named alone is told in the same way: why is in the object, too.
    for name in broken nosuch; do
        exits 2 status "$name" --json
        json ".gate == \"$name\" and .holders == null and .k == null and (.error | length > 0)"
        says_error "admit status: "
    done
    # One that can be used is shown as ever.
    # The table is as wide as the longest name.
    exits 0 run -k 2 a-name-that-is-longer-than-most-others -- true
    exits 2 list
    [ "${lines[1]}" = "a                                           1       0        0" ]
    [ "${lines[2]}" = "a-name-that-is-longer-than-most-others      2       0        0" ]
    exits 0 remove a-name-that-is-longer-than-most-others
    exits 0 status a
    exits 0 status a --json
    rm "$ADMIT_DIR/broken"
    exits 0 status
    exits 0 list
}

@test "k belongs to the gate" {
    run_refused "-k" demo -- true
    says_error "demo"
    exits 0 run -k 2 demo -- true
    exits 0 run demo -- true
    exits 0 run -k 2 demo -- true
    run_refused "2" -k 3 demo -- true
    says_error "3"
    says_error "demo"
}

@test "resize: more at once, fewer as holders leave" {
    enter a demo -k 1
    eventually inside a
    enter b demo
    eventually is 1 waiters demo
    exits 0 resize demo 2
    eventually inside b
    exits 0 status demo --json
    json '.k == 2 and [.holders[].slot] == [0, 1]'
    exits 0 resize demo 1
    enter c demo
    eventually is 1 waiters demo
    let_go a
    eventually is 1 holders demo
    outside c
    let_go b
    eventually inside c
    run_refused "1" -k 2 demo -- true
    refused "resize" resize nowhere 2
    refused "there is no gate" resize nowhere 2
    run_refused "a gate is a file, and this is a directory" -k 2 "$T/" -- true
    run_refused "a gate is a file, and this is a directory" -k 2 / -- true
    refused "K" resize demo
    refused "Without the =: admit resize demo 3" resize demo=3
    refused "the gate stands first: admit resize demo 3" resize 3 demo
    refused "'4' is one argument too many beside -k" resize demo -k 3 4
    refused "or cores, not 'core'" resize demo core
    for k in 0 -1 x 1000000000; do
        refused "resize" resize demo "$k"
    done
    let_go c
    eventually is 0 holders demo
    free demo 1
    local how
    for how in "-k 3 demo" "demo -k3" "demo --slots 3"; do
        exits 0 resize demo 1
        # shellcheck disable=SC2086 # words
        exits 0 resize $how
        exits 0 status demo --json
        json '.k == 3'
    done
    exits 0 resize demo cores
    exits 0 status demo --json
    json ".k == $(nproc)"
}

@test "remove: the dead are in nobody's way" {
    enter a demo -k 1
    eventually inside a
    kill -KILL "$pid"
    eventually ended "$pid"
    exits 1 remove demo
    let_go a
    eventually is 0 holders demo
    exits 0 remove demo
}

@test "remove: refused while anyone is inside or waits" {
    enter a demo -k 1
    eventually inside a
    enter b demo
    local waiter=$pid
    eventually is 1 waiters demo
    exits 1 remove demo
    says_error "admit remove: "
    says_error "$(cut -d' ' -f3 "$T/a.in")"
    says_error "$waiter"
    # Waiters fail at once; who is inside stays there.
    exits 0 remove --force demo
    ends 125 "$waiter"
    grep -q removed "$T/background.err"
    inside a
    exits 0 list --json
    json '. == []'
    # A new one of this name is another gate.
    exits 0 run -k 3 --try demo -- true
    exits 0 remove demo
    refused "there is no gate 'demo'" remove demo
    refused "which gate" remove
}

@test "remove: a process that only another pid namespace sees is said to be there" {
    unshare --pid --fork true 2>/dev/null || skip "it takes root to make a pid namespace"
    # The shell is the namespace's first process, so that the command outlives its admit.
    export ADMIT STAY
    unshare --pid --fork sh -c '"$ADMIT" run -k 1 demo -- sh -c "$STAY" a & admit=$!
        until test -s "$T/a.in" -o -e "$T/all.end"; do sleep 0.05; done
        kill -KILL $admit
        until test -e "$T/a.end" -o -e "$T/all.end" -o ! -e "$T"; do sleep 0.05; done' 3>&- </dev/null &
    eventually inside a
    eventually is unknown condition holders
    exits 1 remove demo
    says_error ") in another pid namespace"
    exits 0 remove --force demo
    exits 0 run -k 1 --try demo -- true
    let_go a
    wait $!
}

@test "remove: others' commands are named without what would disturb a terminal" {
    # A title, a colour as one byte, a change of direction, no UTF-8; and a name that is cut in the middle of a character.
    local name names=($'\e]0;owned\a' $'\x9b31mred' $'\xe2\x80\xaegnp' $'\xff\xc3' "x$(printf 'ä%.0s' {1..30})")
    mkdir "$T/bin"
    for name in "${names[@]}"; do
        printf '#!/bin/sh\n%s\n' "$LINGER" >"$T/bin/$name"
        chmod +x "$T/bin/$name"
        PATH=$T/bin:$PATH background run -k 5 demo -- "$name"
    done
    eventually is 5 holders demo
    exits 1 remove demo
    says_error "?]0;owned?"
    says_error "?31mred"
    says_error "???gnp"
    says_error "(xäää"
    [ -z "$(LC_ALL=C tr -cd '\000-\011\013-\037\177' <<<"$stderr")" ]
    [[ $stderr != *$'\xe2\x80\xae'* ]]
    iconv -f UTF-8 -t UTF-8 <<<"$stderr" >/dev/null
    # More than have room are counted.
    for name in 1 2 3 4 5 6 7 8; do
        PATH=$T/bin:$PATH background run demo -- "${names[4]}"
    done
    eventually is 8 waiters demo
    exits 1 remove demo
    says_error "more"
    iconv -f UTF-8 -t UTF-8 <<<"$stderr" >/dev/null
}

@test "unknown gates; near matches are named" {
    exits 0 run -k 1 training -- true
    refused "did you mean 'training'" status trainign
    refused "there is no gate 'xyzzy' in $ADMIT_DIR" status xyzzy
    refused "did you mean 'training'" remove trainnig
    refused "there is no gate '$T/none'" status "$T/none"
    refused "$T/no/such" status "$T/no/such/file"
}

@test "bad names" {
    for name in "" "a b" $'a\nb' "ä" "$(printf 'x%.0s' {1..65})" "a:b" . ..; do
        exits 125 run -k 1 "$name" -- true
        [[ $stderr == *name* ]] || [[ $stderr == *directory* ]]
        exits 2 status "$name"
    done
    exits 0 run -k 1 "$(printf 'x%.0s' {1..64})" -- true
    exits 0 run -k 1 "A-z_0.9" -- true
    # With a slash it is a path.
    exits 0 run -k 1 "$T/gates/path" -- true
    exits 0 status path
}

@test "bad usage of run: 125, and nothing is run" {
    run_refused "which gate"
    run_refused "command" demo
    run_refused "command" -k 1 demo --
    run_refused "--" -k 1 demo touch "$T/never"
    for k in 0 -1 x "" 1.5 99999999999999999999; do
        run_refused "-k takes a whole number" -k "$k" demo -- touch "$T/never"
    done
    for time in "" x -1 1x 1hh s ms 1.2.3 nan inf 1e99h "5 s"; do
        run_refused "-w takes a time" -k 1 -w "$time" demo -- touch "$T/never"
    done
    for mode in 888 rw 01777 0 0111 "" 07777; do
        run_refused "--mode" -k 1 --mode "$mode" demo -- touch "$T/never"
    done
    for capacity in 0 x -1; do
        run_refused "--capacity takes a whole number" -k 1 --capacity "$capacity" demo -- touch "$T/never"
    done
    run_refused "there is no option '--frobnicate'" --frobnicate demo -- true
    run_refused "--try" --try -w 5 -k 1 demo -- touch "$T/never"
    [ ! -e "$T/never" ]
    exits 0 list --json
    json '. == []'
}

@test "full: whoever comes then waits outside, unless it does not wait" {
    enter a demo -k 1 --capacity 2
    eventually inside a
    enter b demo
    eventually is 1 waiters demo
    exits 75 run --try demo -- touch "$T/never"
    says_error "no slot is free"
    exits 124 run -w 50ms demo -- touch "$T/never"
    [ ! -e "$T/never" ]
    enter c demo
    eventually is 1 outsiders demo
    exits 0 status demo
    says "1 of 1 inside, 1 waiting, room for 2, 1 outside"
    exits 0 status --json
    json '.[0].outside == 1'
    exits 0 list
    says "1, 1 outside"
    exits 0 list --json
    json '.[0] | .holders == 1 and .waiters == 1 and .outside == 1'
    exits 1 remove demo
    says_error ", and 1 more"
    let_go a
    eventually inside b
    exits 0 run -w 1h --capacity 2 demo -- true &
    let_go b
    eventually inside c
    let_go c
    wait $!
    free demo 1
}

@test "full: more jobs at once than there is room for, and all run" {
    for job in $(seq 400); do
        "$ADMIT" run -q -k 2 demo -- true 3>&- &
        jobs[job]=$!
    done
    for job in $(seq 400); do wait "${jobs[job]}"; done
    exits 0 status demo --json
    json '.entered == 400 and .recovered == 0 and .holders == [] and .waiters == []'
}

@test "k: the declared one and the present one are both agreed with" {
    exits 0 run -k 4 demo -- true
    exits 0 resize demo 2
    exits 0 status demo --json
    json '.k == 2 and .declared_k == 4'
    exits 0 status demo
    says "0 of 2 (declared with 4) inside"
    exits 0 run -k 4 demo -- true
    exits 0 run -k 2 demo -- true
    run_refused "has k = 2 (declared with 4), not 3; \`admit resize demo 3\`" -k 3 demo -- touch "$T/never"
    exits 0 resize demo 3
    exits 0 run -k 3 demo -- true
}

@test "--mode and --capacity of a gate that has others are told to be ignored, unless -q" {
    exits 0 run -k 1 --mode 0600 --capacity 5 demo -- echo ran
    [ "$output" = ran ]
    [ -z "$stderr" ]
    exits 0 run --mode 0600 --capacity 5 demo -- true
    [ -z "$stderr" ]
    exits 0 run --mode 0660 demo -- echo ran
    [ "$output" = ran ]
    [ "$stderr" = "admit run: gate 'demo' has mode 0600; --mode is for a gate that is made" ]
    exits 3 run --capacity 6 demo -- sh -c 'exit 3'
    [ "$stderr" = "admit run: gate 'demo' has room for 5; --capacity is for a gate that is made" ]
    exits 0 run -q --mode 0660 --capacity 6 demo -- true
    [ -z "$stderr" ]
    [ "$(stat -c %a "$ADMIT_DIR/demo")" = 600 ]
}

@test "a file that is no gate, or none any more: the message names the way out, and it is one" {
    local way="if nobody needs or uses this file, delete it with rm"
    exits 0 run -k 1 good -- true
    : >"$ADMIT_DIR/empty"
    echo "some text" >"$ADMIT_DIR/text"
    head -c 100000 /dev/urandom >"$ADMIT_DIR/random"
    head -c 5000 "$ADMIT_DIR/good" >"$ADMIT_DIR/cut"
    cp "$ADMIT_DIR/good" "$ADMIT_DIR/overwritten"
    printf 'xxxxxxxx' | dd of="$ADMIT_DIR/overwritten" bs=1 seek=16 conv=notrunc status=none
    for name in empty text random cut overwritten; do
        run_refused "$way" -k 1 "$name" -- true
        refused "$way" remove "$name"
        refused "$way" remove --force "$name"
        refused "$way" status "$name"
        rm "$ADMIT_DIR/$name"
        exits 0 run -k 1 "$name" -- true
    done
    # It is none of what is no file.
    mkdir "$ADMIT_DIR/directory"
    ln -s good "$ADMIT_DIR/link"
    for name in directory link; do
        refused "$name" status "$name"
        [[ $stderr != *"$way"* ]]
    done
}

@test "files that are no gates" {
    : >"$ADMIT_DIR/empty"
    echo "some text that is no gate" >"$ADMIT_DIR/text"
    head -c 100000 /dev/urandom >"$ADMIT_DIR/random"
    mkdir "$ADMIT_DIR/directory"
    mkfifo "$ADMIT_DIR/fifo"
    exits 0 run -k 1 good -- true
    ln -s good "$ADMIT_DIR/link"
    head -c 64 "$ADMIT_DIR/good" >"$ADMIT_DIR/cut"
    for name in empty text random directory fifo link cut; do
        run_refused "$name" -k 1 "$name" -- touch "$T/never"
        refused "$name" status "$name"
    done
    [ ! -e "$T/never" ]
    exits 0 run good -- true
}

@test "no permission, no directory, no room" {
    run_refused "$T/none" -k 1 "$T/none/gate" -- true
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    mkdir "$T/small"
    mount -t tmpfs -o size=4k tmpfs "$T/small" 2>/dev/null || skip "needs to mount"
    dd if=/dev/zero of="$T/small/filler" bs=4k count=4 2>/dev/null || true
    run "$ADMIT" run -k 1 "$T/small/gate" -- touch "$T/never"
    umount "$T/small"
    [ "$status" -eq 125 ]
    says "No space left"
    [ ! -e "$T/never" ]
}

@test "two users: a shared gate by its path and --mode; a private one is refused" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    local shared
    shared=$(mktemp -d /tmp/admit-test.XXXXXX)
    chmod 755 "$shared"
    cp "$ADMIT" "$shared/admit"
    exits 0 run -k 1 --mode 0666 "$shared/gate" -- true
    exits 0 run -k 1 "$shared/private" -- true
    run as_nobody "$shared/admit" run --try "$shared/gate" -- id -un
    echo "$output"
    [ "$output" = nobody ]
    enter holder "$shared/gate"
    eventually inside holder
    run as_nobody "$shared/admit" run --try "$shared/gate" -- true
    [ "$status" -eq 75 ]
    # The other user sees who is inside, waits, and is let in when the first one has left, or died.
    as_nobody "$shared/admit" run "$shared/gate" -- id -un >"$T/nobody" 3>&- &
    local waiter=$!
    eventually is 1 waiters "$shared/gate"
    run as_nobody "$shared/admit" status "$shared/gate" --json
    json ".holders[0].pid == $(cut -d' ' -f3 "$T/holder.in")"
    kill -KILL "$(cut -d' ' -f3 "$T/holder.in")"
    ends 0 $waiter
    [ "$(cat "$T/nobody")" = nobody ]
    run as_nobody "$shared/admit" run "$shared/private" -- true
    [ "$status" -eq 125 ]
    says "$shared/private"
    says "ermission"
    # A directory of gates that somebody else can write to is nobody's.
    run as_nobody ADMIT_DIR="$ADMIT_DIR" "$shared/admit" run -k 1 mine -- true
    [ "$status" -eq 125 ]
    rm -r "$shared"
}

@test "list and status show a gate as usable only if its name can be used" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    local shared
    shared=$(mktemp -d /tmp/admit-test.XXXXXX)
    chmod 1777 "$shared"
    cp "$ADMIT" "$shared/admit"
    as_nobody "$shared/admit" run -k 1 --mode 0666 "$shared/gate" -- true
    ADMIT_DIR=$shared run "$ADMIT" run gate -- true
    local refused=$status
    ADMIT_DIR=$shared run --separate-stderr "$ADMIT" list --json
    if [ "$refused" -eq 0 ]; then
        json '.[] | select(.gate == "gate") | .k == 1 and .error == null'
    else
        json '.[] | select(.gate == "gate") | .k == null and (.error | length > 0)'
        ADMIT_DIR=$shared run --separate-stderr "$ADMIT" status --json
        json '.[] | select(.gate == "gate") | .k == null and (.error | length > 0)'
        says_error "$shared/gate"
    fi
    rm -r "$shared"
}

@test "an empty environment, as cron's, meets the same gate as a login shell" {
    unset ADMIT_DIR
    local name=admit-test-$$-$RANDOM
    "$ADMIT" run -k 1 "$name" -- sh -c "touch \$T/up; $LINGER" 3>&- &
    eventually test -e "$T/up"
    run env -i "$ADMIT" run --try "$name" -- true
    [ "$status" -eq 75 ]
    run env -i HOME=/nowhere XDG_RUNTIME_DIR=/nowhere TMPDIR=/nowhere USER=x "$ADMIT" run --try "$name" -- true
    [ "$status" -eq 75 ]
    run env -i sh -c 'cd /; exec "$0" status "$1" --json' "$(realpath "$ADMIT")" "$name"
    json '(.holders | length) == 1'
    touch "$T/end"
    wait
    exits 0 remove "$name"
}

# with_stack KB STATUS ARGUMENT...: `admit ARGUMENT...` on a stack of that size, of which a large environment would take a part.
with_stack() {
    local status=0
    (ulimit -s "$1" && exec env -i PATH="$PATH" ADMIT_DIR="$ADMIT_DIR" "$ADMIT" "${@:3}") >"$T/small" 2>&1 || status=$?
    [ "$status" -eq "$2" ] || { echo "$status: ${*:3}"; cat "$T/small"; return 1; }
}

@test "a small stack: every command does what it does" {
    grep -q __asan_init "$ADMIT" && skip "the sanitizers need a larger stack"
    local kb
    "$ADMIT" run -b -k 1 --log "$T/log" q -- echo hi
    for kb in 64 32; do
        with_stack $kb 0 wait q
        with_stack $kb 0 output @1
        with_stack $kb 0 jobs
        with_stack $kb 0 jobs --json q
        with_stack $kb 0 list
        with_stack $kb 0 list --json
        with_stack $kb 0 status q
        with_stack $kb 0 status
        with_stack $kb 0 run -k 1 "$T/gate" -- true
        with_stack $kb 0 run -b -o "$T/%j.out" q -- true
        with_stack $kb 2 cancel @99
        with_stack $kb 0 enter --pid $$ other -k 1
        with_stack $kb 0 leave --pid $$ other
        with_stack $kb 0 resize other 1
        with_stack $kb 0 remove other
        with_stack $kb 0 jobserver pool -k 1 -- true
        with_stack $kb 0 jobserver pool --fifo -- true
        with_stack $kb 0 report "$T/log"
        with_stack $kb 0 report --svg "$T/svg" "$T/log"
    done
}

@test "what somebody else has named a file disturbs no terminal" {
    local name=$'evil\e]0;x\a'
    exits 2 status "$T/$name"
    says_error "evil?]0;x?"
    exits 125 run "$T/$name" -- true
    says_error "evil?]0;x?"
    exits 0 run -k 1 "$T/$name" -- true
    exits 0 status "$T/$name"
    says "evil?]0;x?: 0 of 1 inside"
    exits 126 run "$T/$name" -- "$T/$name"
    says_error "cannot run '$T/evil?]0;x?'"
}
