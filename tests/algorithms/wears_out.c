/* SPDX-License-Identifier: MIT
 *
 * Test and set that is stiff after twenty uses: then leaving takes two steps. Until then no schedule tells it from
 * lock_bit: it tests that equivalence is decided, not sampled.
 *
 * Design summary
 *  - LOCK is twice the number of uses, which stays at twenty, plus one while somebody is inside.
 */
#include "registers/language.h"

enum { USES = 20 };

struct shared {
    array lock;
};
#define LOCK (S->lock[0])

struct locals {
    position at;
    proc was;
};

DECLARE
{
    S->lock = registers("LOCK", 1, 2 * USES + 2, 0, .writer = ANYBODY);
}

ENTER
BEGIN
again:
    local(L.was);
    AT("take")
    update(LOCK, L.was, L.was | 1u);
    if (L.was & 1u)
        try_again(again);
END

LEAVE
BEGIN
    AT("give back")
    update(LOCK, L.was, L.was < 2 * USES ? L.was + 1u : 2 * USES);
    if (L.was > 2 * USES) {
        AT("stiff")
        (void)get(LOCK);
    }
END

ALGORITHM(.title = "Test and set that wears out", .paper = "-", .figure = "", .k = 1, .bits = "log2(42)",
          .fairness = "none",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_EXIT, ATOMIC, CRASH}));
