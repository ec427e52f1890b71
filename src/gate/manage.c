/* SPDX-License-Identifier: MIT
 *
 * Who manages a gate, and how it is resized; remove.c has the rest.
 *
 * The manager. One process at a time manages a gate: it has the one life word that belongs to no record, as a
 * participant has its own. So the kernel says if it was killed, and neither a child that it forks nor a process that
 * may only read the file can have it instead. Nobody that enters, waits or leaves ever waits for a manager, which may
 * have been stopped; others that manage wait for some seconds, and then say for whom.
 *
 * Resize. The protocol has most_k slots for ever. Those beyond k are held by records that belong to nobody
 * (LIFE_RESERVED): to the protocol they are participants that stay inside. To have one slot more, the manager takes
 * over such a record as a newcomer does, which returns its ticket; to have one fewer, it goes in and leaves its ticket
 * with its record to nobody, or whoever would return a ticket does. How many there are is counted in the life words;
 * so a death at any point leaves the count right. While `resizing` is set, everybody that enters, leaves, or looks
 * around while it waits finishes what has been begun, if no manager is at it. One that leaves and finds a manager at
 * it keeps its ticket back, if it may have to, and so does whoever finds one dead that was inside: too many such
 * records are a slot that comes back a little later, too few would be one too many inside.
 */
#include "gate/gate.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MANAGER_PATIENCE_NS INT64_C(5000000000)
#define STOPPED_PATIENCE_NS INT64_C(100000000) /* it may be continued at once, as at a debugger */
enum { TRY_AGAIN_NS = 1000000 };

/* --- the manager -------------------------------------------------------------------------------------------------- */

static struct seat *try_to_manage(admit_gate *gate, bool *failed)
{
    unsigned who = manager_of(gate);
    uint32_t marked = (uint32_t)LIFE_MARKED;
    admit_life_mark_if_gone(gate, who);
    atomic_compare_exchange_strong(life_of(gate, who), &marked, LIFE_JUDGED);
    uint32_t life = atomic_load(life_of(gate, who)), from = life & FUTEX_OWNER_DIED ? LIFE_JUDGED : LIFE_NOBODY;
    struct seat *manager = life == from ? admit_life_claim(gate, who, from, failed) : NULL;
    if (manager != NULL) {
        admit_life_begin(manager);
        atomic_store(&person_of(gate, who)->pid, (uint32_t)getpid());
        atomic_store(&person_of(gate, who)->pid_namespace, admit_pid_namespace());
        atomic_store(&person_of(gate, who)->time_namespace, admit_time_namespace());
        atomic_store(&person_of(gate, who)->identity, admit_process_identity(true));
    }
    return manager;
}

struct seat *admit_manage(admit_gate *gate, bool wait)
{
    bool failed = false;
    const struct person *other = person_of(gate, manager_of(gate));
    int64_t now = admit_monotonic(), patient = now + STOPPED_PATIENCE_NS, until = now + MANAGER_PATIENCE_NS;
    bool is_stopped = false;
    do {
        struct seat *manager = try_to_manage(gate, &failed);
        if (manager != NULL || failed || !wait)
            return manager;
        struct timespec pause = {.tv_nsec = TRY_AGAIN_NS};
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
        now = admit_monotonic();
        is_stopped = now > patient && atomic_load(&other->pid_namespace) == admit_namespace_in_sight() &&
                     admit_process_is_stopped(atomic_load(&other->pid));
    } while (now < until && !is_stopped);
    admit_gate_error(ADMIT_BUSY, "gate \"%s\": process %u is managing it and %s; continue it, or end it", gate->name,
                     atomic_load(&other->pid), is_stopped ? "is stopped" : "does not go on");
    return NULL;
}

void admit_manage_end(struct seat *manager)
{
    admit_life_release(manager, LIFE_NOBODY);
}

/* --- resize ------------------------------------------------------------------------------------------------------- */

/* Only with a ticket: one whose ticket has been returned all the same keeps nothing back. */
static unsigned reserved_now(const admit_gate *gate, unsigned *one)
{
    unsigned count = 0;
    for (unsigned who = 0; who < present_in(gate); who++)
        if (atomic_load(life_of(gate, who)) == LIFE_RESERVED &&
            admit_protocol_standing(gate, who).stage == STAGE_VALID) {
            *one = who;
            count++;
        }
    return count;
}

/* How many records should be kept back for nobody; most_k: k is not to be believed. */
static unsigned reserved_in_future(const admit_gate *gate)
{
    unsigned k = admit_gate_k(gate);
    return k >= 1 && k <= gate->most_k ? gate->most_k - k : gate->most_k;
}

static bool has_k(const admit_gate *gate)
{
    unsigned one, wanted = reserved_in_future(gate);
    return wanted == gate->most_k || reserved_now(gate, &one) == wanted;
}

static void leave_reserved(struct seat *seat)
{
    admit_protocol_reserve(seat);
    admit_seat_release(seat, LIFE_RESERVED);
}

static admit_error grow(admit_gate *gate, unsigned wanted)
{
    unsigned one = 0;
    while (reserved_now(gate, &one) > wanted) {
        admit_error error = admit_seat_free_reserved(gate, one);
        if (error != ADMIT_OK)
            return error;
    }
    return ADMIT_OK;
}

/* Free slots go at once. `resizing` is set, so that from now on those who leave see to the rest. */
static void shrink(admit_gate *gate, unsigned wanted)
{
    unsigned one = 0;
    admit_hold hold;
    while (reserved_now(gate, &one) < wanted && admit_protocol_try(gate, &hold) == ADMIT_OK) {
        struct seat *seat = admit_seat_of(gate, &hold);
        if (!hold.owner_died) /* or the next would not learn it */
            atomic_store(&gate->spot[hold.slot].who, 0);
        atomic_fetch_add(&gate->header->reserved, 1); /* a ticket that nobody has entered by */
        leave_reserved(seat);
    }
}

/* By the manager. Others that leave may keep back more at any time, and say so after that: hence the second look. */
static admit_error settle(admit_gate *gate, enum settler settler)
{
    unsigned wanted = reserved_in_future(gate);
    if (wanted == gate->most_k)
        return ADMIT_OK;
    admit_error error = grow(gate, wanted);
    if (error != ADMIT_OK)
        return error;
    if (settler == OUTSIDE_THE_LINE)
        shrink(gate, wanted);
    if (has_k(gate))
        atomic_store(&gate->header->resizing, 0);
    if (!has_k(gate))
        atomic_store(&gate->header->resizing, 1);
    return ADMIT_OK;
}

bool admit_keeps_back(const admit_gate *gate)
{
    unsigned one, wanted = reserved_in_future(gate);
    return atomic_load(&gate->header->resizing) != 0 && wanted < gate->most_k && reserved_now(gate, &one) < wanted;
}

void admit_settle_k(admit_gate *gate, enum settler settler)
{
    UNCANCELLED;
    struct seat *manager = admit_manage(gate, false);
    if (manager == NULL)
        return;
    settle(gate, settler);
    admit_manage_end(manager);
}

bool admit_leave_resizing(admit_gate *gate, struct seat *seat)
{
    UNCANCELLED;
    unsigned one, wanted = reserved_in_future(gate);
    struct seat *manager = admit_manage(gate, false);
    bool keep = wanted < gate->most_k && reserved_now(gate, &one) < wanted;
    if (keep)
        leave_reserved(seat);
    else
        admit_protocol_leave(seat);
    if (keep)
        atomic_store(&gate->header->resizing, 1); /* a manager that did not see this one may have ended it */
    if (manager == NULL) {
        admit_settle_k(gate, OUTSIDE_THE_LINE);
    } else {
        settle(gate, OUTSIDE_THE_LINE);
        admit_manage_end(manager);
    }
    return !keep;
}

admit_error admit_gate_resize(admit_gate *gate, unsigned k)
{
    UNCANCELLED;
    if (k < 1 || k > gate->most_k)
        return admit_gate_error(ADMIT_BAD_OPTION, "gate \"%s\" can have k from 1 to %u, not %u", gate->name,
                                gate->most_k, k);
    if (gate->look_only)
        return admit_gate_error(ADMIT_NO_PERMISSION, "gate \"%s\" was opened to look only", gate->name);
    struct seat *manager = admit_manage(gate, true);
    if (manager == NULL)
        return admit_last_error();
    admit_error error;
    if (!admit_is_there(gate)) {
        error = admit_removed_error(gate);
    } else {
        admit_second_look(gate, true);
        atomic_store(&gate->header->resizing, 1);
        atomic_store(&gate->header->k, k);
        error = ADMIT_OK;
        settle(gate, OUTSIDE_THE_LINE); /* what this process has no memory for, others finish */
    }
    admit_manage_end(manager);
    return error;
}

/* --- now and then ------------------------------------------------------------------------------------------------- */

bool admit_look_around(admit_gate *gate, enum settler settler)
{
    bool is_time = admit_second_look(gate, false);
    if (is_time && !has_k(gate))
        atomic_store(&gate->header->resizing, 1);
    if (atomic_load(&gate->header->resizing) != 0)
        admit_settle_k(gate, settler);
    return is_time;
}
