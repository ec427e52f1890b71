/* SPDX-License-Identifier: MIT
 *
 * A wait without a marker in its rounds: it tests that the checker refuses a text that goes on for ever between two
 * markers, instead of doing the same. (The loop is a goto since a compiler may take it that a while ends.)
 */
#include "registers/language.h"

struct shared {
    array x;
};
#define x (S->x)

struct locals {
    position at;
};

DECLARE
{
    x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("first")
    put(x[i], true);
    AT("look at the next")
again:
    if (get(x[(i + 1) % n]))
        goto again;
END

LEAVE
BEGIN
    AT("leave")
    put(x[i], false);
END

ALGORITHM(.title = "Waits without a marker", .paper = "-", .figure = "", .k = 1, .bits = "n", .fairness = "none",
          CLAIMS({EXCLUSION, ATOMIC, 0}));
