/* SPDX-License-Identifier: MIT
 *
 * layout.h - where things are in a gate's file, for those suites that write into it behind the library's back. The only
 * place in these suites that knows.
 */
#ifndef ADMIT_TESTS_FAULTS_LAYOUT_H
#define ADMIT_TESTS_FAULTS_LAYOUT_H

#include "gate/calls/calls.h"

enum {
    REMOVED_AT = offsetof(struct gate_header, removed),   /* a word: 1, it has been removed; 2, somebody is about to */
    BOOT_ID_AT = offsetof(struct gate_header, boot_id),   /* text of 36 bytes */
    K_AT = offsetof(struct gate_header, k),               /* a word */
    RESIZING_AT = offsetof(struct gate_header, resizing), /* a word: not 0, not all slots are as k says */
    WORDS_AT = GATE_PAGE, /* from here to the file's end: what changes with every pass */
};

#endif
