# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# cluster.bash - for tests of gates on etcd: a server for all tests of a file, on this machine, that ends with them.
load gates

# start_etcd PLACE ARGUMENT...: its data and its process's number are in the directory PLACE; where it listens in $ADMIT_ETCD.
# SCHEME may be https.
start_etcd() {
    local place=$1 port scheme=${SCHEME:-http}
    shift
    mkdir -p "$place"
    # Below the ports that the kernel gives to connections. One that is taken shows when the server ends at once.
    for _ in 1 2 3 4 5; do
        port=$((10000 + (RANDOM * 2 + RANDOM) % 20000))
        etcd --name one --data-dir "$place/data" --listen-client-urls "$scheme://127.0.0.1:$port" \
            --advertise-client-urls "$scheme://127.0.0.1:$port" --listen-peer-urls http://127.0.0.1:$((port + 1)) \
            --initial-advertise-peer-urls http://127.0.0.1:$((port + 1)) --initial-cluster one=http://127.0.0.1:$((port + 1)) \
            "$@" >"$place/log" 2>&1 3>&- &
        echo $! >"$place/pid"
        export ADMIT_ETCD=$scheme://127.0.0.1:$port
        for _ in {1..600}; do
            grep -q 'ready to serve client requests\|serving .*client' "$place/log" && return 0
            kill -0 "$(cat "$place/pid")" 2>/dev/null || break
            sleep 0.05
        done
        stop_etcd "$place"
        rm -rf "$place/data"
    done
    cat "$place/log"
    return 1
}

stop_etcd() {
    local process
    process=$(cat "$1/pid") || return 0
    kill -CONT "$process" 2>/dev/null || true
    kill -KILL "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
}

setup_file() {
    SERVER=$BATS_FILE_TMPDIR/server
    WHY_NOT=
    [ -x "${ADMIT%/*}/admit-etcd" ] || WHY_NOT="admit-etcd was not built: it needs the headers of libcurl and jansson"
    command -v etcd >/dev/null || WHY_NOT="there is no etcd: ./setup installs it"
    export SERVER WHY_NOT
    [ -n "$WHY_NOT" ] || start_etcd "$SERVER"
}

teardown_file() {
    [ -n "$WHY_NOT" ] || stop_etcd "$SERVER"
}

# A gate of its own for each test: etcd:q1, etcd:q2. One that was left by a failed test disturbs no other.
setup() {
    [ -z "$WHY_NOT" ] || skip "$WHY_NOT"
    export ADMIT_DIR=$BATS_TEST_TMPDIR/gates
    mkdir -m 700 "$ADMIT_DIR"
    T=$BATS_TEST_TMPDIR
    Q=etcd:q$BATS_TEST_NUMBER
    export T Q
}
