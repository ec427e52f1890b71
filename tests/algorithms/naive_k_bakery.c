/* SPDX-License-Identifier: MIT
 *
 * The Bakery algorithm turned into k-exclusion in the naive way: it tests the checker's enabled relation.
 *
 * Design summary
 *  - The doorway is the Bakery's. Then count the others that hold a smaller ticket; enter if they are fewer than k,
 *    else count again.
 *  - Before each ticket is read, its owner must not be choosing. So a process that stops in the doorway stops
 *    everybody, even
 *    while slots are free, and with k > 1 a process that comes again and again can be choosing whenever it is looked
 *    at: k-deadlock-avoidance, fife and lockout-freedom are violated. With a crash, so is deadlock-freedom.
 *  - For k > 1 and n > 2 two chains of tickets can race each other, one never seeing the other: there is no bound on
 *    how far they drift apart, so that some steps are ambiguous (checker/reduce/tickets.h).
 */
#include "registers/language.h"

struct shared {
    array Num, Choosing;
};
#define Num (S->Num)
#define Choosing (S->Choosing)

struct locals {
    position at;
    proc i, ahead;
    procset todo;
    ticket mine;
};

static inline bool is_ahead(uint64_t theirs, proc j, ticket mine, proc p)
{
    return theirs != 0 && (theirs < mine || (theirs == mine && j < p));
}

DECLARE
{
    Num = registers("Num", n, TICKET, 0, .writer = OWN_ELEMENT);
    Choosing = registers("Choosing", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    local(L.mine, L.ahead);
    AT("1")
    put(Choosing[i], true);
    L.mine = 0;
    for_all_others ("2 max", L.i) {
        ticket seen = (ticket)get(Num[L.i]);
        if (seen > L.mine)
            L.mine = seen;
    }
    L.mine++;
    AT("2")
    put(Num[i], L.mine);
    AT("3")
    put(Choosing[i], false);
    waiting_room();
again:
    L.ahead = 0;
    for_all_others ("4a", L.i) {
        await(!get(Choosing[L.i]));
        AT("4b")
        if (is_ahead(get(Num[L.i]), L.i, L.mine, (proc)i))
            L.ahead++;
    }
    if (L.ahead >= k)
        try_again(again);
END

LEAVE
BEGIN
    AT("5")
    put(Num[i], 0);
END

ALGORITHM(.title = "A naive k-bakery", .paper = "-", .figure = "", .doorway = true, .bits = "unbounded",
          .fairness = "none", .ticket_locals = {offsetof(struct locals, mine)},
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {BOUNDED_DOORWAY, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH}));
