#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Draws docs/pictures/order.svg anew: seven commands come to a gate of two, one that is inside is killed. It takes six
# seconds, and needs nothing but build/admit.
set -eu
admit=$(realpath "${BUILD:-build}/admit") picture=$(realpath "$(dirname "$0")")/order.svg
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export ADMIT_DIR=$dir ADMIT_LOG=$dir/log

# comes NAME SECONDS: a command of this name, a moment after the one before.
comes() {
    printf '#!/bin/sh\nexec sleep "$1"\n' >"$1"
    chmod +x "$1"
    "$admit" run -q -k 2 gpu -- "./$1" "$2" &
    last=$!
    sleep 0.3
}

comes train 2.6
comes render 99
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
wait 2>/dev/null
"$admit" report --svg "$picture" log
