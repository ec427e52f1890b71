/* SPDX-License-Identifier: MIT
 *
 * The algorithm of Burns and Lynch behind a scrap of paper that nobody reads: it tests the adversary of Theorem 5.1.
 *
 * Design summary
 *  - Read side, write one's number on scrap[(side + i) mod 2], then go on as burns_lynch.c does; turn side on leaving.
 *  - Correct, with n + 3 variables. A process covers first what others write too, so that side branches write what is
 *    obliterated afterwards; and what it covers depends on how often others have passed, so that one side branch more
 *    is needed until two end at the same variable.
 */
#include "registers/language.h"

enum { down = 0, up = 1 };

struct shared {
    array Flag, side, scrap;
};
#define Flag (S->Flag)
#define SIDE (S->side[0])
#define scrap (S->scrap)

struct locals {
    position at;
    proc j;
    flag s;
};

DECLARE
{
    Flag = registers("Flag", n, BOOLEAN, down, .writer = OWN_ELEMENT);
    S->side = registers("side", 1, BOOLEAN, 0, .writer = ANYBODY);
    scrap = registers("scrap", 2, n, 0, .writer = ANYBODY);
}

ENTER
BEGIN
    {
        local(L.s);
        AT("side")
        L.s = (flag)get(SIDE);
        AT("scribble")
        put(scrap[(L.s + i) % 2], i);
    }
entry:
    AT("Entry")
    put(Flag[i], down);
    for_in_order ("Subentry", L.j, 0, i)
        await(get(Flag[L.j]) == down);
    AT("raise")
    put(Flag[i], up);
    for_in_order ("until", L.j, 0, i)
        if (get(Flag[L.j]) == up)
            goto entry;
    for_in_order ("Gateway", L.j, i + 1, n)
        await(get(Flag[L.j]) == down);
END

LEAVE
BEGIN
    AT("other side")
    L.s = (flag)get(SIDE);
    AT("turn")
    put(SIDE, !L.s);
    AT("Exit")
    put(Flag[i], down);
END

ALGORITHM(.title = "Burns-Lynch behind a scrap of paper", .paper = "-", .figure = "", .k = 1,
          .bits = "n + 1 + 2 * log2(n)", .fairness = "deadlock-free",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_EXIT, ATOMIC, CRASH}));
