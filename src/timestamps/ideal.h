/* SPDX-License-Identifier: MIT
 *
 * ideal.h - the ideal concurrent timestamp system: Label and Scan are one atomic step each.
 *
 * Design summary
 *  - ORDER: the processes in the order of their last Labels; one that has not labelled yet comes before all that have,
 *    by number.
 *  - Label: i moves to the end. Scan: read ORDER.
 *  - No machine has such steps. It is for the checker, so that what is built upon a timestamp system can be explored
 *    with the fewest states. Each of its histories is one of any other timestamp system, in runs where nobody
 *    interrupts an operation; so a run found with it that violates something is one of all of them. That there is none
 *    is said of it alone; and so is it that a process is enabled (strong-fife), which is about all runs.
 *
 * One word, a number below n!: with n = 3 it takes 3 bits of a state.
 */
#include "registers/language.h"

#define TIMESTAMPS_MAX_N 16
#define TIMESTAMPS_FRAMES union
#define TIMESTAMPS_BITS "bits((n)! - 1)"
#define TIMESTAMPS_CHECKED_ONLY true

struct timestamps {
    array order;
};
#define ORDER (S->order[0])

struct Label {
    position at;
};

struct Scan {
    position at;
    word order;
};

/* The order as a number below n!: of the p-th process, how many with lower numbers come after it, times (n - 1 - p)!. */
static inline uint64_t ideal_orders(unsigned n)
{
    uint64_t orders = 1;
    for (unsigned m = 2; m <= n; m++)
        orders *= m;
    return orders;
}

static inline word ideal_packed(const proc at[], unsigned n)
{
    word order = 0;
    for (unsigned p = 0; p < n; p++)
        for (unsigned q = p + 1; q < n; q++)
            order += at[q] < at[p] ? ideal_orders(n - 1 - p) : 0;
    return order;
}

static inline void ideal_unpack(word order, proc at[], unsigned n)
{
    procset left = (procset)(((uint64_t)1 << n) - 1);
    for (unsigned p = 0; p < n; p++) {
        procset from = left;
        for (word lower = order / ideal_orders(n - 1 - p); lower > 0; lower--)
            from &= (procset)(from - 1);
        at[p] = (proc)__builtin_ctzll(from);
        left &= (procset)~only(at[p]);
        order %= ideal_orders(n - 1 - p);
    }
}

static inline word ideal_moved_to_end(word order, unsigned i, unsigned n)
{
    proc at[TIMESTAMPS_MAX_N];
    unsigned place = 0;
    ideal_unpack(order, at, n);
    for (unsigned p = 0; p < n; p++)
        if (at[p] != i)
            at[place++] = at[p];
    at[place] = (proc)i;
    return ideal_packed(at, n);
}

static void ideal_show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    (void)k;
    int used = snprintf(text, size, "ORDER=");
    proc at[TIMESTAMPS_MAX_N];
    ideal_unpack(value, at, n);
    for (unsigned p = 0; p < n && used >= 0 && (size_t)used < size; p++)
        used += snprintf(text + used, size - (size_t)used, "%s%u", p > 0 ? "," : "", (unsigned)at[p]);
}

static inline void order_of(const struct Scan *scan, unsigned n, unsigned rank[])
{
    proc at[TIMESTAMPS_MAX_N];
    ideal_unpack(scan->order, at, n);
    for (unsigned p = 0; p < n; p++)
        rank[at[p]] = p;
}

static inline procset ordered_before(const struct Scan *scan, unsigned i, unsigned n)
{
    unsigned rank[TIMESTAMPS_MAX_N] = {0};
    procset before = 0;
    order_of(scan, n, rank);
    for (unsigned j = 0; j < n; j++)
        before |= rank[j] < rank[i] ? only(j) : 0;
    return before;
}

#define shared timestamps
#define declare timestamps_declare
DECLARE
{
    S->order = registers("ORDER", 1, ideal_orders(n), 0, .writer = ANYBODY, .shown = ideal_show);
}

PROCEDURE(Label)
BEGIN
    word order;
    AT("Label")
    act(ORDER, order, order = ideal_moved_to_end(order, i, n));
END

PROCEDURE(Scan)
BEGIN
    AT("Scan")
    L.order = get(ORDER);
END
#undef shared
#undef declare
#undef ORDER
