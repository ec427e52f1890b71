/* SPDX-License-Identifier: MIT
 *
 * Nobody ever waits. It tests that a process that has crashed while trying is not taken for a process that tries for
 * ever, while others come, abort and come again.
 */
#include "registers/language.h"

struct shared {
    array x;
};

struct locals {
    position at;
};

DECLARE
{
    S->x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("first")
    put(S->x[i], true);
    AT("second")
    put(S->x[i], true);
END

LEAVE
BEGIN
    AT("leave")
    put(S->x[i], false);
END

ALGORITHM(.title = "Walks in", .paper = "-", .figure = "", .k = 1, .bits = "n", .fairness = "none",
          CLAIMS({DEADLOCK_FREEDOM, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE}));
