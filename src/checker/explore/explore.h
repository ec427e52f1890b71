/* SPDX-License-Identifier: MIT
 *
 * explore.h - breadth-first search over all interleavings, on all cores, with the same result in every run.
 *
 * A level is cut into blocks of states. In each block, all threads first expand their share and sort the successors by
 * partition of the store; then each takes whole partitions and adds what came for them, in the order of the states it
 * came from. So neither the numbers of states nor the choice of parents depends on timing or on how many threads there
 * are.
 */
#ifndef ADMIT_CHECKER_EXPLORE_EXPLORE_H
#define ADMIT_CHECKER_EXPLORE_EXPLORE_H

#include "checker/explore/graph.h"
#include "checker/explore/schedule.h"
#include "checker/explore/store.h"

struct progress {
    uint64_t states, transitions, frontier, bytes;
    unsigned depth;
    double seconds;
};

struct exploration_options {
    bool fingerprints;
    bool want_graph;                                 /* record the edges */
    bool stop_at_violation;                          /* nothing but exclusion is asked */
    bool hurry;                                      /* take idle steps at once, if the text tells which (idle.h) */
    uint64_t max_states;                             /* 0: no limit */
    uint64_t memory_limit;                           /* bytes */
    const struct schedule_file *schedule;            /* to be followed first; or NULL */
    void (*report)(const struct progress *progress); /* now and then; may be NULL */
};

struct exploration {
    struct model *model;
    struct store store;
    struct beginning beginning; /* what the schedule led through, if there was one; it is not among the counts */
    bool scheduled;
    struct graph graph; /* empty unless wanted; not complete unless finished */
    uint64_t states, transitions, expanded;
    uint64_t
        ambiguous; /* steps with two outcomes, one of which may not exist (tickets.h); 0: all that was found is real */
    uint64_t entries; /* steps into the critical section */
    unsigned depth;   /* levels */
    uint64_t bytes;   /* at most, of store, buffers and graph */
    double seconds;
    const char *stopped; /* why it ended early, or NULL: all states were expanded */
    bool violated;       /* more than k inside */
    uint32_t violation_source;
    struct step violation_step;
};

/* Opens a model of the setting and explores it. */
void explore(struct exploration *exploration, struct model *model, const struct setting *setting,
             const struct exploration_options *options);
/* Closes both. */
void exploration_close(struct exploration *exploration);

/* Asks a running exploration to stop soon; may be called from a signal handler. */
void explore_interrupt(void);

#endif
