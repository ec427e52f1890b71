/* SPDX-License-Identifier: MIT
 *
 * The Bakery algorithm.
 * L. Lamport, A New Solution of Dijkstra's Concurrent Programming Problem, CACM 17(8), 1974, in the form printed by
 * M. Zehavi, 2013, section III; line numbers are those of that text.
 *
 * Design summary
 *  - Num[p]: p's ticket, 0 while it has none. Choosing[p]: p is taking one. Only p writes either.
 *  - Doorway (lines 1-3): take a ticket larger than every one that is seen.
 *  - Then, for each other process: wait until it is not choosing (so that its ticket, if any, can be seen), and until
 *    its ticket is gone or larger. Equal tickets are ordered by process number.
 *  - First come, first served; nobody starves. Tickets grow without bound.
 *
 * Deviations from the text: the maximum of line 2 is taken by reading one ticket after the other, in any order; p
 * compares with its own copy of Num[p], which only p writes, so that each wait reads one register. Native tickets have
 * 64 bits.
 */
#include "registers/language.h"

struct shared {
    array Num, Choosing;
};
#define Num (S->Num)
#define Choosing (S->Choosing)

/* The largest of all tickets, one read at a time. */
struct maximum {
    position at;
    proc i;
    procset todo;
    ticket largest;
};

struct locals {
    position at;
    struct maximum maximum;
    proc i;
    procset todo;
    ticket mine; /* Num[p] */
};

/* Line 4b: (theirs, j) > (mine, p), or they have no ticket. */
static inline bool not_before(uint64_t theirs, proc j, ticket mine, proc p)
{
    return theirs == 0 || theirs > mine || (theirs == mine && j > p);
}

DECLARE
{
    Num = registers("Num", n, TICKET, 0, .writer = OWN_ELEMENT);
    Choosing = registers("Choosing", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

PROCEDURE(maximum)
BEGIN
    L.largest = 0;
    for_all ("2 max", L.i, 0, n) {
        ticket seen = (ticket)get(Num[L.i]);
        if (seen > L.largest)
            L.largest = seen;
    }
END

ENTER
BEGIN
    AT("1")
    put(Choosing[i], true);
    CALL(maximum, L.maximum);
    local(L.mine);
    L.mine = L.maximum.largest + 1;
    AT("2")
    put(Num[i], L.mine);
    AT("3")
    put(Choosing[i], false);
    waiting_room();
    for_all_others ("4a", L.i) {
        await(!get(Choosing[L.i]));
        AT("4b")
        await(not_before(get(Num[L.i]), L.i, L.mine, i));
    }
END

LEAVE
BEGIN
    AT("5")
    put(Num[i], 0);
END

ALGORITHM(.title = "The Bakery Algorithm", .paper = "zehavi13", .figure = "section III", .k = 1, .doorway = true,
          .bits = "unbounded", .fairness = "first come, first served",
          .ticket_locals = {offsetof(struct locals, maximum.largest), offsetof(struct locals, mine)},
          CLAIMS({EXCLUSION, REGULAR, CRASH}, {DEADLOCK_FREEDOM, REGULAR, 0}, {LOCKOUT_FREEDOM, REGULAR, 0},
                 {FCFS, REGULAR, CRASH}, {BOUNDED_DOORWAY, REGULAR, CRASH}, {BOUNDED_EXIT, REGULAR, CRASH}));
