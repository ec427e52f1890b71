/* SPDX-License-Identifier: MIT
 *
 * values.h - M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources
 * Using Small Shared Space, TOPLAS 11, 1989, Theorem 5.8, as a program: how many values the shared variable must have.
 *
 * The proof drives any algorithm for N processes and k slots through runs that must end with different values in the
 * shared memory, if it has k-exclusion, avoids k-deadlock and achieves FIFO enabling. Here it is an adversary that
 * either shows these values, or a run in which the algorithm breaks one of the three. See values.c, docs/bound.md.
 */
#ifndef ADMIT_BOUNDS_VALUES_H
#define ADMIT_BOUNDS_VALUES_H

#include "bounds/configuration.h"
#include "checker/show/trace.h"

/* A configuration, and the schedule that leads to it from q_0. */
struct walk {
    struct configuration now;
    struct history history;
};

/* q(i, j), with the paper's numbers: P_1 is process 0. */
struct shared_value {
    unsigned i, j;
    bool counts; /* among those that Theorem 5.8 counts */
    struct walk walk;
};

/* The construction for the first n processes and k slots, the last K - k of all being enabled and left alone. */
struct values_level {
    unsigned n, k;
    struct shared_value *values;
    unsigned count, counted;
};

enum values_outcome { VALUES_CONFIRMED, VALUES_VIOLATED, VALUES_UNDECIDED };

struct values_bound {
    struct instance instance;
    enum values_outcome outcome;
    char why[300];               /* violated: where the proof stopped; undecided: which limit */
    struct values_level *levels; /* of k, k - 1, ..., 1; as many as were reached, the last perhaps not all */
    unsigned level_count;
    uint64_t distinct;      /* confirmed: how many different values those that count have */
    uint64_t distinct_all;  /* the same of all q(i, j) of all levels, which need not be more */
    struct trace violation; /* violated */
};

/* k C(n-k-1, 2) + n-k-1, for n >= k + 2. */
uint64_t values_needed(unsigned n, unsigned k);
/* C(n-k, 2): Lemma 5.7. */
uint64_t values_of_lemma(unsigned n, unsigned k);

/* Plays against the algorithm of the setting, which has n >= k + 2 and atomic registers. */
void bound_values(struct values_bound *bound, const struct setting *setting);
void values_bound_close(struct values_bound *bound);

#endif
