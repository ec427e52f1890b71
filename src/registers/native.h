/* SPDX-License-Identifier: MIT
 *
 * native.h - the register language over C11 atomics in memory shared by threads or processes.
 *
 * Memory orders. Every access is sequentially consistent, and this is why nothing weaker will do:
 *
 *   - The algorithms of the papers raise an own register and then read another's, each of two processes trusting that
 *     at least one of them sees the other: a store followed by a load of a different location. That is the one order
 *     which acquire and release do not give (x86 delays the store in its buffer, arm64 may reorder the two).
 *   - With every access in one total order, what runs is an interleaving, and interleavings are what the checker has
 *     explored. A weaker order would be outside its verdicts, however well argued.
 *   - Leaving writes by the same store, and whoever enters has read it (or one after it in the same order), so all that
 *     was done inside happens before the next one's entry: the lock orders plain data, as ThreadSanitizer confirms.
 *
 * What it costs: on x86-64 a get is a plain load and a put an xchg; on arm64 they are ldar and stlr. Besides, a put
 * looks whether somebody sleeps on that register (patience.h): one load from the cache line it has just written.
 */
#ifndef ADMIT_REGISTERS_NATIVE_H
#define ADMIT_REGISTERS_NATIVE_H

#include "registers/cells.h"

/* What i itself has written last needs no order: nobody else writes there, and i's own accesses to one location keep
 * theirs. */
static inline uint64_t native_own(const struct cell *cell, unsigned i)
{
    native_check_writer(cell, i);
    return atomic_load_explicit(&cell->value, memory_order_relaxed);
}

/* The process before v, all standing in a circle. */
static inline unsigned native_before(unsigned v, unsigned n)
{
    return v > 0 ? v - 1 : n - 1;
}

/* The register that was read last and what it held. If a wait's test fails, that is what to watch. It never leaves the
 * machine's registers, and is not computed where no wait follows. */
struct watched {
    struct cell *cell;
    uint64_t value;
};

static inline uint64_t native_get(struct cell *cell, struct watched *last)
{
    uint64_t value = atomic_load_explicit(&cell->value, memory_order_seq_cst);
    *last = (struct watched){cell, value};
    return value;
}

static inline void native_wake(struct cell *cell)
{
    if (__builtin_expect(atomic_load_explicit(&cell->sleepers, memory_order_seq_cst) != 0, 0))
        admit_wake(&cell->value);
}

static inline void native_put(struct cell *cell, uint64_t value, unsigned i)
{
    native_check_writer(cell, i);
    atomic_store_explicit(&cell->value, value, memory_order_seq_cst);
    native_wake(cell);
}

static inline void native_put_if_different(struct cell *cell, uint64_t value, unsigned i)
{
    if (atomic_load_explicit(&cell->value, memory_order_seq_cst) != value)
        native_put(cell, value, i);
}

#define ENTER static inline void enter(struct native_passage *P, const struct shared *S, struct locals *frame)
#define LEAVE static inline void leave(struct native_passage *P, const struct shared *S, struct locals *frame)
#define run_enter(P, S, f) enter(P, S, f)
#define run_leave(P, S, f) leave(P, S, f)
#define PROCEDURE(p) PROCEDURE_ON(p, p)
#define PROCEDURE_ON(p, frame_)                                                                                        \
    static inline void p(struct native_passage *P, const struct shared *S, struct frame_ *frame)
#define BEGIN                                                                                                          \
    {                                                                                                                  \
        const unsigned i = P->i, n = P->n, k = P->k;                                                                   \
        struct watched last_ = {0};                                                                                    \
        (void)i, (void)n, (void)k, (void)S, (void)frame, (void)last_;
#define END }

#define CALL(p, f) CALL_PART(p, *S, f)
#define CALL_PART(p, s, f) p(P, &(s), &(f))
#define SELDOM(p) PROCEDURE(p)
#define CALL_SELDOM(p, f) CALL(p, f)

#define get(r) native_get(&(r), &last_)
#define put(r, v) native_put(&(r), (v), i)
#define put_if_different(r, v) native_put_if_different(&(r), (v), i)
#define own(r) native_own(&(r), i)
#define update(r, old, e)                                                                                              \
    do {                                                                                                               \
        uint64_t seen_ = get(r);                                                                                       \
        native_check_writer(&(r), i);                                                                                  \
        do                                                                                                             \
            (old) = seen_;                                                                                             \
        while (!atomic_compare_exchange_weak_explicit(&(r).value, &seen_, (uint64_t)(e), memory_order_seq_cst,         \
                                                      memory_order_seq_cst));                                          \
        native_wake(&(r));                                                                                             \
    } while (0)

/* An action that changes nothing is a read: no need to write, nobody to wake. */
#define act(r, w, ...)                                                                                                 \
    do {                                                                                                               \
        uint64_t seen_ = get(r);                                                                                       \
        native_check_writer(&(r), i);                                                                                  \
        do {                                                                                                           \
            (w) = seen_;                                                                                               \
            __VA_ARGS__;                                                                                               \
        } while ((w) != seen_ && !atomic_compare_exchange_weak_explicit(&(r).value, &seen_, (w), memory_order_seq_cst, \
                                                                        memory_order_seq_cst));                        \
        last_.value = (w);                                                                                             \
        if ((w) != seen_)                                                                                              \
            native_wake(&(r));                                                                                         \
    } while (0)

#define await_in(bay, c)                                                                                               \
    do {                                                                                                               \
        while (!(c))                                                                                                   \
            admit_be_patient_in(&P->patience, &last_.cell->parking, (bay));                                            \
        if (P->patience.parked)                                                                                        \
            admit_drive_off(&P->patience, &last_.cell->parking);                                                       \
    } while (0)
#define ring(r, bay)                                                                                                   \
    do {                                                                                                               \
        if (__builtin_expect(atomic_load_explicit(&(r).parking.parked, memory_order_seq_cst) != 0, 0))                 \
            admit_ring(&(r).parking, (bay));                                                                           \
    } while (0)

#define await(c)                                                                                                       \
    do {                                                                                                               \
        P->patience.sleeps = 0;                                                                                        \
        while (!(c))                                                                                                   \
            admit_be_patient(&P->patience, AWAITED, &last_.cell->value, last_.value, &last_.cell->sleepers);           \
    } while (0)
#define try_again(l)                                                                                                   \
    do {                                                                                                               \
        admit_be_patient(&P->patience, OBSTACLE, &last_.cell->value, last_.value, &last_.cell->sleepers);              \
        goto l;                                                                                                        \
    } while (0)

#define for_all(name_, v, from, to) for_in_order (name_, v, from, to)
/* Downwards from i - 1 and round. Under load the processes tend to go in the order of their numbers; then each waits
 * for its predecessor alone, and not for every one before it in turn. */
#define for_all_others(name_, v) for ((v) = native_before(i, n); (v) != i; (v) = native_before((v), n))
#define for_all_in(name_, v, set)                                                                                      \
    for_all_others (name_, v)                                                                                          \
        if (!has((set), (v)))                                                                                          \
            continue;                                                                                                  \
        else

#endif
