/* SPDX-License-Identifier: MIT
 *
 * Which record a thread takes part with. A thread keeps its seat from one passage to the next, so that entering again
 * costs nothing; a key's destructor gives it back when the thread ends.
 */
#include "gate/protocol/protocol.h"
#include "registers/sleeping_native.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct seat no_seat;
__thread struct seat *admit_recent = &no_seat;
static __thread struct seat *own_seats OF_THREAD;

/* --- of this thread ----------------------------------------------------------------------------------------------- */

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static _Atomic bool key_made;

/* What it is inside by comes back as if its thread had been killed; but the thread gives it back itself, so that there
 * is no moment at which only a wake-up is missing. If a command has inherited it, it is that one's. */
static void give_back(struct seat *seat)
{
    admit_gate *gate = seat->gate;
    if (seat_is(seat, SEAT_BEQUEATHED) && !admit_heir_disowned(seat)) {
        admit_life_release(seat, (uint32_t)LIFE_MARKED);
        return;
    }
    /* Its spot stays taken, by which the next one learns that its owner has died. */
    atomic_fetch_add(&gate->header->recovered, 1);
    if (atomic_load_explicit(&gate->header->resizing, memory_order_relaxed) == 0)
        admit_protocol_leave(seat);
    else if (!admit_leave_resizing(gate, seat))
        return;
    admit_life_release(seat, LIFE_NOBODY);
}

/* Neither in line nor inside: a thread may also end, by a function of its own, while it waits. */
static bool is_idle(const struct seat *seat)
{
    enum stage stage = admit_protocol_standing(seat->gate, seat->who).stage;
    return !seat_is(seat, SEAT_INSIDE) && (stage == STAGE_OUT || stage == STAGE_ABANDONED);
}

/* Whatever its thread was doing with it. */
static void dispose_of(struct seat *seat)
{
    if (seat_is(seat, SEAT_INSIDE))
        give_back(seat);
    else
        admit_life_release(seat, is_idle(seat) ? LIFE_NOBODY : (uint32_t)LIFE_MARKED);
}

static void thread_ends(void *unused)
{
    (void)unused;
    struct seat *seat = own_seats;
    own_seats = NULL;
    admit_recent = &no_seat;
    admit_outside_thread_ends();
    admit_seats_lock(); /* another thread may be closing the handle */
    while (seat != NULL && seat_state(seat) != 0) {
        struct seat *next = seat->next;
        if (!seat->closed)
            dispose_of(seat);
        else
            admit_life_release(seat, seat_is(seat, SEAT_INSIDE) ? (uint32_t)LIFE_MARKED : LIFE_NOBODY);
        seat = next;
    }
    admit_seats_unlock();
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, thread_ends) == 0;
}

/* As in native/error.c. The kernel tells of the end of a thread that took part and outlives the library. */
__attribute__((destructor)) static void delete_key(void)
{
    if (atomic_exchange(&key_made, false))
        pthread_key_delete(key);
}

/* Any pointer will do. */
static void notice_end(const void *pointer)
{
    pthread_once(&key_once, make_key);
    if (key_made)
        pthread_setspecific(key, pointer);
}

static void remember(struct seat *seat)
{
    notice_end(seat);
    seat->next = own_seats;
    own_seats = seat;
}

static void forget_seat(struct seat *seat)
{
    for (struct seat **at = &own_seats; *at != NULL; at = &(*at)->next)
        if (*at == seat) {
            *at = seat->next;
            break;
        }
    if (admit_recent == seat)
        admit_recent = &no_seat;
}

void admit_seat_release(struct seat *seat, uint32_t life)
{
    forget_seat(seat);
    admit_life_release(seat, life);
}

/* A forked child finds its parent's seats wiped. */
static void check_for_fork(void)
{
    if (own_seats != NULL && seat_state(own_seats) == 0) {
        own_seats = NULL;
        admit_recent = &no_seat;
    }
}

/* What is left of seats whose handles another thread has closed. */
static void clear_away(void)
{
    check_for_fork();
    struct seat *next;
    admit_seats_lock();
    for (struct seat *seat = own_seats; seat != NULL; seat = next) {
        next = seat->next;
        if (seat->closed && !seat_is(seat, SEAT_INSIDE))
            admit_seat_release(seat, LIFE_NOBODY);
    }
    admit_seats_unlock();
}

static bool is_inside_by(const struct seat *seat, const admit_hold *hold)
{
    return seat_is(seat, SEAT_INSIDE) && admit_protocol_ticket(seat) == hold->ticket && seat->slot == hold->slot;
}

struct seat *admit_seat_of(admit_gate *gate, const admit_hold *hold)
{
    check_for_fork();
    for (struct seat *seat = own_seats; seat != NULL; seat = seat->next)
        if (seat_belongs_to(seat, gate) && !seat_is(seat, SEAT_ANY_THREAD) && is_inside_by(seat, hold))
            return seat;
    return NULL;
}

/* One whose thread has ended without a word is another's by now, or will be. */
static bool is_alive(const struct seat *seat)
{
    uint32_t life = atomic_load(&seat->life->word);
    return (life & LIFE_NUMBER) == seat->number && (life & FUTEX_OWNER_DIED) == 0;
}

struct seat *admit_seat_of_any(const admit_gate *gate, const admit_hold *hold)
{
    for (struct seat *seat = gate->local->seats; seat != NULL; seat = seat->next_of_gate)
        if (seat_is(seat, SEAT_ANY_THREAD) && is_inside_by(seat, hold) && is_alive(seat))
            return seat;
    return NULL;
}

/* Another thread's record is taken away from it; what is left of its seat that thread clears away. One's own may be
 * forgotten already, when the handle is closed or the thread ends: so it is not looked for among the own ones. */
bool admit_seat_leave_reserved(struct seat *seat)
{
    if (admit_life_is_own(seat)) {
        admit_protocol_reserve(seat);
        admit_seat_release(seat, LIFE_RESERVED);
        return true;
    }
    if (!admit_life_may_be_taken_away(seat))
        return false;
    admit_protocol_reserve(seat);
    admit_life_take_away(seat, LIFE_RESERVED);
    admit_life_disconnect(seat);
    seat_become(seat, SEAT_AMONG_OTHERS); /* of no handle */
    return true;
}

/* --- joining ------------------------------------------------------------------------------------------------------ */

static void introduce(struct seat *seat)
{
    admit_gate *gate = seat->gate;
    struct person *person = person_of(gate, seat->who);
    atomic_store(&person->ticket, UINT64_MAX);
    admit_introduce_process(person);
    atomic_store(&person->user, (uint32_t)geteuid() + 1);
    memset(person->command, 0, sizeof person->command);
    if (gate->command[0] != '\0')
        memcpy(person->command, gate->command, sizeof person->command - 1);
    else
        prctl(PR_GET_NAME, person->command);
}

/* Whoever counts the records that are present counts this one before it can have drawn a ticket. */
static void be_present(admit_gate *gate, unsigned who)
{
    uint32_t present = atomic_load(&gate->header->present);
    while (present <= who)
        if (atomic_compare_exchange_weak(&gate->header->present, &present, who + 1)) {
            /* Those asleep do not watch this record yet. A process that is killed here leaves it to their look twice a
             * second. */
            syscall(SYS_futex, &gate->header->present, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
            return;
        }
}

static struct seat *claim(admit_gate *gate, unsigned who, uint32_t life, bool *failed)
{
    be_present(gate, who);
    struct seat *seat = admit_life_claim(gate, who, life, failed);
    if (seat == NULL)
        return NULL;
    remember(seat);
    if (!admit_protocol_join(seat, life == LIFE_JUDGED)) {
        admit_seat_release(seat, (uint32_t)LIFE_MARKED);
        return NULL;
    }
    admit_life_begin(seat);
    introduce(seat); /* until here the record tells of the dead one */
    return seat;
}

unsigned admit_bury_dead(admit_gate *gate)
{
    UNCANCELLED;
    unsigned buried = 0;
    bool failed = false;
    check_for_fork();
    for (unsigned who = 0; who < present_in(gate) && !failed; who++) {
        if (!admit_is_dead_now(gate, who) || atomic_load(life_of(gate, who)) != LIFE_JUDGED)
            continue;
        struct seat *seat = claim(gate, who, LIFE_JUDGED, &failed);
        if (seat == NULL)
            continue;
        admit_seat_release(seat, LIFE_NOBODY);
        buried++;
    }
    return buried;
}

/* The dead first. A record with a place in line that was given up is of no use before that is passed. */
static struct seat *join(admit_gate *gate, bool *failed, bool *in_line)
{
    for (int dead = 1; dead >= 0; dead--) {
        unsigned end = dead ? present_in(gate) : gate->records;
        for (unsigned who = 0; who < end && !*failed; who++) {
            if (dead && !admit_is_dead_now(gate, who))
                continue;
            uint32_t from = dead ? LIFE_JUDGED : LIFE_NOBODY;
            if (atomic_load(life_of(gate, who)) != from)
                continue;
            if (!dead && admit_protocol_in_line(gate, who)) {
                *in_line = true;
                continue;
            }
            struct seat *seat = claim(gate, who, from, failed);
            if (seat != NULL && !seat_is(seat, SEAT_IN_LINE))
                return seat;
            if (seat != NULL)
                admit_seat_release(seat, LIFE_NOBODY);
        }
    }
    return NULL;
}

/* Places that were given up take a record each until they are passed. A thread that has given one up takes another only
 * while there are few: so that time-outs leave room for others. */
static bool many_are_given_up(const admit_gate *gate)
{
    unsigned given_up = 0;
    for (unsigned who = 0; who < present_in(gate); who++)
        given_up += admit_protocol_standing(gate, who).stage == STAGE_ABANDONED;
    return given_up > gate->capacity / 4;
}

static struct seat *own_free_seat(const admit_gate *gate, bool *in_line)
{
    for (struct seat *seat = own_seats; seat != NULL; seat = seat->next) {
        if (!seat_belongs_to(seat, gate) || seat_is(seat, SEAT_INSIDE))
            continue;
        seat_mark(seat, SEAT_IN_LINE, admit_protocol_in_line(gate, seat->who));
        if (!seat_is(seat, SEAT_IN_LINE))
            return seat;
        *in_line = true;
    }
    return NULL;
}

static struct seat *find_or_join(admit_gate *gate, bool *failed, bool *in_line)
{
    struct seat *seat = own_free_seat(gate, in_line);
    return seat != NULL || (*in_line && many_are_given_up(gate)) ? seat : join(gate, failed, in_line);
}

void admit_seat_given_up(struct seat *seat)
{
    struct seat *next;
    for (struct seat *other = own_seats; other != NULL; other = next) {
        next = other->next;
        if (other != seat && seat_belongs_to(other, seat->gate) && seat_is(other, SEAT_IN_LINE))
            admit_seat_release(other, LIFE_NOBODY);
    }
}

/* Until there is a record for it, or something else ends its wait. */
static struct seat *wait_outside(admit_gate *gate, struct sleeper *sleeper, bool *failed)
{
    struct outsider outsider;
    struct seat *seat = NULL;
    bool in_line = false;
    notice_end(gate);
    admit_outside_begin(&outsider, gate);
    for (;;) {
        if (admit_outside_is_first(&outsider, failed)) {
            in_line = false;
            seat = find_or_join(gate, failed, &in_line);
        }
        if (seat != NULL || *failed || admit_gives_up(sleeper))
            break;
        if (in_line)
            admit_bury_dead(gate); /* perhaps nobody else is there to see to it */
        admit_outside_sleep(&outsider, sleeper, in_line);
    }
    admit_outside_end(&outsider);
    if (seat == NULL)
        admit_outside_next(gate);
    return seat;
}

static admit_error no_slot(const admit_gate *gate)
{
    return admit_gate_error(ADMIT_NO_SLOT, "gate \"%s\": no free slot", gate->name);
}

static admit_error no_record(const admit_gate *gate)
{
    return admit_gate_error(ADMIT_FULL, "gate \"%s\" is full: its %u records are taken", gate->name, gate->records);
}

struct seat *admit_seat_find(admit_gate *gate, struct sleeper *sleeper, bool wait)
{
    UNCANCELLED;
    clear_away();
    if (gate->look_only) {
        sleeper->why = admit_gate_error(ADMIT_NO_PERMISSION, "gate \"%s\" was opened to look only", gate->name);
        return NULL;
    }
    bool failed = false, in_line = false, is_somebody = false;
    struct seat *seat = own_free_seat(gate, &in_line);
    if (seat == NULL)
        is_somebody = admit_outside_is_somebody(gate, wait);
    if (seat == NULL && !is_somebody)
        seat = find_or_join(gate, &failed, &in_line);
    if (seat == NULL && !is_somebody && !in_line && !failed) { /* perhaps some are dead, and nobody knows it yet */
        admit_look_around(gate, OUTSIDE_THE_LINE);
        seat = find_or_join(gate, &failed, &in_line);
    }
    if (seat == NULL && !failed && wait)
        seat = wait_outside(gate, sleeper, &failed);
    else if (seat == NULL && !failed)
        sleeper->why = in_line || is_somebody ? no_slot(gate) : no_record(gate);
    if (failed)
        sleeper->why = admit_last_error();
    if (seat != NULL)
        admit_recent = seat;
    return seat;
}

bool admit_seat_free_reserved(admit_gate *gate, unsigned who, admit_error *error)
{
    bool failed = false;
    check_for_fork();
    struct seat *seat = claim(gate, who, LIFE_RESERVED, &failed);
    *error = failed ? admit_last_error() : ADMIT_OK;
    if (seat != NULL)
        admit_seat_release(seat, LIFE_NOBODY);
    return seat != NULL;
}

/* --- the end of a handle ------------------------------------------------------------------------------------------ */

static struct seat *own_seat_of(const admit_gate *gate)
{
    struct seat *seat = own_seats;
    while (seat != NULL && !seat_belongs_to(seat, gate))
        seat = seat->next;
    return seat;
}

/* What this thread is inside by comes back; what another is inside by stays that one's until it ends. The records of
 * all others are free from now on. */
void admit_seats_close(admit_gate *gate)
{
    clear_away();
    for (struct seat *seat; (seat = own_seat_of(gate)) != NULL;) { /* to give one back may take others */
        forget_seat(seat);
        dispose_of(seat);
    }
    struct seat *next;
    admit_seats_lock();
    for (struct seat *seat = gate->local->seats; seat != NULL; seat = next) {
        next = seat->next_of_gate;
        if (is_idle(seat) && admit_life_may_be_taken_away(seat))
            admit_life_take_away(seat, LIFE_NOBODY);
        seat->closed = true; /* from here on it is that thread's alone */
    }
    admit_anchor_release(gate->local->anchor);
    gate->local->anchor = NULL;
    admit_seats_unlock();
}

admit_error admit_gate_describe(admit_gate *gate, const char *command)
{
    if (gate->elsewhere != NULL)
        return gate->elsewhere->describe(gate->there, command);
    memset(gate->command, 0, sizeof gate->command);
    if (command != NULL)
        strncpy(gate->command, command, sizeof gate->command - 1);
    check_for_fork();
    for (struct seat *seat = own_seats; seat != NULL; seat = seat->next)
        if (seat_belongs_to(seat, gate))
            introduce(seat);
    return ADMIT_OK;
}
