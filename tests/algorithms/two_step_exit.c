/* SPDX-License-Identifier: MIT
 *
 * Test and set, with an exit of two steps: it tests the enabled relation where passages are limited. A process that is
 * on its way out of its last passage never enters again, and so is not enabled, although no infinite run shows it.
 */
#include "registers/language.h"

struct shared {
    array taken, leaving;
};

struct locals {
    position at;
    flag was_taken;
};

DECLARE
{
    S->taken = registers("taken", 1, BOOLEAN, false, .writer = ANYBODY);
    S->leaving = registers("leaving", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("take")
    update(S->taken[0], L.was_taken, true);
    await(!L.was_taken);
END

LEAVE
BEGIN
    AT("leave")
    put(S->leaving[i], false);
    AT("free")
    put(S->taken[0], false);
END

ALGORITHM(.title = "Test and set with an exit of two steps", .paper = "-", .figure = "", .k = 1, .bits = "n + 1",
          .fairness = "none", CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}));
