#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016,SC2154 # commands in quotes; variables of gates.bash
#
# `make demo` is a test, too: it fails if anything is not as it says. It is fast here, since nothing in it depends on its pace.
load gates

# Where it keeps its files, and by which its processes are known.
demo() {
    mkdir -p "$T/tmp"
    run env DEMO_TICK=0 TMPDIR="$T/tmp" bash -o pipefail -c 'bash examples/demo.sh 2>&1 | cat'
}

leaves_nothing() {
    [ -z "$(ls -A "$T/tmp")" ]
    [ -z "$(grep -las "TMPDIR=$T/tmp" /proc/[0-9]*/environ)" ]
}

@test "the demo tells of each step in lines, and is as it says" {
    demo
    [ "$status" -eq 0 ]
    says "kill -9 of job 7, in line: the others keep their places   inside: 1 2 3     in line: 4 5 6 8 9 10 11 12"
    [[ $output =~ "kill -9 of job 2, inside: "[0-9]+" us later job 4 is in" ]]
    says "job 1 leaves, job 5 goes in                               inside: 3 4 5     in line: 6 8 9 10 11 12"
    says "  job  2   11111111111111111X"
    says "  job  7        ........X"
    says "inside at once, at most                             3"
    says "1 2 3 4 5 6 8 9 10 11 12"
    says "0 of 3 inside, 0 waiting"
    says "no-slot-lost         P14  holds"
    says "VIOLATED: process 1 never returns"
    [[ $output != *$'\e'* ]]
    [ "$(grep '^  job [ 0-9][0-9]  ' <<<"$output" | wc -L)" -le 79 ]
    leaves_nothing
}

@test "on a terminal it is drawn in place, and Ctrl-C leaves nothing behind" {
    mkdir "$T/tmp"
    at_terminal 'sh -c "stty rows 24 cols 80; TMPDIR=$T/tmp TERM=xterm NO_COLOR=1 DEMO_TICK=0.1 exec bash examples/demo.sh"'
    eventually grep -q 'kill -9 of job 7' "$T/screen"
    printf '\003' >&8
    ends 130 "$terminal"
    leaves_nothing
    # The cursor is away meanwhile, and is there again. No colours.
    [ "$(grep -o $'\e\\[?25[lh]' "$T/screen" | tail -c 2)" = h ]
    grep -q $'\e\\[16A' "$T/screen"
    run ! grep -q $'\e\\[[1-9][0-9;]*m' "$T/screen"
}

@test "a demo of what is not so fails" {
    mkdir "$T/wrong"
    # One too many is let in.
    printf '#!/bin/bash\n[[ $1 != run ]] || set -- "${@:1:3}" 4 "${@:5}"\nexec "%s" "$@"\n' "$(realpath "$ADMIT")" >"$T/wrong/admit"
    chmod +x "$T/wrong/admit"
    BUILD=$T/wrong demo
    [ "$status" -eq 1 ]
    says "what the jobs noted: job 4 is in slot 3"
    leaves_nothing
    # The proof fails.
    printf '#!/bin/sh\ntest "$1" != check && exec "%s" "$@"\nexit 1\n' "$(realpath "$ADMIT")" >"$T/wrong/admit"
    BUILD=$T/wrong demo
    [ "$status" -eq 1 ]
    says "demo: exit status 1, not 0"
    leaves_nothing
}
