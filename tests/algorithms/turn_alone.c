/* SPDX-License-Identifier: MIT
 *
 * A turn, and nothing else: one variable, broken for n >= 2.
 *
 * Design summary
 *  - Whoever's turn it is may enter, and hands the turn on when it leaves. Exclusion holds; but while the process whose
 *    turn it is rests, nobody gets in.
 */
#include "registers/language.h"

struct shared {
    array turn;
};
#define TURN (S->turn[0])

struct locals {
    position at;
};

DECLARE
{
    S->turn = registers("turn", 1, n, 0, .writer = ANYBODY);
}

ENTER
BEGIN
    AT("wait")
    await(get(TURN) == i);
END

LEAVE
BEGIN
    AT("hand on")
    put(TURN, (i + 1) % n);
END

ALGORITHM(.title = "Taking turns", .paper = "-", .figure = "", .k = 1, .bits = "log2(n)", .fairness = "in turn",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH}));
