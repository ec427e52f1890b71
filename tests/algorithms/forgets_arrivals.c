/* SPDX-License-Identifier: MIT
 *
 * A semaphore that also counts departures, in one register: it tests 'admit bound values'. What it holds tells how many
 * have gone through, but not who waits.
 *
 * Design summary
 *  - STATE is how many are inside, plus k + 1 times the number of departures, up to 11 and then from 0 again.
 *  - Whoever has looked once (the doorway) and then sees fewer than k inside is inside; whoever does not looks again.
 */
#include "registers/language.h"

struct shared {
    array state;
};
#define STATE (S->state[0])

struct locals {
    position at;
    number seen;
};

enum { DEPARTURES = 12 };

static inline unsigned after_arrival(unsigned state, unsigned k)
{
    return state % (k + 1) < k ? state + 1 : state;
}

static inline unsigned after_departure(unsigned state, unsigned k)
{
    return (state + k) % ((k + 1) * DEPARTURES);
}

DECLARE
{
    S->state = registers("STATE", 1, (k + 1) * DEPARTURES, 0, .writer = ANYBODY);
}

ENTER
BEGIN
    AT("look")
    L.seen = (number)get(STATE);
    waiting_room();
again:
    local(L.seen);
    AT("arrive")
    update(STATE, L.seen, after_arrival(L.seen, k));
    if (L.seen % (k + 1) == k)
        try_again(again);
END

LEAVE
BEGIN
    AT("depart")
    update(STATE, L.seen, after_departure(L.seen, k));
END

ALGORITHM(.title = "A semaphore that counts departures", .paper = "-", .figure = "", .doorway = true,
          .bits = "log2(12 * (k + 1))", .fairness = "none",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, CRASH}));
