/* SPDX-License-Identifier: MIT
 *
 * sleeping_native.h - the words of sleeping.h over futexes.
 *
 * With a gate, P->sleeper knows who sleeps: it watches the others' life words, and has a deadline. Without one, in a
 * lock of the catalogue, nobody dies and nobody gives up.
 *
 * Memory orders are those of native.h, sequentially consistent, but for jot: a plain store in the order of release. It is for what its writer
 * alone writes while it lives, and what others may learn later: they find the same in another word.
 */
#ifndef ADMIT_REGISTERS_SLEEPING_NATIVE_H
#define ADMIT_REGISTERS_SLEEPING_NATIVE_H

#include "registers/cells.h"

enum life { ALIVE, DEAD, CLAIMED, NOBODYS, LIVES };
enum { UP, LYING, ASLEEP, WOKEN, POSTURE_BITS = 0, POSTURE_AT = 64 };

#define told(w) (w)
#define posture(w) ((void)(w), UP)
#define with_posture(w, b) (w)

/* How often one looks between two looks at the clock. */
enum { LOOKS_AT_A_TIME = 8 };

/* The low bits of an heir word where it is checked. */
enum heir_kind { NO_HEIR, ALLOWED, RUNS, ENDED, KIND_BITS = 2 };
/* The word that says whether the gate is there, where it is checked. */
enum { IS_THERE, IS_REMOVED, IS_UNDECIDED, REMOVAL_BITS = 2 };

bool admit_is_dead(struct sleeper *sleeper, unsigned who);
bool admit_is_marked(const struct sleeper *sleeper, unsigned who);
/* The life word of one that was marked, and is kept back for nobody; and back. */
bool admit_goes_to_nobody(const struct sleeper *sleeper, unsigned who);
void admit_comes_from_nobody(const struct sleeper *sleeper, unsigned who);
/* Of what is in an heir word: whether a command has inherited, and may run still. */
bool admit_has_inherited(uint64_t heir);
bool admit_holds_on(const struct sleeper *sleeper, uint64_t heir, unsigned who);
/* Of the header's word `removed`: what it is then; and whether it was this process that decided. */
uint64_t admit_objects(const struct sleeper *sleeper);
uint64_t admit_begins_removal(const struct sleeper *sleeper);
bool admit_ends_removal(const struct sleeper *sleeper, uint64_t undecided, bool removes);
bool admit_is_removed(uint64_t removed);
bool admit_is_nobodys(const struct sleeper *sleeper, unsigned who);
bool admit_gives_up(struct sleeper *sleeper);
void admit_sleep(struct sleeper *sleeper, struct cell *cell, uint64_t value);
/* Of participant `who`, on its record. */
void admit_wake_sleeper(struct sleeper *sleeper, struct cell *cell, unsigned who);
/* Records that may have an owner; and those that whoever looks for the dead looks at, before it sleeps or goes in. */
unsigned admit_to_look_at(const struct sleeper *sleeper, unsigned all);
unsigned admit_present(const struct sleeper *sleeper, unsigned all);
unsigned admit_likely(const struct sleeper *sleeper, uint64_t ticket, unsigned otherwise);
void admit_pause(void);
/* Before one lies down, with so many before it in line, itself counted: whether to look for a while instead, and for how
 * much longer; and whether that has paid off. */
bool admit_looks(struct sleeper *sleeper, uint64_t ahead);
bool admit_looks_on(struct sleeper *sleeper, uint64_t ahead);
void admit_has_looked(struct sleeper *sleeper, bool paid_off);

/* How a process comes, which is known where the text is compiled in. Hastily: for one that is alone, without a function
 * call; what is seldom true ends it (TOO_HASTY), and the caller runs the text at leisure, from half way on if it came so
 * far. */
struct manner {
    bool hastily, half_way, only_if_free, comes_back, keeps_back, after_death;
};

/* GOES_IN also: the text has come to its end. STILL_IN_LINE: with a place that it has given up. */
enum ending { GOES_IN, GIVES_UP, NOT_FREE, STILL_IN_LINE, TOO_HASTY, TOO_HASTY_HALF_WAY };

#define too_hasty_ (half_way_ ? TOO_HASTY_HALF_WAY : TOO_HASTY)
#define seldom(c)                                                                                                      \
    __extension__({                                                                                                    \
        bool c_ = __builtin_expect((c), 0);                                                                            \
        if (c_ && how.hastily)                                                                                         \
            return too_hasty_;                                                                                         \
        c_;                                                                                                            \
    })
#define mostly(c) (!seldom(!(c)))
#define if_need_be(c) seldom(c)
#define ASKED_AT(name_)
#define in_haste() how.hastily
#define resume_from(l, handed_on)                                                                                      \
    do {                                                                                                               \
        if (how.half_way) /* and the caller hands it on */                                                             \
            goto l;                                                                                                    \
    } while (0)
#define half_way() ((void)(half_way_ = true))
#define CALL(p, f)                                                                                                     \
    do {                                                                                                               \
        if (p(P, S, &(f), (struct manner){.hastily = how.hastily}) != GOES_IN)                                         \
            return too_hasty_;                                                                                         \
    } while (0)

/* Nobody sleeps on a register but by sleep_while, and is woken but by wake. */
#define get(r) atomic_load_explicit(&(r).value, memory_order_seq_cst)
#define put(r, v) atomic_store_explicit(&(r).value, (v), memory_order_seq_cst)
#define act(r, w, ...)                                                                                                 \
    do {                                                                                                               \
        uint64_t seen_ = get(r);                                                                                       \
        do {                                                                                                           \
            (w) = seen_;                                                                                               \
            __VA_ARGS__;                                                                                               \
        } while ((w) != seen_ && !atomic_compare_exchange_weak_explicit(&(r).value, &seen_, (w), memory_order_seq_cst, \
                                                                        memory_order_seq_cst));                        \
    } while (0)
#define change(r, w, from, to)                                                                                         \
    do {                                                                                                               \
        uint64_t to_ = (to);                                                                                           \
        (w) = (from);                                                                                                  \
        if (__builtin_expect(atomic_compare_exchange_strong_explicit(&(r).value, &(w), to_, memory_order_seq_cst,      \
                                                                     memory_order_seq_cst),                            \
                             1))                                                                                       \
            (w) = to_;                                                                                                 \
    } while (0)
#define changes(r, from, to)                                                                                           \
    __extension__({                                                                                                    \
        uint64_t from_ = (from);                                                                                       \
        __builtin_expect(atomic_compare_exchange_strong_explicit(&(r).value, &from_, (to), memory_order_seq_cst,       \
                                                                 memory_order_seq_cst),                                \
                         1);                                                                                           \
    })
#define is_still(r, v) (get(r) == (v))
/* A gate has other records, and whoever waits for this one may have a deadline. */
#define try_again(l)                                                                                                   \
    do {                                                                                                               \
        if (P->sleeper != NULL)                                                                                        \
            return STILL_IN_LINE;                                                                                      \
        admit_pause();                                                                                                 \
        goto l;                                                                                                        \
    } while (0)

#define lie_down(r, v) atomic_store_explicit(&(r).value, (v), memory_order_seq_cst)
#define falls_asleep(r, v) (get(r) == (v))
#define may_give_up()                                                                                                  \
    do {                                                                                                               \
        if (P->sleeper != NULL && admit_gives_up(P->sleeper))                                                          \
            return GIVES_UP;                                                                                           \
    } while (0)
#define get_up(r) ((void)&(r))
#define sleep_while(r, v) admit_sleep(P->sleeper, &(r), (v))
#define wake(r) admit_wake_sleeper(P->sleeper, &(r), (unsigned)(&(r)-S->record))
#define jot(r, v) atomic_store_explicit(&(r).value, (v), memory_order_release)

#define is_dead(lives, j) (P->sleeper != NULL && admit_is_dead(P->sleeper, (j)))
#define is_marked(lives, j) (P->sleeper != NULL && admit_is_marked(P->sleeper, (j)))
/* Whoever runs NEWCOMER does so before and after: the kernel must know first. */
#define claim_life(lives, i) ((void)(i))
#define give_life_back(lives, i) return NOT_FREE
#define begin_life(lives, i) ((void)(i))
#define leave_to_nobody(lives, i) return GOES_IN
#define runs_command() false
#define bequeaths() true
#define leaves_to_command() ((void)0)
#define has_heirs() (P->sleeper != NULL)
#define asks_for_heirs() how.after_death
#define has_inherited(w) admit_has_inherited(w)
#define holds_on(w, j) admit_holds_on(P->sleeper, (w), (j))
#define has_ended(w) (!has_inherited(w))
#define kind_of_heir(w) ((enum heir_kind)((w) & ((1 << KIND_BITS) - 1)))
#define heir_of_kind(w, kind) ((w) >> KIND_BITS << KIND_BITS | (word)(kind))
#define heirs_of(n) 0
#define keeps_back() how.keeps_back
#define may_keep_back() false
#define keeps_back_dead() true
#define goes_to_nobody(lives, j) admit_goes_to_nobody(P->sleeper, (j))
#define comes_from_nobody(lives, j) admit_comes_from_nobody(P->sleeper, (j))

#define asks_whether_removed() false
#define send_out() ((void)0)
#define objects(r, w) ((w) = admit_objects(P->sleeper))
#define is_removed(w) admit_is_removed(w)
#define begins_removal(r, w) ((w) = admit_begins_removal(P->sleeper))
#define ends_removal(r, from, removes) admit_ends_removal(P->sleeper, (from), (removes))
#define removal_of(w) ((unsigned)(w) & ((1 << REMOVAL_BITS) - 1))
#define removals() 0
#define may_be_nobodys() true
#define is_nobodys(lives, j) admit_is_nobodys(P->sleeper, (j))

#define comes_back(last) ((void)(last), how.comes_back)
#define rarely(c) ((void)0)
#define comes_back_later() false /* whether it does is for the caller to say */
#define are_all_slots(r) ((r) == P->slots)
#define only_if_free() how.only_if_free
#define not_free() return NOT_FREE

#define patiently(c, ahead)                                                                                            \
    __extension__({                                                                                                    \
        bool c_ = (c);                                                                                                 \
        if (!c_ && !how.hastily && admit_looks(P->sleeper, (ahead))) {                                                 \
            do                                                                                                         \
                for (unsigned looks_ = 0; !c_ && looks_ < LOOKS_AT_A_TIME; looks_++) {                                 \
                    admit_pause();                                                                                     \
                    c_ = (c);                                                                                          \
                }                                                                                                      \
            while (!c_ && admit_looks_on(P->sleeper, (ahead)));                                                        \
            admit_has_looked(P->sleeper, c_);                                                                          \
        }                                                                                                              \
        c_;                                                                                                            \
    })

/* The likely one comes a second time in its turn. */
#define for_all_likely(name_, v, from, to, hint_)                                                                      \
    for (unsigned next_ = ((v) = admit_likely(P->sleeper, (hint_), (from)), (from));                                   \
         (v) < admit_present(P->sleeper, (to)); (v) = next_++)

/* Not all records have had an owner. Whoever gets one is counted before it does anything else. */
#define for_all(name_, v, from, to) for ((v) = (from); (v) < admit_present(P->sleeper, (to)); (v)++)
#define for_all_others(name_, v)                                                                                       \
    for ((v) = 0; (v) < admit_to_look_at(P->sleeper, n); (v)++)                                                        \
        if ((v) == i)                                                                                                  \
            continue;                                                                                                  \
        else

/* All of a passage becomes one piece of code, in which the frames are in the machine's registers. */
#define ONE_PIECE static inline __attribute__((always_inline)) enum ending
#define TEXT(p, frame_)                                                                                                \
    ONE_PIECE p(struct native_passage *P, const struct shared *S, struct frame_ *frame, const struct manner how)
#define ENTER TEXT(enter, locals)
#define LEAVE TEXT(leave, locals)
#define GIVE_UP __attribute__((unused)) TEXT(give_up, locals)
#define NEWCOMER __attribute__((unused)) TEXT(newcomer, locals)
#define INHERIT __attribute__((unused)) TEXT(become_command, locals)
#define COMMAND __attribute__((unused)) TEXT(end_command, locals)
#define REMOVER __attribute__((unused)) TEXT(remover, locals)
#define AFTERWARDS __attribute__((unused)) TEXT(afterwards, locals)
#define PROCEDURE(p) TEXT(p, p)
#define PROCEDURE_ON(p, frame_) TEXT(p, frame_)
#define BEGIN                                                                                                          \
    {                                                                                                                  \
        const unsigned i = P->i, n = P->n, k = P->k;                                                                   \
        bool half_way_ = false;                                                                                        \
        (void)i, (void)n, (void)k, (void)S, (void)frame, (void)how, (void)half_way_;
#define END                                                                                                            \
    return GOES_IN;                                                                                                    \
    }
#define run_enter(P, S, f) ((void)enter(P, S, f, (struct manner){0}))
#define run_leave(P, S, f) ((void)leave(P, S, f, (struct manner){0}))
#define SELDOM(p)                                                                                                      \
    PROCEDURE(p);                                                                                                      \
    static __attribute__((noinline, cold)) void p##_apart(struct native_passage *P, const struct shared *S)            \
    {                                                                                                                  \
        struct p frame;                                                                                                \
        p(P, S, &frame, (struct manner){0});                                                                           \
    }                                                                                                                  \
    PROCEDURE(p)
#define CALL_SELDOM(p, f) p##_apart(P, S)
#define WATCHED(sleep_words, lives) /* the kernel has been told already */

#endif
