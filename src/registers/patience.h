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
#include <stdbool.h>
#include <stdint.h>

struct patience {
    unsigned spins, yields; /* so far, in this passage */
    unsigned sleeps;        /* so far, in this wait */
    bool parked;            /* counted in a parking's `parked`, and about to look a last time before sleeping */
    uint32_t heard;         /* its bell, before that look */
};

/* Where those sleep who wait for one register, each for another value of it: so that whoever writes the value that ends
 * one wait wakes this sleeper alone, and the others sleep on. There are 64 bays, of which bay s sleeps on
 * bell[s / 32], in the kernel's set s % 32.
 *
 * No lost wake-up: the sleeper counts itself in `parked`, listens to the bell, looks at the register once more, and asks
 * the kernel to put it to sleep if the bell has not been rung since. The writer writes the register, looks at `parked`,
 * then rings (adds one) and only then wakes. All of this is sequentially consistent. If the sleeper's last look came
 * before the write, so did its count and its listening: then the writer sees the count and rings after that listening,
 * and the kernel either finds the bell rung, or has put the sleeper into the bay before the wake.
 *
 * One wake: no two wait in one bay at a time (the waiting tickets are fewer than 64 and follow each other), and the
 * kernel wakes one at most. A writer that rings late may wake a process that has the bay by then: it looks and sleeps
 * again. So late that a whole round of tickets has been used up meanwhile, it may find the one it means and a later one
 * in the same bay, and wake the wrong one; then the right one sleeps on to its limit, 64 ms at most.
 * As above, no sleep is without limit, and a killed sleeper stays counted: later releases then ring for nobody. */
struct parking {
    _Atomic uint32_t parked;
    _Atomic uint32_t bell[2];
};

/* What is known about the register watched: nothing but its change ends the wait; or it was one obstacle of several,
 * and perhaps another one will go first, so that it is better to look again from time to time. */
enum watch { AWAITED, OBSTACLE };

/* One more failed test, in which the register held `seen`: waits a little, in a costlier but thriftier way the more
 * tests have failed. */
void admit_be_patient(struct patience *patience, enum watch watch, _Atomic uint64_t *watched, uint64_t seen,
                      _Atomic uint32_t *sleepers);

/* Wakes all who sleep on this register. */
void admit_wake(const _Atomic uint64_t *watched);

/* One more failed test, for a process that sleeps in a bay; and what it does after the last test if it is parked
 * still. */
void admit_be_patient_in(struct patience *patience, struct parking *parking, unsigned bay);
void admit_drive_off(struct patience *patience, struct parking *parking);

/* Wakes the process that sleeps in this bay, if any. */
void admit_ring(struct parking *parking, unsigned bay);

/* How often this process has rung a bay, how many sleepers that woke, and how many at most by one ring. For tests. */
struct rings {
    unsigned long rung, woken, most;
};
struct rings admit_rings(void);

#endif
