/* SPDX-License-Identifier: MIT
 *
 * The One-Bit Algorithm.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, Figure 1.
 * Found independently by J. Burns: see burns_lynch.c for his form.
 *
 * Design summary
 *  - One bit per process, x[i]: "i is interested". Only i writes it.
 *  - To enter, raise x[i]; give way to every lower-numbered process that is interested too, and start again once it is
 *    not; then wait, with x[i] up, until no higher-numbered process is interested.
 *  - To leave, lower x[i].
 *  - Exclusion: of two processes inside, the one that raised its bit last has read the other's afterwards.
 *  - No deadlock: the lowest-numbered trier never has to give way. It may lock others out for ever.
 *  - Needs no more than safe registers: a read that overlaps a write may return anything.
 *
 * Deviations from the figure: processes are numbered 0..n-1 instead of 1..N.
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

DECLARE
{
    x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
l:
    AT("l")
    put(x[i], true);
    for_in_order ("first for", L.j, 0, i)
        if (get(x[L.j])) {
            AT("give way")
            put(x[i], false);
            AT("wait")
            await(!get(x[L.j]));
            goto l;
        }
    for_in_order ("second for", L.j, i + 1, n)
        await(!get(x[L.j]));
END

LEAVE
BEGIN
    AT("exit")
    put(x[i], false);
END

ALGORITHM(.title = "The One-Bit Algorithm", .paper = "lamport86", .figure = "Figure 1", .k = 1, .bits = "n",
          .bits_each = "1", .fairness = "deadlock-free; the lowest-numbered trier goes first",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | FAILURE}, {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | FAILURE},
                 {BOUNDED_EXIT, SAFE, CRASH}));
