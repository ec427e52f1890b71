/* SPDX-License-Identifier: MIT
 *
 * lamport86.h - the chapters of lamport86.c, and the numbers that several of them give.
 */
#ifndef ADMIT_CLAIMS_LAMPORT86_H
#define ADMIT_CLAIMS_LAMPORT86_H

#include "claims/claims.h"

extern const struct chapter lamport86_the_problem, lamport86_one_bit_to_three, lamport86_fcfs_solutions;

static inline uint64_t one(unsigned n)
{
    (void)n;
    return 1;
}

static inline uint64_t n_itself(unsigned n)
{
    return n;
}

#endif
