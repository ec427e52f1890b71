/* SPDX-License-Identifier: MIT
 *
 * afek.h - l-exclusion, first in, first enabled, over any concurrent timestamp system.
 * Y. Afek, D. Dolev, E. Gafni, M. Merritt, N. Shavit, A Bounded First-In, First-Enabled Solution to the l-Exclusion
 * Problem, TOPLAS 16(3), 1994, Figure 2; line numbers are those of that figure.
 *
 * Design summary
 *  - x[i]: i is not in its remainder. Only i writes it.
 *  - Doorway (lines 1-4): raise x, label, and remember in S who else is not in its remainder. Only these can be ahead.
 *  - Then scan again and again, until fewer than l of S have their x up and are ordered before i.
 *  - In leaving, lower x and label once more: when x goes up the next time, the label that i has by then must not be
 *    older than it looks to those who came meanwhile.
 *  - Lemmas 4.1, 4.3, 4.4: l-exclusion, no lockout while fewer than l are faulty, first in, first enabled.
 *
 * Deviations from the figure
 *  - Processes are numbered 0..n-1 instead of 1..n; l is k.
 *  - "forall j" leaves i itself out: i is in S and its x is up, but it is not ordered before itself, so that Test never
 *    contains it.
 *  - y is kept as the set of those j whose y_j is true. Lines 3, 5, 8 and 9 are no steps.
 *
 * An algorithm says which timestamp system it uses: #define TIMESTAMPS "timestamps/linear.h", and includes this file.
 */
#include "registers/language.h"

#include TIMESTAMPS

/* A test may watch how Test changes: tests/algorithms/watched.h. */
#ifndef WATCH
#define WATCHED
#define WATCH(set) ((void)0)
#endif

struct shared {
    array x;
    struct timestamps timestamps;
};
#define x (S->x)

struct locals {
    position at;
    TIMESTAMPS_FRAMES
    {
        struct Label label;
        struct Scan scan;
    };
    proc j;
    procset todo;
    procset S, y;
    WATCHED
};

DECLARE
{
    x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    timestamps_declare(D, &S->timestamps, n, k);
}

ENTER
BEGIN
    AT("1")
    put(x[i], true);
    CALL_PART(Label, S->timestamps, L.label); /* line 2 */
    local(L.S, L.y);
    L.S = 0;
    for_all_others ("4", L.j)
        if (get(x[L.j]))
            L.S |= only(L.j);
    waiting_room();
repeat:
    L.y = 0;
    for_all_in ("6", L.j, L.S)
        if (get(x[L.j]))
            L.y |= only(L.j);
    CALL_PART(Scan, S->timestamps, L.scan); /* line 7 */
    procset Test = L.S & L.y & ordered_before(&L.scan, i, n);
    WATCH(Test);
    if (elements(Test) >= k)
        try_again(repeat);
END

LEAVE
BEGIN
    AT("11")
    put(x[i], false);
    CALL_PART(Label, S->timestamps, L.label); /* line 12 */
END

#define AFEK(...)                                                                                                      \
    ALGORITHM(.paper = "afek94", .figure = "Figure 2", .doorway = true, .fairness = "first in, first enabled",         \
              .max_n = TIMESTAMPS_MAX_N, __VA_ARGS__)
/* Lemmas 4.1, 4.3, 4.4, for any timestamp system; and what section 5 says of one of them. */
#define AFEK_CLAIMS(...)                                                                                               \
    CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {LOCKOUT_FREEDOM, ATOMIC, CRASH},                \
           {BOUNDED_DOORWAY, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH}, {FIFE, ATOMIC, CRASH}, __VA_ARGS__)
