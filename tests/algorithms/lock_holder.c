/* SPDX-License-Identifier: MIT
 *
 * A queue for one: the register holds the number of the process inside. No schedule tells it from lock_bit, though it
 * has n + 1 values and another text: it tests equivalence.
 *
 * Design summary
 *  - HOLDER is 0, or 1 + the number of the process inside. Whoever finds it 0, or itself there, is inside.
 *  - Leaving takes out whoever is there, which is oneself.
 */
#include "registers/language.h"

struct shared {
    array holder;
};
#define HOLDER (S->holder[0])

struct locals {
    position at;
    proc held;
};

DECLARE
{
    S->holder = registers("HOLDER", 1, n + 1u, 0, .writer = ANYBODY);
}

ENTER
BEGIN
again:
    local(L.held);
    AT("queue up")
    update(HOLDER, L.held, L.held == 0 ? i + 1u : L.held);
    if (L.held != 0 && L.held != i + 1u)
        goto again;
END

LEAVE
BEGIN
    AT("go")
    update(HOLDER, L.held, 0);
END

ALGORITHM(.title = "A queue for one", .paper = "-", .figure = "", .k = 1, .bits = "log2(n + 1)", .fairness = "none",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_EXIT, ATOMIC, CRASH}));
