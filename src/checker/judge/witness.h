/* SPDX-License-Identifier: MIT
 *
 * witness.h - a run that shows something: steps from the start, and for an infinite one where its loop begins.
 */
#ifndef ADMIT_CHECKER_JUDGE_WITNESS_H
#define ADMIT_CHECKER_JUDGE_WITNESS_H

#include "checker/explore/explore.h"
#include "checker/judge/infinite_runs.h"

#define NO_LOOP SIZE_MAX

struct witness {
    struct step *steps;
    size_t count, room;
    uint64_t start[WORDS_MAX];
    size_t loop, loop_end;     /* the loop is steps[loop] .. steps[loop_end - 1]; NO_LOOP for a finite run. It ends the
                                  run, unless the question is what can still happen after it (docs/properties.md) */
    uint64_t state[WORDS_MAX]; /* where the run has got to */
    uint32_t at;               /* the same, as a number in the graph, once it is in it */
};

/* The shortest run to a state, by its number in the store. */
void witness_open(struct witness *witness, const struct exploration *exploration, uint32_t number);
void witness_close(struct witness *witness);
void witness_step(struct witness *witness, const struct model *model, struct step step);

/* Goes on along an edge; by a step of `process` that changes nothing, if to is where the run is. */
void witness_go(struct witness *witness, const struct exploration *exploration, uint32_t to, unsigned process);
/* Goes on, inside the part, to the nearest state from which an event is possible that can be repeated for ever, and
 * round the loop that repeats it. */
void witness_loop_of(struct witness *witness, const struct exploration *exploration, const struct part *part,
                     struct event event);
/* Goes round a loop from here, inside this state's component, in which everybody steps who is outside the remainder
 * here. */
void witness_fair_loop(struct witness *witness, const struct exploration *exploration, const struct part *part,
                       const struct components *components);

#endif
