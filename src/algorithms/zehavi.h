/* SPDX-License-Identifier: MIT
 *
 * zehavi.h - k-exclusion with bounded space and bounded remote references, over any concurrent timestamp system.
 * M. Zehavi, 2013, section IV, Algorithm 1; line numbers are those of that text.
 *
 * Design summary
 *  - A passage labels once and scans once. A process that waits reads only what others have written for it, in its own
 *    memory: X[q][p] is written by q for p.
 *  - Compete[q][p]: q is somewhere between its first and its last announcement.
 *  - Order<[q][p]: q's scan ordered q before p. Ignore[q][p]: do not go by that, q is about to write it anew.
 *  - Reveal[p]: p waits or is inside. Discover[q][p]: q has seen it since p revealed itself, so that what q has written
 *    for p is about p's present passage. It has two cells: p may have left and deleted both between q's look at
 *    Reveal[p] and its write, and then only one of them is written.
 *  - Allow[q][p]: q has found that it may enter and is ordered after p, so that p may too.
 *  - Doorway (lines 1-10), then wait until fewer than k are left of those that were ordered before p, and that neither
 *    have left nor have come again behind it; or until somebody allows it.
 *  - Theorem 1: k-exclusion, starvation freedom while fewer than k have crashed, first in, first enabled.
 *
 * Deviations from the text
 *  - "Foreach i" leaves p itself out: there is no X[p][p]. It would never matter, but for the number of steps: p is
 *    not before itself, so that Compete, Ignore and Order< of p for p are never read, and line 12 does not write
 *    Allow[p][p]; Discover[p][p] stays false, since p reads Reveal[p] only while it is false; without it nobody looks
 *    at Allow[p][p].
 *  - What the text keeps of `order` is who is before p; lines 9 and 10 only copy it, and are no steps.
 *  - Order< and Allow, whose initial values are immaterial, are false at first, which makes far fewer states to explore.
 *    With IMMATERIAL defined as ANY_VALUE they may hold anything: tests/algorithms/immaterial.c.
 *  - The conditions are evaluated from left to right and no further than needed, each read being a step of its own.
 *  - A set is gone through in any order. In line 11a it is the one that `precede` was when the line began.
 *
 * An algorithm says which timestamp system it uses: #define TIMESTAMPS "timestamps/linear.h", and includes this file.
 */
#include "registers/language.h"

#include TIMESTAMPS

#ifndef IMMATERIAL
#define IMMATERIAL false
#endif

struct shared {
    array Compete, Ignore, Order, Reveal, Allow, Discover;
    struct timestamps timestamps;
};
/* Row p has the others in order. */
#define OTHER(p, i) ((p) * (n - 1) + (i) - ((i) > (p)))
#define Compete(p, i) (S->Compete[OTHER(p, i)])
#define Ignore(p, i) (S->Ignore[OTHER(p, i)])
#define Order(p, i) (S->Order[OTHER(p, i)])
#define Allow(p, i) (S->Allow[OTHER(p, i)])
#define Discover(p, i, cell) (S->Discover[2 * OTHER(p, i) + (cell)])
#define Reveal (S->Reveal)

struct locals {
    position at;
    TIMESTAMPS_FRAMES
    {
        struct Label label;
        struct Scan scan;
    };
    proc i;
    procset todo;
    procset order; /* those that are ordered before p */
    procset precede;
};

/* Written by p for i, and in i's memory. */
static unsigned home_of_pair(unsigned n, unsigned p, unsigned column)
{
    (void)n;
    return column + (column >= p);
}

static unsigned home_of_cell(unsigned n, unsigned p, unsigned column)
{
    return home_of_pair(n, p, column / 2);
}

static void name_pair(char *name, size_t size, unsigned n, unsigned p, unsigned column)
{
    snprintf(name, size, "[%u][%u]", p, home_of_pair(n, p, column));
}

static void name_cell(char *name, size_t size, unsigned n, unsigned p, unsigned column)
{
    snprintf(name, size, "[%u][%u][%u]", p, home_of_cell(n, p, column), column % 2);
}

DECLARE
{
#define FOR_EACH_OTHER(name, initial)                                                                                  \
    register_rows(name, n, n - 1, BOOLEAN, initial, .writer = OWN_ROW, .elements = name_pair, .home = home_of_pair)
    S->Compete = FOR_EACH_OTHER("Compete", false);
    S->Ignore = FOR_EACH_OTHER("Ignore", false);
    S->Order = FOR_EACH_OTHER("Order<", IMMATERIAL);
    Reveal = registers("Reveal", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    S->Allow = FOR_EACH_OTHER("Allow", IMMATERIAL);
    S->Discover = register_rows("Discover", n, 2 * (n - 1), BOOLEAN, false, .writer = ANYBODY, .elements = name_cell,
                                .home = home_of_cell);
    timestamps_declare(D, &S->timestamps, n, k);
}

ENTER
BEGIN
    for_all_others ("1", L.i)
        put(Compete(i, L.i), true);
    for_all_others ("2", L.i)
        put(Ignore(i, L.i), true);
    CALL_PART(Label, S->timestamps, L.label); /* line 3 */
    for_all_others ("4", L.i)
        if (any(!get(Discover(i, L.i, 0)), !get(Discover(i, L.i, 1)))) {
            AT("4a")
            put(Discover(i, L.i, 0), false);
            AT("4b")
            put(Discover(i, L.i, 1), false);
            AT("4c")
            put(Allow(i, L.i), false);
            AT("4d")
            if (get(Reveal[L.i])) {
                AT("4d")
                put(Discover(i, L.i, 0), true);
            }
            AT("4e")
            if (get(Reveal[L.i])) {
                AT("4e")
                put(Discover(i, L.i, 1), true);
            }
            AT("4f")
            if (any(!get(Discover(i, L.i, 0)), !get(Discover(i, L.i, 1)))) {
                AT("4(f)i")
                put(Discover(i, L.i, 0), false);
                AT("4(f)ii")
                put(Discover(i, L.i, 1), false);
            }
        }
    AT("5")
    put(Reveal[i], true);
    CALL_PART(Scan, S->timestamps, L.scan); /* line 6 */
    local(L.order, L.precede);
    L.order = ordered_before(&L.scan, i, n);
    for_all_others ("7", L.i)
        put(Order(i, L.i), !has(L.order, L.i));
    for_all_others ("8", L.i)
        put(Ignore(i, L.i), false);
    L.precede = L.order; /* lines 9, 10 */
    waiting_room();
line_11:
    if (elements(L.precede) >= k) {
        for_all_in ("11(a)i", L.i, L.precede) {
            if (!get(Compete(L.i, i)))
                L.precede &= ~only(L.i);
            AT("11(a)ii")
            if (all(get(Discover(L.i, i, 0)), get(Discover(L.i, i, 1)), !get(Ignore(L.i, i)), !get(Order(L.i, i))))
                L.precede &= ~only(L.i);
        }
        for_all_others ("11b", L.i)
            if (all(get(Discover(L.i, i, 0)), get(Discover(L.i, i, 1)))) {
                AT("11(b)i")
                if (get(Allow(L.i, i)))
                    L.precede = 0;
            }
        if (elements(L.precede) >= k)
            try_again(line_11);
    }
    forget(L.precede);
    for_all_in ("12", L.i, L.order)
        put(Allow(i, L.i), true);
END

LEAVE
BEGIN
    AT("13")
    put(Reveal[i], false);
    for_all_others ("14a", L.i) {
        put(Discover(L.i, i, 0), false);
        AT("14b")
        put(Discover(L.i, i, 1), false);
    }
    for_all_others ("15", L.i)
        put(Compete(i, L.i), false);
END

/* Six for each ordered pair, and Reveal. */
#define ZEHAVI_BITS "6 * n * (n - 1) + n"
#define ZEHAVI_REGISTERS(n) (6 * (n) * ((n)-1) + (n))
#define ZEHAVI(...)                                                                                                    \
    ALGORITHM(.paper = "zehavi13", .figure = "Algorithm 1", .doorway = true, .fairness = "first in, first enabled",    \
              .max_n = TIMESTAMPS_MAX_N, __VA_ARGS__,                                                                  \
              CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {LOCKOUT_FREEDOM, ATOMIC, CRASH},      \
                     {BOUNDED_DOORWAY, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH}, {FIFE, ATOMIC, CRASH},           \
                     {LOCAL_SPIN_CC, ATOMIC, CRASH}, {LOCAL_SPIN_DSM, ATOMIC, CRASH}))
