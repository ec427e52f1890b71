/* SPDX-License-Identifier: MIT
 *
 * A ticket lock from reads and writes: two variables, too few for n >= 3.
 *
 * Design summary
 *  - Read the next ticket, write it back increased, wait until it is served. Two may draw the same one.
 */
#include "registers/language.h"

struct shared {
    array next, serving;
};
#define NEXT (S->next[0])
#define SERVING (S->serving[0])

struct locals {
    position at;
    ticket mine;
};

DECLARE
{
    S->next = registers("next", 1, TICKET, 0, .writer = ANYBODY);
    S->serving = registers("serving", 1, TICKET, 0, .writer = ANYBODY);
}

ENTER
BEGIN
    local(L.mine);
    AT("read")
    L.mine = (ticket)get(NEXT);
    AT("draw")
    put(NEXT, L.mine + 1u);
    AT("wait")
    await(get(SERVING) == L.mine);
END

LEAVE
BEGIN
    AT("served")
    L.mine = (ticket)get(SERVING);
    AT("serve next")
    put(SERVING, L.mine + 1u);
END

ALGORITHM(.title = "A ticket lock of reads and writes", .paper = "-", .figure = "", .k = 1, .bits = "unbounded",
          .fairness = "none", .ticket_locals = {offsetof(struct locals, mine)}, CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
