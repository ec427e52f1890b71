/* SPDX-License-Identifier: MIT
 *
 * The One-Bit Algorithm (src/algorithms/one_bit.c) with a bit for every two processes: too few variables for n >= 2.
 *
 * Design summary
 *  - Processes 2b and 2b + 1 share x[b]. Each waits until it is down before raising it, so that the two keep out of
 *    each other's way unless both have looked; then as the original.
 */
#include "registers/language.h"

struct shared {
    array x;
};
#define x (S->x)

struct locals {
    position at;
    proc j;
};

static unsigned bits(unsigned n)
{
    return (n + 1) / 2;
}

DECLARE
{
    x = registers("x", bits(n), BOOLEAN, false, .writer = ANYBODY);
}

ENTER
BEGIN
l:
    AT("partner")
    await(!get(x[i / 2]));
    AT("l")
    put(x[i / 2], true);
    for_in_order ("first for", L.j, 0, i / 2)
        if (get(x[L.j])) {
            AT("give way")
            put(x[i / 2], false);
            AT("wait")
            await(!get(x[L.j]));
            goto l;
        }
    for_in_order ("second for", L.j, i / 2 + 1, bits(n))
        await(!get(x[L.j]));
END

LEAVE
BEGIN
    AT("exit")
    put(x[i / 2], false);
END

ALGORITHM(.title = "One-Bit with a bit for every two", .paper = "-", .figure = "", .k = 1, .bits = "(n + 1) / 2",
          .fairness = "none", CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
