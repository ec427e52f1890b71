/* SPDX-License-Identifier: MIT
 *
 * Two processes that are served in order, but for one time: one that leaves while the other has not left yet since the
 * start may go straight in on its next passage. It tests that eventual order (docs/properties.md, D9) is looked for in
 * every passage after a loop, not only in the first: all can rest as long as they like, and then it is the second
 * passage that goes wrong, and the way there cannot be gone twice, since has_left never goes down again.
 */
#include "registers/language.h"

struct shared {
    array waits, barges, has_left;
};
#define waits (S->waits)
#define barges (S->barges)
#define has_left (S->has_left)
#define other ((i + 1) % n)

struct locals {
    position at;
};

DECLARE
{
    waits = registers("waits", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    barges = registers("barges", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    has_left = registers("has_left", n, BOOLEAN, ANY_VALUE, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("doorway")
    put(waits[i], true);
    waiting_room();
    AT("barge")
    if (!get(barges[i])) {
        AT("wait")
        await(!get(waits[other]));
    }
END

LEAVE
BEGIN
    AT("not again")
    put(barges[i], false);
    AT("leave")
    put(waits[i], false);
    AT("has the other left")
    if (!get(has_left[other])) {
        AT("next time")
        put(barges[i], true);
    }
    AT("has left")
    put(has_left[i], true);
END

ALGORITHM(.title = "In order, but for one time", .paper = "-", .figure = "", .k = 1, .doorway = true, .bits = "3 * n",
          .fairness = "none", CLAIMS({BOUNDED_EXIT, ATOMIC, 0}));
