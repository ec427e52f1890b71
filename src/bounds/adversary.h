/* SPDX-License-Identifier: MIT
 *
 * adversary.h - the hands of the proof in variables.c: it steps, runs schedules, notices when the algorithm has broken
 * a promise, and turns that into a history from the initial configuration.
 */
#ifndef ADMIT_BOUNDS_ADVERSARY_H
#define ADMIT_BOUNDS_ADVERSARY_H

#include "bounds/variables.h"

struct run {
    struct configuration now;
    struct history history; /* that led here: from q_0, or, of a side branch, from q_i */
};

struct adversary {
    struct variables_bound *bound;
    unsigned n;
    struct run main;
    size_t max_steps, side_branches;
};

/* What must be so in any read/write system, right or wrong. */
void insist(bool so, const char *what);

/* The game is over: undecided or refused. Returns false, for those whom it stops. */
bool stop(struct adversary *a, enum bound_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Undecided because a history would be longer than it may be. Returns false. */
bool stop_at_length(struct adversary *a);
/* It is over because after the run's history, which is from q_0, two are inside; or because, from its step number
 * `loop` on, it can be repeated for ever, fairly, with nobody changing regions. Returns false. */
bool violated(struct adversary *a, const struct run *run, size_t loop, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

enum ending { GOES_ON, ARRIVES, REPEATS, TWO_INSIDE, STOPPED };

/* GOES_ON, TWO_INSIDE, or STOPPED: the game is over. */
enum ending one_step(struct adversary *a, struct run *run, unsigned i);
/* Gives each process of the set a step in turn, again and again, until one is in the section `goal` (ARRIVES), or until
 * it is clear that this never happens (REPEATS: from step number *loop on), or two are inside, or STOPPED. */
enum ending round_robin(struct adversary *a, struct run *run, procset set, enum section goal, size_t *loop);

/* "p_0, p_2" */
const char *names_of(procset set, char *text, size_t size);

#endif
