/* SPDX-License-Identifier: MIT
 *
 * Fischer's timed lock without its delay: one variable, broken for n >= 2.
 *
 * Design summary
 *  - Wait until the lock is free, write one's number into it, and look whether it has stayed there. The delay between
 *    the two, which is what makes Fischer's algorithm right, has no meaning among asynchronous processes.
 */
#include "registers/language.h"

struct shared {
    array owner;
};
#define OWNER (S->owner[0])

struct locals {
    position at;
};

DECLARE
{
    S->owner = registers("owner", 1, n + 1u, 0, .writer = ANYBODY);
}

ENTER
BEGIN
start:
    AT("wait")
    await(get(OWNER) == 0);
    AT("claim")
    put(OWNER, i + 1u);
    AT("look again")
    if (get(OWNER) != i + 1u)
        goto start;
END

LEAVE
BEGIN
    AT("free")
    put(OWNER, 0);
END

ALGORITHM(.title = "Fischer's lock without delay", .paper = "-", .figure = "", .k = 1, .bits = "log2(n + 1)",
          .fairness = "none", CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
