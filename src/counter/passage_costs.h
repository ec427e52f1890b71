/* SPDX-License-Identifier: MIT
 *
 * passage_costs.h - what a passage costs in the counted world, under a schedule and in a model of memory.
 *
 * The same text as in the checked world, but one run instead of all of them: so n can be large, and what is found is a
 * sample, not a bound. The bound is the property local-spin (P13), for small n.
 */
#ifndef ADMIT_COUNTER_PASSAGE_COSTS_H
#define ADMIT_COUNTER_PASSAGE_COSTS_H

#include "checker/model/references.h"

/* Of all processes together, under a schedule that is not the adversary's. */
enum { STEPS_MAX = 4000000 };

/* Everybody in turn; anybody at random; or whoever makes one chosen process pay most (adversary.c). */
enum schedule { ROUND_ROBIN, RANDOM, ADVERSARIAL, SCHEDULES };
extern const char *const schedule_name[SCHEDULES];

/* Whether the references of a passage came to an end. REPEATS: the same configuration came again within one passage,
 * with references in between, so that they have no bound. GROWS: they were still growing as fast as ever when the
 * adversary's time was up, which proves nothing. */
enum waiting { ENDS, REPEATS, GROWS };

struct tally {
    uint64_t passages;
    uint64_t steps_max; /* in one passage, failed tests of waits included */
    double steps_mean;
    uint64_t references_max; /* remote references in one passage */
    double references_mean;
    bool starved; /* somebody did not get through as often as asked in STEPS_MAX steps: then there is no most */
    enum waiting waiting;
    uint64_t wait_references, wait_steps; /* REPEATS: in each turn; GROWS: in that passage, when it was cut off */
};

/* Runs one setting: until everybody has passed through so often that more would tell little, or for a limited number of
 * steps. The same seed gives the same run. Tickets here are real numbers. */
void count_run(struct tally *tally, const struct instance *instance, enum memory_model model, enum schedule schedule,
               uint64_t seed);

#endif
