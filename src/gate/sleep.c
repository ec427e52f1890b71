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
 * The kernel takes 128 words. Where there are more participants, those who are in line or inside are watched first, and
 * so many looks a second make up for the rest; the same where the kernel has no futex_waitv.
 */
#include "gate/gate.h"

#include "registers/sleeping_native.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    DOZE_NS = 1000000,          /* until a seat may be free */
    HEAD_LOOKS_NS = 1000000,    /* of who is next in line, if it cannot watch everybody */
    OTHERS_LOOK_NS = 20000000,  /* of the others; of those who nap */
    ALL_LOOK_NS = 500000000,    /* of everybody: whom the kernel woke may have been stopped before it could act */
    ORPHAN_LOOKS_NS = 2000000,  /* while a command whose starter was killed holds on */
    CALLER_LOOKS_NS = 100000000 /* for the caller's own function */
};

static _Atomic bool no_waitv; /* the kernel has refused it */

/* --- time --------------------------------------------------------------------------------------------------------- */

static int64_t now_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t admit_now(void)
{
    return now_of(CLOCK_REALTIME);
}

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

/* --- giving up ---------------------------------------------------------------------------------------------------- */

unsigned admit_place_of(const admit_gate *gate, unsigned who)
{
    uint64_t own = admit_protocol_standing(gate, who).ticket;
    unsigned place = 1;
    for (unsigned other = 0; other < present_in(gate); other++) {
        struct standing standing = admit_protocol_standing(gate, other);
        place += standing.stage == STAGE_WAITING && admit_ticket_before(standing.ticket, own);
    }
    return place;
}

static void record_waiting(const struct sleeper *sleeper)
{
    unsigned who = sleeper->seat->who;
    struct person *person = person_of(sleeper->gate, who);
    uint64_t ticket = admit_protocol_standing(sleeper->gate, who).ticket;
    atomic_store_explicit(&sleeper->gate->header->hint[ticket % GATE_HINTS], (uint16_t)(who + 1), memory_order_relaxed);
    atomic_store(&person->ticket, ticket);
    atomic_store(&person->inside_since, 0);
    atomic_store(&person->waiting_since, admit_now());
}

void admit_give_reason(struct sleeper *sleeper, admit_error error)
{
    const char *name = sleeper->gate->name;
    switch (error) {
    case ADMIT_REMOVED:
        sleeper->why = admit_gate_error(error, "gate \"%s\" has been removed", name);
        break;
    case ADMIT_TIMED_OUT:
        sleeper->why = admit_gate_error(error, "gate \"%s\": timed out in line", name);
        break;
    default:
        sleeper->why = admit_gate_error(error, "gate \"%s\": interrupted in line", name);
    }
}

static admit_error reason_to_give_up(struct sleeper *sleeper)
{
    admit_gate *gate = sleeper->gate;
    const admit_wait *how = sleeper->how;
    if (atomic_load(&gate->header->removed) == 1)
        return ADMIT_REMOVED;
    if (how == NULL)
        return ADMIT_OK;
    if (how->interruptible && atomic_load(&gate->local->interrupts) != sleeper->interrupts)
        return ADMIT_INTERRUPTED;
    if (admit_deadline_passed(how->until))
        return ADMIT_TIMED_OUT;
    if (how->waiting != NULL && sleeper->seat != NULL &&
        how->waiting(how->data, admit_place_of(gate, sleeper->seat->who)) != 0)
        return ADMIT_INTERRUPTED;
    return ADMIT_OK;
}

bool admit_gives_up(struct sleeper *sleeper)
{
    if (!sleeper->slept && sleeper->seat != NULL)
        record_waiting(sleeper);
    sleeper->slept = true;
    admit_error error = reason_to_give_up(sleeper);
    if (error != ADMIT_OK)
        admit_give_reason(sleeper, error);
    return error != ADMIT_OK;
}

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

/* On which this process may run; as at its first wait. */
unsigned admit_cores(void)
{
    static _Atomic unsigned found;
    unsigned cores = atomic_load_explicit(&found, memory_order_relaxed);
    if (cores == 0) {
        cpu_set_t set;
        cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 2;
        atomic_store_explicit(&found, cores, memory_order_relaxed);
    }
    return cores;
}

/* --- sleep -------------------------------------------------------------------------------------------------------- */

struct watch_list {
    struct futex_waitv word[FUTEX_WAITV_MAX];
    unsigned count;
    bool all;    /* nobody's life is left out */
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
    if (list->count == FUTEX_WAITV_MAX)
        list->all = false;
    else
        watch(list, life_of(gate, who), life);
}

/* Those with tickets first; then all others. One who comes later may die too: whoever is the first to take a record
 * says so in `present`, and wakes all. */
static void watch_lives(struct watch_list *list, const struct sleeper *sleeper)
{
    admit_gate *gate = sleeper->gate;
    uint32_t stored = atomic_load(&gate->header->present);
    unsigned present = stored < gate->records ? stored : gate->records, self = sleeper->seat->who;
    watch(list, &gate->header->present, stored);
    bool crowded = present + list->count > FUTEX_WAITV_MAX + 1;
    list->all = true;
    for (int in_line = 1; in_line >= 0; in_line--)
        for (unsigned who = 0; who < present; who++) {
            bool is_in_line = crowded && admit_protocol_standing(gate, who).stage != STAGE_OUT;
            if (who != self && is_in_line == (crowded && in_line) && (crowded || in_line))
                watch_life(list, sleeper, who);
        }
}

static int64_t sleep_until(const struct sleeper *sleeper, const struct watch_list *list)
{
    int64_t now = now_of(CLOCK_MONOTONIC), until = now + ALL_LOOK_NS;
    const admit_wait *how = sleeper->how;
    if (!list->all) {
        bool head = admit_place_of(sleeper->gate, sleeper->seat->who) == 1;
        until = now + (head ? HEAD_LOOKS_NS : OTHERS_LOOK_NS);
    }
    if (list->orphan && until > now + ORPHAN_LOOKS_NS)
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
    struct timespec limit = {.tv_nsec = OTHERS_LOOK_NS};
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
    watch(&list, &gate->header->removed, removed); /* 2 may be of one who was killed: no reason to stay awake */
    if (sleeper->how != NULL && sleeper->how->interruptible)
        watch(&list, &gate->local->interrupts, sleeper->interrupts);
    watch_lives(&list, sleeper);
    if (list.news || removed == 1)
        return;
    if (!atomic_load_explicit(&no_waitv, memory_order_relaxed)) {
        int64_t until = sleep_until(sleeper, &list);
        struct timespec limit = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
        if (syscall(SYS_futex_waitv, list.word, list.count, 0, &limit, CLOCK_MONOTONIC) >= 0 ||
            (errno != ENOSYS && errno != EPERM && errno != ENOMEM))
            return;
        if (errno != ENOMEM)
            atomic_store(&no_waitv, true);
    }
    list.all = false;
    sleep_alone(cell, (uint32_t)value, sleep_until(sleeper, &list));
}
