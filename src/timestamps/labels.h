/* SPDX-License-Identifier: MIT
 *
 * labels.h - bounded labels: their order, and the next one. The idea is that of R. Gawlick, N. Lynch, N. Shavit,
 * Concurrent Timestamping Made Simple, 1992; the rule as it is here was made, and checked, for this project.
 *
 * Design summary
 *  - A label has n-1 digits, each 1 to 5. Labels are compared at the first digit in which they differ. Digits 3, 4, 5
 *    are a cycle, 3 < 4 < 5 < 3; 1 and 2 are below each other and below all of these, in this order. Equal labels: the
 *    smaller process number is smaller.
 *  - This is no order of all labels, but one of any labels that are ever seen together. Labels that share their first h
 *    digits are a room meant for n-h processes. A newcomer goes into the smallest room around the largest label that is
 *    not full, h digits of it being full: it adds one to digit h, and begins anew, with 1, in all digits after that.
 *  - Digits 1 and 2 are the way into a room, 3, 4, 5 are used for ever. A process that opens the next room next to
 *    digit d has seen everybody else that may be there in d. So from the first 2 on, the room around is known to be
 *    full, and nobody comes in from outside any more; one that chose to before that lands in 1 or 2, below the cycle,
 *    and does no harm. And in the cycle all labels are in two adjacent digits. With one way in, or a reset to 2 or 3, a
 *    late one would land in the cycle, a turn behind, and look as if it were ahead.
 *
 * What is not said here is why it still works where a view is no atomic snapshot. What was explored, and what was only
 * tried at random, is in docs/timestamps.md.
 *
 * Three bits a digit, the first digit highest. Where timestamp systems are checked, LABEL_SERIAL_BITS are added above
 * the digits: how many labels this process has had. No decision reads it; it tells two equal labels apart.
 */
#include "registers/language.h"

#define TIMESTAMPS_VIEWS /* a Label and a Scan have the labels that they have seen in `snap.view` */

#ifndef LABEL_SERIAL_BITS
#define LABEL_SERIAL_BITS 0
#endif

enum { DIGIT_BITS = 3 };

typedef uint64_t label;
#if LABEL_SERIAL_BITS > 0
enum { LABELS_MAX_N = 8 };
#else
enum { LABELS_MAX_N = 22 };
#endif

static inline unsigned digits_bits(unsigned n)
{
    return DIGIT_BITS * (n - 1);
}

static inline unsigned label_bits(unsigned n)
{
    return digits_bits(n) + LABEL_SERIAL_BITS;
}

/* How many labels its process had had before. */
static inline uint32_t label_serial(label a, unsigned n)
{
    return (uint32_t)((uint64_t)a >> digits_bits(n));
}

/* Digit h, from 1 to n-1. */
static inline unsigned digit(label a, unsigned h, unsigned n)
{
    return a >> DIGIT_BITS * (n - 1 - h) & ((1u << DIGIT_BITS) - 1);
}

static inline label with_digit(label a, unsigned h, unsigned value, unsigned n)
{
    return a | (label)value << DIGIT_BITS * (n - 1 - h);
}

/* What everybody starts with: 1 1 ... 1. */
static inline label first_label(unsigned n)
{
    label first = 0;
    for (unsigned h = 1; h < n; h++)
        first = with_digit(first, h, 1, n);
    return first;
}

static inline unsigned succ(unsigned d)
{
    return d >= 5 ? 3 : d + 1; /* 6, 7: a register that is not atomic, or whose writer has failed, may hold them */
}

static inline bool below(unsigned a, unsigned b)
{
    return a >= 3 && b >= 3 ? b == succ(a) : a < b;
}

/* How many digits of two labels agree, from the first on. */
static inline unsigned agreeing(label a, label b, unsigned n)
{
    unsigned h = 0;
    while (h < n - 1 && digit(a, h + 1, n) == digit(b, h + 1, n))
        h++;
    return h;
}

/* Label a of process p is below label b of process q. */
static inline bool label_below(label a, unsigned p, label b, unsigned q, unsigned n)
{
    unsigned h = agreeing(a, b, n) + 1;
    return h == n ? p < q : below(digit(a, h, n), digit(b, h, n));
}

/* The rank of each process: how many are below it. */
static inline void order(const label view[], unsigned n, proc rank[])
{
    for (unsigned j = 0; j < n; j++) {
        rank[j] = 0;
        for (unsigned m = 0; m < n; m++)
            rank[j] += m != j && label_below(view[m], m, view[j], j, n);
    }
}

static inline unsigned maximum_of(const label view[], unsigned n)
{
    unsigned maximum = 0;
    for (unsigned j = 1; j < n; j++)
        if (label_below(view[maximum], maximum, view[j], j, n))
            maximum = j;
    return maximum;
}

/* A label for i above all others' of this view; its own, which is not the maximum, does not count. */
static inline label next_label(const label view[], unsigned i, unsigned n)
{
    label m = view[maximum_of(view, n)], next = 0;
    unsigned h = 0, inside;
    do {
        h++;
        inside = 0;
        for (unsigned j = 0; j < n; j++)
            inside += j != i && agreeing(view[j], m, n) >= h;
    } while (inside < n - h && h < n - 1);
    for (unsigned e = 1; e < n; e++)
        next = with_digit(next, e, e < h ? digit(m, e, n) : e == h ? succ(digit(m, h, n)) : 1, n);
#if LABEL_SERIAL_BITS > 0
    next |= (label)(label_serial(view[i], n) + 1) << digits_bits(n);
#endif
    return next;
}
