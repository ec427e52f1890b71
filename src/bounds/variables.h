/* SPDX-License-Identifier: MIT
 *
 * variables.h - Burns, Lynch 1993, Theorem 5.1, as a program: n processes need n variables.
 *
 * The proof is an adversary that plays against any algorithm. It either drives the processes to where n distinct
 * variables are nullified, or it is stopped, and then the algorithm has broken mutual exclusion or global progress
 * before its eyes. See variables.c, and docs/bound.md for examples.
 */
#ifndef ADMIT_BOUNDS_VARIABLES_H
#define ADMIT_BOUNDS_VARIABLES_H

#include "bounds/configuration.h"
#include "checker/show/trace.h"

enum bound_outcome {
    BOUND_NULLIFIED, /* n distinct variables, and the history has been verified */
    BOUND_VIOLATED,  /* the violation has been executed again and confirmed */
    BOUND_UNDECIDED, /* a limit was reached */
    BOUND_REFUSED    /* not a read/write system */
};

/* What bringing the last of `count` processes in took, of all the times that it was done. */
struct bound_level {
    size_t times;
    unsigned side_branches_most;
    size_t steps_most; /* of a history that nullifies so many variables, from one quiescent configuration */
};

struct variables_bound {
    struct instance instance;
    enum bound_outcome outcome;
    char why
        [300]; /* violated: where the proof stopped; undecided: which limit; refused: what is not a read or a write */
    struct bound_level levels[CHECKED_PROCESSES_MAX + 1]; /* by how many variables are nullified, 1 to n */
    struct history history;                               /* nullified: from q_0 */
    unsigned covered[CHECKED_PROCESSES_MAX];              /* nullified: p_i covers covered[i] */
    struct process stands[CHECKED_PROCESSES_MAX];         /* nullified: where p_i stands then */
    struct trace violation;                               /* violated */
};

enum { BOUND_STEPS_MAX = 10000000 };

/* Plays against the algorithm of the setting, which has k = 1, n >= 2 and atomic registers. No history is longer than
 * max_steps. */
void bound_variables(struct variables_bound *bound, const struct setting *setting, size_t max_steps);
void variables_bound_close(struct variables_bound *bound);

#endif
