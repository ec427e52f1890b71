/* SPDX-License-Identifier: MIT
 *
 * Flags that are moved while they are up: a condition on two registers is two steps, and it matters which comes first.
 *
 * Design summary
 *  - in[i][0]: i is at the door. in[i][1]: i is inside. In going in it raises the one before it lowers the other, so that
 *    at any moment one of them is up.
 *  - To enter, come to the door, and look at both flags of each other process, in the order in which it raises them: so
 *    whoever moves meanwhile is seen. Two at the door wait for each other for ever.
 *  - The other way round, a process that moves between the two looks is not seen at all: that is the mutant. If both
 *    registers were read by one step, there would be no difference.
 */
#include "registers/language.h"

struct shared {
    array in;
};
#define in(p, place) (S->in[2 * (p) + (place)])

struct locals {
    position at;
    proc j;
    procset todo;
};

DECLARE
{
    S->in = register_rows("in", n, 2, BOOLEAN, false, .writer = OWN_ROW);
}

ENTER
BEGIN
    AT("come")
    put(in(i, 0), true);
again:
    for_all_others ("free?", L.j)
        if (any(get(in(L.j, 0)), get(in(L.j, 1))))
            try_again(again);
    AT("go in")
    put(in(i, 1), true);
    AT("close the door")
    put(in(i, 0), false);
END

LEAVE
BEGIN
    AT("exit")
    put(in(i, 1), false);
END

ALGORITHM(.title = "Flags that are moved", .paper = "-", .figure = "", .k = 1, .bits = "2 * n", .bits_each = "2",
          .fairness = "none", CLAIMS({EXCLUSION, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH}));
