/* SPDX-License-Identifier: MIT
 *
 * Peterson's levels with a wait that counts: the other way to make k-exclusion of them, against which peterson.c was
 * told from what is said of its starvation.
 *
 * Design summary
 *  - As src/algorithms/peterson.c, but at level j one waits until fewer than k others are at that level or above, or
 *    until somebody else has signed after it.
 *  - Who crashes inside takes one of the k places and no more: nobody starves while fewer than k have crashed.
 */
#include "registers/language.h"

struct shared {
    array Q, TURN;
};
#define Q (S->Q)
#define TURN(j) (S->TURN[(j)-1])

struct locals {
    position at;
    number j, above;
    proc m;
    procset todo;
};

DECLARE
{
    Q = registers("Q", n, n - k + 1, 0, .writer = OWN_ELEMENT);
    S->TURN = registers("TURN", n - k, n, ANY_VALUE, .writer = ANYBODY);
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
        local(L.above);
        L.above = 0;
        for_all_others ("count", L.m)
            if (get(Q[L.m]) >= L.j)
                L.above++;
        if (L.above >= k) {
            forget(L.above);
            AT("or TURN")
            if (get(TURN(L.j)) == i)
                try_again(wait);
        }
    }
END

LEAVE
BEGIN
    AT("exit")
    put(Q[i], 0);
END

ALGORITHM(.title = "Levels that count", .paper = "-", .figure = "-", .doorway = true,
          .bits = "n * bits(n - k) + (n - k) * bits(n - 1)", .fairness = "nobody starves",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {LOCKOUT_FREEDOM, ATOMIC, CRASH},
                 {BOUNDED_EXIT, ATOMIC, CRASH}));
