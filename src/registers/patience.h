/* SPDX-License-Identifier: MIT
 *
 * patience.h - how a native process waits for a register to change: it spins briefly, then yields, then sleeps.
 *
 * Spinning wins while the one waited for runs on another core (a hand-over takes well under a microsecond); it is waste
 * once there are more processes than cores. Naps grow, so that a long wait costs next to nothing, and stay short enough
 * that a hand-over to a sleeper is not felt by a person.
 */
#ifndef ADMIT_REGISTERS_PATIENCE_H
#define ADMIT_REGISTERS_PATIENCE_H

struct patience {
    unsigned tries;
};

/* One more failed test: waits a little, and longer the more tests have failed. */
void admit_be_patient(struct patience *patience);

#endif
