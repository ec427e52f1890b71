#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2013,SC2154 # a list of words; variables of helper.bash
#
# Bad usage: exit 2, a message that helps, nothing on stdout. And output that cannot be written.
load helper

@test "no command, or an unknown one" {
    exits 2
    exits 2 chekc
    says_error "did you mean 'check'"
    exits 2 wildly-unknown
    says_error "there is no command 'wildly-unknown'"
}

@test "what other tools call a command" {
    local word
    for word in rm:remove delete:remove del:remove ls:list ps:status show:status exec:run start:run scale:resize kill:cancel tail:output \
        lock:enter unlock:leave \
        verify:check diff:equivalent version:--version --try:run\ --try; do
        exits 2 "${word%:*}"
        [ "$stderr" = "admit: there is no command '${word%:*}'; did you mean '${word#*:}'?"$'\n'"Try 'admit --help'." ]
    done
    for word in logs log; do
        exits 2 $word
        says_error "did you mean 'output' or 'report'?"
    done
    exits 2 -k 2 demo true
    says_error "there is no command '-k'; did you mean 'run -k'?"
    for word in submit queue -b; do
        exits 2 $word
        says_error "did you mean 'run -b'?"
    done
    exits 2 "rm del"
    [[ $stderr != *"did you mean"* ]]
}

@test "help COMMAND is COMMAND --help" {
    exits 0 help
    says "usage: admit COMMAND"
    local command general=$output
    for command in $(sed -n 's/^  \([a-z]*\)  .*/\1/p' <<<"$general"); do
        exits 0 "$command" --help
        local help=$output
        says "usage: admit $command"
        exits 0 help "$command"
        [ "$output" = "$help" ]
    done
    [ "$command" = bound ]
    exits 0 help bound values
    says "usage: admit bound values"
    exits 2 help frobnicate
    says_error "there is no command 'frobnicate'"
    exits 2 help rm
    says_error "did you mean 'remove'"
    exits 2 help stauts
    says_error "did you mean 'status'"
}

@test "a closed standard output: nothing of it goes into a file that is opened" {
    local trace=$BATS_TEST_TMPDIR/trace
    exits 1 check one_bit:looks_first -n 2 --property exclusion --trace "$trace"
    exits 1 equivalent test:lock_bit test:wears_out -n 2 --trace "$trace"
    for closed in '>&-' '<&-' '2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
        bash -c '"$0" check one_bit:looks_first -n 2 --property exclusion --trace "$1" '"$closed" "$ADMIT" "$trace.2" \
            >/dev/null || true
        cmp "$trace" "$trace.2"
        # Here more is printed than is kept back until the end.
        bash -c '"$0" equivalent test:lock_bit test:wears_out -n 2 --trace "$1" '"$closed" "$ADMIT" "$trace.2" \
            >/dev/null || true
        cmp "$trace-a.json" "$trace.2-a.json"
        cmp "$trace-b.json" "$trace.2-b.json"
        bash -c '"$0" count one_bit -n 2,3 --svg "$1" '"$closed" "$ADMIT" "$trace.svg" >/dev/null || true
        head -c 4 "$trace.svg" | grep -q '^<'
    done
    # As on any closed one: it cannot be written.
    run bash -c '"$0" check one_bit -n 2 >&-' "$ADMIT"
    [ "$status" -eq 2 ]
    says "cannot write the output: Bad file descriptor"
}

@test "help and version" {
    exits 0 --help
    says "usage: admit COMMAND"
    exits 0 --version
    local version=$output
    exits 0 -V
    [ "$output" = "$version" ]
    # What follows the command is in its help, too.
    for rest in "" -k "-k 2 demo" --nonsense; do
        # shellcheck disable=SC2086 # words
        exits 0 help run $rest
        says "usage: admit run"
    done
    exits 0 help bound values
    says "usage: admit bound values"
    exits 0 help -k
    says "usage: admit COMMAND"
    for command in run status list resize remove check replay equivalent algorithms count bound; do
        exits 0 $command --help
        says "usage: admit $command"
    done
}

@test "unknown algorithms; near matches are named" {
    refused "did you mean one_bit" check one_bti
    refused "bakery" check backery
    refused "there is no algorithm 'xyzzy'" check xyzzy
    refused "there is no algorithm" check ""
    refused "which algorithm" check
    refused "one argument too many" check one_bit bakery
}

@test "unknown properties; near matches are named" {
    refused "did you mean exclusion" check one_bit --property exclusoin
    refused "did you mean fifo-enabling" check one_bit --property fifo
    refused "there is no property 'beauty'" check one_bit --property beauty
    refused "needs a value" check one_bit --property
}

@test "unknown options" {
    refused "there is no option '--frobnicate'" check one_bit --frobnicate
    refused "there is no option '-x'" check one_bit -x
    refused "there is no option" replay --frobnicate
    refused "there is no option" algorithms --frobnicate
}

@test "n" {
    for n in 0 17 -1 two "" 1.5 "3 " 99999999999999999999; do
        refused "-n takes a whole number from 1 to 16" check one_bit -n "$n"
    done
    refused "-n needs a value" check one_bit -n
}

@test "k" {
    for k in 0 17 -1 x; do
        refused "-k takes a whole number" check test:ticket -k "$k"
    done
    refused "k = 4 is more than n = 3" check test:ticket -n 3 -k 4
    refused "one_bit works for k = 1 only" check one_bit -k 2
    exits 0 check one_bit -n 2 -k 1
}

@test "a doorway property without a doorway" {
    for property in fcfs bounded-doorway bounded-waiting fife strong-fife overtaking; do
        refused "one_bit has none" check one_bit --property $property
    done
}

@test "registers" {
    refused "--registers takes atomic, regular or safe" check one_bit --registers flaky
    refused "unbounded" check bakery --registers safe
    refused "has several" check test:barging --registers regular
}

@test "faults" {
    for fault in crush crash: crash:0 crash:x crash:-1 crash:17 crash:1x "" recover recovery:; do
        refused "--fault takes" check one_bit --fault "$fault"
    done
    refused "4 processes cannot crash when there are 3" check one_bit -n 3 --fault crash:4
}

@test "an option's value that is nearly one that there is" {
    for near in "fault abor abort" "fault crsh:2 crash" "registers safw safe" "with tri try" "order nativ native" "model dsn dsm"; do
        read -r option value meant <<<"$near"
        refused "; did you mean $meant?" check gate --property local-spin --"$option" "$value"
    done
    refused "not 'or'" check gate --order or
    [[ $stderr != *"did you mean"* ]]
}

@test "passages" {
    for passages in "" x 1,x 1,, 1,2 255 -1 1,2,3,4; do
        refused "--passages" check one_bit -n 3 --passages "$passages"
    done
}

@test "orders and limits" {
    refused "--order takes any or native, not 'random'" check one_bit --order random
    refused "--max-states takes" check one_bit --max-states 0
    refused "--max-states takes" check one_bit --max-states many
    for size in 0 -5 much 5X "" 1e99G nan; do
        refused "--memory takes a size" check one_bit --memory "$size"
    done
}

@test "ADMIT_THREADS" {
    for threads in 0 abc 65 -1 1.5 4x; do
        export ADMIT_THREADS=$threads
        for command in "check one_bit -n 2" "equivalent one_bit one_bit_stabilizing -n 2" "count one_bit -n 2" \
            "claims bl93 --list" "bound variables one_bit" "bound values queue" "replay nothing"; do
            # shellcheck disable=SC2086 # words
            refused "ADMIT_THREADS takes a whole number from 1 to 64, not '$threads'" $command
        done
        # What explores nothing does not look at it.
        exits 0 check --help
        exits 0 algorithms
    done
    for threads in "" 1 64; do
        ADMIT_THREADS=$threads exits 0 check one_bit -n 2 --property exclusion
    done
}

@test "a trace that cannot be written" {
    refused "cannot write" check one_bit --trace "$BATS_TEST_TMPDIR/no/such/directory"
    refused "cannot write" check one_bit --trace "$BATS_TEST_TMPDIR"
}

@test "output that cannot be written is no success" {
    for arguments in "check one_bit -n 2" "check one_bit -n 2 --json" "check one_bit:looks_first -n 2" algorithms \
        "algorithms --json" --help --version "count one_bit -n 2" "replay --help" "bound variables one_bit" \
        "equivalent one_bit one_bit -n 2" "equivalent one_bit bakery -n 2 --json"; do
        # shellcheck disable=SC2086
        run bash -c '"$0" "$@" >/dev/full' "$ADMIT" $arguments
        [ "$status" -ne 0 ] || { echo "exit status 0 of: admit $arguments"; false; }
        says "cannot write"
    done
    exits 1 check one_bit:looks_first -n 2 --property exclusion --trace "$BATS_TEST_TMPDIR/trace"
    run bash -c '"$0" "$@" >/dev/full' "$ADMIT" replay "$BATS_TEST_TMPDIR/trace"
    [ "$status" -eq 2 ]
    run bash -c '"$0" "$@" >/dev/null' "$ADMIT" check one_bit:looks_first -n 2 --property exclusion --trace /dev/full
    [ "$status" -eq 2 ]
}
