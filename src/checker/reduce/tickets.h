/* SPDX-License-Identifier: MIT
 *
 * tickets.h - how unbounded tickets are kept finite.
 *
 * An algorithm may use a ticket in three ways only: compare it with another or with 0, keep it, and make a new one that
 * is one larger than one it has, at most once per step. Then only the gaps between the tickets present in a state
 * matter (0 is always present), and of a wide gap only that it is wide: a new ticket, one above the lower edge, makes
 * it narrower by one.
 *
 * So the tickets of a state are renamed such that they keep their order and
 *   - a gap below CLOSE (which is at least 2) keeps its width,
 *   - a gap of CLOSE or more becomes FAR + CLOSE, which is read as "at least CLOSE",
 *   - a gap FAR + b (2 <= b <= CLOSE), which is what such a gap becomes as new tickets come in above its lower edge, is
 *     read as "at least b" and stays, and widens up to FAR + CLOSE when tickets at its edges go.
 * A gap of at least 2 is enough to know how a new ticket compares with the upper edge in the step that makes it.
 *
 * All states that share a renamed form have the same futures, as long as no gap FAR + 2 is narrowed further; then the
 * renaming is exact. Where one is, its width is not known any more: the step is ambiguous, and both of its outcomes are
 * explored: the gap is now 1 wide, or it is still "at least 2". One of them is what really happens. So nothing is
 * missed, but something may be found that does not exist. Therefore, once there was an ambiguous step,
 *   - what holds, holds: no real run was left out;
 *   - counts of states, premises and bounds may be too large;
 *   - a counterexample counts only if it can be executed with real tickets (trace.h); else the verdict is undecided;
 *   - a property that relies on somebody's being enabled, and not only on somebody's not being, is undecided.
 */
#ifndef ADMIT_CHECKER_REDUCE_TICKETS_H
#define ADMIT_CHECKER_REDUCE_TICKETS_H

#include "checker/model/model.h"

enum { TICKET_GAP_MIN = 2, TICKET_GAP_MAX = 100 /* far below FAR */ };

/* As in struct normal_form. */
enum applied tickets_normalise(const struct model *model, uint64_t *state, bool gap_is_gone);
void tickets_learn(struct model *model, const uint64_t *state, bool gap_is_gone);
/* Whether a state may stand for these real tickets: one value per ticket register, and the processes' locals. */
bool tickets_represent(const struct model *model, const uint64_t *state, const uint64_t *values,
                       const struct process *processes);

#endif
