#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2054,SC2153,SC2154 # commands in quotes; variables of gates.bash
#
# What people are used to: how options are written, which resource goes with a slot, a limit for the command, a k that
# lives, several gates at once, and how all of it is shown.
load gates

@test "an option's value: in the next word, in the same one, after =; long forms; short ones together" {
    for k in "-k 2" "-k2" "-k=2" "--slots 2" "--slots=2"; do
        # shellcheck disable=SC2086 # one or two words
        exits 0 run $k demo -- true
        exits 0 status demo --json
        json '.k == 2'
        exits 0 remove demo
    done
    enter holder demo -k1
    eventually inside holder
    for wait in "-w 10ms" "-w10ms" "-w=0.01" "--wait 10ms" "--wait=0.01s"; do
        # shellcheck disable=SC2086
        exits 124 run $wait demo -- touch "$T/never"
        says_error "the time is over"
        # shellcheck disable=SC2086
        exits 124 run -q $wait demo -- touch "$T/never"
        [ -z "$stderr" ]
    done
    exits 124 run -qw0 demo -- touch "$T/never"
    [ -z "$stderr" ]
    exits 75 run --try --quiet demo -- touch "$T/never"
    [ -z "$stderr" ]
    [ ! -e "$T/never" ]
    run_refused "--try takes no value" --try=1 demo -- true
    run_refused "-q takes no value" -q=1 demo -- true
    run_refused "there is no option '-z'" -qz demo -- true
    run_refused "there is no option '-é'" -é demo -- true
    run_refused "--wait needs a value" demo --wait
    run_refused "-k takes a whole number from 1 to 1024, or cores, not ''" -k= demo -- true
    run_refused "-k takes a whole number from 1 to 1024, or cores, not '0'" -k 0 demo -- true
    exits 0 list --json
    refused "--json takes no value" list --json=1
    # Elsewhere, too.
    exits 0 check one_bit -n2 --property=exclusion
    exits 0 check one_bit --property exclusion -n=2
}

@test "times: units from days to ms, and several of them" {
    enter holder demo -k 1
    eventually inside holder
    for time in 10ms 0.01 .01s 0m10ms 0d0h0m0s1ms; do
        exits 124 run -w "$time" demo -- true
    done
    # It would be over by now if it were less than that.
    for time in 1d 1m30s 1d12h 2h30m; do
        background run -w "$time" demo -- true
        eventually is 1 waiters demo
        sleep 0.1
        [ "$(waiters demo)" -eq 1 ]
        kill "$pid"
        ends 143 "$pid"
    done
    for time in "" x 1x 30s1m 1s1s 1m30 -1 1e3 0x10 nan inf 1..5 1w 99999999999999d; do
        run_refused "-w takes a time, such as 30, 500ms, 1.5s, 10m, 2h, 1d or 1m30s, not '$time'" -w "$time" demo -- true
    done
    # Not 90 minutes: the command is ended after this time.
    let_go holder
    ends_after=$SECONDS
    exits 143 run --limit 0m1s demo -- sleep 1000
    [ $((SECONDS - ends_after)) -lt 60 ]
}

@test "-E: the status of a time-out and of --try; the command's own is as ever" {
    enter holder demo -k 1
    eventually inside holder
    exits 7 run -E 7 --try demo -- true
    exits 7 run -E7 -w 0 demo -- true
    exits 0 run --conflict-exit-code=0 -w 10ms demo -- false
    let_go holder
    ends 0 "$pid"
    exits 1 run -E 7 --try demo -- false
    run_refused "-E takes a whole number from 0 to 255, not '256'" -E 256 demo -- true
}

@test "-k cores: as many as this process may use" {
    exits 0 run -k cores demo -- true
    exits 0 status demo --json
    json ".k == $(nproc)"
    local one
    one=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    run taskset -c "$one" "$ADMIT" run -k cores one -- true
    [ "$status" -eq 0 ]
    exits 0 status one --json
    json ".k == 1"
    run_refused "not 'core'" -k core demo -- true
}

@test "--slot-env: the slot's element of a list, or a number that is counted from; -k is the list's length" {
    local at=(--slot-env CUDA_VISIBLE_DEVICES=0,1,3 --slot-env PORT=8000+)
    for job in a b c; do
        background run "${at[@]}" gpu -- sh -c 'echo "$ADMIT_SLOT $CUDA_VISIBLE_DEVICES $PORT" >$T/$0.has'"; $STAY" $job
        eventually inside $job
    done
    [ "$(sort "$T"/?.has)" = $'0 0 8000\n1 1 8001\n2 3 8002' ]
    exits 0 status gpu --json
    json '.k == 3'
    exits 75 run --try "${at[@]}" gpu -- true
    # Only a count says nothing of k.
    run_refused "-k K makes one" --slot-env PORT=8000+ ports -- true
    exits 0 run -k 2 --slot-env PORT=8000+ ports -- sh -c 'echo $PORT'
    [ "$output" = 8000 ]
}

@test "a command without -- before it is told so, whatever stands in it" {
    run_refused "'ls' comes after the gate; a command stands after '--': admit run demo -- ls" -k 1 demo ls
    run_refused "'ls' comes after the gate" -k 1 demo ls one two
    run_refused "'ls' comes after the gate" -k 1 demo ls -l
    run_refused "there is no option '-l'" -k 1 -l demo -- ls
}

@test "options that other tools have, and words that only a shell knows" {
    local option
    for option in -j4 -P4 "-j 4" --jobs=4; do
        # shellcheck disable=SC2086 # one or two words
        run_refused "there is no option '${option%%[ 4=]*}'; did you mean -k?" $option demo -- true
    done
    for option in -n -n4; do
        run_refused "there is no option '-n'; did you mean --try (not to wait, as flock's) or -k" "$option" demo -- true
    done
    for option in --nonblock --nb --no-wait; do
        run_refused "there is no option '$option'; did you mean --try?" "$option" demo -- true
        exits 125 enter "$option" demo
        says_error "did you mean --try?"
        exits 125 wait "$option" demo
        says_error "there is no option '$option'"$'\n'
    done
    run_refused "did you mean -w (for waiting) or --limit (for the command)?" --timeout 3 demo -- true
    run_refused "there is no option '--sloot-env'; did you mean --slot-env?" --sloot-env A=1 demo -- true
    exits 125 jobserver -j4 demo -- true
    says_error "did you mean -k?"
    exits 125 jobserver --timeout 4 demo -- true
    says_error "did you mean -w?"
    refused "there is no option '--jsno'; did you mean --json?" status --jsno
    refused "there is no option '-j'"$'\n' list -j
    exits 127 run -k 1 demo -- "echo x"
    says_error "cannot run 'echo x': No such file or directory; a shell's text needs sh -c"
    mkdir "$T/bin"
    for option in cd '|' '&&' ';'; do
        run --separate-stderr env PATH="$T/bin" "$ADMIT" run demo -- "$option" x
        [ "$status" -eq 127 ]
        says_error "a shell's text needs sh -c"
    done
    exits 127 run demo -- FOO=1 env
    says_error "cannot run 'FOO=1': No such file or directory; to set a variable, say env FOO=1 COMMAND"
    exits 127 run demo -- 1=2 env
    [[ $stderr != *"to set a variable"* ]]
    exits 127 run demo -- no-such-command-anywhere
    says_error "No such file or directory"
    [[ $stderr != *"sh -c"* ]]
    exits 127 jobserver demo -- "make -s"
    says_error "a shell's text needs sh -c"
}

@test "--slot-env: nobody gets what was not inherited" {
    export GPUS=1,3,7
    exits 0 run --slot-env GPUS=0,1,3 gpu -- sh -c 'echo $GPUS'
    [ "$output" = 1 ]
    exits 0 status gpu --json
    json '.k == 2'
    # Another k is no way out: the slots of others have other elements.
    GPUS=3 run_refused "of the list in --slot-env GPUS 1 may be used here" --slot-env GPUS=0,1,3 gpu -- true
    says_error "gate 'gpu' has k = 2: others have other elements in the same slots; this list needs a gate of its own"
    [[ $stderr != *resize* ]]
    GPUS=3 run_refused "a gate of its own" -k 1 --slot-env GPUS=0,1,3 gpu -- true
    [[ $stderr != *resize* ]]
    GPUS=3,1,0 run_refused "the list in --slot-env GPUS has 3 elements, which is k" --slot-env GPUS=0,1,3 gpu -- true
    says_error "resize gpu 3"
    (
        unset GPUS
        run_refused "the list in --slot-env GPUS has 3 elements, which is k" --slot-env GPUS=0,1,3 gpu -- true
        says_error "resize gpu 3"
    )
    GPUS=9 run_refused "nothing in the list is in what was inherited, '9'" --slot-env GPUS=0,1,3 gpu -- true
    GPUS='' run_refused "nothing in the list" --slot-env GPUS=0,1,3 gpu -- true
}

@test "--slot-env: nonsense" {
    run_refused "takes VARIABLE=A,B,C or VARIABLE=NUMBER+" --slot-env GPUS gpu -- true
    run_refused "takes VARIABLE=A,B,C" --slot-env =0,1 gpu -- true
    run_refused "takes VARIABLE=A,B,C" --slot-env GPUS= gpu -- true
    run_refused "--slot-env 1G=0,1: '1G' cannot be the name of a variable" --slot-env 1G=0,1 gpu -- true
    run_refused "--slot-env PO-RT=a,b: 'PO-RT' cannot be the name of a variable" --slot-env PO-RT=a,b gpu -- true
    run_refused "an element of the list is empty" --slot-env GPUS=0,,1 gpu -- true
    run_refused "'0' is in the list twice" --slot-env GPUS=0,1,0 gpu -- true
    run_refused "A has 2 elements, and B has 3" --slot-env A=1,2 --slot-env B=1,2,3 gpu -- true
    run_refused "-k 3 is more than --slot-env PORT has elements: 1; PORT=8000+ counts up" -k 3 --slot-env PORT=8000 gpu -- true
    run_refused "-k 3 is more than --slot-env A has elements: 2" -k 3 --slot-env A=1,2 gpu -- true
    run_refused "--slot-env A is given twice" --slot-env A=1,2 --slot-env A=8000+ gpu -- true
    run_refused "--slot-env ADMIT_SLOT: such names are admit's own" --slot-env ADMIT_SLOT=7,8 gpu -- true
    # What was meant to count, and would pass for a list.
    for count in 9999999999999999999+ 8000++ 8000+2 -1+ + 8000+,9000 1.5+; do
        run_refused "what counts is one number" --slot-env "PORT=$count" gpu -- true
    done
    run_refused "--slot-env A: '0-3' would be one element: say 0,1,2,3" --slot-env A=0-3 gpu -- true
    A=0,1 run_refused "say 0,1,2,3" --slot-env A=0-3 gpu -- true
    run_refused "say 5,4" --slot-env A=1,5-4 gpu -- true
    run_refused "say 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,..." --slot-env A=1-999999999 gpu -- true
    exits 0 run --slot-env CPUS=0-3,4-7 cpus -- sh -c 'echo $CPUS'
    [ "$output" = 0-3 ]
    exits 0 run --slot-env A=a-1,2-b words -- true
    exits 0 run --slot-env CXX=g++,clang++ cxx -- sh -c 'echo $CXX'
    [ "$output" = g++ ]
    [ ! -e "$ADMIT_DIR/gpu" ]
}

@test "--slot-env: a number alone is a list of one element, which is said" {
    exits 0 run --slot-env PORT=8000 one -- sh -c 'echo $PORT'
    [ "$output" = 8000 ]
    says_error "admit run: --slot-env PORT=8000 is a list of one element, so that k is 1; PORT=8000+ counts up from there"
    for how in "-q --slot-env PORT=8000" "-k 1 --slot-env PORT=8000" "--slot-env GPU=0" "--slot-env HOST=a1000"; do
        # shellcheck disable=SC2086 # words
        exits 0 run $how one -- true
        [ -z "$stderr" ]
    done
}

@test "--slot-env: a gate that has more slots than there are resources" {
    # Known at once, and not after a wait: also if the slot would have been one that has a resource.
    exits 0 run --slot-env A=only gpu -- true
    exits 0 resize gpu 2
    run_refused "gate 'gpu' has 2 slots now, and --slot-env A has elements for 1; \`admit resize gpu 1\`" --slot-env A=only gpu -- true
    exits 0 run -k 1 --resize --slot-env A=only gpu -- true
    # It has grown while one waited.
    enter holder gpu
    eventually inside holder
    background run --slot-env A=only gpu -- touch "$T/never"
    eventually is 1 waiters gpu
    exits 0 resize gpu 2
    ends 125 "$pid"
    grep -q "has a slot 1 now, for which --slot-env A has no element" "$T/background.err"
    [ ! -e "$T/never" ]
    [ "$(holders gpu)" -eq 1 ]
}

@test "--limit: TERM to the command, and then KILL; the status says which" {
    local patient late
    # An admit that is stopped when the time is over, and five seconds later still, grants those five seconds then.
    background run -k 2 --limit 2s slow -- sh -c 'trap "sleep 0.3; echo >$T/tidied; exit" TERM
        kill -STOP $PPID; while :; do sleep 0.05; done'
    late=$pid
    eventually is T state "$late"
    background run -k 2 --limit 2s slow -- sh -c 'trap "" TERM; while :; do sleep 0.05; done'
    patient=$pid
    exits 143 run -k 1 --limit 50ms demo -- sleep 1000
    exits 143 run --limit=50ms demo -- sh -c 'trap "exit 0" TERM; while :; do sleep 0.01; done'
    # One that is stopped ends all the same.
    exits 143 run --limit 0.1 demo -- sh -c 'kill -STOP $$; sleep 1000'
    ends 137 "$patient"
    kill -CONT "$late"
    ends 143 "$late"
    [ -e "$T/tidied" ]
    # It is told, unless it is not to be.
    exits 143 run --limit 50ms --log "$T/log" demo -- sleep 1000
    [ "$stderr" = "admit run: the time of --limit is over: the command is ended" ]
    exits 143 run -q --limit 50ms demo -- sleep 1000
    [ -z "$stderr" ]
    exits 143 run --limit 1h --log "$T/log" demo -- sh -c 'kill -TERM $$'
    [ -z "$stderr" ]
    [ "$(jq -c 'select(.event == "exit") | [.status, .why]' "$T/log" | paste -sd' ')" = '[143,"limit"] [143,null]' ]
    exits 0 report "$T/log" --json
    [ -z "$stderr" ]
    exits 5 run --limit 1h demo -- sh -c 'exit 5'
    # The time in line is no part of it.
    enter holder demo
    eventually inside holder
    background run --limit 1h demo -- sh -c 'exit 6'
    eventually is 1 waiters demo
    let_go holder
    ends 6 "$pid"
    run_refused "--limit 0" --limit 0 demo -- true
    run_refused "--limit takes a time" --limit soon demo -- true
    free demo 1
}

@test "--limit with --children ends what the command has left, too; without it does not" {
    export LINGER
    exits 143 run -k 1 --children --limit 300ms demo -- sh -c 'setsid sh -c "echo \$\$ >\$T/left; sleep 1000" & exit 0'
    ended "$(cat "$T/left")"
    exits 0 run --limit 1h demo -- sh -c 'setsid sh -c "echo \$\$ >\$T/stays; $LINGER" >/dev/null 2>&1 & exit 0'
    eventually test -s "$T/stays"
    run ! ended "$(cat "$T/stays")"
    free demo 1
}

@test "--limit with --children: everybody is sent one SIGTERM" {
    # An orphan that tidies up, while others end one after the other.
    cat >"$T/orphans" <<'END'
trap '' TERM
for other in 1 2 3; do
    (sh -c 'echo >$T/other.$0; until test -e $T/all.end -o -e $T/end.$0 -o ! -e $T; do sleep 0.05; done' $other &)
done
trap 'echo TERM >>$T/told' TERM
echo >$T/begun
until test -e $T/all.end -o -e $T/tidied -o ! -e $T; do sleep 0.05; done
END
    background run -k 1 --children --limit 2s demo -- sh -c '(sh $T/orphans &); exit 0'
    eventually test -s "$T/told"
    local other
    for other in 1 2 3; do
        touch "$T/end.$other"
        eventually is "$((4 - other))" children_of "$pid"
    done
    touch "$T/tidied"
    ends 143 "$pid"
    [ "$(cat "$T/told")" = TERM ]
}

@test "--limit with --children, where nobody can see what the command has left: it is said, and waited for" {
    unshare -rm mount -t tmpfs none /proc 2>/dev/null || skip "needs namespaces of its own"
    local left in_the_end=0
    # It takes /proc away from both, and gives it back in the end: the sanitizers need it then.
    left='until test -e $T/limited -o -e $T/all.end -o ! -e $T; do sleep 0.05; done; umount /proc'
    unshare -rm "$ADMIT" run -k 1 --children --limit 0.2 demo -- \
        sh -c 'mount -t tmpfs none /proc; (sh -c "$0" &); exit 5' "$left" 2>"$T/said" 3>&- &
    eventually grep -q "cannot end the command's children, which cannot be found: No such file" "$T/said"
    touch "$T/limited"
    wait $! || in_the_end=$?
    [ "$in_the_end" -eq 5 ]
}

@test "k that lives: after a resize the scripts that say the old one go on; --resize changes it for everybody" {
    exits 0 run -k 2 demo -- true
    exits 0 resize demo 3
    exits 0 run -k 2 demo -- true
    exits 0 run -k 3 demo -- true
    exits 0 status demo --json
    json '.k == 3 and .declared_k == 2'
    run_refused '`admit resize demo 4` changes it for everybody, and so does --resize' -k 4 demo -- true
    exits 0 run -k 4 --resize demo -- true
    exits 0 status demo --json
    json '.k == 4 and .declared_k == 4'
    run_refused "has k = 4, not 2" -k 2 demo -- true
    # With the number that the gate has already it declares that.
    exits 0 resize demo 2
    exits 0 run -k 2 --resize demo -- true
    exits 0 status demo --json
    json '.k == 2 and .declared_k == 2'
    exits 0 run -k 1 --resize new -- true
    run_refused "--resize: to how many slots?" --resize demo -- true
    run_refused "can have k from 1 to 256, not 1000: it was made with room for so many" -k 1000 --resize demo -- true
    # One that is refused has changed nothing.
    exits 125 run demo -- "$ADMIT" run -k 1 --resize demo -- true
    says_error "this is inside 'demo' already"
    exits 0 status demo --json
    json '.k == 2 and .declared_k == 2'
    # While people are inside; the first in line goes in.
    enter a demo
    enter b demo
    eventually is 2 holders demo
    enter c demo
    eventually is 1 waiters demo
    exits 0 run -k 4 --resize demo -- true
    eventually inside c
}

@test "status and remove of several gates; one that is missing hides no other" {
    exits 0 run -k 1 a -- true
    exits 0 run -k 2 b -- true
    exits 0 status b a
    [[ $output == "b: 0 of 2"*"a: 0 of 1"* ]]
    exits 0 status b a --json
    json '[.[] | .gate] == ["b", "a"]'
    exits 2 status a none b
    says "a: 0 of 1"
    says "b: 0 of 2"
    says_error "there is no gate 'none'"
    enter holder b
    eventually inside holder
    exits 1 remove a b
    says_error "gate \"b\" is in use"
    exits 2 remove a
    exits 0 remove -f b
    let_go holder
    ends 0 "$pid"
    exits 0 run -k 1 a -- true
    exits 2 remove none a
    exits 0 list --json
    json '. == []'
}

@test "-- ends the options of status, resize and remove: for a gate of a program with such a name" {
    exits 0 run -k 1 "$ADMIT_DIR/-x" -- true
    exits 0 status -- -x
    says "-x: 0 of 1"
    exits 0 resize -- -x 2
    refused "there is no option '-x'" remove -x
    exits 0 remove -- -x
    refused "'--' is one argument too many" resize -- demo 2 --
    refused "there is no gate '--'" status -- --
}

@test "no gates: a word on stderr, and nothing on stdout" {
    for command in status list; do
        exits 0 "$command"
        [ -z "$output" ]
        says_error "There is no gate in $ADMIT_DIR; 'admit run -k K GATE -- COMMAND' makes one."
        exits 0 "$command" --json
        [ "$output" = "[]" ]
        [ -z "$stderr" ]
    done
}

@test "commands are shown as a shell reads them, and cut at the width of a terminal" {
    background run -k 2 demo -- sh -c "$LINGER" "it's" '$HOME' '' plain-word=1
    eventually is 1 holders demo
    exits 0 status demo --json
    local shown
    shown=$(jq -r '.holders[0].command' <<<"$output")
    [ "${#shown}" -eq 95 ]
    [[ $shown == "sh -c 'until test -e "*"..." ]]
    touch "$T/end"
    ends 0 "$pid"
    rm "$T/end"
    printf '#!/bin/sh\n%s\n' "$LINGER" >"$T/stays"
    chmod +x "$T/stays"
    PATH=$T:$PATH background run demo -- stays "it's" '$HOME' '' plain-word=1
    eventually is 1 holders demo
    exits 0 status demo
    says "stays 'it'\\''s' '\$HOME' '' plain-word=1"
    at_terminal "sh -c 'stty cols 70; exec $ADMIT status demo'"
    ends 0 "$terminal"
    grep -q 'stays ' "$T/screen"
    grep -q '\.\.\.' "$T/screen"
    run ! grep -q 'plain-word' "$T/screen"
    tr -d '\r' <"$T/screen" >"$T/rows"
    run ! grep -E '.{71}' "$T/rows"
}

# How many this process has.
children_of() {
    wc -w <"/proc/$1/task/$1/children"
}

# condition GATE NUMBER: of that holder.
condition() {
    "$ADMIT" status "$1" --json | jq ".holders[$2].condition"
}

# rows COLUMNS: what `admit status demo` shows of commands on a terminal of that many columns.
rows() {
    at_terminal "sh -c 'stty cols $1; exec $ADMIT status demo'"
    ends 0 "$terminal"
    tr -d '\r' <"$T/screen" | grep -e ' stay' -e ' s[.]' -e '[.][.][.]'
}

@test "at any width of a terminal a command ends in its row, in whatever script it is written" {
    local columns line before end
    printf '#!/bin/sh\n%s\n' "$LINGER" >"$T/stays"
    chmod +x "$T/stays"
    PATH=$T:$PATH background run -k 2 demo -- stays "$(printf '日%.0s' {1..25})"
    eventually is 1 holders demo
    PATH=$T:$PATH background run demo -- stays "$(printf 'u\314\210%.0s' {1..25})"
    eventually is 2 holders demo
    kill -STOP "$("$ADMIT" status demo --json | jq '.holders[1].pid')"
    eventually is '"stopped"' condition demo 1
    for columns in 1 2 3 20 56 62 63 64 80 90; do
        rows "$columns" >"$T/rows"
        [ "$(wc -l <"$T/rows")" -eq 2 ]
        [ "$(grep -c '(stopped) stay' "$T/rows")" -eq 1 ]
        while IFS= read -r line; do
            before=${line%%stay*}
            for ((end = columns; end < ${#before} + 8; end += columns)); do :; done
            [ "$(LC_ALL=C.UTF-8 wc -L <<<"$line")" -le "$end" ]
            [[ $line == *... || $line == *日 || $line == *u$'\314\210' ]]
        done <"$T/rows"
    done
    rows 300 >"$T/rows"
    grep -q '日$' "$T/rows"
    grep -q "u$(printf '\314\210')$" "$T/rows"
    kill -CONT "$("$ADMIT" status demo --json | jq '.holders[1].pid')"
}

@test "a command that is cut is cut between characters" {
    printf '#!/bin/sh\n%s\n' "$LINGER" >"$T/stays"
    chmod +x "$T/stays"
    for begin in '' x xx; do
        PATH=$T:$PATH background run -k 1 "demo$begin" -- stays "$begin$(printf '日%.0s' {1..40})"
        eventually is 1 holders "demo$begin"
        exits 0 status "demo$begin" --json
        json '.holders[0].command | test("^stays x*日+[.][.][.]$")'
    done
}

@test "durations in status and in the waiting line" {
    enter holder demo -k 1
    eventually inside holder
    exits 0 status demo
    [[ $output =~ [0-9]{2}:[0-9]{2}:[0-9]{2}\ +[0-9]+\ s\ +sh\ -c ]]
    at_terminal "$ADMIT run demo -- true"
    eventually grep -qE 'demo, place 1, since [0-9:]+ \([0-9]+ s\)' "$T/screen"
    let_go holder
    ends 0 "$terminal"
    # A name that is too long for the line gives way to the place.
    local long
    long=$T/$(printf '日%.0s' {1..40})
    enter other "$long" -k 1
    eventually inside other
    at_terminal "sh -c 'stty cols 70; exec $ADMIT run $long -- true'"
    eventually grep -qE '[.]{3}, place 1, since [0-9:]+ \([0-9]+ s\)' "$T/screen"
    [ "$(tr '\r' '\n' <"$T/screen" | sed 's/\x1b\[K//' | LC_ALL=C.UTF-8 wc -L)" -le 69 ]
    let_go other
    ends 0 "$terminal"
}

@test "root may look at anybody's gate by its path, and enters none that is not shared" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    local theirs
    theirs=$(mktemp -d /tmp/admit-test.XXXXXX)
    cp "$ADMIT" "$theirs/admit"
    chown nobody "$theirs"
    chmod 755 "$theirs"
    as_nobody "$theirs/admit" run -k 1 "$theirs/gate" -- true
    exits 0 status "$theirs/gate" --json
    json '.k == 1 and .entered == 1'
    run_refused "belongs to user" "$theirs/gate" -- true
    # Somebody else may not.
    chown root "$theirs/gate"
    run as_nobody "$theirs/admit" status "$theirs/gate"
    [ "$status" -eq 2 ]
    rm -r "$theirs"
}

@test "a file may have a name as if it was on etcd" {
    cd "$T"
    local admit=$ADMIT
    [[ $admit == /* ]] || admit=$OLDPWD/$admit
    run "$admit" run -k 1 ./etcd:gpu -- true
    [ "$status" -eq 0 ]
}
