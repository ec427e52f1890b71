/* SPDX-License-Identifier: MIT
 *
 * cycles.h - cycles of processes, and boolean functions on them that change value.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, sections 3.3 and 3.5.
 *
 * A cycle <i1, ..., im> has distinct process numbers as elements; turning it round makes no other cycle. Its first
 * element is the smallest. Processes in a cycle can take turns with one boolean v(i) each: it is i's turn if v
 * changes value at i, that is, if v(i) differs from the value at the element before i; but at the first element, if
 * it is the same. A ring of values cannot change at one point only, so one point must be exceptional. Whatever the
 * values are, v changes value at some element (Lemma 3): somebody's turn it always is.
 *
 * An ordered cycle, ORD S, is given by the set S alone; it is kept as that set. Any other one is a struct cycle.
 */
#ifndef ADMIT_ALGORITHMS_CYCLES_H
#define ADMIT_ALGORITHMS_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

/* --- Definition 2 ------------------------------------------------------------------------------------------------- */

/* CGV(v, cycle, i): the value of v(i) at which v would change value at i. All of v that it takes is the value at the
 * element before i; of the cycle, which element is first. */
static inline bool CGV(bool v_before, unsigned first, unsigned i)
{
    return i == first ? v_before : !v_before;
}

/* CG(v, cycle, i): whether v changes value at i. */
static inline bool CG(bool v_i, bool v_before, unsigned first, unsigned i)
{
    return v_i == CGV(v_before, first, i);
}

/* --- ordered cycles: ORD S, for a set S that is not empty --------------------------------------------------------- */

static inline unsigned ord_first(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

static inline unsigned ord_last(uint64_t set)
{
    return 63 - (unsigned)__builtin_clzll(set);
}

/* The element before i. */
static inline unsigned ord_before(uint64_t set, unsigned i)
{
    uint64_t lower = set & ((UINT64_C(1) << i) - 1);
    return ord_last(lower != 0 ? lower : set);
}

/* --- any cycles --------------------------------------------------------------------------------------------------- */

enum { CYCLE_MAX = 10 }; /* elements; there are too many longer ones to be of use */

struct cycle {
    unsigned length;
    uint8_t element[CYCLE_MAX]; /* each followed by the next one, the last by element[0]; they may start anywhere */
};

static inline unsigned cycle_first(const struct cycle *cycle)
{
    unsigned first = cycle->element[0];
    for (unsigned e = 1; e < cycle->length; e++)
        if (cycle->element[e] < first)
            first = cycle->element[e];
    return first;
}

/* Where i stands among the elements; length if it does not. */
static inline unsigned cycle_place(const struct cycle *cycle, unsigned i)
{
    unsigned e = 0;
    while (e < cycle->length && cycle->element[e] != i)
        e++;
    return e;
}

/* The element before i. */
static inline unsigned cycle_before(const struct cycle *cycle, unsigned i)
{
    return cycle->element[(cycle_place(cycle, i) + cycle->length - 1) % cycle->length];
}

/* --- CYC(i): the cycles on 0..n-1 that contain i and at least one other element, numbered from 0 ---------------------
 *
 * Read backwards from i, such a cycle is a sequence of distinct others that is not empty. The sequences are numbered
 * in the order of a dictionary. So the cycles in which j immediately precedes i, CYC(j, i), are those that begin with
 * j, and have neighbouring numbers. */

/* How many sequences of distinct elements there are when r can be chosen from, the empty one counted: 1 + r * (those of
 * r - 1). */
static inline unsigned sequences_of(unsigned r)
{
    static const unsigned count[CYCLE_MAX] = {1, 2, 5, 16, 65, 326, 1957, 13700, 109601, 986410};
    return count[r];
}

/* |CYC(i)|, the same for every i: the sum of (n-1)! / (n-m)! over the lengths m = 2..n. */
static inline unsigned cyc_count(unsigned n)
{
    return sequences_of(n - 1) - 1;
}

/* CYC(j, i) has the numbers from cyc_start(j, i) to cyc_start(j, i) + cyc_count_before(n) - 1. */
static inline unsigned cyc_count_before(unsigned n)
{
    return sequences_of(n - 2);
}

static inline unsigned cyc_start(unsigned n, unsigned j, unsigned i)
{
    return (j < i ? j : j - 1) * cyc_count_before(n);
}

/* The number of a cycle in CYC(i). */
static inline unsigned cyc_number(unsigned n, unsigned i, const struct cycle *cycle)
{
    unsigned at = cycle_place(cycle, i), number = 0, left = n - 1;
    uint64_t used = UINT64_C(1) << i;
    for (unsigned e = 1; e < cycle->length; e++) {
        at = at > 0 ? at - 1 : cycle->length - 1;
        unsigned element = cycle->element[at];
        unsigned smaller = element - (unsigned)__builtin_popcountll(used & ((UINT64_C(1) << element) - 1));
        left--;
        number += smaller * sequences_of(left) + 1;
        used |= UINT64_C(1) << element;
    }
    return number - 1;
}

/* The cycle with this number in CYC(i); i comes last in it. */
static inline struct cycle cyc(unsigned n, unsigned i, unsigned number)
{
    uint8_t backwards[CYCLE_MAX];
    unsigned length = 0, left = n - 1;
    uint64_t unused = ((UINT64_C(1) << n) - 1) & ~(UINT64_C(1) << i);
    backwards[length++] = (uint8_t)i;
    do {
        left--;
        uint64_t rest = unused;
        for (unsigned smaller = number / sequences_of(left); smaller > 0; smaller--)
            rest &= rest - 1;
        unsigned element = (unsigned)__builtin_ctzll(rest);
        unused &= ~(UINT64_C(1) << element);
        backwards[length++] = (uint8_t)element;
        number %= sequences_of(left);
    } while (number-- > 0);
    struct cycle cycle = {.length = length};
    for (unsigned e = 0; e < length; e++)
        cycle.element[e] = backwards[length - 1 - e];
    return cycle;
}

#endif
