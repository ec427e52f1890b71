/* SPDX-License-Identifier: MIT
 *
 * A hold that outlives its starter, as the starter sees it: heir.c has the rest.
 */
#include "gate/calls/calls.h"

static admit_error not_holding(const admit_gate *gate)
{
    return admit_gate_error(ADMIT_NOT_HOLDING, "gate \"%s\": this thread is not inside with this hold", gate->name);
}

admit_error admit_gate_bequeath(admit_gate *gate, const admit_hold *hold, int with_children)
{
    struct seat *seat = admit_seat_of(gate, hold);
    if (seat == NULL)
        return not_holding(gate);
    admit_heir_allow(seat, hold, with_children);
    return ADMIT_OK;
}

int admit_gate_family(admit_gate *gate)
{
    UNCANCELLED;
    if (gate->look_only) {
        admit_gate_error(ADMIT_NO_PERMISSION, "gate \"%s\" was opened to look only", gate->name);
        return -1;
    }
    return admit_family_open(gate);
}

/* With the lock, for one that any thread may leave by. */
admit_error admit_gate_bequeath_to(admit_gate *gate, const admit_hold *hold, int family)
{
    UNCANCELLED;
    struct seat *seat = admit_seat_of(gate, hold);
    admit_seats_lock();
    if (seat == NULL)
        seat = admit_seat_of_any(gate, hold);
    admit_error error = seat == NULL ? not_holding(gate) : admit_heir_entrust(seat, hold, family);
    admit_seats_unlock();
    return error;
}

admit_error admit_gate_await_heirs(admit_gate *gate, const admit_hold *hold)
{
    UNCANCELLED;
    const struct seat *seat = admit_seat_of(gate, hold);
    return seat == NULL ? not_holding(gate) : admit_heirs_await(seat);
}
