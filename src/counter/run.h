/* SPDX-License-Identifier: MIT
 *
 * run.h - the counted world: processes run under a schedule, and their steps are counted.
 *
 * The same text as in the checked world, but one run instead of all of them: so n can be large, and what is found is a
 * sample, not a bound.
 */
#ifndef ADMIT_COUNTER_RUN_H
#define ADMIT_COUNTER_RUN_H

#include "checker/process.h"

enum schedule { ROUND_ROBIN, RANDOM, SCHEDULES };
extern const char *const schedule_name[SCHEDULES];

struct tally {
    uint64_t passages;
    uint64_t steps_max; /* in one passage, failed tests of waits included */
    double steps_mean;
    bool starved; /* somebody did not get through as often as asked: then there is no most */
};

/* Runs until every process has passed through so many times, or until max_steps steps were taken. The same seed
 * gives the same run. Tickets here are real numbers. */
void count_run(struct tally *tally, const struct instance *instance, enum schedule schedule, uint64_t passages_each,
               uint64_t max_steps, uint64_t seed);

#endif
