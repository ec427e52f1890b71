/* SPDX-License-Identifier: MIT
 *
 * How a participant waits: asleep on its own record, on the handle's interrupts, on the gate's removal, on how many
 * records have had an owner, and on the life words of all others, whichever changes first. One call of futex_waitv does
 * all of that.
 *
 * That is a long list for a short wait. So a process that is not next in line, and usually waits for a short time, naps
 * first: it sleeps on its record alone, for 20 ms at most, before it keeps the whole watch, and is roused before its
 * turn where that pays off. And one that is next, or nearly so, looks for a while before it sleeps at all, where that
 * has paid off. See docs/gate.md.
 *
 * The kernel takes 128 words. Where there are more participants, each sleeper watches those before it in line, the
 * nearest first: so that everybody in line is watched by those behind it, and those inside by the first in line.
 * Whoever cannot watch all who are before it looks from time to time, the more often the fewer there are; the same
 * where the kernel has no futex_waitv, or refuses it.
 *
 * Nobody polls without need. In all, however many wait, there are fewer than 100 looks a second: 40 by the first in
 * line, if it must (FIRST_LOOKS_NS), less than 30 by the seven behind it, and 25 by all others.
 */
#include "gate/sleep/sleep.h"

#include "registers/sleeping_native.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MOST_NS = 100000, /* before one sleeps: longer than it takes to be woken, anywhere */
    NAP_NS = 20000000,     /* of those who nap: later than the kernel's own next tick, so that no timer is set for it */
    FIRST_LOOKS_NS = 25000000, /* of the first in line, who cannot be told of a death; the second after four times that,
                                  the third after nine times, ... */
    ORPHAN_LOOKS_NS =
        1000000,         /* once it has found an orphan: often that is killed, too, and ends a moment later; then after
                                  twice as long, and so on, up to that */
    SHARE_NS = 40000000, /* of those behind the first eight, for each who takes part */
};
enum { IN_FRONT = 8, SKIPS_MOST = 63 };

/* Of those in front: one that the kernel woke may have been stopped before it could act. Where tests are built with
 * ADMIT_NO_LOOKS, nobody looks by itself but for an orphan: a wake-up that does not come is a hang, and is noticed. */
#ifdef ADMIT_NO_LOOKS
#define FRONT_LOOKS_NS INT64_C(3600000000000)
enum { UNTOLD_LOOK = 0 };
#else
#define FRONT_LOOKS_NS INT64_C(500000000)
enum { UNTOLD_LOOK = 1 };
#endif

static _Atomic bool no_waitv; /* the kernel has refused it */

/* --- time --------------------------------------------------------------------------------------------------------- */

static int64_t between(int64_t least, int64_t value, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Whatever the caller wrote: nothing before the beginning, nothing so late that it does not fit. */
static int64_t nanoseconds(const struct timespec *time)
{
    int64_t seconds = between(0, time->tv_sec, INT64_MAX / 1000000000 - 1);
    return time->tv_sec < 0 ? 0 : seconds * 1000000000 + between(0, time->tv_nsec, 999999999);
}

bool admit_deadline_passed(const struct timespec *until)
{
    return until != NULL && nanoseconds(until) <= now_of(CLOCK_MONOTONIC);
}

/* --- for the text ------------------------------------------------------------------------------------------------- */

bool admit_is_dead(struct sleeper *sleeper, unsigned who)
{
    bool dead = admit_is_dead_now(sleeper->gate, who);
    if (sleeper->seat == NULL)
        return dead;
    uint64_t *seen = &sleeper->seat->seen_dead[who / 64], bit = UINT64_C(1) << who % 64;
    *seen = dead ? *seen | bit : *seen & ~bit;
    sleeper->saw_dead |= dead;
    return dead;
}

/* (G7) is for those whom the kernel may have told of a death. A process that looked, and napped, was on no life word
 * meanwhile. */
unsigned admit_to_look_at(const struct sleeper *sleeper, unsigned all)
{
    return sleeper != NULL && sleeper->only_napped ? 0 : admit_present(sleeper, all);
}

unsigned admit_present(const struct sleeper *sleeper, unsigned all)
{
    return sleeper == NULL ? all : present_in(sleeper->gate);
}

/* Perhaps not the one; but one of those present. */
unsigned admit_likely(const struct sleeper *sleeper, uint64_t ticket, unsigned otherwise)
{
    if (sleeper == NULL)
        return otherwise;
    unsigned hint = atomic_load_explicit(hint_of(sleeper->gate, ticket), memory_order_relaxed) & HINT_WHO;
    return hint >= 1 && hint <= present_in(sleeper->gate) ? hint - 1 : otherwise;
}

void admit_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* --- a look before one sleeps ------------------------------------------------------------------------------------- */

/* A hand-over to a process that is awake takes a fraction of one to a sleeper, if it comes soon. How soon that must be
 * differs by a factor of ten from machine to machine, and whether it will, from program to program. So everybody learns
 * it:
 *
 *   - It looks no longer than the shortest of its sleeps took lately: by then it has cost as much as to sleep.
 *   - If that was in vain, it sleeps at once the next time; if it was in vain again, twice, and so on.
 *   - To look takes a core. So only those do that find a core for everybody before them, and inside. */

/* Of the machine, as at this process's first wait. Not those on which this process may run: whoever it waits for may
 * run on another. */
static unsigned cores(void)
{
    static _Atomic unsigned found;
    unsigned many = atomic_load_explicit(&found, memory_order_relaxed);
    if (many == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        many = online > 0 ? (unsigned)online : 2;
        atomic_store_explicit(&found, many, memory_order_relaxed);
    }
    return many;
}

/* Those inside, and those in line up to this one. A lock of the catalogue has no gate: one inside. */
static bool all_have_cores(const struct sleeper *sleeper, uint64_t ahead)
{
    return ahead + (sleeper == NULL ? 1 : k_of(sleeper->gate)) <= cores();
}

/* A lock of the catalogue has no sleepers of its own. */
static struct experience *experience_of(struct sleeper *sleeper)
{
    static __thread struct experience elsewhere OF_THREAD;
    return sleeper == NULL ? &elsewhere : &sleeper->experience;
}

bool admit_looks(struct sleeper *sleeper, uint64_t ahead)
{
    struct experience *experience = experience_of(sleeper);
    if (!all_have_cores(sleeper, ahead))
        return false;
    if (experience->skip > 0) {
        experience->skip--;
        return false;
    }
    experience->until = 0;
    return true;
}

bool admit_looks_on(struct sleeper *sleeper, uint64_t ahead)
{
    struct experience *experience = experience_of(sleeper);
    int64_t now = admit_monotonic();
    if (experience->until == 0)
        experience->until =
            now + (experience->shortest == 0 ? LOOK_MOST_NS : between(0, experience->shortest, LOOK_MOST_NS));
    return now < experience->until && all_have_cores(sleeper, ahead);
}

static unsigned once_more(unsigned in_vain)
{
    return in_vain < SKIPS_MOST ? 2 * in_vain + 1 : SKIPS_MOST;
}

void admit_has_looked(struct sleeper *sleeper, bool paid_off)
{
    struct experience *experience = experience_of(sleeper);
    experience->in_vain = paid_off ? 0 : once_more(experience->in_vain);
    experience->skip = experience->in_vain;
}

/* What is rare is forgotten in time. */
static void learn(struct sleeper *sleeper)
{
    struct experience *experience = &sleeper->experience;
    sleeper->got_up = admit_monotonic();
    int64_t took = sleeper->got_up - sleeper->began, longer = experience->shortest + experience->shortest / 8 + 1;
    experience->shortest = experience->shortest == 0 ? took : between(0, took, longer);
    experience->usual = experience->usual == 0 ? took : experience->usual - experience->usual / 4 + took / 4;
}

/* --- sleep -------------------------------------------------------------------------------------------------------- */

struct watch_list {
    struct futex_waitv word[FUTEX_WAITV_MAX];
    unsigned count, living;
    bool all;    /* the life of nobody who is before this one in line, or inside, is left out */
    bool orphan; /* a command whose starter is dead lives, or cannot be judged */
    bool news;   /* somebody has died meanwhile: do not sleep */
};

static void watch(struct watch_list *list, const volatile void *word, uint32_t value)
{
    list->word[list->count++] = (struct futex_waitv){.val = value, .uaddr = (uintptr_t)word, .flags = FUTEX_32};
}

static uint32_t *low_half_of(struct cell *cell)
{
    return (uint32_t *)&cell->value + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* (G6): whoever has died since this process looked is news, and it must look again. */
static void watch_life(struct watch_list *list, const struct sleeper *sleeper, unsigned who)
{
    admit_gate *gate = sleeper->gate;
    uint32_t life = atomic_load(life_of(gate, who));
    if ((life & FUTEX_OWNER_DIED) != 0) {
        bool seen = (sleeper->seat->seen_dead[who / 64] >> who % 64 & 1) != 0;
        if (!admit_is_dead_now(gate, who))
            list->orphan = true;
        else if (!seen || life == (uint32_t)LIFE_MARKED) /* then it is the record's next owner, and dead too */
            list->news = true;
    }
    if (list->count < FUTEX_WAITV_MAX)
        watch(list, life_of(gate, who), life);
    else
        list->all = false;
}

/* Whose death may concern whom. */
enum regard { OF_NO_REGARD, BEFORE, ELSEWHERE, PERHAPS_LATER };

/* A record without an owner may have one soon, who takes its life word as it lies: to watch it costs nothing, if there
 * is room. What is kept back for nobody never dies. */
static enum regard regard_of(const struct sleeper *sleeper, unsigned who, uint64_t own, bool crowded)
{
    const admit_gate *gate = sleeper->gate;
    uint32_t life = atomic_load(life_of(gate, who));
    if (who == sleeper->seat->who || life == LIFE_RESERVED)
        return OF_NO_REGARD;
    if ((life & FUTEX_OWNER_DIED) == 0 && !admit_life_names_thread(life))
        return PERHAPS_LATER;
    if (!crowded)
        return BEFORE;
    struct standing standing = admit_protocol_standing(gate, who);
    return standing.stage != STAGE_OUT && admit_ticket_before(standing.ticket, own) ? BEFORE : ELSEWHERE;
}

/* Tickets have one owner each: so there are never more of the nearest than there is room. */
static bool is_near(const struct sleeper *sleeper, unsigned who, uint64_t own, unsigned room)
{
    return own - admit_protocol_standing(sleeper->gate, who).ticket <= room;
}

static unsigned count_living(const admit_gate *gate, unsigned present)
{
    unsigned living = 0;
    for (unsigned who = 0; who < present; who++) {
        uint32_t life = atomic_load(life_of(gate, who));
        living += (life & FUTEX_OWNER_DIED) != 0 || admit_life_names_thread(life);
    }
    return living;
}

/* In a crowd: the nearest of those before this one, the others before it, all others; as far as there is room. */
static void watch_crowd(struct watch_list *list, const struct sleeper *sleeper, unsigned present)
{
    uint64_t own = admit_protocol_standing(sleeper->gate, sleeper->seat->who).ticket;
    const unsigned room = FUTEX_WAITV_MAX - list->count;
    for (int near = 1; near >= 0; near--)
        for (unsigned who = 0; who < present; who++) {
            if (regard_of(sleeper, who, own, true) != BEFORE || is_near(sleeper, who, own, room) != near)
                continue;
            watch_life(list, sleeper, who);
        }
    for (unsigned who = 0; who < present && list->count < FUTEX_WAITV_MAX; who++)
        if (regard_of(sleeper, who, own, true) == ELSEWHERE)
            watch_life(list, sleeper, who);
}

/* A process that comes later may die too: whoever is the first to take a record says so in `present`, and wakes those
 * who watch all. In a crowd it comes behind this one, and is watched by others. */
static void watch_lives(struct watch_list *list, const struct sleeper *sleeper)
{
    admit_gate *gate = sleeper->gate;
    uint32_t stored = atomic_load(&gate->header->present);
    unsigned present = stored < gate->records ? stored : gate->records;
    watch(list, life_of(gate, manager_of(gate)), atomic_load(life_of(gate, manager_of(gate))));
    list->all = true;
    list->living = count_living(gate, present);
    if (list->living + list->count >= FUTEX_WAITV_MAX) {
        watch_crowd(list, sleeper, present);
        return;
    }
    watch(list, &gate->header->present, stored);
    for (int later = 0; later <= 1; later++)
        for (unsigned who = 0; who < present; who++) {
            enum regard regard = regard_of(sleeper, who, 0, false);
            if (regard == (later ? PERHAPS_LATER : BEFORE) && (!later || list->count < FUTEX_WAITV_MAX))
                watch_life(list, sleeper, who);
        }
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Of the first in line, by itself. */
static int64_t looks_after(const struct sleeper *sleeper, const struct watch_list *list)
{
    int64_t after = ORPHAN_LOOKS_NS;
    for (unsigned looks = 1; list->orphan && looks < sleeper->orphan_looks && after < FIRST_LOOKS_NS; looks++)
        after *= 2;
    return list->orphan ? earlier(after, FIRST_LOOKS_NS) : FIRST_LOOKS_NS;
}

/* Together with the first eight, who look twice a second, all others look 25 times a second; if there are few, each of
 * them twice, too. An orphan is for the first in line to look at. But of a death the kernel tells one sleeper, any of them;
 * and a command that was killed together with its starter is dying still when that one looks. So whoever has found an
 * orphan looks again a few times by itself, and the sooner the nearer it is to the front. */
static int64_t sleep_until(const struct sleeper *sleeper, const struct watch_list *list)
{
    int64_t now = admit_monotonic(), share = list->living * (int64_t)SHARE_NS, until = now + FRONT_LOOKS_NS;
    const admit_wait *how = sleeper->how;
    if (share > FRONT_LOOKS_NS || !list->all || list->orphan) {
        int64_t place = admit_place_of(sleeper->gate, sleeper->seat->who);
        if (place > IN_FRONT && share > FRONT_LOOKS_NS)
            until = now + share;
        const int64_t after = looks_after(sleeper, list);
        if ((!list->all && UNTOLD_LOOK) || (list->orphan && (place == 1 || after < FIRST_LOOKS_NS)))
            until = earlier(until, now + place * place * after);
    }
    return how != NULL && how->until != NULL ? earlier(until, nanoseconds(how->until)) : until;
}

/* Whether somebody woke it. */
static bool sleep_alone(const volatile void *word, uint32_t value, int64_t until)
{
    struct timespec limit = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, &limit, NULL, FUTEX_BITSET_MATCH_ANY) == 0;
}

/* --- naps, and getting up before one's turn ----------------------------------------------------------------------- */

/* To be woken takes a process far longer than to be let in once it is awake. So whoever leaves, when it has woken the one
 * whose turn it is, also rouses the one after that, if that one naps: it gets up while the other is inside, and looks for
 * its turn a little. Where those inside take their time that would be in vain, and cost a core. So it is done only
 *
 *   - if there is a core for it, and for all who may be inside;
 *   - after a stay inside that was short beside the call that wakes a sleeper, as this participant has found that to be;
 *   - unless it was in vain when this participant was roused itself: then not the next time, and so on, as with looks;
 *
 * and whoever was roused looks no longer than four such calls take: to sleep once more and to be woken once more would
 * cost two calls, and a switch from one process to another after each. To the protocol one that was roused is a napper
 * still. */
enum { ROUSED_LOOKS_CALLS = 4, SHORT_STAY_CALLS = 8 };

static bool rouses(struct sleeper *sleeper)
{
    struct rousing *rousing = &sleeper->rousing;
    if (!all_have_cores(sleeper, 1) || admit_monotonic() - sleeper->got_up > SHORT_STAY_CALLS * rousing->call)
        return false;
    if (rousing->skip > 0) {
        rousing->skip--;
        return false;
    }
    return true;
}

void admit_rouse_next(struct sleeper *sleeper)
{
    const admit_gate *gate = sleeper->gate;
    if (!rouses(sleeper))
        return;
    uint64_t ticket = admit_protocol_next(gate);
    _Atomic uint16_t *hint = hint_of(gate, ticket);
    uint16_t found = atomic_load(hint);
    unsigned who = (found & HINT_WHO) - 1u;
    if ((found & ~HINT_WHO) == HINT_NAPS && who < present_in(gate) &&
        admit_protocol_standing(gate, who).ticket == ticket &&
        atomic_compare_exchange_strong(hint, &found, (uint16_t)(HINT_ROUSED | (who + 1))))
        admit_wake(&gate->cells.record[who].value);
}

/* Whether its turn came while it looked. */
static bool looks_when_roused(struct sleeper *sleeper, const struct cell *cell, uint64_t value)
{
    struct rousing *rousing = &sleeper->rousing;
    int64_t until = admit_monotonic() + ROUSED_LOOKS_CALLS * rousing->call;
    bool changed = false;
    do
        for (unsigned look = 0; !changed && look < LOOKS_AT_A_TIME; look++) {
            changed = atomic_load(&cell->value) != value;
            admit_pause();
        }
    while (!changed && admit_monotonic() < until);
    rousing->in_vain = changed ? rousing->in_vain / 2 : once_more(rousing->in_vain);
    rousing->skip = rousing->in_vain;
    return changed;
}

/* Whoever has a condition must be told when that holds, and one that usually waits for long would nap in vain. */
static bool naps(const struct sleeper *sleeper)
{
    return !sleeper->napped && sleeper->how == NULL && sleeper->experience.usual < NAP_NS / 2;
}

bool admit_is_deaf(void)
{
    return atomic_load_explicit(&no_waitv, memory_order_relaxed);
}

/* Whether it has slept: the kernel may have refused to let it watch so many words. */
static bool sleeps_on_all(struct watch_list *list, int64_t until, bool *woken)
{
    struct timespec limit = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    if (admit_is_deaf())
        return false;
    *woken = syscall(SYS_futex_waitv, list->word, list->count, 0, &limit, CLOCK_MONOTONIC) >= 0;
    if (*woken || errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT)
        return true;
    if (errno != ENOMEM) /* whatever the reason is, it will be the same the next time */
        atomic_store(&no_waitv, true);
    return false;
}

/* A process that nothing but this word can tell of a removal, or of an interrupt, is woken by it
 * (admit_wake_outside). */
bool admit_sleep_on(const struct sleeper *sleeper, const _Atomic uint32_t *word, uint32_t value, int64_t for_ns)
{
    const admit_gate *gate = sleeper->gate;
    const admit_wait *how = sleeper->how;
    struct watch_list list;
    list.count = 0;
    int64_t until = admit_monotonic() + for_ns;
    if (how != NULL && how->until != NULL)
        until = earlier(until, nanoseconds(how->until));
    uint32_t removed = atomic_load(&gate->header->removed);
    bool woken = false;
    if (is_final(removed))
        return false;
    watch(&list, word, value);
    watch(&list, &gate->header->removed, removed);
    if (how != NULL && how->interruptible)
        watch(&list, &gate->local->interrupts, sleeper->interrupts);
    return sleeps_on_all(&list, until, &woken) ? woken : sleep_alone(word, value, until);
}

void admit_wake_if_deaf(const admit_gate *gate)
{
    if (admit_is_deaf())
        admit_wake_outside(gate);
    for (unsigned who = 0; admit_is_deaf() && who < present_in(gate); who++)
        if (admit_protocol_standing(gate, who).stage == STAGE_WAITING)
            admit_wake(&gate->cells.record[who].value);
}

/* On its record alone, for a short time; once in a wait, however often it is roused meanwhile. Whatever else wakes it
 * ends the nap. If its ticket is valid then, it goes in. */
static void nap(struct sleeper *sleeper, struct cell *cell, uint64_t value)
{
    const admit_gate *gate = sleeper->gate;
    const uint16_t own = (uint16_t)(sleeper->seat->who + 1);
    const uint32_t removed = atomic_load(&gate->header->removed);
    const int64_t until = admit_monotonic() + NAP_NS;
    _Atomic uint16_t *hint = hint_of(gate, admit_protocol_standing(gate, sleeper->seat->who).ticket);
    bool roused;
    sleeper->napped = true;
    do {
        atomic_store(hint, HINT_NAPS | own);
        sleep_alone(low_half_of(cell), (uint32_t)value, until);
        roused = atomic_load(hint) == (HINT_ROUSED | own);
        atomic_store(hint, HINT_AWAKE | own);
    } while (roused && !looks_when_roused(sleeper, cell, value) && atomic_load(&gate->header->removed) == removed &&
             admit_monotonic() < until);
    atomic_store(hint, own);
    sleeper->only_napped = admit_protocol_standing(gate, sleeper->seat->who).stage == STAGE_VALID;
}

/* On all that it must be told of. */
static void keep_watch(struct sleeper *sleeper, struct cell *cell, uint64_t value)
{
    admit_gate *gate = sleeper->gate;
    struct watch_list list;
    list.count = 0;
    list.orphan = list.news = false;
    uint32_t removed = atomic_load(&gate->header->removed);
    watch(&list, low_half_of(cell), (uint32_t)value);
    watch(&list, &gate->header->removed, removed);
    if (sleeper->how != NULL && sleeper->how->interruptible)
        watch(&list, &gate->local->interrupts, sleeper->interrupts);
    watch_lives(&list, sleeper);
    if (list.news || is_final(removed))
        return;
    sleeper->orphan_looks = list.orphan ? sleeper->orphan_looks + 1 : 0;
    bool woken = false;
    if (!admit_is_deaf() && sleeps_on_all(&list, sleep_until(sleeper, &list), &woken))
        return;
    list.all = false;
    sleep_alone(low_half_of(cell), (uint32_t)value, sleep_until(sleeper, &list));
}

void admit_sleep(struct sleeper *sleeper, struct cell *cell, uint64_t value)
{
    if (sleeper == NULL) {
        sleep_alone(low_half_of(cell), (uint32_t)value, now_of(CLOCK_MONOTONIC) + FRONT_LOOKS_NS);
        return;
    }
    if (naps(sleeper) && !admit_protocol_is_next(sleeper->gate, value))
        nap(sleeper, cell, value);
    else
        keep_watch(sleeper, cell, value);
    if (atomic_load(&cell->value) != value)
        learn(sleeper);
}
