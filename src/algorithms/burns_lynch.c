/* SPDX-License-Identifier: MIT
 *
 * The mutual exclusion algorithm of Burns and Lynch: n binary variables are enough.
 * J. E. Burns, N. A. Lynch, Bounds on Shared Memory for Mutual Exclusion, Information and Computation 107, 1993,
 * Fig. 1.
 *
 * Design summary
 *  - One binary variable per process, Flag[i], which only i writes.
 *  - Subentry: with the flag down, wait until no lower-numbered process has its flag up. Raise the flag and look again;
 *    start over if one has come up meanwhile.
 *  - Gateway: with the flag up, wait until no higher-numbered process has its flag up.
 *  - To leave, lower the flag.
 *  - Theorem 4.1: mutual exclusion with global progress, on 2^n shared states, which is the least possible. A process
 *    may starve.
 *
 * Deviations from the figure: none of substance. The three "for all" predicates are read one variable at a time, in any
 * order, as the text asks; a reader stops at the first flag that is up, since the predicate is then known to be false.
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

DECLARE
{
    Flag = registers("Flag", n, BOOLEAN, down, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
entry:
    AT("Entry")
    put(Flag[i], down);
subentry:
    for_all ("Subentry", L.j, 0, i)
        if (get(Flag[L.j]) == up)
            try_again(subentry);
    AT("raise")
    put(Flag[i], up);
    for_all ("until", L.j, 0, i)
        if (get(Flag[L.j]) == up)
            goto entry;
gateway:
    for_all ("Gateway", L.j, i + 1, n)
        if (get(Flag[L.j]) == up)
            try_again(gateway);
END

LEAVE
BEGIN
    AT("Exit")
    put(Flag[i], down);
END

ALGORITHM(.title = "The Mutual Exclusion Algorithm with n bits", .paper = "bl93", .figure = "Fig. 1", .k = 1,
          .bits = "n", .bits_each = "1", .fairness = "deadlock-free (global progress)",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_EXIT, ATOMIC, CRASH}));
