/* SPDX-License-Identifier: MIT
 *
 * cells.h - registers as cells in memory, and what a text is made of whether its processes wait (native.h) or sleep
 * (sleeping_native.h): those two say how a cell is read and written, how one waits, and what a procedure is.
 */
#ifndef ADMIT_REGISTERS_CELLS_H
#define ADMIT_REGISTERS_CELLS_H

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
    _Atomic uint64_t woken; /* the value at which whoever sleeps on it has been woken already; see sleeping_native.h */
};
typedef struct cell *array;

struct sleeper;

struct native_passage {
    unsigned i, n, k;
    unsigned slots;           /* of a gate that can grow: that there are, of k that there can be */
    struct patience patience; /* used up by all waits of the passage together */
    struct sleeper *sleeper;  /* for sleeping_native.h */
};

/* One run through an algorithm's DECLARE, which hands out cells: to learn how many there are; to give them their
 * initial values; or, for a process that attaches while others use them, to see that each holds a value of its
 * domain. */
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
    element_home *home; /* of no use here, as is all that follows */
    element_namer *elements;
    word_printer *shown;
    bool unbounded, remembered;
    value_order *grows;
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

#define AT(name_)
#define AND_(m, c) (c)
#define OR_(m, c) (c)
#define for_in_order(name_, v, from, to) for ((v) = (from); (v) < (to); (v)++)
#define for_cyclically(name_, v, from, to) for ((v) = (from); (v) != (to); (v) = ((v) + 1) % n)
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
        run_enter(P, &arrays, &frame);                                                                                 \
        *(struct locals *)locals = frame;                                                                              \
    }                                                                                                                  \
    static void leave_any(struct native_passage *P, const void *shared, void *locals)                                  \
    {                                                                                                                  \
        struct locals frame = *(struct locals *)locals;                                                                \
        const struct shared arrays = *(const struct shared *)shared;                                                   \
        run_leave(P, &arrays, &frame);                                                                                 \
    }                                                                                                                  \
    extern const struct native_algorithm ADMIT_SYMBOL;                                                                 \
    const struct native_algorithm ADMIT_SYMBOL = {.shared_size = sizeof(struct shared),                                \
                                                  .locals_size = sizeof(struct locals),                                \
                                                  .declare = declare_any,                                              \
                                                  .enter = enter_any,                                                  \
                                                  .leave = leave_any,                                                  \
                                                  .about = {.id = ADMIT_ID, __VA_ARGS__}}

#endif
