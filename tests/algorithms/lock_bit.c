/* SPDX-License-Identifier: MIT
 *
 * Test and set: one bit says that somebody is inside. It tests equivalence, beside lock_holder and wears_out.
 *
 * Design summary
 *  - Whoever finds the bit down raises it and is inside, by the same step; leaving lowers it.
 */
#include "registers/language.h"

struct shared {
    array lock;
};
#define LOCK (S->lock[0])

struct locals {
    position at;
    bool was;
};

DECLARE
{
    S->lock = registers("LOCK", 1, BOOLEAN, false, .writer = ANYBODY);
}

ENTER
BEGIN
again:
    local(L.was);
    AT("take")
    update(LOCK, L.was, true);
    if (L.was)
        try_again(again);
END

LEAVE
BEGIN
    AT("give back")
    put(LOCK, false);
END

ALGORITHM(.title = "Test and set", .paper = "-", .figure = "", .k = 1, .bits = "1", .fairness = "none",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_EXIT, ATOMIC, CRASH}));
