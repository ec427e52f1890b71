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

#include "registers/about.h"
#include "registers/patience.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t position; /* of no use here; a whole word, lest gcc pack it and its neighbour into one slow store */
typedef unsigned proc;
typedef bool flag;
typedef uint64_t procset;
typedef unsigned number;
typedef uint64_t numberset;
typedef uint64_t ticket;
typedef uint64_t word;

enum {
    NATIVE_WRITER_ANYBODY = UINT16_MAX,
    NATIVE_PROCESSES_MAX = 64,
    PROCESSES_MAX = NATIVE_PROCESSES_MAX,
    NATIVE_WORD_BITS = 64,
    NUMBER_BITS = 32
};

/* Of a field in a word whose values are 0 .. most: here as many as the text says, so that shifts are constants. */
#define field_bits(most, fixed) ((void)(most), (unsigned)(fixed))

/* A register with its cache line to itself: a waiter that reads one register in a loop must not slow its neighbours. */
struct cell {
    _Alignas(64) _Atomic uint64_t value;
    _Atomic uint32_t sleepers; /* how many sleep until value changes; see patience.h */
    uint16_t writer; /* the only process that may write it, or NATIVE_WRITER_ANYBODY; debug builds insist on it */
    struct parking parking; /* those who wait for it in bays */
};
typedef struct cell *array;

struct sleeper;

struct native_passage {
    unsigned i, n, k;
    struct patience patience; /* used up by all waits of the passage together */
    struct sleeper *sleeper;  /* this and the next are for sleeping_native.h */
    enum { GOES_IN, GIVES_UP, NOT_FREE, STILL_IN_LINE } outcome;
};

/* One run through an algorithm's DECLARE, which hands out cells: to learn how many there are; to give them their
 * initial values; or, for one who attaches while others use them, to see that each holds a value of its domain. */
struct declaration {
    unsigned n, k;
    enum { COUNT_REGISTERS, INITIALISE_REGISTERS, CHECK_REGISTERS } purpose;
    struct cell *cells; /* not used for counting */
    size_t registers;   /* out: how many */
    bool in_order;      /* out: checking found nothing wrong */
};

struct declared {
    size_t count, columns;
    uint64_t domain, initial;
    int writer;
    element_home *home; /* of no use here, as are the next four */
    element_namer *elements;
    word_printer *shown;
    bool unbounded, remembered;
};

struct native_algorithm {
    struct about about;
    size_t shared_size, locals_size;
    void (*declare)(struct declaration *D, void *shared);
    void (*enter)(struct native_passage *P, const void *shared, void *locals);
    void (*leave)(struct native_passage *P, const void *shared, void *locals);
};

array admit_declare_registers(struct declaration *D, struct declared a);

/* Ends the program, naming the process that wrote another's register. */
_Noreturn void admit_not_the_writer(uint16_t writer, unsigned i);

/* What release builds assume, debug builds (-DADMIT_DEBUG) verify. */
static inline void native_check_writer(const struct cell *cell, unsigned i)
{
#ifdef ADMIT_DEBUG
    if (cell->writer != NATIVE_WRITER_ANYBODY && cell->writer != i)
        admit_not_the_writer(cell->writer, i);
#else
    (void)cell, (void)i;
#endif
}

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

#define L (*frame)

#define registers(name_, count_, ...) register_rows(name_, count_, 1, __VA_ARGS__)
#define register_rows(name_, rows_, columns_, domain_, initial_, ...)                                                  \
    admit_declare_registers(D, (struct declared){.count = (size_t)(rows_) * (columns_),                                \
                                                 .columns = (columns_),                                                \
                                                 .domain = (domain_),                                                  \
                                                 .initial = (initial_),                                                \
                                                 __VA_ARGS__})
#define DECLARE                                                                                                        \
    static void declare(struct declaration *D, struct shared *S, __attribute__((unused)) unsigned n,                   \
                        __attribute__((unused)) unsigned k)

#define ENTER static inline void enter(struct native_passage *P, const struct shared *S, struct locals *frame)
#define LEAVE static inline void leave(struct native_passage *P, const struct shared *S, struct locals *frame)
#define PROCEDURE(p) static inline void p(struct native_passage *P, const struct shared *S, struct p *frame)
#define BEGIN                                                                                                          \
    {                                                                                                                  \
        const unsigned i = P->i, n = P->n, k = P->k;                                                                   \
        struct watched last_ = {0};                                                                                    \
        (void)i, (void)n, (void)k, (void)S, (void)frame, (void)last_;
#define END }

#define AT(name_)
#define CALL(p, f) CALL_PART(p, *S, f)
#define CALL_PART(p, s, f) p(P, &(s), &(f))
#define SELDOM(p) PROCEDURE(p)
#define CALL_SELDOM(p, f) CALL(p, f)
#define AND_(m, c) (c)
#define OR_(m, c) (c)

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
#define for_in_order(name_, v, from, to) for ((v) = (from); (v) < (to); (v)++)
#define for_cyclically(name_, v, from, to) for ((v) = (from); (v) != (to); (v) = ((v) + 1) % n)
/* Downwards from i - 1 and round. Under load the processes tend to go in the order of their numbers; then each waits
 * for its predecessor alone, and not for every one before it in turn. */
#define for_all_others(name_, v) for ((v) = native_before(i, n); (v) != i; (v) = native_before((v), n))
#define for_all_in(name_, v, set)                                                                                      \
    for_all_others (name_, v)                                                                                          \
        if (!has((set), (v)))                                                                                          \
            continue;                                                                                                  \
        else
#define while_waiting() ((void)0)
#define waiting_room() ((void)0)
/* What a block begins with is zero, as in the stepped world, and so is what is forgotten. Where the text sets it before it
 * uses it, which is nearly everywhere, this is no instruction. */
#define local(...) (JOIN(ZERO_, HOW_MANY(__VA_ARGS__))(__VA_ARGS__))
#define ZERO_1(v) ((void)memset(&(v), 0, sizeof(v)))
#define ZERO_2(v, ...) ZERO_1(v), ZERO_1(__VA_ARGS__)
#define ZERO_3(v, ...) ZERO_1(v), ZERO_2(__VA_ARGS__)
#define ZERO_4(v, ...) ZERO_1(v), ZERO_3(__VA_ARGS__)
#define ZERO_5(v, ...) ZERO_1(v), ZERO_4(__VA_ARGS__)
#define ZERO_6(v, ...) ZERO_1(v), ZERO_5(__VA_ARGS__)
#define ZERO_7(v, ...) ZERO_1(v), ZERO_6(__VA_ARGS__)
#define ZERO_8(v, ...) ZERO_1(v), ZERO_7(__VA_ARGS__)
#define forget(...) local(__VA_ARGS__)
#define lasts(...) ((void)0)

/* The locals, and a copy of the arrays' addresses, live on the stack, where the compiler keeps them in registers (it
 * must suppose that an atomic access changes anything else); the locals are copied out for the way back. */
#define ALGORITHM(...)                                                                                                 \
    static void declare_any(struct declaration *D, void *shared)                                                       \
    {                                                                                                                  \
        declare(D, shared, D->n, D->k);                                                                                \
    }                                                                                                                  \
    static void enter_any(struct native_passage *P, const void *shared, void *locals)                                  \
    {                                                                                                                  \
        struct locals frame = {0};                                                                                     \
        const struct shared arrays = *(const struct shared *)shared;                                                   \
        enter(P, &arrays, &frame);                                                                                     \
        *(struct locals *)locals = frame;                                                                              \
    }                                                                                                                  \
    static void leave_any(struct native_passage *P, const void *shared, void *locals)                                  \
    {                                                                                                                  \
        struct locals frame = *(struct locals *)locals;                                                                \
        const struct shared arrays = *(const struct shared *)shared;                                                   \
        frame.at = 0; /* how far enter came, where that is kept, is no matter of leave's */                            \
        leave(P, &arrays, &frame);                                                                                     \
    }                                                                                                                  \
    extern const struct native_algorithm ADMIT_SYMBOL;                                                                 \
    const struct native_algorithm ADMIT_SYMBOL = {.shared_size = sizeof(struct shared),                                \
                                                  .locals_size = sizeof(struct locals),                                \
                                                  .declare = declare_any,                                              \
                                                  .enter = enter_any,                                                  \
                                                  .leave = leave_any,                                                  \
                                                  .about = {.id = ADMIT_ID, __VA_ARGS__}}

#endif
