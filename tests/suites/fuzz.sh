#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Gate files with words changed at will, logs with anything in them, and answers of whoever is called at a cluster's address, for so
# many seconds each (ADMIT_FUZZ_SECONDS).
# Needs clang with libFuzzer.
. tests/tap.sh

seconds=${ADMIT_FUZZ_SECONDS:-10}

gate='src/gate/*/*.c src/native/error.c src/native/printable.c src/native/registers.c src/registers/patience.c'
report='src/cli/gates/report_*.c src/cli/gates/reckoning.c src/cli/gates/shares.c src/cli/gates/time_axis.c
    src/cli/gates/visits.c src/cli/gates/gates.c src/cli/gates/elsewhere.c src/cli/gates/json.c src/cli/gates/columns.c src/cli/usage.c
    src/cli/whole_file.c src/markup/escaped.c src/base/die.c src/base/spelling.c'

builds() { # NAME SOURCE...
    target=$1
    shift
    clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-strict-aliasing -std=c11 \
        -D_GNU_SOURCE '-DADMIT_TO_LIBEXEC="."' -Iinclude -Isrc "tests/fuzz/$target.c" "$@" -o "$scratch/$target"
}

survives() { # NAME MOST-BYTES
    mkdir -p "$scratch/corpus.$1"
    (cd "$scratch" && ./"$1" -max_len="$2" -timeout=20 -max_total_time="$seconds" -verbosity=0 "corpus.$1" </dev/null)
}

# Lines of every event, of which the fuzzer makes others.
lines_to_begin_with() {
    mkdir -p "$scratch/corpus.log"
    any='"gate":"g","path":"/g","k":2,"pid":7,"user":"u"'
    printf '{"time":"2026-03-01T10:00:%s.000000Z","event":%s}\n' \
        00 "\"wait\",$any,\"place\":1,\"command\":\"a \\u00e9\\ud83d\\ude00\"" \
        01 "\"enter\",$any,\"slot\":1,\"ticket\":5,\"waited\":1.5,\"owner_died\":true,\"command\":\"a\"" \
        02 "\"recover\",$any,\"slot\":1" \
        02 "\"enter\",$any,\"slot\":0,\"ticket\":6,\"waited\":0.5,\"token\":true,\"command\":\"nice -n 1 sh -c 'x'\"" \
        03 "\"exit\",$any,\"slot\":1,\"ticket\":5,\"inside\":2.0,\"status\":3,\"job\":\"@1\"" \
        04 "\"give_up\",$any,\"waited\":0.5,\"why\":\"timed_out\",\"status\":124" >"$scratch/corpus.log/lines"
    # And without what makes them many: each has a lane.
    sed 's/,"token":true//' "$scratch/corpus.log/lines" >"$scratch/corpus.log/few"
}

answers_to_begin_with() {
    mkdir -p "$scratch/corpus.response"
    for rest in 'Content-Length: 2\r\nConnection: close\r\n\r\n{}' \
        'Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nTrailer: x\r\n\r\n' '\r\nall of it'; do
        count=$((${count:-0} + 1))
        printf 'abcHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n%b' "$rest" >"$scratch/corpus.response/$count"
    done
}

check "the fuzzer of gate files builds" builds gate_file $gate
check "scribbled gate files neither crash nor hang, $seconds seconds long" survives gate_file 120
check "the fuzzer of logs builds" builds log $gate $report
lines_to_begin_with
check "scribbled logs neither crash nor hang what tells of them, $seconds seconds long" survives log 2000
check "the fuzzer of answers builds" builds response src/cluster/response.c
answers_to_begin_with
check "scribbled answers are taken as one, however they are cut, $seconds seconds long" survives response 600
finish
