/* SPDX-License-Identifier: MIT
 *
 * Counts and never enters, so that no configuration ever comes again: it tests what is said when a limit is reached.
 */
#include "registers/language.h"

struct shared {
    array count;
};
#define COUNT (S->count[0])

struct locals {
    position at;
    ticket seen;
};

DECLARE
{
    S->count = registers("count", 1, TICKET, 1, .writer = ANYBODY);
}

ENTER
BEGIN
again:
    AT("read")
    L.seen = (ticket)get(COUNT);
    AT("count")
    put(COUNT, L.seen + 1u);
    if (L.seen > 0)
        goto again;
END

LEAVE
BEGIN
    AT("exit")
    (void)get(COUNT);
END

ALGORITHM(.title = "Counts for ever", .paper = "-", .figure = "", .k = 1, .bits = "unbounded", .fairness = "none",
          .ticket_locals = {offsetof(struct locals, seen)}, CLAIMS({EXCLUSION, ATOMIC, CRASH}));
