/* SPDX-License-Identifier: MIT
 *
 * How a participant waits: asleep on its own record, on the handle's interrupts, on the gate's removal, on how many
 * records have had an owner, and on the life words of all others, whichever changes first. One call of futex_waitv does
 * all of that.
 *
 * That is a long list for a short wait. So who is not next in line naps first: it sleeps on its record alone, and looks
 * again after 20 ms, or when it has become the next and whoever left has roused it (protocol.c); from then on it keeps
 * the whole watch. See docs/gate.md.
 *
 * The kernel takes 128 words. Where there are more participants, each sleeper watches those before it in line, the
 * nearest first: so that everybody in line is watched by those behind it, and those inside by the first in line.
 * Whoever cannot watch all who are before it looks from time to time, the more often the fewer there are; the same
 * where the kernel has no futex_waitv, or refuses it.
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
    DOZE_NS = 1000000,           /* until a seat may be free */
    PLACE_LOOKS_NS = 2000000,    /* for each place in line, if one cannot watch all who are before it */
    NAP_NS = 20000000,           /* of those who nap */
    ALL_LOOK_NS = 500000000,     /* of everybody: whom the kernel woke may have been stopped before it could act */
    ORPHAN_LOOKS_NS = 20000000,  /* of the first in line, while a command whose starter was killed holds on */
    CALLER_LOOKS_NS = 100000000, /* for the caller's own function */
};

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

unsigned admit_present(const struct sleeper *sleeper, unsigned all)
{
    return sleeper == NULL ? all : present_in(sleeper->gate);
}

/* Perhaps not the one; but one of those present. */
unsigned admit_likely(const struct sleeper *sleeper, uint64_t ticket, unsigned otherwise)
{
    if (sleeper == NULL)
        return otherwise;
    unsigned hint = atomic_load_explicit(&sleeper->gate->header->hint[ticket % GATE_HINTS], memory_order_relaxed);
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

/* Of the machine, as at this process's first wait. Not those on which this process may run: whoever it waits for may
 * run on another. */
unsigned admit_cores(void)
{
    static _Atomic unsigned found;
    unsigned cores = atomic_load_explicit(&found, memory_order_relaxed);
    if (cores == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        cores = online > 0 ? (unsigned)online : 2;
        atomic_store_explicit(&found, cores, memory_order_relaxed);
    }
    return cores;
}

/* --- sleep -------------------------------------------------------------------------------------------------------- */

struct watch_list {
    struct futex_waitv word[FUTEX_WAITV_MAX];
    unsigned count;
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
            list->all &= list->count < FUTEX_WAITV_MAX;
            watch_life(list, sleeper, who);
        }
    for (unsigned who = 0; who < present && list->count < FUTEX_WAITV_MAX; who++)
        if (regard_of(sleeper, who, own, true) == ELSEWHERE)
            watch_life(list, sleeper, who);
}

/* One who comes later may die too: whoever is the first to take a record says so in `present`, and wakes those who
 * watch all. In a crowd it comes behind this one, and is watched by others. */
static void watch_lives(struct watch_list *list, const struct sleeper *sleeper)
{
    admit_gate *gate = sleeper->gate;
    uint32_t stored = atomic_load(&gate->header->present);
    unsigned present = stored < gate->records ? stored : gate->records;
    watch(list, life_of(gate, manager_of(gate)), atomic_load(life_of(gate, manager_of(gate))));
    list->all = true;
    if (count_living(gate, present) + list->count >= FUTEX_WAITV_MAX) {
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

static int64_t sleep_until(const struct sleeper *sleeper, const struct watch_list *list)
{
    int64_t now = admit_monotonic(), until = now + ALL_LOOK_NS;
    const admit_wait *how = sleeper->how;
    unsigned place = list->all && !list->orphan ? 0 : admit_place_of(sleeper->gate, sleeper->seat->who);
    if (!list->all && until > now + place * (int64_t)PLACE_LOOKS_NS)
        until = now + place * (int64_t)PLACE_LOOKS_NS;
    if (list->orphan && place == 1 && until > now + ORPHAN_LOOKS_NS)
        until = now + ORPHAN_LOOKS_NS;
    if (how != NULL && how->waiting != NULL && until > now + CALLER_LOOKS_NS)
        until = now + CALLER_LOOKS_NS;
    if (how != NULL && how->until != NULL && until > nanoseconds(how->until))
        until = nanoseconds(how->until);
    return until;
}

void admit_doze(const struct sleeper *sleeper)
{
    const struct timespec *until = sleeper->how == NULL ? NULL : sleeper->how->until;
    int64_t end = now_of(CLOCK_MONOTONIC) + DOZE_NS;
    if (until != NULL && end > nanoseconds(until))
        end = nanoseconds(until);
    struct timespec limit = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &limit, NULL); /* libc's is a cancellation point */
}

static void sleep_alone(struct cell *cell, uint32_t value, int64_t until)
{
    struct timespec limit = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    syscall(SYS_futex, low_half_of(cell), FUTEX_WAIT_BITSET, value, &limit, NULL, FUTEX_BITSET_MATCH_ANY);
}

/* On its record alone, for a short time; once in a wait, and only if nothing but its turn can end that. */
static void nap(struct sleeper *sleeper, struct cell *cell, uint64_t value)
{
    struct timespec limit = {.tv_nsec = NAP_NS};
    sleeper->napped = true;
    syscall(SYS_futex, low_half_of(cell), FUTEX_WAIT, (uint32_t)value, &limit, NULL, 0);
}

/* As many looks as before one lies down (`patiently`), by one who was roused because it is next. */
static bool changes_soon(const struct cell *cell, uint64_t value)
{
    for (unsigned looks = 0; looks < LOOKS && admit_cores() > 1; looks++) {
        if (atomic_load(&cell->value) != value)
            return true;
        admit_pause();
    }
    return false;
}

void admit_sleep(struct sleeper *sleeper, struct cell *cell, uint64_t value)
{
    if (sleeper == NULL) {
        sleep_alone(cell, (uint32_t)value, now_of(CLOCK_MONOTONIC) + ALL_LOOK_NS);
        return;
    }
    admit_gate *gate = sleeper->gate;
    bool next = admit_protocol_is_next(gate, value);
    if (!next && !sleeper->napped && sleeper->how == NULL) {
        nap(sleeper, cell, value);
        return;
    }
    if (next && sleeper->napped && changes_soon(cell, value))
        return;
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
    if (!atomic_load_explicit(&no_waitv, memory_order_relaxed)) {
        int64_t until = sleep_until(sleeper, &list);
        struct timespec limit = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
        if (syscall(SYS_futex_waitv, list.word, list.count, 0, &limit, CLOCK_MONOTONIC) >= 0 || errno == EAGAIN ||
            errno == EINTR || errno == ETIMEDOUT)
            return;
        if (errno != ENOMEM) /* whatever the reason is, it will be the same the next time */
            atomic_store(&no_waitv, true);
    }
    list.all = false;
    sleep_alone(cell, (uint32_t)value, sleep_until(sleeper, &list));
}
