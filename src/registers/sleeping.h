/* SPDX-License-Identifier: MIT
 *
 * sleeping.h - words of the register language for algorithms whose processes sleep, give up, are killed, and are
 * replaced. It is included after language.h.
 *
 *   lie_down(r, v)             put(r, v), by one who is about to sleep on r while it holds v
 *   falls_asleep(r, v)         whether r still holds v and nobody has woken this process since it lay down
 *   may_give_up()              stands before the next marker: there a process may begin GIVE_UP instead of going on
 *   sleep_while(r, v)          sleeps; natively, this is where the kernel compares r with v
 *   patiently(c, ahead)        c, which reads one register once; natively it is read again for a while if it is false
 *                              and there are more cores than `ahead`: all who are before this process may be running
 *   wake(r)                    wakes the one who sleeps on r, if any
 *   told(w)                    what was put into a register that somebody sleeps on
 *   is_dead(r), claim_life(r)  r is a life word: ALIVE, or DEAD once the kernel has marked a death
 *   jot(r, v)                  put(r, v), of which others may learn late: natively in the order of release
 *   change(r, w, from, to)     a compare-and-swap of what was told; w is what the register tells then
 *   for_all_likely(..., hint)  for_all, natively beginning with the one who, by a note it left, may have drawn that ticket
 *   seldom(c)                  c, which is false on the way of one who is alone. Natively that way is compiled by itself: a
 *                              process that finds such a c true begins again by the whole text, or, if half_way() is
 *                              behind it, goes on from the label that resume_from(label), at the beginning, names
 *   only_if_free(), not_free() whether one only tries, and how it goes back with nothing; nobody does when it is checked
 *
 *   GIVE_UP BEGIN ... END      from where one may give up to the remainder
 *   NEWCOMER BEGIN ... END     one who takes the place of a dead process and its number: from there to the remainder
 *   DEATH BEGIN ... END        what the kernel does when a process has been killed; of no use natively
 *
 * How sleep is checked. In the checked world each register that somebody sleeps on holds, beside what was put there, the
 * kernel's view of its sleeper: UP, LYING (asleep, or about to be), or WOKEN. A process counts as asleep from the moment
 * it lies down, before it has asked the kernel. That is no less than what happens: a wake that comes too early to find a
 * sleeper comes after the word was changed, or a life word marked, and those are looked at between lying down and
 * sleeping. Whoever is asleep takes no step but to find that it has not been woken, so that a lost wake-up is a
 * deadlock.
 */
#ifndef ADMIT_REGISTERS_SLEEPING_H
#define ADMIT_REGISTERS_SLEEPING_H

#include "registers/language.h"

enum life { ALIVE, DEAD };

#ifdef ADMIT_STEPPED

enum { UP, LYING, ASLEEP, WOKEN, BED_BITS = 2, BED_SHIFT = 18 };

static inline word told(word w)
{
    return w & ((UINT64_C(1) << BED_SHIFT) - 1);
}

static inline unsigned bed(word w)
{
    return (unsigned)(w >> BED_SHIFT);
}

static inline word with_bed(word w, unsigned bed)
{
    return told(w) | (word)bed << BED_SHIFT;
}

#define lie_down(r, v) put(r, with_bed((v), LYING))
#define falls_asleep(r, v)                                                                                             \
    __extension__({                                                                                                    \
        word w_;                                                                                                       \
        act(r, w_, w_ = told(w_) == (v) && bed(w_) == LYING ? with_bed(w_, ASLEEP) : w_);                              \
        bed(w_) == ASLEEP;                                                                                             \
    })
#define change(r, w, from, to) act(r, w, w = told(w) == (from) ? w ^ (from) ^ (to) : w)
#define for_all_likely(name, v, from, to, hint) for_all (name, v, from, to)
#define seldom(c) (c)
#define resume_from(l)                                                                                                 \
    do {                                                                                                               \
        if (false)                                                                                                     \
            goto l;                                                                                                    \
    } while (0)
#define half_way() ((void)0)
#define may_give_up() ((void)(P->may_give_up = true))
#define sleep_while(r, v) await(bed(get(r)) == WOKEN)
#define patiently(c, ahead) (c)
#define jot(r, v) put(r, v)
#define is_dead(r) (get(r) == DEAD)
#define claim_life(r) put(r, ALIVE)
#define only_if_free() false
#define not_free() ((void)0)

/* What a death is to one who watches: if it lies, it sees it before it sleeps; of those asleep, one is woken. */
static inline word notices(word w, bool woke_one)
{
    return bed(w) == LYING || (bed(w) == ASLEEP && !woke_one) ? with_bed(w, WOKEN) : w;
}

#define wake(r)                                                                                                        \
    do {                                                                                                               \
        word w_;                                                                                                       \
        act(r, w_, w_ = bed(w_) == ASLEEP ? with_bed(w_, WOKEN) : w_);                                                 \
    } while (0)

#define GIVE_UP static enum outcome give_up(struct stepping *P, const struct shared *S, struct locals *frame)
#define NEWCOMER static enum outcome newcomer(struct stepping *P, const struct shared *S, struct locals *frame)
#define DEATH static enum outcome death(struct stepping *P, const struct shared *S, struct locals *frame)

struct shared;
struct locals;
GIVE_UP;
NEWCOMER;
DEATH;

static inline enum outcome give_up_any(struct stepping *P, const void *shared, void *locals)
{
    return give_up(P, shared, locals);
}

static inline enum outcome newcomer_any(struct stepping *P, const void *shared, void *locals)
{
    return newcomer(P, shared, locals);
}

static inline enum outcome death_any(struct stepping *P, const void *shared, void *locals)
{
    P->any_order = true; /* whom the kernel wakes is its own choice */
    return death(P, shared, locals);
}

#undef MORE_PARTS
#define MORE_PARTS                                                                                                     \
    {                                                                                                                  \
        give_up_any, newcomer_any, death_any                                                                           \
    }

#else

#include "registers/sleeping_native.h"

#endif

#endif
