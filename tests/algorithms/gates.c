/* SPDX-License-Identifier: MIT
 *
 * n - 1 gates, one behind the other, each a variable that is looked at and then written: one variable too few.
 *
 * Design summary
 *  - Whoever finds a gate open shuts it behind itself; whoever leaves opens them all again, the last one first.
 *  - Each gate stops some of those that come together, but not all. The adversary needs every level of its induction:
 *    p_j is held about to shut gate j, with gates 0 to j - 1 shut in vain.
 */
#include "registers/language.h"

struct shared {
    array shut;
};
#define shut (S->shut)

struct locals {
    position at;
    proc g;
};

static unsigned gates(unsigned n)
{
    return n > 1 ? n - 1 : 1;
}

DECLARE
{
    shut = registers("shut", gates(n), BOOLEAN, false, .writer = ANYBODY);
}

ENTER
BEGIN
    for_in_order ("look", L.g, 0, gates(n)) {
        await(!get(shut[L.g]));
        AT("shut")
        put(shut[L.g], true);
    }
END

LEAVE
BEGIN
    for (L.g = (proc)gates(n); L.g > 0; L.g--) {
        AT("open")
        put(shut[L.g - 1], false);
    }
END

ALGORITHM(.title = "n - 1 gates", .paper = "-", .figure = "", .k = 1, .bits = "n - 1", .fairness = "none",
          CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
