/* SPDX-License-Identifier: MIT
 *
 * shares.h - who used a gate most: by user or by program.
 */
#ifndef ADMIT_CLI_GATES_SHARES_H
#define ADMIT_CLI_GATES_SHARES_H

#include "cli/gates/report_log.h"

struct share {
    uint32_t number; /* of the name; NO_NAME: all that cannot be told apart */
    uint64_t left;   /* how often it left */
    int64_t used;    /* for how long it was inside then, in microseconds */
};

/* Fills `most` at most, the largest first; returns how many there are. */
unsigned largest_shares(const struct log *log, const struct event *events, size_t count, bool by_user,
                        struct share *largest, unsigned most);

#endif
