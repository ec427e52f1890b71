/* SPDX-License-Identifier: MIT
 *
 * A lock of one variable that looks and then writes: broken for n >= 2, with too few variables for any n >= 2.
 *
 * Design summary
 *  - Wait until the lock is free, then take it. Others may have looked meanwhile.
 */
#include "registers/language.h"

struct shared {
    array taken;
};
#define TAKEN (S->taken[0])

struct locals {
    position at;
};

DECLARE
{
    S->taken = registers("taken", 1, BOOLEAN, false, .writer = ANYBODY);
}

ENTER
BEGIN
    AT("look")
    await(!get(TAKEN));
    AT("take")
    put(TAKEN, true);
END

LEAVE
BEGIN
    AT("free")
    put(TAKEN, false);
END

ALGORITHM(.title = "Look, then write", .paper = "-", .figure = "", .k = 1, .bits = "1", .fairness = "none",
          CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
