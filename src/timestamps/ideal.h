/* SPDX-License-Identifier: MIT
 *
 * ideal.h - the ideal concurrent timestamp system: Label and Scan are one atomic step each.
 *
 * Design summary
 *  - ORDER: the processes in the order of their last Labels; who has not labelled yet comes before all who have, by
 *    number.
 *  - Label: i moves to the end. Scan: read ORDER.
 *  - No machine has such steps. It is for the checker, so that what is built upon a timestamp system can be explored
 *    with the fewest states. Each of its histories is one of any other timestamp system, in runs where nobody
 *    interrupts an operation; so a violation found with it is one of all of them. That there is none is said of it
 *    alone.
 *
 * One word of n places, the first in the lowest bits.
 */
#include "registers/language.h"

#define TIMESTAMPS_MAX_N 15
#define TIMESTAMPS_BITS "n * bits(n - 1)"
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

static inline unsigned ideal_place_bits(unsigned n)
{
    return bits_up_to(n - 1);
}

static inline unsigned ideal_at(word order, unsigned place, unsigned n)
{
    return (unsigned)(order >> place * ideal_place_bits(n) & ((1u << ideal_place_bits(n)) - 1));
}

static inline word ideal_moved_to_end(word order, unsigned i, unsigned n)
{
    word moved = 0;
    unsigned place = 0;
    for (unsigned p = 0; p < n; p++)
        if (ideal_at(order, p, n) != i)
            moved |= (word)ideal_at(order, p, n) << place++ * ideal_place_bits(n);
    return moved | (word)i << place * ideal_place_bits(n);
}

static void ideal_show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    (void)k;
    int used = 0;
    for (unsigned p = 0; p < n && used >= 0 && (size_t)used < size; p++)
        used += snprintf(text + used, size - (size_t)used, "%s%u", p > 0 ? "," : "", ideal_at(value, p, n));
}

static inline void order_of(const struct Scan *scan, unsigned n, unsigned rank[])
{
    for (unsigned p = 0; p < n; p++)
        rank[ideal_at(scan->order, p, n)] = p;
}

static inline procset ordered_before(const struct Scan *scan, unsigned i, unsigned n)
{
    procset before = 0;
    for (unsigned p = 0; ideal_at(scan->order, p, n) != i; p++)
        before |= only(ideal_at(scan->order, p, n));
    return before;
}

#define shared timestamps
#define declare timestamps_declare
DECLARE
{
    word by_number = 0;
    for (unsigned j = 0; j < n; j++)
        by_number |= (word)j << j * ideal_place_bits(n);
    S->order = shared_word("ORDER", n * ideal_place_bits(n), by_number, .shown = ideal_show);
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
