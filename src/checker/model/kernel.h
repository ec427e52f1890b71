/* SPDX-License-Identifier: MIT
 *
 * What the kernel does when a process is killed (registers/sleeping.h), each of the two at once:
 *
 *   - it takes the dead one from its queues and marks its life word. Whoever has looked at that word and is about to sleep
 *     on it will find it changed;
 *   - sooner or later it wakes one of those who watch the life word, any of them. A process that has been woken, but
 *     has not
 *     run since, watches still: the kernel may choose it, and then nobody else wakes.
 *
 * When a command ends whose starter was killed, one of those who sleep notices sooner or later (kernel_tells_of_end):
 * natively the first in line, which looks by itself.
 *
 * Whoever sleeps does so for a while only: at any time the kernel may end its sleep as if it had been woken.
 *
 * A process that was killed and not marked yet is no different from one that is slow: so the mark comes with the death.
 */
#ifndef ADMIT_CHECKER_MODEL_KERNEL_H
#define ADMIT_CHECKER_MODEL_KERNEL_H

#include "checker/model/process.h"

/* By process: the word it sleeps on, and its life word. */
struct sleepers {
    uint64_t sleep_word[CHECKED_PROCESSES_MAX], life[CHECKED_PROCESSES_MAX];
};

typedef void kernel_deed(struct sleepers *sleepers, unsigned n, unsigned i, unsigned choice);
kernel_deed kernel_marks, kernel_wakes_one, kernel_tells_of_end, kernel_ends_sleep;

/* Of the two, which it does for this process, the last that it does for it. */
static inline kernel_deed *kernel_last_deed(const struct setting *setting, unsigned process)
{
    return process < setting->n ? kernel_wakes_one : kernel_tells_of_end;
}

bool is_asleep(uint64_t sleep_word);
bool is_nobodys(uint64_t life);

/* The numbers of the registers where these begin. */
unsigned kernel_sleep_words(const struct instance *instance);
unsigned kernel_lives(const struct instance *instance);

#endif
