#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# docs/pictures/order.sh [FILE]
#
# Draws docs/pictures/order.svg, or FILE, from a run of its own: seven commands come to a gate of two, and one that is inside
# is killed. It takes six seconds times PACE, and needs nothing but build/admit.
set -eu
admit=$(realpath "${BUILD:-build}/admit")
picture=$(realpath "${1:-$(dirname "$0")/order.svg}")
dir=$(mktemp -d)
trap 'jobs -p | xargs -r kill 2>/dev/null || true; wait || true; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
cd "$dir"
export ADMIT_DIR=$dir ADMIT_LOG=$dir/log

seconds() {
    awk "BEGIN { print $1 * ${PACE:-1} }"
}

# comes NAME SECONDS: a command of this name, a moment after the one before.
comes() {
    printf '#!/bin/sh\nexec sleep %s\n' "$(seconds "$2")" >"$1"
    chmod +x "$1"
    "$admit" run -q -k 2 gpu -- "./$1" &
    last=$!
    sleep "$(seconds 0.3)"
}

comes train 2.6
comes render 999
render=$last
comes encode 1.3
comes index 1.4
comes build 1.2
comes backup 1.1
comes scan 0.9
# Its admit is stopped first, since it would see the command end, and give the slot back as it should.
kill -STOP "$render"
kill -9 "$("$admit" status gpu | awk '/render/ { print $2 }')"
sleep 0.1
kill -9 "$render"
wait "$render" 2>/dev/null || true
wait
"$admit" report --svg "$picture" log
