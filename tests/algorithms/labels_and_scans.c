/* SPDX-License-Identifier: MIT
 *
 * No exclusion at all: it tests how the labels of the unbounded timestamp system are kept finite (checker/reduce/label_gaps.h).
 *
 * Design summary
 *  - To enter, label and scan; to leave, scan. What the Scan returned is kept while inside.
 */
#include "timestamps/unbounded.h"

struct shared {
    struct timestamps timestamps;
};

struct locals {
    position at;
    struct Label label;
    struct Scan scan;
};

DECLARE
{
    timestamps_declare(D, &S->timestamps, n, k);
}

ENTER
BEGIN
    CALL_PART(Label, S->timestamps, L.label);
    waiting_room();
    CALL_PART(Scan, S->timestamps, L.scan);
    lasts(L.scan);
END

LEAVE
BEGIN
    local(L.scan);
    CALL_PART(Scan, S->timestamps, L.scan);
END

ALGORITHM(.title = "Label and Scan", .paper = "-", .figure = "", .k = 1, .bits = TIMESTAMPS_BITS, .fairness = "none",
          .doorway = true, .ticket_locals = {TIMESTAMPS_TICKETS(label, scan)}, .climb = TIMESTAMPS_CLIMB(label),
          CLAIMS({DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_DOORWAY, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH}));
