/* SPDX-License-Identifier: MIT
 *
 * watchdog.h - ends the program when an algorithm's text goes on for ever between two markers: a loop of local work, or
 * a wait without a marker in it. Nothing else can end such a step, since the text does not come back.
 *
 * A timer of each thread that steps texts looks a few times a second whether the thread is still in the step in which
 * it found it last. The seconds are those that the thread itself has computed, so that a machine that is busy with
 * something else makes nobody look stuck; and a step costs no more than noting that it begins and that it has ended.
 */
#ifndef ADMIT_CHECKER_MODEL_WATCHDOG_H
#define ADMIT_CHECKER_MODEL_WATCHDOG_H

#include "checker/model/process.h"

/* What this thread is about. Volatile, since it is read by a signal handler of the same thread. */
struct watched_step {
    const struct instance *volatile instance; /* NULL: no text runs */
    const struct process *volatile process;   /* as it was before the step */
    volatile unsigned i;
    volatile uint64_t number; /* of texts that this thread has called */
    bool is_watched;
};

extern _Thread_local struct watched_step current_step;

void watch_this_thread(void);

static inline void step_begins(const struct instance *instance, unsigned i, const struct process *process)
{
    if (!current_step.is_watched)
        watch_this_thread();
    current_step.number++;
    current_step.i = i;
    current_step.process = process;
    current_step.instance = instance;
}

static inline void step_has_ended(void)
{
    current_step.instance = NULL;
}

#endif
