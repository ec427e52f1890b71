/* SPDX-License-Identifier: MIT
 *
 * unbounded.h - the unbounded concurrent timestamp system, UCTSS.
 * Y. Afek, D. Dolev, E. Gafni, M. Merritt, N. Shavit, A Bounded First-In, First-Enabled Solution to the l-Exclusion
 * Problem, TOPLAS 16(3), 1994, Figure 1.
 *
 * Design summary
 *  - LABEL[j]: the label of j, a number that only grows. Pairs (label, process) are ordered, so that no two are equal.
 *  - Label: read all labels; unless one's own pair is the largest, write a label larger than all that were read.
 *  - Scan: read all labels; the permutation is the order of the pairs.
 *  - It defines what a concurrent timestamp system is: one whose histories are all histories of this one.
 *
 * Deviations from the figure
 *  - Whether the write is needed is asked of the pairs. The figure compares values alone: two processes with equal
 *    labels that are the largest then skip every write for ever, and so does everybody at the start, where all labels
 *    are 0; Proposition 3.1 (1) fails (docs/timestamps.md).
 *  - The new label is the largest that was read, plus 1; the figure takes any larger number.
 *  - Processes are numbered from 0, and a process does not read its own label, which it knows. Native labels have 64
 *    bits.
 *
 * Steps: Label n-1 reads and at most 1 write, Scan n-1 reads.
 *
 * The checker keeps the labels finite, exactly: checker/reduce/label_gaps.h.
 */
#include "registers/language.h"

#define TIMESTAMPS_MAX_N 0       /* no limit */
#define TIMESTAMPS_FRAMES struct /* no union: the checker must know of each place whether there is a ticket */
#define TIMESTAMPS_BITS "unbounded"
/* The tickets among the locals, if `label` and `scan` are where they have the frames. */
#define TIMESTAMPS_TICKETS(label, scan)                                                                                \
    offsetof(struct locals, label.largest), TEMP(scan, 0), TEMP(scan, 1), TEMP(scan, 2), TEMP(scan, 3), TEMP(scan, 4), \
        TEMP(scan, 5), TEMP(scan, 6), TEMP(scan, 7), TEMP(scan, 8), TEMP(scan, 9), TEMP(scan, 10), TEMP(scan, 11),     \
        TEMP(scan, 12), TEMP(scan, 13), TEMP(scan, 14), TEMP(scan, 15)
#define TIMESTAMPS_CLIMB(label)                                                                                        \
    {                                                                                                                  \
        offsetof(struct locals, label.under_way), offsetof(struct locals, label.largest),                              \
            offsetof(struct locals, label.todo)                                                                        \
    }
#define TEMP(scan, j) offsetof(struct locals, scan.Temp[j])

struct timestamps {
    array LABEL;
};
#define LABEL (S->LABEL)

struct Label {
    position at;
    proc j, last; /* the process that has the largest pair */
    flag under_way;
    procset todo;
    ticket largest;
};

struct Scan {
    position at;
    proc j;
    procset todo;
    ticket Temp[PROCESSES_MAX];
    proc rank[PROCESSES_MAX];
};
#include "timestamps/ranks.h"

static inline bool pair_below(ticket a, unsigned p, ticket b, unsigned q)
{
    return a < b || (a == b && p < q);
}

static inline void rank_pairs(const ticket Temp[], proc rank[], unsigned n)
{
    for (unsigned j = 0; j < n; j++) {
        rank[j] = 0;
        for (unsigned m = 0; m < n; m++)
            rank[j] += pair_below(Temp[m], m, Temp[j], j);
    }
}

#define shared timestamps
#define declare timestamps_declare
DECLARE
{
    LABEL = registers("LABEL", n, TICKET, 0, .writer = OWN_ELEMENT, .remembered = true);
}

PROCEDURE(Label)
BEGIN
    local(L.largest, L.last, L.under_way);
    L.largest = (ticket)own(LABEL[i]);
    L.last = (proc)i;
    L.under_way = true;
    for_all_others ("Label: read", L.j) {
        ticket seen = (ticket)get(LABEL[L.j]);
        if (pair_below(L.largest, L.last, seen, L.j)) {
            L.largest = seen;
            L.last = L.j;
        }
    }
    if (L.last != i) {
        forget(L.last);
        AT("Label: write")
        put(LABEL[i], L.largest + 1u);
    }
END

PROCEDURE(Scan)
BEGIN
    local(L.Temp);
    for_all_others ("Scan: read", L.j)
        L.Temp[L.j] = (ticket)get(LABEL[L.j]);
    L.Temp[i] = (ticket)own(LABEL[i]);
    rank_pairs(L.Temp, L.rank, n);
END
#undef shared
#undef declare
#undef LABEL
