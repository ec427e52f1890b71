/* SPDX-License-Identifier: MIT
 *
 * hidden.h - Burns, Lynch 1993, section 5: obliterated writes, hidden processes, nullified variables.
 *
 * Everything here is read off a configuration and a history, and knows nothing of how the history was found.
 */
#ifndef ADMIT_BOUNDS_HIDDEN_H
#define ADMIT_BOUNDS_HIDDEN_H

#include "bounds/configuration.h"

struct done {
    struct action action;
    bool obliterated; /* a write that is obliterated by what follows (Definition 5.2) */
};

/* The computation from a configuration by a history. */
struct computation {
    struct configuration from, to;
    const uint8_t *steps; /* the caller's */
    size_t count;
    struct done *done;                  /* by each step */
    bool rested[CHECKED_PROCESSES_MAX]; /* was in its remainder at some point */
    size_t rest[CHECKED_PROCESSES_MAX]; /* if so: when it last came there; the later steps of others do not matter */
};

void computation_run(struct computation *computation, const struct configuration *from, const uint8_t *steps,
                     size_t count);
void computation_close(struct computation *computation);

/* Definition 5.3. If any split h_1 h_2 will do, the one at the longest h_1 will: it leaves the fewest writes to be
 * obliterated, and whether one is depends on what follows it alone. */
bool is_hidden(const struct computation *computation, unsigned i);

/* Lemma 5.3: the history without the hidden steps of these processes, those after their last rest. */
void without_hidden_steps(const struct computation *computation, procset hidden, struct history *shorter);
/* Whether what Lemma 5.3 says is so: the shorter history leads to a configuration in which the hidden processes are in
 * their remainders, and which looks like the longer one's to all others. The variables must be equal even if there are
 * no others. */
bool hides(const struct computation *computation, procset hidden);

/* Whether n distinct variables are nullified from q_0 by the history, p_i covering covered[i]: NULL, or what is wrong.
 * Starts from nothing but the instance, and looks at Definition 5.3 and at Lemma 5.3, for each process and for all. */
const char *nullification_refuted(const struct instance *instance, const struct history *history,
                                  const unsigned *covered);

#endif
