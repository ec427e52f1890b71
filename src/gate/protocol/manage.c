/* SPDX-License-Identifier: MIT
 *
 * How a gate is resized, by its manager (manager.c).
 *
 * The protocol has most_k slots for ever. Those beyond k are held by records that belong to nobody
 * (LIFE_RESERVED): to the protocol they are participants that stay inside. To have one slot more, the manager takes
 * over such a record as a newcomer does, which returns its ticket; to have one fewer, it goes in and leaves its ticket
 * with its record to nobody, or whoever would return a ticket does. How many there are is counted in the life words;
 * so a death at any point leaves the count right. While `resizing` is set, everybody that enters, leaves, or looks
 * around while it waits finishes what has been begun, if no manager is at it. One that leaves and finds a manager at
 * it keeps its ticket back, if it may have to, and so does whoever finds one dead that was inside: too many such
 * records are a slot that comes back a little later, too few would be one too many inside.
 */
#include "gate/protocol/protocol.h"

/* One that cannot be had now is left to whoever comes by later: `resizing` stays. */
static admit_error grow(admit_gate *gate, unsigned wanted)
{
    unsigned one = 0;
    admit_error error = ADMIT_OK;
    while (admit_reserved_now(gate, &one) > wanted)
        if (!admit_seat_free_reserved(gate, one, &error))
            break;
    return error;
}

/* Free slots go at once. `resizing` is set, so that from now on those who leave see to the rest. */
static void shrink(admit_gate *gate, unsigned wanted)
{
    unsigned one = 0;
    admit_hold hold;
    while (admit_reserved_now(gate, &one) < wanted && admit_protocol_try(gate, &hold) == ADMIT_OK) {
        struct seat *seat = admit_seat_of(gate, &hold);
        if (!hold.owner_died) /* or the next would not learn it */
            atomic_store(&gate->spot[hold.slot].who, 0);
        atomic_fetch_add(&gate->header->reserved, 1); /* a ticket that nobody has entered by */
        admit_seat_leave_reserved(seat);
    }
}

/* By the manager. Others that leave may keep back more at any time, and say so after that: hence the second look. */
static admit_error settle(admit_gate *gate, enum settler settler)
{
    unsigned wanted = admit_reserved_in_future(gate);
    if (wanted == gate->most_k)
        return ADMIT_OK;
    admit_error error = grow(gate, wanted);
    if (error != ADMIT_OK)
        return error;
    if (settler == OUTSIDE_THE_LINE)
        shrink(gate, wanted);
    if (admit_has_k(gate))
        atomic_store(&gate->header->resizing, 0);
    if (!admit_has_k(gate))
        atomic_store(&gate->header->resizing, 1);
    return ADMIT_OK;
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
    unsigned one, wanted = admit_reserved_in_future(gate);
    struct seat *manager = admit_manage(gate, false);
    bool keep = wanted < gate->most_k && admit_reserved_now(gate, &one) < wanted && admit_seat_leave_reserved(seat);
    if (!keep)
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

static admit_error resize(admit_gate *gate, unsigned k, bool declare)
{
    UNCANCELLED;
    if (k < 1 || k > gate->most_k)
        return admit_gate_error(ADMIT_BAD_OPTION,
                                "gate \"%s\" can have k from 1 to %u, not %u: it was made with room for so many",
                                gate->name, gate->most_k, k);
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
        if (declare)
            atomic_store(&gate->header->declared_k, k);
        error = ADMIT_OK;
        settle(gate, OUTSIDE_THE_LINE); /* what this process has no memory for, others finish */
    }
    admit_manage_end(manager);
    return error;
}

static admit_error set_k(admit_gate *gate, unsigned k, bool declare)
{
    UNCANCELLED;
    return gate->elsewhere != NULL ? gate->elsewhere->set_k(gate->there, k, declare) : resize(gate, k, declare);
}

admit_error admit_gate_resize(admit_gate *gate, unsigned k)
{
    return set_k(gate, k, false);
}

admit_error admit_gate_declare(admit_gate *gate, unsigned k)
{
    return set_k(gate, k, true);
}

/* --- now and then ------------------------------------------------------------------------------------------------- */

bool admit_look_around(admit_gate *gate, enum settler settler)
{
    bool is_time = admit_second_look(gate, false);
    if (is_time && !admit_has_k(gate))
        atomic_store(&gate->header->resizing, 1);
    if (atomic_load(&gate->header->resizing) != 0)
        admit_settle_k(gate, settler);
    return is_time;
}
