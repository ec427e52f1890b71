/* SPDX-License-Identifier: MIT
 *
 * A counting semaphore that anybody may barge past: it tests what the checker says of order.
 *
 * Design summary
 *  - FREE is how many slots are free. Look at it once (the doorway), then take a slot as soon as there is one.
 *  - Nobody who waits has any right over a process that comes later: fcfs, fife, strong-fife, fifo-enabling, bounded
 *    waiting
 *    and lockout-freedom are violated, and overtaking has no bound. Exclusion holds, and a slot is never idle while
 *    somebody steps who wants it.
 */
#include "registers/language.h"

struct shared {
    array free;
};
#define FREE (S->free[0])

struct locals {
    position at;
    proc seen;
};

DECLARE
{
    S->free = registers("FREE", 1, k + 1u, k, .writer = ANYBODY);
}

ENTER
BEGIN
    AT("look")
    L.seen = (proc)get(FREE);
    waiting_room();
again:
    local(L.seen);
    AT("take")
    update(FREE, L.seen, L.seen > 0 ? L.seen - 1u : 0);
    if (L.seen == 0)
        try_again(again);
END

LEAVE
BEGIN
    AT("release")
    update(FREE, L.seen, L.seen < k ? L.seen + 1u : k); /* never more than k */
END

ALGORITHM(.title = "A barging semaphore", .paper = "-", .figure = "", .doorway = true, .bits = "log2(k + 1)",
          .fairness = "none",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, CRASH}, {BOUNDED_DOORWAY, ATOMIC, CRASH},
                 {BOUNDED_EXIT, ATOMIC, CRASH}, {K_DEADLOCK_AVOIDANCE, ATOMIC, 0}));
