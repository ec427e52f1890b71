/* SPDX-License-Identifier: MIT
 *
 * ranks.h - what a Scan returns: a permutation of the processes, as the rank of each, 0 being the first. Included by a
 * timestamp system after its struct Scan, which ends with `proc rank[...]`.
 */
static inline void order_of(const struct Scan *scan, unsigned n, unsigned rank[])
{
    for (unsigned j = 0; j < n; j++)
        rank[j] = scan->rank[j];
}

/* The processes that this Scan ordered before i. */
static inline procset ordered_before(const struct Scan *scan, unsigned i, unsigned n)
{
    procset before = 0;
    for (unsigned j = 0; j < n; j++)
        if (scan->rank[j] < scan->rank[i])
            before |= only(j);
    return before;
}
