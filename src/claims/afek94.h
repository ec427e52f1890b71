/* SPDX-License-Identifier: MIT
 *
 * afek94.h - the chapters of what Afek et al. (1994) say, and how many steps the operations of a timestamp system take,
 * which is for Zehavi (2013), too.
 */
#ifndef ADMIT_CLAIMS_AFEK94_H
#define ADMIT_CLAIMS_AFEK94_H

#include "claims/claims.h"

extern const struct chapter afek94_timestamps, afek94_algorithm;

/* The most steps of a Label and of a Scan (docs/timestamps.md). */
static inline unsigned label_of_ideal(unsigned n)
{
    (void)n;
    return 1;
}

static inline unsigned label_of_unbounded(unsigned n)
{
    return n;
}

static inline unsigned label_of_snapshot(unsigned n)
{
    return (3 * n + 1) * (n - 1) + n + 1;
}

static inline unsigned label_of_linear(unsigned n)
{
    return 7 * (n - 1) + n + 3;
}

static inline unsigned scan_of_ideal(unsigned n)
{
    (void)n;
    return 1;
}

static inline unsigned scan_of_unbounded(unsigned n)
{
    return n - 1;
}

static inline unsigned scan_of_snapshot(unsigned n)
{
    return 3 * n * (n - 1) + n;
}

static inline unsigned scan_of_linear(unsigned n)
{
    return 5 * (n - 1) + 1;
}

#endif
