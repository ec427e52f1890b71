/* SPDX-License-Identifier: MIT
 *
 * sleep.h - how one waits. What the text needs of it is declared in registers/sleeping_native.h.
 */
#ifndef ADMIT_GATE_SLEEP_SLEEP_H
#define ADMIT_GATE_SLEEP_SLEEP_H

#include "gate/life/life.h"

bool admit_deadline_passed(const struct timespec *until);
/* A millisecond, or until the deadline. */
void admit_doze(const struct sleeper *sleeper);
/* All who sleep, where they can be told of nothing but their turn. Safe in a signal handler. */
void admit_wake_if_deaf(const admit_gate *gate);
/* After one has left: the next in line, a little before its turn, if that pays off. */
void admit_rouse_next(struct sleeper *sleeper);

#endif
