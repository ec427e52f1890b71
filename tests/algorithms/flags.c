/* SPDX-License-Identifier: MIT
 *
 * The bare protocol of Lamport 1986, section 3.1: raise a flag, then find every other flag down. It shows what that
 * alone gives, and that first come, first served does not imply freedom from deadlock.
 *
 * Design summary
 *  - x[i]: "i is interested". Doorway: raise it. Then wait until each other one has been seen down.
 *  - Exclusion (Theorem 2 of that paper), also on safe registers; first come, first served, because whoever comes
 *    later finds the flag of the one before it up.
 *  - Two who have both raised their flags wait for each other for ever.
 */
#include "registers/language.h"

struct shared {
    array x;
};
#define x (S->x)

struct locals {
    position at;
    proc j;
    procset todo;
};

DECLARE
{
    x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("raise")
    put(x[i], true);
    waiting_room();
    for_all_others ("find", L.j)
        await(!get(x[L.j]));
END

LEAVE
BEGIN
    AT("lower")
    put(x[i], false);
END

ALGORITHM(.title = "The bare mutual exclusion protocol", .paper = "lamport86", .figure = "section 3.1", .k = 1,
          .bits = "n", .fairness = "first come, first served, until it deadlocks", .doorway = true,
          CLAIMS({EXCLUSION, SAFE, CRASH}, {FCFS, SAFE, 0}, {BOUNDED_DOORWAY, SAFE, CRASH},
                 {BOUNDED_EXIT, SAFE, CRASH}));
