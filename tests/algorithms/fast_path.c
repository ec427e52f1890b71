/* SPDX-License-Identifier: MIT
 *
 * A lock that is a splitter and nothing else: two variables, too few for n >= 3.
 * L. Lamport, A Fast Mutual Exclusion Algorithm, ACM TOCS 5(1), 1987, Algorithm 1, without its delay.
 *
 * Design summary
 *  - x is who came last, y who has gone on. Write x, look whether y is free, write y, look whether x has changed.
 *  - If it is not, the original waits until all who are between have written y, and looks at y. Without the delay that
 *    look comes too early.
 */
#include "registers/language.h"

struct shared {
    array x, y;
};
#define X (S->x[0])
#define Y (S->y[0])

struct locals {
    position at;
};

DECLARE
{
    S->x = registers("x", 1, n, 0, .writer = ANYBODY);
    S->y = registers("y", 1, n + 1u, 0, .writer = ANYBODY);
}

ENTER
BEGIN
start:
    AT("x := i")
    put(X, i);
    AT("y free?")
    if (get(Y) != 0)
        goto start;
    AT("y := i")
    put(Y, i + 1u);
    AT("x = i?")
    if (get(X) != i) {
        AT("y = i?")
        if (get(Y) != i + 1u)
            goto start;
    }
END

LEAVE
BEGIN
    AT("free")
    put(Y, 0);
END

ALGORITHM(.title = "A splitter as a lock", .paper = "-", .figure = "", .k = 1, .bits = "log2(n) + log2(n + 1)",
          .fairness = "none", CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
