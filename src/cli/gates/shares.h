/* SPDX-License-Identifier: MIT
 *
 * shares.h - who used a gate most, and how long each waited for it: by user or by program.
 */
#ifndef ADMIT_CLI_GATES_SHARES_H
#define ADMIT_CLI_GATES_SHARES_H

#include "cli/gates/reckoning.h"

struct share {
    uint32_t number;  /* of the name; NO_NAME: all others together */
    uint64_t entered; /* and, without a wait of anybody, */
    uint64_t tokens;  /* jobs of builds */
    uint64_t gave_up;
    int64_t used; /* microseconds in a slot, of jobs of builds too */
    struct spread waits;
};

/* Who used the slots of a gate, as its reckoning has it. The `most` largest come first, and then one for all others, if
 * there are any: returns how many these are, in *shares, which is freed by the caller. */
size_t shares_of_gate(const struct reckoning *reckoning, const struct log *log, const struct event *events,
                      size_t count, bool by_user, size_t most, struct share **shares);

/* By what those who left used, at any number of gates; only `number` and `used` are filled in, of `most` at most, the
 * largest first. Returns how many there are. */
unsigned largest_shares(const struct log *log, bool by_user, struct share *largest, unsigned most);

#endif
