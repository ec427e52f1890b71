#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# A text that goes on for ever between two markers is refused, by each command that steps texts, with the marker's name.
load helper

# stuck TEXT ARGUMENT...: refused so. The limit is for a tree in which it goes on for ever.
stuck() {
    local text=$1
    shift
    run --separate-stderr timeout -s KILL 60 "$ADMIT" "$@"
    [ "$status" -eq 2 ] || {
        printf 'exit status %s of: admit %s\n%s\n' "$status" "$*" "${stderr:-}"
        return 1
    }
    says_error "$text"
    says_error "meets no marker"
}

@test "a wait without a marker in its rounds" {
    local text='test:unmarked_wait: process 0 meets no marker after "look at the next"'
    stuck "$text" check test:unmarked_wait -n 2
    stuck "$text" check test:unmarked_wait -n 2 --registers safe --fault crash
    stuck "$text" count test:unmarked_wait -n 2
    stuck "$text" equivalent test:walks_in test:unmarked_wait -n 2
    stuck 'after "look at the next"' bound values test:unmarked_wait
    # A trace that somebody wrote.
    exits 1 check test:walks_in -n 2 --property exclusion --trace "$BATS_TEST_TMPDIR/trace"
    sed -i 's/walks_in/unmarked_wait/' "$BATS_TEST_TMPDIR/trace"
    stuck 'after "look at the next"' replay "$BATS_TEST_TMPDIR/trace"
}

@test "a loop before the first marker of the way in, or out" {
    for command in check count "bound variables"; do
        # shellcheck disable=SC2086
        stuck "test:unmarked_loop_entering: process 0 meets no marker at the beginning of its way in" \
            $command test:unmarked_loop_entering -n 2
        # shellcheck disable=SC2086
        stuck "test:unmarked_loop_leaving: process 0 meets no marker at the beginning of its way out" \
            $command test:unmarked_loop_leaving -n 2
    done
}

@test "on several threads it is said once" {
    ADMIT_THREADS=4 stuck "test:unmarked_wait" equivalent test:unmarked_wait test:unmarked_wait -n 2
    [ "$(grep -c "meets no marker" <<<"$stderr")" -eq 1 ]
}
