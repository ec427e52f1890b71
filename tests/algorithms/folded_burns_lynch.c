/* SPDX-License-Identifier: MIT
 *
 * The algorithm of Burns and Lynch (src/algorithms/burns_lynch.c) with n - 1 flags: the last process shares that of
 * process 0. One variable too few.
 *
 * Design summary
 *  - As the original, with Flag[i mod (n - 1)] for Flag[i]. The two that share a flag cannot tell its being up by the
 *    other from its being up by themselves.
 */
#include "registers/language.h"

enum { down = 0, up = 1 };

struct shared {
    array Flag;
};
#define Flag (S->Flag)

struct locals {
    position at;
    proc j;
    procset todo;
};

static unsigned flags(unsigned n)
{
    return n > 1 ? n - 1 : 1;
}

DECLARE
{
    Flag = registers("Flag", flags(n), BOOLEAN, down, .writer = ANYBODY);
}

ENTER
BEGIN
entry:
    AT("Entry")
    put(Flag[i % flags(n)], down);
subentry:
    for_all ("Subentry", L.j, 0, i % flags(n))
        if (get(Flag[L.j]) == up)
            try_again(subentry);
    AT("raise")
    put(Flag[i % flags(n)], up);
    for_all ("until", L.j, 0, i % flags(n))
        if (get(Flag[L.j]) == up)
            goto entry;
gateway:
    for_all ("Gateway", L.j, i % flags(n) + 1, flags(n))
        if (get(Flag[L.j]) == up)
            try_again(gateway);
END

LEAVE
BEGIN
    AT("Exit")
    put(Flag[i % flags(n)], down);
END

ALGORITHM(.title = "Burns-Lynch with n - 1 flags", .paper = "-", .figure = "", .k = 1, .bits = "n - 1",
          .fairness = "none", CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
