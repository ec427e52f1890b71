/* SPDX-License-Identifier: MIT
 *
 * patience.h - how a native process waits for a register to change: it spins briefly, then yields, then sleeps.
 *
 * Spinning wins while the one waited for runs on another core (a hand-over takes well under a microsecond); yielding,
 * when it is ready but has no core; sleeping, when it takes its time. A sleeper is woken by the next write to the
 * register it watches, so that a long wait costs next to nothing and a hand-over is not late.
 *
 * No lost wake-up: the sleeper counts itself in `sleepers`, then asks the kernel to put it to sleep if the register
 * still has the value it saw; the writer writes, then looks at `sleepers`. All four are sequentially consistent: either
 * the writer sees the sleeper and wakes it, or the kernel sees the new value and returns at once.
 *
 * Still, no sleep is longer than a limit, and nothing but speed depends on being woken: to the algorithm a sleeper is a
 * process that the scheduler neglects for a while, which the checker has explored. So it does not matter that the
 * kernel compares only the low 32 bits, nor that a killed sleeper stays counted (each later write of that register then
 * asks the kernel to wake nobody).
 */
#ifndef ADMIT_REGISTERS_PATIENCE_H
#define ADMIT_REGISTERS_PATIENCE_H

#include <stdatomic.h>
#include <stdint.h>

struct patience {
    unsigned spins, yields; /* so far, in this passage */
    unsigned sleeps;        /* so far, in this wait */
};

/* What is known about the register watched: nothing but its change ends the wait; or it was one obstacle of several,
 * and perhaps another one will go first, so that it is better to look again from time to time. */
enum watch { AWAITED, OBSTACLE };

/* One more failed test, in which the register held `seen`: waits a little, in a costlier but thriftier way the more
 * tests have failed. */
void admit_be_patient(struct patience *patience, enum watch watch, _Atomic uint64_t *watched, uint64_t seen,
                      _Atomic uint32_t *sleepers);

/* Wakes all who sleep on this register. */
void admit_wake(_Atomic uint64_t *watched);

#endif
