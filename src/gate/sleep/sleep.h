/* SPDX-License-Identifier: MIT
 *
 * sleep.h - how one waits. What the text needs of it is declared in registers/sleeping_native.h.
 */
#ifndef ADMIT_GATE_SLEEP_SLEEP_H
#define ADMIT_GATE_SLEEP_SLEEP_H

#include "gate/life/life.h"

bool admit_deadline_passed(const struct timespec *until);
/* For one that has no record: as long as the word has this value and nothing ends its wait, but no longer than so.
 * Returns whether somebody woke it. */
bool admit_sleep_on(const struct sleeper *sleeper, const _Atomic uint32_t *word, uint32_t value, int64_t for_ns);
/* Whether the kernel lets nobody watch more than one word. */
bool admit_is_deaf(void);
/* All who sleep, where they can be told of nothing but their turn. Safe in a signal handler. */
void admit_wake_if_deaf(const admit_gate *gate);
/* After one has left: the next in line, a little before its turn, if that pays off. */
void admit_rouse_next(struct sleeper *sleeper);

#endif
