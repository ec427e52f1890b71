/* SPDX-License-Identifier: MIT
 *
 * pairs.h - who is who in two pictures of a gate: whoever has the same ticket.
 */
#ifndef ADMIT_CLI_GATES_PAIRS_H
#define ADMIT_CLI_GATES_PAIRS_H

#include <admit.h>
#include <stdbool.h>

struct one {
    const admit_participant *is;
    bool is_inside; /* with a slot: one whose turn has come, and who has none yet, is as good as in line */
    int number;
};

/* Of one ticket, in the earlier picture and in the later one. */
struct pair {
    struct one before, now; /* .is NULL: not in it */
};

struct pairs {
    struct pair *pair;
    unsigned count;
};

/* In the order of tickets. To be freed: .pair. */
struct pairs pairs_of(const admit_view *before, const admit_view *now);

/* Nothing is shown otherwise. */
bool pair_is_same(const struct pair *pair);

#endif
