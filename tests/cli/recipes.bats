#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2030,SC2031,SC2153,SC2154 # commands in quotes; variables of gates.bash
#
# docs/recipes.md does what it says: each block of code there is run here, as it stands but for paths that only root has. The
# commands in it are stand-ins that note what they saw.
load gates

RECIPES=$BATS_TEST_DIRNAME/../../docs/recipes.md

setup() {
    case $ADMIT in
    /*) ;;
    *) ADMIT=$PWD/$ADMIT ;;
    esac
    ROOT=$PWD
    T=$BATS_TEST_TMPDIR
    export T HOME=$T/home ADMIT_DIR=$T/gates
    mkdir -p -m 700 "$T/bin" "$T/work" "$HOME" "$ADMIT_DIR"
    ln -s "$ADMIT" "$T/bin/admit"
    PATH=$T/bin:$PATH
    cd "$T/work" || return
}

# recipe HEADING NUMBER: the block of code of this number under that heading.
recipe() {
    awk -v heading="## $1" -v number="$2" '
        /^## / { here = $0 == heading }
        here && /^```/ { blocks += open = !open; next }
        here && open && blocks == number { print; found = 1 }
        END { exit !found }' "$RECIPES"
}

# stand_in NAME [SHELL]: a command, here and in PATH, that notes in noted that it begins and ends, and with what; between
# these it does what SHELL says.
stand_in() {
    printf '#!/bin/sh\necho "begin %s $*" >>"$T/noted"\n%s\necho "end %s" >>"$T/noted"\n' "$1" "${2:-:}" "$1" >"$1"
    chmod +x "$1"
    ln -sf "$PWD/$1" "$T/bin/$1"
}

noted() {
    [ "$(cat "$T/noted" 2>/dev/null)" = "$1" ]
}

# At most this many were ever between begin and end.
at_most() {
    awk -v most="$1" '/^begin/ { now++ } /^end/ { now-- } now > most { over = 1 } END { exit over || NR == 0 }' "$T/noted"
}

begun() {
    grep -c '^begin' "$T/noted"
}

# A command that waits until the test says so.
HOLDS='until test -e "$T/go" -o ! -e "$T"; do sleep 0.05; done'

@test "from flock: a script that runs once at a time" {
    { echo '#!/bin/sh'; recipe "From flock" 1; echo './work "$@"'; } >nightly
    chmod +x nightly
    stand_in work "$HOLDS"
    ./nightly a b 3>&- &
    eventually noted "begin work a b"
    ./nightly c 3>&- &
    eventually is 1 waiters nightly
    touch "$T/go"
    wait
    noted $'begin work a b\nend work\nbegin work c\nend work'
}

@test "from flock: a slot for a part of a script" {
    { echo '#!/bin/sh'; recipe "From flock" 2; echo "$HOLDS"; } >script
    stand_in collect "$HOLDS"
    stand_in post
    sh script 3>&- &
    local first=$!
    eventually noted "begin collect "
    [ "$(admit status ledger --json | jq '.holders[0].pid')" -eq "$first" ]
    # One that is killed in its part gives the slot back.
    kill -KILL "$first"
    wait "$first" || true
    rm "$T/noted"
    sh script 3>&- &
    eventually noted "begin collect "
    sh script 3>&- &
    eventually is 1 waiters ledger
    touch "$T/go"
    wait
    at_most 1
    [ "$(grep -c '^end post' "$T/noted")" -eq 2 ]
    eventually is 0 holders ledger
}

@test "from flock: what a script has left running does not pass by its gate" {
    { echo '#!/bin/sh'; echo 'set -u'; recipe "From flock" 1; echo './work "$@"'; } >nightly
    chmod +x nightly
    stand_in work '[ "$*" != first ] || { { until test -e "$T/left" -o ! -e "$T"; do sleep 0.05; done; ./nightly second; } 3>&- & }'
    ./nightly first
    stand_in other "$HOLDS"
    admit run nightly -- ./other 3>&- &
    eventually is 1 holders nightly
    touch "$T/left"
    eventually is 1 waiters nightly
    touch "$T/go"
    eventually noted $'begin work first\nend work\nbegin other \nend other\nbegin work second\nend work'
    wait
}

@test "from flock: workers of one script" {
    recipe "From flock" 3 >script
    stand_in collect 'sleep 0.2'
    bash script
    at_most 2
    [ "$(begun)" -eq 3 ]
    eventually is 0 holders parts
}

@test "from GNU sem: which of them failed" {
    touch one.jpg three.jpg two.jpg
    stand_in shrink 'echo shrinking "$1"; [ "$1" != two.jpg ] || exit 4'
    recipe "From GNU sem" 2 >script
    sh script 2>failed
    grep -q '^@[0-9]* failed with 4:$' failed
    grep -qx 'shrinking two.jpg' failed
    [ "$(wc -l <failed)" -eq 2 ]
}

@test "from GNU sem: a loop, in its order" {
    touch one.jpg three.jpg two.jpg
    stand_in shrink
    recipe "From GNU sem" 1 >script
    sh script >ids
    at_most 4
    [ "$(begun)" -eq 3 ]
    [ "$(wc -l <ids)" -eq 3 ]
    grep -qx '@[0-9]*' ids
}

@test "from task-spooler: a queue, and what waits for it" {
    stand_in render
    stand_in upload
    recipe "From task-spooler" 1 >script
    sh script
    noted $'begin render one\nend render\nbegin render two\nend render\nbegin upload \nend upload'
    rm "$T/noted"
    stand_in render 'exit 3'
    run sh script
    [ "$status" -eq 3 ]
    noted $'begin render one\nbegin render two'
}

@test "from flock, GNU sem and task-spooler: what the tables say" {
    stand_in it "$HOLDS"
    admit run -k 1 NAME -- ./it 3>&- &
    eventually noted "begin it "
    local words
    while read -r expected words; do
        # shellcheck disable=SC2086 # words
        run admit $words
        [ "$status" -eq "$expected" ] || {
            echo "$status, not $expected: admit $words"
            return 1
        }
    done <<'COMMANDS'
1 run -k 1 --try -E 1 NAME -- true
1 run -k 1 -w 0.1 -E 1 NAME -- true
75 run -k 1 --try NAME -- true
124 run -w 0.1 NAME -- true
0 run -b -k 1 NAME -- true
0 jobs NAME
0 resize NAME 3
COMMANDS
    touch "$T/go"
    wait
    run admit wait NAME
    [ "$status" -eq 0 ]
    local id
    id=$(admit run -b NAME -- echo printed)
    admit wait "$id"
    [ "$(admit output "$id")" = printed ]
    [ "$(admit output -f "$id")" = printed ]
    id=$(admit run -b NAME -- sleep 1000)
    admit cancel "$id"
    run admit wait "$id"
    [ "$status" -ne 0 ]
    [ "$(admit run -k cores cores -- sh -c 'echo went in')" = "went in" ]
}

@test "from a pipe of tokens" {
    seq 8 >hosts
    stand_in deploy 'sleep 0.05'
    recipe "From a pipe of tokens" 1 >script
    sh script
    at_most 3
    [ "$(begun)" -eq 8 ]
}

@test "from a pipe of tokens: a loop that reads its list" {
    printf 'h%d\n' {1..5} >hosts
    stand_in deploy cat
    recipe "From a pipe of tokens" 2 >script
    sh script
    [ "$(begun)" -eq 5 ]
}

@test "xargs: a gate limits several together" {
    touch {a,b,c,d,e,f}.wav
    stand_in encode 'sleep 0.05'
    recipe "xargs and find" 1 >script
    sh script 3>&- &
    sh script
    wait
    at_most 2
    [ "$(begun)" -eq 12 ]
}

# entry NUMBER LINE: the command of a line of a crontab, run as cron does: by sh, with cron's environment.
entry() {
    local line
    line=$(recipe cron "$1" | sed -n "$2p" | sed -E 's/^([^ ]+ ){5}//; s|/usr/local/bin/admit|'"$T/bin/admit|")
    env -i HOME="$HOME" LOGNAME=root SHELL=/bin/sh PATH=/usr/bin:/bin T="$T" ADMIT_DIR="$ADMIT_DIR" sh -c "$line"
}

@test "cron: an entry that is left out while the last one runs, and entries that wait for each other" {
    stand_in mirror "$HOLDS"
    entry 1 1 3>&- &
    eventually noted "begin mirror "
    run entry 1 1
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    noted "begin mirror "
    stand_in backup "$HOLDS"
    stand_in rotate "$HOLDS"
    entry 2 1 3>&- &
    eventually is 1 holders midnight
    entry 2 2 3>&- &
    eventually is 1 waiters midnight
    touch "$T/go"
    wait
    [ "$(grep -v mirror "$T/noted")" = $'begin backup \nend backup\nbegin rotate \nend rotate' ]
}

# service NUMBER: what the unit starts, where it has a /var/tmp of its own.
service() {
    local unit
    unit=$(recipe systemd "$1" | sed "s|/usr/local/bin/admit|$T/bin/admit|; s|/usr/local/bin/|$T/bin/|; s|/var/lib/gates|$T/gates|")
    env -u ADMIT_DIR unshare --mount sh -c '
        mount -t tmpfs tmpfs /var/tmp
        for word in $2; do export "$word"; done
        exec $1' sh "$(sed -n 's/^ExecStart=//p' <<<"$unit")" "$(sed -n 's/^Environment=//p' <<<"$unit")"
}

@test "systemd: PrivateTmp splits a gate that is named; a path, or ADMIT_DIR, does not" {
    [ "$(id -u)" -eq 0 ] && unshare --mount true || skip "needs root, and namespaces"
    stand_in encode-next 'admit status "$ADMIT_GATE" >"$T/its" && env >"$T/env"'
    run env -u ADMIT_DIR unshare --mount sh -c 'mount -t tmpfs tmpfs /var/tmp && admit run -k 2 splits -- true && admit list'
    [ "$status" -eq 0 ]
    says splits
    run env -u ADMIT_DIR admit status splits
    [ "$status" -eq 2 ]
    service 1
    says_encode() { grep -q "1 of 2 inside" "$T/its"; }
    says_encode
    [ "$(admit status "$T/gates/encode" --json | jq .entered)" -eq 1 ]
    rm "$T/its"
    service 2
    says_encode
    [ "$(admit status encode --json | jq .entered)" -eq 2 ]
}

@test "CI: one deployment at a time" {
    stand_in deploy
    recipe CI 1 >script
    sh script 3>&- &
    sh script 3>&- &
    wait
    at_most 1
    [ "$(begun)" -eq 2 ]
}

@test "GPUs: a slot is one; a port" {
    stand_in train 'echo "$CUDA_VISIBLE_DEVICES" >>"$T/gpus"; '"$HOLDS"
    recipe GPUs 1 >script
    local job
    for job in 1 2 3; do
        sh script 3>&- &
    done
    eventually is 3 holders gpu
    touch "$T/go"
    wait
    [ "$(sort "$T/gpus")" = $'0\n1\n3' ]
    stand_in serve 'echo "$PORT" >"$T/port"'
    recipe GPUs 2 >script
    sh script
    [ "$(cat "$T/port")" = 8000 ]
}

@test "pytest: a database for each worker" {
    local python
    for python in python3 /usr/bin/python3 none; do
        "$python" -c 'import pytest' 2>/dev/null && break
    done
    [ "$python" != none ] || skip "there is no pytest (python3-pytest)"
    [ -e "${BUILD:-build}/libadmit.so" ] || [ -e "$ROOT/${BUILD:-build}/libadmit.so" ]
    [[ $BUILD != */asan ]] || skip "Python loads no library with AddressSanitizer"
    recipe pytest 1 >conftest.py
    cat >test_it.py <<'PYTHON'
import os, time

def test_it(database):
    with open(os.environ["T"] + "/databases", "a") as noted:
        noted.write(database + "\n")
    while not os.path.exists(os.environ["T"] + "/go"):
        time.sleep(0.05)
PYTHON
    export PYTHONPATH=$ROOT/python PYTHONDONTWRITEBYTECODE=1 ADMIT_LIBRARY
    ADMIT_LIBRARY=$(dirname "$ADMIT")/libadmit.so
    "$python" -m pytest -q -p no:cacheprovider . 3>&- >one &
    "$python" -m pytest -q -p no:cacheprovider . 3>&- >two &
    eventually is 2 holders databases
    touch "$T/go"
    wait
    grep -q "1 passed" one && grep -q "1 passed" two
    [ "$(sort "$T/databases")" = $'test_0\ntest_1' ]
}

@test "make: a rule that is heavy" {
    stand_in link 'sleep 0.1'
    { echo "CC = ./link"; echo "all: a b c d"; recipe make 1 | sed 's/^app: main.o util.o/a b c d:/'; } >Makefile
    make -j8 3>&- >/dev/null
    at_most 2
    [ "$(begun)" -eq 4 ]
    recipe make 1 | grep -q '^app: main.o util.o'
}

@test "make: one pool for all builds" {
    stand_in compile 'sleep 0.05'
    printf 'JOBS = %s\nall: $(JOBS)\n$(JOBS):\n\t./compile $@\n' "$(seq -s ' ' 20)" >Makefile
    recipe make 2 | sed 's/-k 8/-k 2/' >script
    sh script 3>&- >/dev/null &
    sh script >/dev/null
    wait
    at_most 2
    [ "$(begun)" -eq 40 ]
    recipe make 2 | grep -q -e '-k 8 builds'
}

@test "containers: one that is killed whole gives its slot back" {
    [ "$(id -u)" -eq 0 ] && unshare --pid --fork --mount-proc true || skip "needs root, and namespaces"
    cat >"$T/bin/docker" <<'SH'
#!/bin/sh
# docker run --rm -v DIRECTORY:DIRECTORY IMAGE COMMAND...: in namespaces of its own.
shift 5
exec unshare --pid --fork --mount-proc --kill-child "$@"
SH
    chmod +x "$T/bin/docker"
    stand_in encode "$HOLDS"
    recipe Containers 1 | sed "s|/srv/gates|$T/gates|g" >script
    sh -c 'echo $$ >"$T/container"; exec sh script' 3>&- &
    sh script 3>&- &
    eventually is 2 holders "$T/gates/encode"
    # The process that Docker would be ends with all that is in it.
    pkill -KILL -P "$(cat "$T/container")" || kill -KILL "$(cat "$T/container")"
    eventually is 1 holders "$T/gates/encode"
    touch "$T/go"
    admit run -w 1m "$T/gates/encode" -- true
    wait || true
}

@test "several users: a directory of a group" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    local shared
    shared=$(mktemp -d /tmp/admit-test.XXXXXX)
    chmod 755 "$shared"
    cp "$ADMIT" "$shared/admit"
    recipe "Several users" 1 | sed "s|/srv/gates|$shared/gates|" >script
    sh -e script
    recipe "Several users" 2 | sed "s|admit run|$shared/admit run|; s|/srv/gates|$shared/gates|; s|./train|true|" >script
    sh script
    run setpriv --reuid=nobody --regid=nogroup --groups=staff sh -s <script
    [ "$status" -eq 0 ]
    run setpriv --reuid=nobody --regid=nogroup --clear-groups sh -s <script
    [ "$status" -eq 125 ]
    [ "$(admit status "$shared/gates/gpu" --json | jq '.entered')" -eq 2 ]
    rm -r "$shared"
}

@test "a log, and what it tells" {
    stand_in train
    recipe "When a program is to know" 1 >script
    sh script >report
    grep -qx gpu report
    grep -q '^  left *1,' report
    grep -q 'process .*, in slot 0 for' gpu.svg
    [ -s "$HOME/gpu.log" ]
}

@test "each block of code is run above" {
    local heading number
    awk '/^## / { heading = substr($0, 4); blocks = 0 }
        /^```/ && (open = !open) { print ++blocks, heading }' "$RECIPES" >"$T/blocks"
    [ -s "$T/blocks" ]
    while read -r number heading; do
        grep -qE "recipe \"?$heading\"? \"?$number|recipe $heading \"\\\$1\"" "$BATS_TEST_FILENAME" || {
            echo "not run: $heading, $number"
            return 1
        }
    done <"$T/blocks"
}
