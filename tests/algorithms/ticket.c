/* SPDX-License-Identifier: MIT
 *
 * A small ticket lock for k: it tests the checker's enabled relation, and update().
 *
 * Design summary
 *  - ISSUE is the next ticket to be drawn, tickets below VALID are valid; k of them are at the start.
 *  - Draw a ticket, wait until it is valid; leaving makes one more ticket valid.
 *  - Whoever holds a valid ticket is enabled, and nobody else outside is: strong-fife and fifo-enabling hold.
 */
#include "registers/language.h"

struct shared {
    array issue, valid;
};
#define ISSUE (S->issue[0])
#define VALID (S->valid[0])

struct locals {
    position at;
    ticket mine, valid;
};

DECLARE
{
    S->issue = registers("ISSUE", 1, TICKET, 0, .writer = ANYBODY);
    S->valid = registers("VALID", 1, TICKET, k, .writer = ANYBODY);
}

ENTER
BEGIN
    local(L.mine);
    AT("draw")
    update(ISSUE, L.mine, L.mine + 1u);
    waiting_room();
    AT("wait")
    await(L.mine < get(VALID));
END

LEAVE
BEGIN
    AT("release")
    update(VALID, L.valid, L.valid + 1u);
END

ALGORITHM(.title = "A small ticket lock", .paper = "-", .figure = "", .doorway = true, .bits = "unbounded",
          .fairness = "first in, first enabled",
          .ticket_locals = {offsetof(struct locals, mine), offsetof(struct locals, valid)},
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {LOCKOUT_FREEDOM, ATOMIC, CRASH}, {BOUNDED_DOORWAY, ATOMIC, CRASH},
                 {K_DEADLOCK_AVOIDANCE, ATOMIC, 0}, {FIFE, ATOMIC, 0}, {STRONG_FIFE, ATOMIC, 0},
                 {FIFO_ENABLING, ATOMIC, 0}));
