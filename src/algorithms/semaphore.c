/* SPDX-License-Identifier: MIT
 *
 * The generalized semaphore.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, section 1.3.1.
 *
 * Design summary
 *  - COUNT: how many processes are inside.
 *  - To enter, read COUNT and make it one larger if it was less than k, in one indivisible step; go in if it was, else
 *    do so again. To leave, make it one smaller.
 *  - Never are more than k inside, and free slots can be had. But there is no order: a process may find COUNT = k
 *    whenever it looks, and be locked out for ever.
 *
 * Deviations from the text: none. It has no doorway: nothing marks who came first.
 */
#include "registers/language.h"

struct shared {
    array count;
};
#define COUNT (S->count[0])

struct locals {
    position at;
};

DECLARE
{
    S->count = registers("COUNT", 1, k + 1, 0, .writer = ANYBODY);
}

ENTER
BEGIN
    word count;
    bool full;
again:
    AT("try")
    act(COUNT, count, full = count >= k; count += !full);
    if (full)
        try_again(again);
END

LEAVE
BEGIN
    word count;
    AT("leave")
    act(COUNT, count, count--);
END

ALGORITHM(.title = "Generalized Semaphore", .paper = "flbb89", .figure = "section 1.3.1", .bits = "bits(k)",
          .fairness = "deadlock-free; in any order, and one may starve",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_EXIT, ATOMIC, CRASH},
                 {K_DEADLOCK_AVOIDANCE, ATOMIC, CRASH}));
