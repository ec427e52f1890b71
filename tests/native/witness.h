/* SPDX-License-Identifier: MIT
 *
 * witness.h - sees who is inside, without asking the lock.
 *
 * It knows two ways to notice that one too many is inside: it counts them; and where k is 1, it keeps two plain numbers
 * that are equal whenever nobody is inside. An update that another one cut through loses a count or leaves them apart.
 * The counting is relaxed, so that it adds no order of its own between those inside: ThreadSanitizer then reports the
 * plain numbers unless the lock orders them.
 */
#ifndef TESTS_NATIVE_WITNESS_H
#define TESTS_NATIVE_WITNESS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct witness {
    unsigned k;
    _Atomic unsigned inside;
    _Atomic unsigned violations;
    _Atomic uint64_t entries;
    _Alignas(64) uint64_t first;
    _Alignas(64) uint64_t second;
};

/* Called inside; returns while still inside. A lingerer lets others run meanwhile, who would come in if they could. */
static inline void be_seen_inside(struct witness *witness, bool linger)
{
    bool wrong = atomic_fetch_add_explicit(&witness->inside, 1, memory_order_relaxed) >= witness->k;
    if (witness->k == 1)
        wrong |= witness->first++ != witness->second;
    if (linger)
        sched_yield();
    if (witness->k == 1)
        wrong |= witness->first != ++witness->second;
    if (wrong)
        atomic_fetch_add_explicit(&witness->violations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&witness->entries, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&witness->inside, 1, memory_order_relaxed);
}

/* To be asked when all have gone: whether each of so many passages was seen and none was wrong. */
static inline bool all_was_well(const struct witness *witness, uint64_t passages)
{
    return witness->violations == 0 && witness->inside == 0 && witness->entries == passages &&
           (witness->k != 1 || (witness->first == passages && witness->second == passages));
}

#endif
