/* SPDX-License-Identifier: MIT
 *
 * stepped.h - the register language for the checked and the counted world.
 *
 * A procedure becomes resumable: AT saves where it stands and returns, and the next call goes on from there (a switch
 * on the saved position, whose cases stand wherever an AT stands; frames of nested procedures carry their own
 * position). So a process is a pure function: from its frame and the value of one register to its next frame and, for a
 * write, a new value. That purity is what lets the checker run each local step once and remember it.
 */
#ifndef ADMIT_REGISTERS_STEPPED_H
#define ADMIT_REGISTERS_STEPPED_H

#include "registers/about.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint16_t position;
typedef uint8_t proc;
typedef uint8_t flag;
typedef uint64_t procset;
typedef uint8_t number;
typedef uint64_t numberset;
typedef uint16_t ticket;
typedef uint64_t word;

/* A text can be run for so many processes, and explored for so many. */
enum { STEPPED_PROCESSES_MAX = 64, PROCESSES_MAX = STEPPED_PROCESSES_MAX, CHECKED_PROCESSES_MAX = 16 };

enum { LOCALS_MAX = 416, STEPPED_WORD_BITS = 62, NUMBER_BITS = 16 };

/* Of a field in a word whose values are 0 .. most: here as few as will do, so that states are small. */
#define field_bits(most, fixed) bits_up_to(most)

/* A cell stands for a register: its address names it, nothing is stored in it. */
struct cell {
    char name_only;
};
typedef const struct cell *array;

/* One declared array of registers; the register numbers first..first+count-1 are its elements, row by row. */
struct declared {
    const char *name;
    unsigned first, count;
    unsigned columns; /* of each row; 1 where the text does not speak of rows */
    uint64_t domain;  /* TICKET, or the number of values */
    uint64_t initial;
    int writer;              /* enum writer */
    element_home *home;      /* in whose memory its elements lie (DSM), if not in their writers' */
    element_namer *elements; /* how its elements are called, if not by their numbers */
    word_printer *shown;     /* how a value of it is printed, if not as a number */
    bool unbounded;          /* a word with numbers that grow for ever (checker/reduce/numbers.h) */
    bool remembered;         /* each writer knows what its own element holds: own() */
    value_order *grows;      /* each change is to a value that comes after, so that none comes back */
};

/* What the register holds at the start; where nothing is declared, the simplest of all that it may hold. */
static inline uint64_t initial_value(const struct declared *array)
{
    return array->initial == ANY_VALUE ? 0 : array->initial;
}

enum { ARRAYS_MAX = 16 };

struct declaration {
    unsigned n, k;
    unsigned ways;            /* that the setting has */
    const struct cell *cells; /* cells[r] is register number r */
    unsigned registers;
    unsigned arrays;
    struct declared array[ARRAYS_MAX];
};

/* KERNEL: what the kernel does at once, on more than one register (checker/model/kernel.h). */
enum access_kind { NO_ACCESS, READ, WRITE, WRITE_IF_DIFFERENT, UPDATE, KERNEL };

/* How a call ended: stopped before its next access; a wait's test failed, so that nothing has changed; the passage is
 * over without having led inside; or it has not, and LEAVE ends it; it was too hasty (haste.h); or finished. */
enum outcome { PAUSED, STUCK, TURNED_AWAY, SENT_OUT, TOO_HASTY, DONE };

/* One call of a procedure: what it is told, and what it did. */
struct stepping {
    unsigned i, n, k;
    const struct cell *cells;
    uint64_t value;             /* in: what the accessed register holds, or what a read of it returns */
    unsigned choice;            /* in: which element a for_all takes next, if it may choose */
    bool any_order;             /* in: whether it may */
    unsigned ways;              /* in: those that the setting has (enum way) */
    bool spoils;                /* in: variables that do not live where it stands are garbage (blocks.h) */
    const int16_t *copy_number; /* in: by register, which copy of this process is of it; -1: none */
    const uint8_t *copies;      /* in: what this process's own remembered registers hold, a uint64_t each */
    unsigned accesses;          /* out: shared accesses made; the caller insists on one */
    enum access_kind kind;
    unsigned reg;
    uint64_t written;
    bool compares; /* out: it matters only whether the register holds what it is compared with */
    uint64_t compared;
    unsigned choices;     /* out: how many elements the for_all could have taken; 0 without a for_all */
    bool in_waiting_room; /* out: the doorway ended in this step */
    bool may_give_up;     /* out: where it stopped it may give up instead of going on (sleeping.h) */
    unsigned request;     /* out: where it stopped it is about to make this request of a store (store.h), or 0 */
    unsigned happening;   /* in: what happens beside the text (enum happening, session.h) */
    bool has_command;     /* out: where it stopped, not it but its command is inside, or may be */
    bool only_so_often;   /* out: what it chose to do is not done infinitely often in a run */
    const char *label;    /* out: the marker it stopped at (MARKER) */
};

/* What the kernel knows: the words on which processes sleep, and their life words, by process. */
struct watched {
    array sleep_words, lives;
};

/* Parts that only some algorithms have (sleeping.h). */
struct more_parts {
    enum outcome (*give_up)(struct stepping *P, const void *shared, void *locals);
    enum outcome (*newcomer)(struct stepping *P, const void *shared, void *locals);
    enum outcome (*inherit)(struct stepping *P, const void *shared, void *locals); /* of a command: on its way in, */
    enum outcome (*command)(struct stepping *P, const void *shared, void *locals); /* and from there on */
    /* Of one that removes: to where it has; and from there on. */
    enum outcome (*remover)(struct stepping *P, const void *shared, void *locals);
    enum outcome (*afterwards)(struct stepping *P, const void *shared, void *locals);
    struct watched (*watched)(const void *shared);
    /* What happens at a store, to the session that a client has with it. */
    enum outcome (*happen)(struct stepping *P, const void *shared, void *session);
};

struct stepped_algorithm {
    struct about about;
    size_t shared_size, locals_size;
    void (*declare)(struct declaration *D, void *shared);
    enum outcome (*enter)(struct stepping *P, const void *shared, void *locals);
    enum outcome (*leave)(struct stepping *P, const void *shared, void *locals);
    struct more_parts more;
};

static inline array declare_registers(struct declaration *D, struct declared a)
{
    a.first = D->registers;
    D->registers += a.count;
    D->array[D->arrays++] = a;
    return D->cells + a.first;
}

static inline uint64_t stepped_access(struct stepping *P, enum access_kind kind, const struct cell *cell,
                                      uint64_t written)
{
    P->accesses++;
    P->kind = kind;
    P->reg = (unsigned)(cell - P->cells);
    P->written = written;
    return P->value;
}

/* Ends the program: process i asks what a register holds that is not its own, or not remembered. */
_Noreturn void stepped_not_own(const char *id, unsigned i, unsigned reg);

/* In the local work after a write, what was written counts. */
static inline uint64_t stepped_own(const char *id, const struct stepping *P, const struct cell *cell)
{
    unsigned reg = (unsigned)(cell - P->cells);
    uint64_t value;
    if (P->copy_number[reg] < 0)
        stepped_not_own(id, P->i, reg);
    if (P->accesses > 0 && P->kind != READ && P->reg == reg)
        return P->written;
    memcpy(&value, P->copies + sizeof value * (size_t)P->copy_number[reg], sizeof value);
    return value;
}

/* The for_all's next element: any of those left, or the one that the native loop would take: the lowest, or, going
 * round in a circle downwards from i, the first. */
static inline proc stepped_choose(struct stepping *P, uint64_t todo, bool circle)
{
    P->choices = P->any_order ? (unsigned)__builtin_popcountll(todo) : 1;
    for (unsigned skip = P->choice; skip > 0; skip--)
        todo &= todo - 1;
    if (P->any_order || !circle)
        return (proc)__builtin_ctzll(todo);
    uint64_t below = todo & ((UINT64_C(1) << P->i) - 1);
    return (proc)(63 - __builtin_clzll(below != 0 ? below : todo));
}

/* Ends the program: a for_all would go up to element to-1, and its `todo` has room for so many. */
_Noreturn void stepped_set_too_small(const char *id, unsigned to, unsigned room);

static inline uint64_t stepped_range(const char *id, unsigned from, unsigned to, size_t set_size)
{
    if (to > 8 * set_size)
        stepped_set_too_small(id, to, (unsigned)(8 * set_size));
    return from < to ? UINT64_MAX >> (64 - to) & UINT64_MAX << from : 0;
}

#define L (*frame)

#define registers(name_, count_, ...) register_rows(name_, count_, 1, __VA_ARGS__)
#define register_rows(name_, rows_, columns_, domain_, initial_, ...)                                                  \
    declare_registers(D, (struct declared){.name = (name_),                                                            \
                                           .count = (rows_) * (columns_),                                              \
                                           .columns = (columns_),                                                      \
                                           .domain = (domain_),                                                        \
                                           .initial = (initial_),                                                      \
                                           __VA_ARGS__})
#define DECLARE                                                                                                        \
    static void declare(struct declaration *D, struct shared *S, __attribute__((unused)) unsigned n,                   \
                        __attribute__((unused)) unsigned k)

#define ENTER static enum outcome enter(struct stepping *P, const struct shared *S, struct locals *frame)
#define LEAVE static enum outcome leave(struct stepping *P, const struct shared *S, struct locals *frame)
#define PROCEDURE(p) PROCEDURE_ON(p, p)
#define PROCEDURE_ON(p, frame_) static enum outcome p(struct stepping *P, const struct shared *S, struct frame_ *frame)

#define BEGIN                                                                                                          \
    {                                                                                                                  \
        const unsigned i = P->i, n = P->n, k = P->k;                                                                   \
        const unsigned nth_ = frame->at / MARKERS;                                                                     \
        const char *label_ = NULL;                                                                                     \
        struct around_ {                                                                                               \
            __typeof__(*frame) in_L;                                                                                   \
        };                                                                                                             \
        struct {                                                                                                       \
            char mask_0[1], mask_1[1], mask_2[1], mask_3[1], mask_4[1], mask_5[1], mask_6[1], mask_7[1];               \
        } * live_;                                                                                                     \
        struct bytes used_ = {{0}};                                                                                    \
        static struct blocks blocks_;                                                                                  \
        (void)i, (void)n, (void)k, (void)S, (void)nth_, (void)label_, (void)blocks_;                                   \
        switch (frame->at % MARKERS) {                                                                                 \
        case 0:;
#define END                                                                                                            \
    }                                                                                                                  \
    stepped_forget(frame, &used_, &LIVE_HERE);                                                                         \
    _Static_assert(__LINE__ < MARKERS, "positions have no room for so many lines");                                    \
    _Static_assert(sizeof *frame <= LOCALS_MAX, "raise LOCALS_MAX");                                                   \
    return DONE;                                                                                                       \
    }

/* A position is the line of the marker, and which of the accesses that it stands before (all, any). */
enum { MARKERS = 1 << 13 };

#define STOP_AT(name_, position_)                                                                                      \
    do {                                                                                                               \
        stepped_forget(frame, &used_, &LIVE_HERE);                                                                     \
        P->label = (name_);                                                                                            \
        frame->at = (position)(position_);                                                                             \
        return PAUSED;                                                                                                 \
    } while (0)
#define GO_ON(name_) (GOES_ON_WITH(LIVE_HERE), label_ = (name_))

/* A label, and behind its end, for whoever looks there (marker_place), the file and the line of its marker. */
#define MARKER_ON(name_, line_) name_ "\0" __FILE__ "\0" #line_
#define MARKER_ON_LINE(name_, line_) MARKER_ON(name_, line_)
#define MARKER(name_) MARKER_ON_LINE(name_, __LINE__)
/* A label of what no text has a marker for: behind its end is nothing. */
#define NO_MARKER(name_) name_ "\0"

#define AT(name_)                                                                                                      \
    do {                                                                                                               \
        STOP_AT(MARKER(name_), __LINE__);                                                                              \
    case __LINE__:                                                                                                     \
        GO_ON(MARKER(name_));                                                                                          \
    } while (0);

/* A condition on several registers: those before the nth have been read, and the marker is the same for all. Inside a
 * condition nth_ is something else, which none can be nested in. */
#define NTH_(m, c)                                                                                                     \
    __extension__({                                                                                                    \
        if (nth_ != (m))                                                                                               \
            STOP_AT(label_, frame->at % MARKERS + (m)*MARKERS);                                                        \
        ALONE_(c);                                                                                                     \
    })
#define ALONE_(c)                                                                                                      \
    __extension__({                                                                                                    \
        __attribute__((unused)) const struct no_condition_inside_another {                                             \
            char none;                                                                                                 \
        } nth_ = {0};                                                                                                  \
        (bool)(c);                                                                                                     \
    })
#define AND_(m, c) (nth_ > (m) || NTH_(m, c))
#define OR_(m, c) (nth_ <= (m) && NTH_(m, c))

/* The frame of a procedure lives from the call on, to the next marker. With CALLED_FRAMES_STAY it stays as it is, for
 * somebody who looks at it from outside. */
#define CALL(p, f) CALL_ON(p, *S, f, in_##f)
#define CALL_PART(p, s, f) CALL_ON(p, s, f, in_##f)
#define SELDOM(p) PROCEDURE(p)
#define CALL_SELDOM(p, f) CALL_ON(p, *S, f, in_##f)
#define CALL_ON(p, s, f, field_)                                                                                       \
    do {                                                                                                               \
        (f).at = 0;                                                                                                    \
        stepped_forget(frame, &used_, &LIVE_AND(field_));                                                              \
        __attribute__((fallthrough));                                                                                  \
    case __LINE__:;                                                                                                    \
        GOES_ON_WITH(LIVE_AND(field_));                                                                                \
        frame->at = __LINE__;                                                                                          \
        enum outcome outcome_ = p(P, &(s), &(f));                                                                      \
        if (outcome_ != DONE) {                                                                                        \
            if (P->spoils)                                                                                             \
                stepped_forget(frame, &used_, &LIVE_AND(field_));                                                      \
            return outcome_;                                                                                           \
        }                                                                                                              \
        CALLED(f, field_);                                                                                             \
    } while (0)
#ifdef CALLED_FRAMES_STAY
#define CALLED(f, field_) (used_ = LIVE_HERE)
#else
#define CALLED(f, field_) (GOES_ON_WITH(LIVE_AND(field_)), (f).at = 0)
#endif

/* The next access is one of two, by choice of the process. */
#define either() (P->choices = 2, P->choice == 1)

#define get(r) stepped_access(P, READ, &(r), 0)
#define put(r, v) ((void)stepped_access(P, WRITE, &(r), (v)))
#define put_if_different(r, v) ((void)stepped_access(P, WRITE_IF_DIFFERENT, &(r), (v)))
#define own(r) stepped_own(ADMIT_ID, P, &(r))
#define update(r, old, e)                                                                                              \
    do {                                                                                                               \
        (old) = stepped_access(P, UPDATE, &(r), 0);                                                                    \
        P->written = (e);                                                                                              \
    } while (0)

#define act(r, w, ...)                                                                                                 \
    do {                                                                                                               \
        P->written = (w) = stepped_access(P, UPDATE, &(r), 0); /* also if the text ends in the middle of it */         \
        __VA_ARGS__;                                                                                                   \
        P->written = (w);                                                                                              \
    } while (0)

/* A failed test is a step that changes nothing. */
#define await(c)                                                                                                       \
    do {                                                                                                               \
        if (!ALONE_(c))                                                                                                \
            return STUCK;                                                                                              \
    } while (0)
#define await_in(bay, c) await(c)
#define ring(r, bay) ((void)0)
#define try_again(l) goto l

/* A loop whose variables live in it alone, and whose marker stands before the first access of its body. */
#define LOOP_(name_, lives_, fields_, start_, while_, next_, choose_)                                                  \
    for (lives_ *live_ = ((start_), stepped_use(&blocks_.known, &fields_), stepped_use(&used_, &fields_)); while_;     \
         next_)                                                                                                        \
        if (1) {                                                                                                       \
            STOP_AT(MARKER(name_), __LINE__);                                                                          \
        case __LINE__:                                                                                                 \
            GO_ON(MARKER(name_));                                                                                      \
            choose_;                                                                                                   \
            goto JOIN(body_, __LINE__);                                                                                \
        } else                                                                                                         \
            JOIN(body_, __LINE__) :
#define for_in_order(name_, v, from, to)                                                                               \
    LOOP_(name_, LIVES_ALSO(in_##v), BYTES_OF(in_##v), (v) = (from), (v) < (to), (v)++, )
#define for_cyclically(name_, v, from, to)                                                                             \
    LOOP_(name_, LIVES_ALSO(in_##v), BYTES_OF(in_##v), (v) = (from), (v) != (to), (v) = ((v) + 1) % n, )
#define for_each_in(name_, v, field_, set, circle)                                                                     \
    LOOP_(name_, LIVES_ALSO(field_, in_L.todo), BYTES_OF(field_, in_L.todo),                                           \
          (L.todo = (__typeof__(L.todo))(set), (v) = 0), L.todo != 0,                                                  \
          (L.todo &= (__typeof__(L.todo))~(UINT64_C(1) << (v)), (v) = 0),                                              \
          (v) = nth_ > 0 ? (v) : stepped_choose(P, L.todo, circle))
#define for_all(name_, v, from, to)                                                                                    \
    for_each_in(name_, v, in_##v, stepped_range(ADMIT_ID, (from), (to), sizeof L.todo), false)
#define for_all_in(name_, v, set) for_each_in(name_, v, in_##v, set, true)
#define for_all_others(name_, v)                                                                                       \
    for_each_in(name_, v, in_##v, stepped_range(ADMIT_ID, 0, n, sizeof L.todo) & ~(UINT64_C(1) << i), true)

#define while_waiting() ((void)0)
#define waiting_room() ((void)(P->in_waiting_room = true))

/* What an algorithm has beside ENTER and LEAVE; sleeping.h says otherwise. */
#define MORE_PARTS                                                                                                     \
    {                                                                                                                  \
        0                                                                                                              \
    }

#define run_enter(P, S, f) enter(P, S, f)
#define run_leave(P, S, f) leave(P, S, f)

#define ALGORITHM(...)                                                                                                 \
    static void declare_any(struct declaration *D, void *shared)                                                       \
    {                                                                                                                  \
        declare(D, shared, D->n, D->k);                                                                                \
    }                                                                                                                  \
    static enum outcome enter_any(struct stepping *P, const void *shared, void *locals)                                \
    {                                                                                                                  \
        return run_enter(P, shared, locals);                                                                           \
    }                                                                                                                  \
    static enum outcome leave_any(struct stepping *P, const void *shared, void *locals)                                \
    {                                                                                                                  \
        return run_leave(P, shared, locals);                                                                           \
    }                                                                                                                  \
    _Static_assert(sizeof(struct locals) <= LOCALS_MAX, "raise LOCALS_MAX");                                           \
    _Static_assert(offsetof(struct locals, at) == 0, "position comes first in a frame");                               \
    extern const struct stepped_algorithm ADMIT_SYMBOL;                                                                \
    const struct stepped_algorithm ADMIT_SYMBOL = {.shared_size = sizeof(struct shared),                               \
                                                   .locals_size = sizeof(struct locals),                               \
                                                   .declare = declare_any,                                             \
                                                   .enter = enter_any,                                                 \
                                                   .leave = leave_any,                                                 \
                                                   .more = MORE_PARTS,                                                 \
                                                   .about = {.id = ADMIT_ID, __VA_ARGS__}}

#endif
