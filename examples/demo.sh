#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A dozen jobs at a gate of three, of which two are killed on the way: one in line, one inside (make demo). Then what the
# jobs themselves noted is compared with what is promised, and the checker shows a proof and a counterexample. It fails if
# anything that it says is not so.
#
# On a terminal of 80 columns and 24 lines the picture is drawn in place, in colours unless NO_COLOR is set. Anywhere else
# a line tells of each step. DEMO_TICK is how many seconds a column of the picture lasts; nothing depends on it but the
# pace: whatever is to come next waits until the log tells of what came before.
set -u
export LC_ALL=C
BUILD=${BUILD:-build}
TICK=${DEMO_TICK:-0.2}
JOBS=12 K=3 KILLED_IN_LINE=7 KILLED_INSIDE=2

[[ -x $BUILD/admit ]] || { echo "demo: there is no $BUILD/admit; run make" >&2 && exit 1; }
admit=$(realpath "$BUILD/admit")

# --- the jobs -------------------------------------------------------------------------------------------------------------

# However this ends: jobs whose fifo nobody else has open end by themselves, and those in line are told to go.
clean_up() {
    local fd job
    trap '' INT TERM HUP PIPE
    [[ -z $live ]] || printf '\e[0m\e[?25h'
    for fd in "${end[@]}"; do exec {fd}>&-; done
    for job in $(jobs -p); do kill "$job" 2>/dev/null; done
    wait
    cd / && rm -rf "$dir"
}

live='' end=()
dir=$(mktemp -d) || exit 1
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
trap 'exit 141' PIPE
cd "$dir" || exit 1
export ADMIT_DIR=$dir ADMIT_LOG=$dir/log
unset ADMIT_GATE ADMIT_INSIDE

# The witness: each notes by itself when it is inside. It stays until it is told to end, or nobody is left who could.
cat >job <<'EOF'
#!/bin/sh
echo "in $1 $ADMIT_SLOT ${ADMIT_OWNER_DIED:-0} $$" >>notes
read -r _
echo "out $1 $ADMIT_SLOT" >>notes
EOF
chmod +x job
touch notes log
exec {log}<log

# Of each job, as the log tells: waits, inside, left, killed; its slot; when it went in, in microseconds of the hour. And its
# admit, how many columns it has been inside, and its row of the picture, with a note beside it.
state=() slot=() entered_at=() pid=() stayed=() row=() note=()

start_job() {
    local fd
    mkfifo "end.$1" && exec {fd}<>"end.$1"
    end[$1]=$fd
    (
        for fd in "${end[@]}"; do exec {fd}>&-; done
        exec "$admit" run -q -k $K demo -- ./job "$1"
    ) <"end.$1" &
    pid[$1]=$!
}

fail() {
    echo "demo: $*" >&2
    exit 1
}

# follow: what the log tells since the last time.
follow() {
    local line job event
    while read -r line <&"$log"; do
        [[ $line =~ :([0-9][0-9]):([0-9.]+)Z\",\"event\":\"([a-z_]+)\".*\"command\":\"\./job\ ([0-9]+)\" ]] || continue
        event=${BASH_REMATCH[3]} job=${BASH_REMATCH[4]}
        case $event in
        wait) state[job]=waits ;;
        exit) state[job]=left ;;
        enter)
            entered_at[job]=$((10#${BASH_REMATCH[1]} * 60000000 + 10#${BASH_REMATCH[2]/./}))
            [[ $line =~ \"slot\":([0-9]+) ]] && slot[job]=${BASH_REMATCH[1]}
            state[job]=inside stayed[job]=0
            ;;
        esac
    done
}

# until_so WHAT COMMAND...: waits for what will happen, however slow the machine is.
until_so() {
    local what=$1 tries
    shift
    for ((tries = 0; tries < 6000; tries++)); do
        follow
        "$@" && return
        sleep 0.01
    done
    fail "it has not happened in a minute: $what"
}

has_come() { [[ -n ${state[$1]:-} ]]; }
is_inside() { [[ ${state[$1]:-} == inside ]]; }
has_left() { [[ ${state[$1]:-} == left ]]; }
has_noted() { grep -q "^in $1 " notes; }

# jobs_that_are STATE: their numbers, in the order in which they came.
jobs_that_are() {
    local job found=
    for job in "${!state[@]}"; do
        [[ ${state[job]} != "$1" ]] || found+=" $job"
    done
    echo "${found# }"
}

# The first in line, if there is one.
next_in_line() {
    local line
    line=$(jobs_that_are waits)
    echo "${line%% *}"
}

# A slot is free: who was the first in line goes in, and that is waited for before anybody else may go, so that the order in
# which they go in can be told.
goes_in() {
    until_so "job $1 goes in" is_inside "$1"
    until_so "job $1 notes it" has_noted "$1"
}

# --- what is seen ---------------------------------------------------------------------------------------------------------

rows='' columns=''
[[ -t 1 && ${TERM:-dumb} != dumb ]] && read -r rows columns < <(stty size 2>/dev/null </dev/tty)
[[ ${rows:-0} -ge 24 && ${columns:-0} -ge 80 ]] && live=yes
declare -A shown=([.]=. [0]=0 [1]=1 [2]=2 [X]=X)
if [[ -n $live && -z ${NO_COLOR:-} ]]; then
    shown=([.]=$'\e[2m.\e[0m' [0]=$'\e[30;46m0\e[0m' [1]=$'\e[30;43m1\e[0m' [2]=$'\e[30;45m2\e[0m' [X]=$'\e[1;97;41mX\e[0m')
fi

# One more column of the picture.
add_column() {
    local job mark
    for ((job = 1; job <= JOBS; job++)); do
        case ${state[job]:-} in
        waits) mark=. ;;
        inside) mark=${slot[job]} ;;
        killed) mark=X && state[job]=dead ;;
        left | dead) continue ;;
        *) mark=' ' ;;
        esac
        row[job]+=${shown[$mark]:-$mark}
        [[ $mark != [0-9] ]] || stayed[job]=$((stayed[job] + 1))
    done
}

# The lanes of all jobs.
picture() {
    local job
    echo "  ${shown[.]} waits   ${shown[0]} ${shown[1]} ${shown[2]} inside, in that slot   ${shown[X]} kill -9"
    for ((job = 1; job <= JOBS; job++)); do
        printf '  job %2d  %s%s\n' "$job" "${row[job]}" "${note[job]:+  ${note[job]}}"
    done
}

caption=''
draw() {
    [[ -n $live ]] || return
    printf '\e[%dA' $((JOBS + 4))
    picture
    printf '\n  inside: %-8s  in line: %s\e[K\n  %s\e[K\n' "$(jobs_that_are inside)" "$(jobs_that_are waits)" "$caption"
}

# tell TEXT: what happens, below the picture or as a line.
tell() {
    caption=$1
    if [[ -z $live ]]; then
        printf '  %-57s inside: %-8s  in line: %s\n' "$caption" "$(jobs_that_are inside)" "$(jobs_that_are waits)"
    fi
}

# --- what happens ---------------------------------------------------------------------------------------------------------

come() {
    start_job "$1"
    until_so "job $1 comes" has_come "$1"
    if is_inside "$1"; then
        tell "job $1 goes in, slot ${slot[$1]}"
        until_so "job $1 notes it" has_noted "$1"
    else
        tell "job $1 waits"
    fi
}

leave() {
    local next
    next=$(next_in_line)
    echo >&"${end[$1]}"
    until_so "job $1 leaves" has_left "$1"
    [[ -z $next ]] || goes_in "$next"
    tell "job $1 leaves${next:+, job $next goes in}"
}

kill_in_line() {
    kill -9 "${pid[$1]}"
    wait "${pid[$1]}" 2>/dev/null
    state[$1]=killed
    note[$1]="killed in line: the others keep their places"
    tell "kill -9 of job $1, in line: the others keep their places"
}

is_dead() { [[ $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) == [ZX]* ]]; }

# Its command and its admit, which is stopped before, since it would see the command end and give the slot back as it should.
# How long after the death of both the next one is in, the log tells: its times are those of the clock.
slot_back=''
kill_inside() {
    local next command killed_at
    next=$(next_in_line)
    command=$(sed -n "s/^in $1 .* //p" notes)
    kill -STOP "${pid[$1]}"
    kill -9 "$command"
    until_so "job $1 is dead" is_dead "$command"
    killed_at=${EPOCHREALTIME/./}
    kill -9 "${pid[$1]}"
    wait "${pid[$1]}" 2>/dev/null
    state[$1]=killed
    goes_in "$next"
    slot_back=$(((entered_at[next] - killed_at % 3600000000 + 3600000000) % 3600000000))
    note[$1]="killed inside: job $next has its slot $slot_back us later"
    tell "kill -9 of job $1, inside: $slot_back us later job $next is in"
}

# Column by column: all come, and nobody leaves before both have been killed; then each stays as long as its number says.
play() {
    local column job
    for ((column = 1;; column++)); do
        ((column > JOBS)) || come $column
        ((column != JOBS + 3)) || kill_in_line $KILLED_IN_LINE
        ((column != JOBS + 7)) || kill_inside $KILLED_INSIDE
        if ((column > JOBS + 10)); then
            for job in $(jobs_that_are inside); do
                ((stayed[job] < 8 + job * 5 % 7)) || leave "$job"
            done
        fi
        add_column
        draw
        [[ -n $(jobs_that_are inside) ]] || break
        sleep "$TICK"
    done
}

# --- and whether it is as promised ----------------------------------------------------------------------------------------

# Reads the notes. A slot that is still somebody's who cannot tell any more may be had by one that was told of the death.
judge() {
    awk -v k=$K -v died=$KILLED_INSIDE '
        function wrong(text) { print "what the jobs noted: " text > "/dev/stderr"; bad = 1 }
        $1 == "in" {
            order = order " " $2
            if ($3 in in_slot && !($4 && in_slot[$3] == died)) wrong("job " $2 " is in slot " $3 ", and job " in_slot[$3])
            if ($4 && in_slot[$3] != died) wrong("job " $2 " was told of a death")
            inside += !($3 in in_slot)
            in_slot[$3] = $2
            if (inside > most) most = inside
            if ($3 >= k) wrong("job " $2 " is in slot " $3)
        }
        $1 == "out" { inside--; delete in_slot[$3] }
        END {
            if (most != k || inside != 0) wrong(most " inside at most, " inside " in the end")
            print most order
            exit bad
        }' notes
}

# checked TEXT VALUE EXPECTED
checked() {
    [[ $2 == "$3" ]] || fail "$1: $2, and not $3"
    printf '  %-52s%s\n' "$1" "$2"
}

sum_up() {
    local job most order expected='' status
    read -r most order <<<"$(judge || echo wrong)"
    [[ $order != *wrong ]] || exit 1
    for ((job = 1; job <= JOBS; job++)); do
        status=0
        wait "${pid[job]}" 2>/dev/null || status=$?
        ((job == KILLED_IN_LINE || job == KILLED_INSIDE)) && continue
        ((status == 0)) || fail "job $job ended with status $status"
    done
    for ((job = 1; job <= JOBS; job++)); do
        ((job == KILLED_IN_LINE)) || expected+=" $job"
    done
    printf '\nWhat the jobs noted themselves, and the log:\n'
    checked "inside at once, at most" "$most" $K
    checked "went in, in this order" "$order" "${expected# }"
    checked "slot of job $KILLED_INSIDE, which was killed inside, went to" "job $(after_death)" "job $((K + 1))"
    printf '  %-52s%s\n' "from that kill -9 until it was in, by the log" "$slot_back microseconds"
    checked "inside or in line now" "$("$admit" status demo | sed -n 's/.*: \(.*\), room.*/\1/p')" "0 of $K inside, 0 waiting"
}

after_death() {
    awk '$1 == "in" && $4 { print $2 }' notes
}

# Somebody may be reading.
pause() {
    [[ -z $live ]] || sleep 3
}

# show STATUS COMMAND...: the command, what it prints, and that it ends as it should.
show() {
    local expected=$1 status=0
    shift
    printf '\n$ admit %s\n' "$*"
    if [[ -n $live ]]; then
        "$admit" "$@" | fold -s -w 79
        status=${PIPESTATUS[0]}
    else
        "$admit" "$@" || status=$?
    fi
    [[ $status -eq $expected ]] || fail "exit status $status, not $expected"
}

echo "A gate of $K, $JOBS jobs, each of them: admit run -k $K demo -- ./job NUMBER"
if [[ -n $live ]]; then
    printf '\e[?25l'
    printf '\n%.0s' $(seq $((JOBS + 4)))
fi
play
[[ -n $live ]] || picture
sum_up
pause
echo
echo "Was that luck? All interleavings of the text that just ran, with a kill -9 at"
echo "every step, as often as you like:"
show 0 check gate -n 2 -k 2 --fault recovery
pause
echo
echo "And what it looks like when a promise is not kept: one_bit, of the catalogue,"
echo "lets a process be locked out for ever."
show 1 check one_bit -n 2 --property lockout-freedom
