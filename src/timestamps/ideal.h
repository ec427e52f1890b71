/* SPDX-License-Identifier: MIT
 *
 * ideal.h - the ideal concurrent timestamp system: one word, Label and Scan one atomic step each.
 */
#include "registers/language.h"

#define shared timestamps

struct shared {
    array ORDER;
};

struct Label {
    position at;
};

struct Scan {
    position at;
    procset before; /* those before this process */
};

#define TIMESTAMPS_MAX_N 12
#define TIMESTAMPS_BITS "bits(n)"

static inline uint64_t ideal_factorial(unsigned n)
{
    uint64_t product = 1;
    for (unsigned f = 2; f <= n; f++)
        product *= f;
    return product;
}

/* A permutation as a number below n!. */
static inline void ideal_unpack(uint64_t w, unsigned n, unsigned at[])
{
    uint32_t left = (1u << n) - 1;
    for (unsigned p = 0; p < n; p++) {
        uint64_t f = ideal_factorial(n - 1 - p);
        unsigned d = (unsigned)(w / f);
        w %= f;
        uint32_t set = left;
        while (d-- > 0)
            set &= set - 1;
        at[p] = (unsigned)__builtin_ctz(set);
        left &= ~(1u << at[p]);
    }
}

static inline uint64_t ideal_pack(unsigned n, const unsigned at[])
{
    uint64_t w = 0;
    uint32_t left = (1u << n) - 1;
    for (unsigned p = 0; p < n; p++) {
        w += ideal_factorial(n - 1 - p) * (unsigned)__builtin_popcount(left & ((1u << at[p]) - 1));
        left &= ~(1u << at[p]);
    }
    return w;
}

static inline uint64_t ideal_last(uint64_t w, unsigned i, unsigned n)
{
    unsigned at[16];
    ideal_unpack(w, n, at);
    unsigned to = 0;
    for (unsigned p = 0; p < n; p++)
        if (at[p] != i)
            at[to++] = at[p];
    at[to] = i;
    return ideal_pack(n, at);
}

static inline procset ideal_before(uint64_t w, unsigned i, unsigned n)
{
    unsigned at[16];
    procset set = 0;
    ideal_unpack(w, n, at);
    for (unsigned p = 0; p < n && at[p] != i; p++)
        set |= only(at[p]);
    return set;
}

static void timestamps_declare(struct declaration *D, struct shared *S, unsigned n, unsigned k)
{
    (void)k;
    S->ORDER = registers("ORDER", 1, ideal_factorial(n), 0, .writer = ANYBODY);
}

PROCEDURE(Label)
BEGIN
    word w;
    AT("Label")
    act(S->ORDER[0], w, w = ideal_last(w, i, n));
END

PROCEDURE(Scan)
BEGIN
    AT("Scan")
    L.before = ideal_before(get(S->ORDER[0]), i, n);
END

static inline procset ordered_before(const struct Scan *scan, unsigned i, unsigned n)
{
    (void)i, (void)n;
    return scan->before;
}

#undef shared
