/* SPDX-License-Identifier: MIT
 *
 * Peterson's k-exclusion: the first row of Table I of M. Zehavi, 2013.
 * G. L. Peterson, Myths about the Mutual Exclusion Problem, Information Processing Letters 12(3), 1981.
 *
 * Design summary
 *  - Levels 1, 2, ..., n - k. To enter a level j, announce it in Q[i], sign its register TURN[j], and wait until nobody
 *    else is at that level or above, or until somebody else has signed after i.
 *  - The last to sign a level stays behind, if there is another: each level keeps one back, and at most k pass them all.
 *  - To leave, Q[i] := 0.
 *  - Nobody who passes a level need be first there: this is not first come, first served, and with k > 1 neither first
 *    in, first enabled.
 *  - With k > 1 a single crash inside starves the others one by one: the last to sign waits although k > 1 may enter.
 *
 * What is certain, and what is reconstructed. For k = 1 this is Peterson's algorithm for n processes as it is commonly
 * printed, with his names Q and TURN. That it becomes k-exclusion by ending at level n - k is reconstructed from what
 * Table I says of it (reads and writes, bounded space, neither starvation freedom nor first in, first enabled, bounded
 * references with caches only): the checker finds each of these. A wait that counted, "until fewer than k others are at
 * that level or above", would be k-exclusion too, but free of starvation.
 *
 * Deviations: processes are numbered 0..n-1. The condition of the wait is read one register at a time, Q[m] in any order
 * and TURN[j] once some Q[m] is found to be in the way; then it begins anew. With n = k there is no level to wait at,
 * and Q[i] := 0 stands for the way in, which here needs a step. The doorway ends when the first level is signed.
 */
#include "registers/language.h"

struct shared {
    array Q, TURN;
};
#define Q (S->Q)
#define TURN(j) (S->TURN[(j)-1])

struct locals {
    position at;
    number j; /* the level */
    proc m;
    procset todo;
};

static void name_level(char *name, size_t size, unsigned n, unsigned row, unsigned column)
{
    (void)n, (void)column;
    snprintf(name, size, "[%u]", row + 1);
}

DECLARE
{
    Q = registers("Q", n, n - k + 1, 0, .writer = OWN_ELEMENT);
    S->TURN = registers("TURN", n - k, n, ANY_VALUE, .writer = ANYBODY, .elements = name_level);
}

ENTER
BEGIN
    if (n == k) {
        AT("no level")
        put(Q[i], 0);
        waiting_room();
    }
    for_in_order ("Q", L.j, 1, n - k + 1) {
        put(Q[i], L.j);
        AT("TURN")
        put(TURN(L.j), i);
        if (L.j == 1)
            waiting_room();
    wait:
        for_all_others ("wait until Q", L.m)
            if (get(Q[L.m]) >= L.j)
                goto or_TURN;
        continue;
    or_TURN:
        AT("or TURN")
        if (get(TURN(L.j)) == i)
            try_again(wait);
    }
END

LEAVE
BEGIN
    AT("exit")
    put(Q[i], 0);
END

ALGORITHM(.title = "Peterson's k-exclusion", .paper = "zehavi13", .figure = "Table I, its reference [5]",
          .doorway = true, .bits = "n * bits(n - k) + (n - k) * bits(n - 1)",
          .fairness = "nobody starves, unless one crashes",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_DOORWAY, ATOMIC, CRASH},
                 {BOUNDED_EXIT, ATOMIC, CRASH}, {LOCAL_SPIN_CC, ATOMIC, CRASH}));
