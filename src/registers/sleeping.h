/* SPDX-License-Identifier: MIT
 *
 * sleeping.h - words of the register language for algorithms whose processes sleep, give up, are killed, and are
 * replaced. It is included after language.h.
 *
 *   lie_down(r, v)             put(r, v), by a process that is about to sleep on r while it holds v
 *   falls_asleep(r, v)         whether r still holds v and nobody has woken this process since it lay down
 *   may_give_up()              stands before the next marker: there a process may begin GIVE_UP instead of going on
 *   sleep_while(r, v)          sleeps; natively, this is where the kernel compares r with v
 *   get_up(r)                  leaves the kernel's queues; natively sleep_while has done so
 *   patiently(c, ahead)        c, which reads one register once; natively it is read again for a while if it is false
 *                              and there are more cores than `ahead`: all who are before this process may be running
 *   wake(r)                    wakes the process that sleeps on r, if any
 *   told(w)                    what was put into a register that somebody sleeps on
 *   is_marked(lives, j)        whether the life word of j is: ALIVE, DEAD once the kernel has marked a death, CLAIMED, or
 *                              NOBODYS. Natively that word is the kernel's and no register (gate/life/life.c)
 *   is_dead(lives, j)          the same; natively it is noted, and heirs and tickets that are kept back have been seen to
 *   claim_life(lives, i)       a newcomer takes a dead one's place, but is dead to the others still
 *   give_life_back(lives, i)   it does not: that one is dead as before; natively the text ends here, and the caller does it
 *   begin_life(lives, i)       it is alive
 *   leave_to_nobody(lives, i)  it has no owner, and is not dead; natively the text ends here, and the caller does it
 *   keeps_back()               whether one that leaves keeps its ticket back, to have a slot fewer. When it is checked, each
 *                              may or may not (--with resize); natively the caller knows
 *   keeps_back_dead()          the same of one that was killed inside, by whoever finds it dead. may_keep_back(): whether that is
 *                              asked; natively it is before one is called dead (gate/life/life.c)
 *   goes_to_nobody(lives, j)   the life word of j was marked, and is nobody's now; comes_from_nobody(lives, j): the other way round
 *   jot(r, v)                  put(r, v), of which others may learn late: natively in the order of release
 *   change(r, w, from, to)     a compare-and-swap of what was told; w is what the register tells then
 *   changes(r, from, to)       the same: whether it was this compare-and-swap that changed r
 *   is_still(r, v)             whether r holds v, and nothing else of what it holds
 *   for_all_likely(..., hint)  for_all, natively beginning with the process that, by a note it left, may have drawn
 *                              that ticket
 *   seldom(c)                  c, which is false on the way of a process that is alone. Natively that way is compiled
 *                              by itself: a
 *                              process that finds such a c true begins again by the whole text, or, if half_way() is
 *                              behind it, goes on from the label that resume_from(label, v), at the beginning, names,
 *                              with nothing but v; when it is checked, if the text is checked in haste (haste.h)
 *   mostly(c)                  c, which is true on that way: !seldom(!c)
 *   if_need_be(c)              seldom(c), where what follows does nothing if c is false; when it is checked it is done,
 *                              unless in haste. ASKED_AT(name) is the marker of a c that reads a register
 *   in_haste()                 whether this process is, for a procedure that it calls
 *   only_if_free()             whether one only tries. When it is checked, each may or may not, if the setting has this
 *                              way (--with try); it stands before an access, so that the choice is part of that step
 *   not_free()                 how it goes back with nothing
 *   comes_back(last)           whether one goes by `last`, what it has kept of its last passage in a variable that outlives
 *                              it (.lasting_at in about.h); natively the caller knows. comes_back_later() stands before
 *                              the draw: whether it will after this passage. When it is checked, each may or may not (--with alone)
 *   rarely(c)                  a step in which c is true is not taken infinitely often in a run
 *   are_all_slots(r)           whether r is how many slots there are, of k that there can be: natively what the gate's header says, which
 *                              may be out of date; when it is checked k, or with --with resize any number
 *
 *   runs_command()             whether one that is inside may leave its hold to a command: when it is checked, if the setting
 *                              has this way (--with heir); natively the caller does what follows step by step
 *   bequeaths()                whether it does; natively this is asked only if so
 *   leaves_to_command()        stands before the next marker: there it is neither inside nor on its way out
 *   has_heirs()                whether anybody may have done so. asks_for_heirs(): the same of one whose place is
 *                              taken; natively the caller knows whether it was dead
 *   has_inherited(w)           w is an heir word: whether a command has made use of it
 *   holds_on(w, j)             and runs still; w is that of j
 *   has_ended(w)               and has ended
 *   heirs_of(n)                how many heir words to declare for n processes
 *
 *   asks_whether_removed()     whether what they are about may have been: when it is checked, if the setting has this way
 *                              (--with removal); natively the caller does what follows
 *   send_out()                 how one goes out again by LEAVE that has a ticket and does not go in
 *   objects(r, w)              r says whether it was removed: if that is undecided, it is not; w is what r tells then
 *   is_removed(w)              whether w says so
 *   begins_removal(r, w)       that is undecided now, unless r says so; w is what r tells then, which no other process that
 *                              begins writes, nor this one a second time while it still goes by the first
 *   ends_removal(r, w, does)   a compare-and-swap from w to removed, or to there still: whether it was this one that changed
 *                              r. When it is checked, it may have been killed before, and begins again
 *   removals()                 how many such words to declare
 *   is_nobodys(lives, j)       whether the life word of j is NOBODYS; may_be_nobodys(): whether that is asked
 *
 *   GIVE_UP BEGIN ... END      from where one may give up to the remainder
 *   NEWCOMER BEGIN ... END     a process that takes the place of a dead process and its number: from there to the
 *                              remainder
 *   INHERIT BEGIN ... END      a command (checker/model/process.h) of process i, from its remainder to where it is
 *                              inside
 *   COMMAND BEGIN ... END      from there to its end. Natively a child that was forked, and whatever it becomes
 *   REMOVER BEGIN ... END      one that removes, from its remainder to where it has
 *   AFTERWARDS BEGIN ... END   from there to its remainder. Natively neither is run
 *   WATCHED(sleep_words, lives)       the words on which processes sleep, and their life words
 *
 * How sleep is checked. In the checked world each register that somebody sleeps on holds, beside what was put there, the
 * kernel's view of its sleeper: UP, LYING (about to sleep: it has still to look at the life words), ASLEEP, or WOKEN (but
 * it has not got up yet, and the kernel does not know that it is of no use to wake it again). To fall asleep is a step
 * that compares, as the kernel does; a wake that finds nobody asleep is lost; whoever is asleep takes no step but to find
 * that it has not been woken, or to wake by itself, which progress does not count on. So a lost wake-up is a deadlock. What
 * the kernel does at a death is in checker/model/kernel.h.
 */
#ifndef ADMIT_REGISTERS_SLEEPING_H
#define ADMIT_REGISTERS_SLEEPING_H

#define TEXT_SLEEPS
#include "registers/language.h"

#ifdef ADMIT_STEPPED

#include "registers/posture.h"

/* `lying` is the text's, so that the checker can tell when it is of no interest any more. */
#define lie_down(r, v)                                                                                                 \
    do {                                                                                                               \
        put(r, with_posture((v), LYING));                                                                              \
        L.lying = true;                                                                                                \
    } while (0)
#define falls_asleep(r, v)                                                                                             \
    __extension__({                                                                                                    \
        word w_;                                                                                                       \
        act(r, w_, w_ = with_posture(w_, told(w_) == (v) && posture(w_) == LYING ? ASLEEP : UP));                      \
        L.lying = false;                                                                                               \
        posture(w_) == ASLEEP;                                                                                         \
    })
#define change(r, w, from, to) act(r, w, w = told(w) == (from) ? w ^ (from) ^ (to) : w)
#define changes(r, from, to)                                                                                           \
    __extension__({                                                                                                    \
        word w_;                                                                                                       \
        bool does_;                                                                                                    \
        P->compares = true;                                                                                            \
        P->compared = (from);                                                                                          \
        act(r, w_, does_ = told(w_) == (from); w_ = does_ ? w_ ^ (from) ^ (to) : w_);                                  \
        does_;                                                                                                         \
    })
#define is_still(r, v)                                                                                                 \
    __extension__({                                                                                                    \
        P->compares = true;                                                                                            \
        P->compared = (v);                                                                                             \
        told(get(r)) == P->compared;                                                                                   \
    })
#define for_all_likely(name, v, from, to, hint)                                                                        \
    for_each_in(name, v, in_##v, stepped_range(ADMIT_ID, (from), (to), sizeof L.todo), false)
#ifdef TEXT_IN_HASTE
#include "registers/haste.h"
#else
#define seldom(c) (c)
#define mostly(c) (c)
#define if_need_be(c) true
#define ASKED_AT(name)
#define in_haste() false
#define half_way() ((void)0)
#define resume_from(l, handed_on)                                                                                      \
    do {                                                                                                               \
        if (false)                                                                                                     \
            goto l;                                                                                                    \
    } while (0)
#endif
#define may_give_up() ((void)(P->may_give_up = true))
#define sleep_while(r, v) await(posture(get(r)) == WOKEN)
#define get_up(r)                                                                                                      \
    do {                                                                                                               \
        word w_;                                                                                                       \
        act(r, w_, w_ = with_posture(w_, UP));                                                                         \
    } while (0)
#define patiently(c, ahead) (c)
#define jot(r, v) put(r, v)
#define is_marked(lives, j)                                                                                            \
    __extension__({                                                                                                    \
        word life_ = get((lives)[j]);                                                                                  \
        life_ == DEAD || life_ == CLAIMED;                                                                             \
    })
#define is_dead(lives, j) is_marked(lives, j)
#define leave_to_nobody(lives, i) put((lives)[i], NOBODYS)
#define runs_command() ((P->ways & BEQUEST) != 0)
#define bequeaths() either()
#define leaves_to_command() ((void)(P->has_command = true))
#define has_heirs() ((P->ways & BEQUEST) != 0)
#define asks_for_heirs() has_heirs()
#define has_inherited(w) (kind_of_heir(w) == RUNS || kind_of_heir(w) == ENDED)
#define holds_on(w, j) (kind_of_heir(w) == RUNS)
#define has_ended(w) (kind_of_heir(w) == ENDED)
#define heirs_of(n) ((D->ways & BEQUEST) != 0 ? (n) : 0)
#define asks_whether_removed() ((P->ways & REMOVAL) != 0)
#define send_out()                                                                                                     \
    do {                                                                                                               \
        stepped_forget(frame, &used_, &LIVE_HERE);                                                                     \
        return SENT_OUT;                                                                                               \
    } while (0)
#define objects(r, w) act(r, w, w = removal_of(w) == IS_UNDECIDED ? IS_THERE : w)
#define is_removed(w) (removal_of(w) == IS_REMOVED)
#define begins_removal(r, w) act(r, w, w = is_removed(w) ? w : undecided_by(i))
#define ends_removal(r, from, removes)                                                                                 \
    (either() ? ((void)get(r), false) : changes(r, from, (word)((removes) ? IS_REMOVED : IS_THERE)))
#define removals() ((D->ways & REMOVAL) != 0)
#define may_be_nobodys() ((P->ways & RESIZE) != 0 && k > 1)
#define is_nobodys(lives, j) (get((lives)[j]) == NOBODYS)
#define keeps_back() ((P->ways & RESIZE) != 0 && k > 1 && either() && (P->only_so_often = true))
#define may_keep_back() ((P->ways & RESIZE) != 0 && k > 1)
#define keeps_back_dead() (either() && (P->only_so_often = true))
#define goes_to_nobody(lives, j) changes((lives)[j], DEAD, NOBODYS)
#define comes_from_nobody(lives, j) ((void)changes((lives)[j], NOBODYS, DEAD))
#define claim_life(lives, i) put((lives)[i], CLAIMED)
#define give_life_back(lives, i) put((lives)[i], DEAD)
#define begin_life(lives, i) put((lives)[i], ALIVE)
#define comes_back(last) ((last) != 0)
#define are_all_slots(r) ((r) == k || (P->ways & RESIZE) != 0)
#define comes_back_later() ((P->ways & ALONE) != 0 && either())
#define rarely(c) ((void)((c) && (P->only_so_often = true)))
#define only_if_free() ((P->ways & TRY) != 0 && either())
#define not_free()                                                                                                     \
    do {                                                                                                               \
        stepped_forget(frame, &used_, &LIVE_HERE);                                                                     \
        return TURNED_AWAY;                                                                                            \
    } while (0)

#define wake(r)                                                                                                        \
    do {                                                                                                               \
        word w_;                                                                                                       \
        act(r, w_, w_ = posture(w_) == ASLEEP ? with_posture(w_, WOKEN) : w_);                                         \
    } while (0)

#define GIVE_UP static enum outcome give_up(struct stepping *P, const struct shared *S, struct locals *frame)
#define NEWCOMER static enum outcome newcomer(struct stepping *P, const struct shared *S, struct locals *frame)
#define INHERIT static enum outcome become_command(struct stepping *P, const struct shared *S, struct locals *frame)
#define COMMAND static enum outcome end_command(struct stepping *P, const struct shared *S, struct locals *frame)
#define REMOVER static enum outcome remover(struct stepping *P, const struct shared *S, struct locals *frame)
#define AFTERWARDS static enum outcome afterwards(struct stepping *P, const struct shared *S, struct locals *frame)
#define WATCHED(sleep_words, lives)                                                                                    \
    static struct watched watched(const void *shared)                                                                  \
    {                                                                                                                  \
        const struct shared *S = shared;                                                                               \
        return (struct watched){(sleep_words), (lives)};                                                               \
    }

struct shared;
struct locals;
GIVE_UP;
NEWCOMER;
INHERIT;
COMMAND;
REMOVER;
AFTERWARDS;
static struct watched watched(const void *shared);

static inline enum outcome give_up_any(struct stepping *P, const void *shared, void *locals)
{
    return give_up(P, shared, locals);
}

static inline enum outcome newcomer_any(struct stepping *P, const void *shared, void *locals)
{
    return newcomer(P, shared, locals);
}

static inline enum outcome become_command_any(struct stepping *P, const void *shared, void *locals)
{
    return become_command(P, shared, locals);
}

static inline enum outcome end_command_any(struct stepping *P, const void *shared, void *locals)
{
    return end_command(P, shared, locals);
}

static inline enum outcome remover_any(struct stepping *P, const void *shared, void *locals)
{
    return remover(P, shared, locals);
}

static inline enum outcome afterwards_any(struct stepping *P, const void *shared, void *locals)
{
    return afterwards(P, shared, locals);
}

#undef MORE_PARTS
#define MORE_PARTS                                                                                                     \
    {                                                                                                                  \
        give_up_any, newcomer_any, become_command_any, end_command_any, remover_any, afterwards_any, watched, NULL     \
    }

#endif

#endif
