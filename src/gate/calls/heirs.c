/* SPDX-License-Identifier: MIT
 *
 * A hold that outlives its starter, as the starter sees it: heir.c has the rest.
 */
#include "gate/calls/calls.h"

static admit_error not_holding(const admit_gate *gate)
{
    return admit_gate_error(ADMIT_NOT_HOLDING, "gate \"%s\": this thread is not inside with this hold", gate->name);
}

/* A command cannot hold on there: its lease is kept by this process. */
static admit_error not_elsewhere(const admit_gate *gate)
{
    return admit_not_elsewhere(gate, "a hold cannot be left to another process");
}

/* By which this thread may leave: its own, or that of one that said any_thread. With admit_seats_lock. */
static struct seat *seat_to_leave_by(admit_gate *gate, const admit_hold *hold)
{
    struct seat *own = admit_seat_of(gate, hold);
    return own != NULL ? own : admit_seat_of_any(gate, hold);
}

admit_error admit_gate_bequeath(admit_gate *gate, const admit_hold *hold, int with_children)
{
    UNCANCELLED;
    if (gate->elsewhere != NULL)
        return not_elsewhere(gate);
    admit_seats_lock();
    struct seat *seat = seat_to_leave_by(gate, hold);
    admit_error error = seat == NULL ? not_holding(gate) : admit_heir_allow(seat, hold, with_children);
    admit_seats_unlock();
    return error;
}

admit_error admit_gate_bequeath_to_process(admit_gate *gate, const admit_hold *hold, long pid)
{
    UNCANCELLED;
    if (gate->elsewhere != NULL)
        return not_elsewhere(gate);
    admit_seats_lock();
    struct seat *seat = seat_to_leave_by(gate, hold);
    admit_error error = seat == NULL ? not_holding(gate) : admit_heir_appoint(seat, hold, pid);
    admit_seats_unlock();
    return error;
}

int admit_gate_family(admit_gate *gate)
{
    UNCANCELLED;
    if (gate->elsewhere != NULL) {
        not_elsewhere(gate);
        return -1;
    }
    if (gate->look_only) {
        admit_gate_error(ADMIT_NO_PERMISSION, "gate \"%s\" was opened to look only", gate->name);
        return -1;
    }
    return admit_family_open(gate);
}

admit_error admit_gate_bequeath_to(admit_gate *gate, const admit_hold *hold, int family)
{
    UNCANCELLED;
    if (gate->elsewhere != NULL)
        return not_elsewhere(gate);
    admit_seats_lock();
    struct seat *seat = seat_to_leave_by(gate, hold);
    admit_error error = seat == NULL ? not_holding(gate) : admit_heir_entrust(seat, hold, family);
    admit_seats_unlock();
    return error;
}

admit_error admit_gate_await_heirs(admit_gate *gate, const admit_hold *hold)
{
    UNCANCELLED;
    if (gate->elsewhere != NULL)
        return not_elsewhere(gate);
    admit_seats_lock();
    const struct seat *seat = seat_to_leave_by(gate, hold);
    const bool holds = seat != NULL, is_left_to_family = holds && seat->family > 0;
    const unsigned who = holds ? seat->who : 0;
    admit_seats_unlock();
    return holds ? admit_heirs_await(gate, who, is_left_to_family) : not_holding(gate);
}
