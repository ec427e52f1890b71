#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Gate files with words changed at will, for so many seconds (ADMIT_FUZZ_SECONDS). Needs clang with libFuzzer.
. tests/tap.sh

seconds=${ADMIT_FUZZ_SECONDS:-10}

builds() {
    clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-strict-aliasing -std=c11 \
        -D_GNU_SOURCE -Iinclude -Isrc tests/fuzz/gate_file.c src/gate/*/*.c src/native/error.c src/native/printable.c src/native/registers.c \
        src/registers/patience.c -o "$scratch/gate_file"
}

survives() {
    mkdir -p "$scratch/corpus"
    (cd "$scratch" && ./gate_file -max_len=120 -timeout=20 -max_total_time="$seconds" -verbosity=0 corpus </dev/null)
}

check "the fuzzer of gate files builds" builds
check "scribbled gate files neither crash nor hang, $seconds seconds long" survives
finish
