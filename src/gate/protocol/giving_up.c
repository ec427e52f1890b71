/* SPDX-License-Identifier: MIT
 *
 * What can end a wait but its turn, and what a process that waits sees to now and then.
 */
#include "gate/protocol/protocol.h"
#include "registers/sleeping_native.h"

enum { LOOK_AROUND_NS = 100000000 }; /* at the most so often (manage.c) */

static void record_waiting(const struct sleeper *sleeper)
{
    unsigned who = sleeper->seat->who;
    struct person *person = person_of(sleeper->gate, who);
    uint64_t ticket = admit_protocol_standing(sleeper->gate, who).ticket;
    atomic_store_explicit(hint_of(sleeper->gate, ticket), (uint16_t)(who + 1), memory_order_relaxed);
    atomic_store(&person->ticket, ticket);
    atomic_store(&person->inside_since, 0);
    atomic_store(&person->waiting_since, admit_now());
}

void admit_give_reason(struct sleeper *sleeper, admit_error error)
{
    const char *name = sleeper->gate->name;
    switch (error) {
    case ADMIT_REMOVED:
        sleeper->why = admit_removed_error(sleeper->gate);
        break;
    case ADMIT_TIMED_OUT:
        sleeper->why = admit_gate_error(error, "gate \"%s\": timed out", name);
        break;
    default:
        sleeper->why = admit_gate_error(error, "gate \"%s\": interrupted", name);
    }
}

/* Whoever has no record is behind all who have. */
static unsigned place_of(const struct sleeper *sleeper)
{
    return sleeper->seat != NULL ? admit_place_of(sleeper->gate, sleeper->seat->who)
                                 : admit_length_of_line(sleeper->gate) + 1;
}

static admit_error reason_to_give_up(struct sleeper *sleeper)
{
    admit_gate *gate = sleeper->gate;
    const admit_wait *how = sleeper->how;
    if (is_final(atomic_load(&gate->header->removed)) || atomic_load(&gate->astray))
        return ADMIT_REMOVED;
    if (how == NULL)
        return ADMIT_OK;
    if (how->interruptible && atomic_load(&gate->local->interrupts) != sleeper->interrupts)
        return ADMIT_INTERRUPTED;
    if (admit_deadline_passed(how->until))
        return ADMIT_TIMED_OUT;
    if (how->outside != NULL)
        *how->outside = sleeper->seat == NULL;
    if (how->waiting != NULL && how->waiting(how->data, place_of(sleeper)) != 0)
        return ADMIT_INTERRUPTED;
    return ADMIT_OK;
}

static void look_around(struct sleeper *sleeper)
{
    int64_t now = admit_monotonic();
    if (now - sleeper->looked >= LOOK_AROUND_NS) {
        sleeper->looked = now;
        admit_look_around(sleeper->gate, IN_LINE);
        admit_is_there(sleeper->gate);
        return;
    }
    if (atomic_load(&sleeper->gate->header->resizing) != 0)
        admit_settle_k(sleeper->gate, IN_LINE);
    if (atomic_load(&sleeper->gate->header->removed) != atomic_load(&sleeper->gate->removed_seen))
        admit_is_there(sleeper->gate);
}

bool admit_gives_up(struct sleeper *sleeper)
{
    if (!sleeper->slept && sleeper->seat != NULL) {
        record_waiting(sleeper);
        admit_outside_next(sleeper->gate);
        sleeper->began = admit_monotonic();
    }
    sleeper->slept = true;
    look_around(sleeper);
    admit_error error = reason_to_give_up(sleeper);
    if (error != ADMIT_OK)
        admit_give_reason(sleeper, error);
    return error != ADMIT_OK;
}
