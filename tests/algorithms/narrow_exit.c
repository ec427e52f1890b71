/* SPDX-License-Identifier: MIT
 *
 * A counting semaphore that is left through a door, one at a time, by whoever takes it first: it tests what the checker
 * says of order on the way out (the second half of fifo-enabling).
 */
#include "registers/language.h"

struct shared {
    array free, door;
};
#define FREE (S->free[0])
#define DOOR (S->door[0])

struct locals {
    position at;
    proc seen;
    flag shut;
};

DECLARE
{
    S->free = registers("FREE", 1, k + 1u, k, .writer = ANYBODY);
    S->door = registers("DOOR", 1, BOOLEAN, false, .writer = ANYBODY);
}

ENTER
BEGIN
again:
    local(L.seen);
    AT("take")
    update(FREE, L.seen, L.seen > 0 ? L.seen - 1u : 0);
    if (L.seen == 0)
        try_again(again);
END

LEAVE
BEGIN
    AT("go to the door")
    (void)get(DOOR);
again:
    local(L.shut);
    AT("shut it")
    update(DOOR, L.shut, true);
    if (L.shut)
        try_again(again);
    AT("open it")
    put(DOOR, false);
    AT("release")
    update(FREE, L.seen, L.seen < k ? L.seen + 1u : k);
END

ALGORITHM(.title = "A semaphore with a narrow exit", .paper = "-", .figure = "", .bits = "log2(k + 1) + 1",
          .fairness = "none", CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}));
