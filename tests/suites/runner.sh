#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tests/run itself: a failure of any kind is counted, shown and told by the exit status.
. tests/tap.sh

# judged CLOSING_LINE STATUS SCRIPT...: the closing line and exit status of tests/run over suites with these contents.
judged() {
    closing=$1 status=$2
    shift 2
    rm -f "$scratch"/suite*.sh
    for script; do
        suite=$(mktemp "$scratch/suiteXXXX.sh")
        printf '#!/bin/sh\n%s\n' "$script" >"$suite"
        chmod +x "$suite"
    done
    tests/run "$scratch"/suite*.sh >"$scratch/report"
    told=$?
    cat "$scratch/report"
    test "$told" -eq "$status" && test "$(tail -n 1 "$scratch/report")" = "$closing"
}

says() {
    grep -q "$1" "$scratch/report"
}

# suite NAME SCRIPT
suite() {
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/$1.sh"
    chmod +x "$scratch/$1.sh"
}

# The first ends when the second has run; each knows the settings that stood before it.
beside_and_before() {
    rm -f "$scratch/there"
    suite first 'echo 1..1; test -z "$SETTING" && for t in 1 2 3 4 5 6 7 8 9 10; do
        test -e '"$scratch"'/there && sleep 0.5 && echo ok && break; sleep 0.2; done'
    suite second 'echo 1..1; touch '"$scratch"'/there; test "$SETTING" = set && echo ok'
    SUITES_AT_ONCE=1 tests/run "$scratch/first.sh" ASLEEP=1 SETTING=set "$scratch/second.sh" >"$scratch/report"
    cat "$scratch/report"
    test "$(tail -n 1 "$scratch/report")" = "2 passed, 0 failed"
}

check "counts what passes" judged "2 passed, 0 failed" 0 'echo 1..2; echo ok 1; echo ok 2'
check "adds up suites" judged "3 passed, 0 failed" 0 'echo 1..1; echo ok' 'echo 1..2; echo ok; echo ok'
export SUITES_AT_ONCE=2
check "runs several at once" judged "2 passed, 0 failed" 0 \
    'echo 1..1; for t in 1 2 3 4 5 6 7 8 9 10; do test -e '"$scratch"'/there && echo ok && break; sleep 0.2; done' \
    'echo 1..1; touch '"$scratch"'/there; echo ok'
check "what sleeps runs beside the others, and has the settings before it" beside_and_before
check "shows each when it ends" says '^1/2 .*second'
check "a suite whose shell is killed fails" judged "1 passed, 1 failed" 1 \
    'kill -9 $PPID $(ps -o ppid= -p $PPID)' 'echo 1..1; echo ok'
unset SUITES_AT_ONCE
check "counts what fails" judged "1 passed, 1 failed" 1 'echo ok 1; echo not ok 2 - bad; echo "# reason"; echo 1..2'
check "shows what a failed case said" says '# reason'
check "also if it said so before" judged "1 passed, 1 failed" 1 \
    'echo 1..2; echo ERROR: no name; echo not ok 1 - bad; echo later; echo ok 2'
check "and shows that" says 'ERROR: no name'
check "a crash fails" judged "1 passed, 1 failed" 1 'echo 1..1; echo ok 1; kill -SEGV $$'
check "breaking off fails" judged "1 passed, 1 failed" 1 'echo 1..2; echo ok 1'
check "testing nothing fails" judged "0 passed, 1 failed" 1 'true'
check "a bad exit status fails" judged "1 passed, 1 failed" 1 'echo 1..1; echo ok 1; exit 3'
export SUITE_TIME_LIMIT=1
check "a hang fails" judged "0 passed, 1 failed" 1 'echo 1..1; sleep 10'
unset SUITE_TIME_LIMIT
check "and is told as such" says 'hung, and was stopped'
check "an empty plan fails" judged "0 passed, 1 failed" 1 'echo 1..0'
check "a skipped case neither passes nor fails" judged "1 passed, 0 failed" 0 \
    'echo ok 1 - a; echo "ok 2 - b # SKIP no etcd here"; echo 1..2'
check "a skipped suite neither passes nor fails" judged "1 passed, 0 failed" 0 \
    'echo "1..0 # SKIP no spin here"' 'echo 1..1; echo ok 1'
finish
