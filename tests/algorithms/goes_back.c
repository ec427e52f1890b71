/* SPDX-License-Identifier: MIT
 *
 * A test and set whose register is declared to take no value twice, and does: it tests that the checker does not believe it.
 *
 * Design summary
 *  - LOCK is 1 while somebody is inside.
 */
#include "registers/language.h"

struct shared {
    array lock;
};
#define LOCK (S->lock[0])

struct locals {
    position at;
    flag was;
};

static bool has_grown(uint64_t from, uint64_t to)
{
    return to > from;
}

DECLARE
{
    S->lock = registers("LOCK", 1, BOOLEAN, 0, .writer = ANYBODY, .grows = has_grown);
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

ALGORITHM(.title = "Test and set that was declared to grow", .paper = "-", .figure = "", .k = 1, .bits = "1",
          .fairness = "none", CLAIMS({EXCLUSION, ATOMIC, 0}));
