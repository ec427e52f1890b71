/* SPDX-License-Identifier: MIT
 *
 * tickets.h - how unbounded tickets are kept finite, exactly.
 *
 * An algorithm may use a ticket in three ways only: compare it with another or with 0, keep it, and make a new one that is
 * one larger than one it has. Then only the gaps between the tickets present in a state matter (0 is always present),
 * and of a wide gap only that it is wide: a new ticket, one above the lower edge, makes it narrower by one.
 *
 * So the tickets of a state are renamed such that they keep their order and
 *   - a gap below CLOSE keeps its width,
 *   - a gap of CLOSE or more becomes FAR + CLOSE, which is read as "at least CLOSE",
 *   - a gap FAR + b (1 <= b <= CLOSE), which is what such a gap becomes as new tickets come in above its lower edge, is
 *     read as "at least b" and stays, and widens up to FAR + CLOSE when tickets at its edges go.
 * All states that share a renamed form have the same futures, as long as no gap FAR + 1 must be narrowed further: then
 * its true width would matter and is not known. That is noticed, and the exploration starts again with a larger CLOSE; it
 * is never guessed. A small CLOSE is wanted because it merges more states; what it must be depends on how many tickets
 * can come in below one that nobody sees, which the exploration finds out by itself. There are algorithms for which none
 * is enough (two chains of tickets that race each other); they end undecided, unless the passages are limited.
 */
#ifndef ADMIT_CHECKER_TICKETS_H
#define ADMIT_CHECKER_TICKETS_H

#include "checker/model.h"

enum {
    TICKET_WIDTH = 16,
    TICKET_GAP_TRIED = 4, /* times n + 1, which is where it starts */
    TICKET_GAP_MAX = 100  /* far below FAR */
};

/* Renames in place. MISSING if a process's renamed locals have no number yet. */
enum applied tickets_normalise(const struct model *model, uint64_t *state);
/* Gives numbers to the renamed locals of such a state, or sets model->overflow. */
void tickets_learn(struct model *model, const uint64_t *state);

#endif
