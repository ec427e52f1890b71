#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The words of the gate's protocol are written by its text, and by nobody else but those that docs/gate.md names ("What is
# outside the text"): to all others they are const. (gcc lets its atomic operations write what is const; clang, which
# compiles everything in every test run, does not.)
. tests/tap.sh

# compiles LINE: in a function of a file that knows what a gate is.
compiles() {
    {
        echo '#include "gate/calls/calls.h"'
        echo "void probe(admit_gate *gate); void probe(admit_gate *gate) { $1; }"
    } >"$scratch/probe.c"
    clang -std=c11 -D_GNU_SOURCE -Isrc -Iinclude -Wall -Wextra -Werror -c "$scratch/probe.c" -o "$scratch/probe.o" 2>"$scratch/says"
}

others_may_look() {
    compiles '(void)atomic_load(&gate->cells.record[0].value)' || {
        cat "$scratch/says"
        return 1
    }
}

others_may_not_write() {
    for word in issue valid record slot heir; do
        compiles "atomic_store(&gate->cells.$word[0].value, 0)" && return 1
        compiles "uint64_t was = 0; atomic_compare_exchange_strong(&gate->cells.$word[0].value, &was, 1)" && return 1
        compiles "struct cell *cell = gate->cells.$word; (void)cell" && return 1
    done
    grep -q const "$scratch/says"
}

# The ways round that: the text itself or a procedure of it, the words as it has them, and the file's beginning as a struct.
nobody_else_has_them() {
    grep -rlE 'algorithms/gate\.c|struct shared|writable_words|run_text|struct gate_front' src/gate | LC_ALL=C sort >"$scratch/found"
    printf 'src/gate/%s\n' calls/remove.c file/file.c file/there.c life/heir.c life/life.c protocol/protocol.c words/format.c words/meaning.h words/words.h |
        diff - "$scratch/found"
}

# What the text calls REMOVED is no cell: it is changed by its text, and by those that docs/gate.md names.
removal_is_theirs() {
    grep -rlE '(store|exchange_strong|exchange_weak|fetch_[a-z]*)\([^;]*header->removed|&[a-z>.-]*header->removed;' src/gate | LC_ALL=C sort >"$scratch/found"
    printf 'src/gate/%s\n' calls/older.c calls/remove.c file/file.c file/there.c | diff - "$scratch/found" || return 1
    grep -q 'atomic_store(&header->removed, 0)' src/gate/file/file.c
}

check "whoever knows a gate may look at its words" others_may_look
check "whoever writes one of them does not compile" others_may_not_write
check "nobody has them otherwise but the text, and those that are named" nobody_else_has_them
check "whether it is removed is written by the text, and by those that are named" removal_is_theirs
finish
