/* SPDX-License-Identifier: MIT
 *
 * Excludes nobody; it tests that the checker does not stumble over register values that never occur: from such a value
 * of `turn` this text would go on to a register that does not exist.
 */
#include "registers/language.h"

struct shared {
    array turn, x;
};

struct locals {
    position at;
    proc turn;
};

DECLARE
{
    S->turn = registers("turn", 1, 16, 0, .writer = ANYBODY);
    S->x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("turn")
    L.turn = (proc)get(S->turn[0]);
    AT("x")
    await(!get(S->x[200 * L.turn]));
END

LEAVE
BEGIN
    AT("reset")
    put(S->turn[0], 0);
END

ALGORITHM(.title = "Reads by an index it has read", .paper = "-", .figure = "", .bits = "n + 4", .fairness = "none",
          CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
