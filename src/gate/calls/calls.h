/* SPDX-License-Identifier: MIT
 *
 * calls.h - what the calls of admit.h are made of that open, make, empty and remove gates.
 */
#ifndef ADMIT_GATE_CALLS_CALLS_H
#define ADMIT_GATE_CALLS_CALLS_H

#include "gate/protocol/protocol.h"

/* Of a gate that another is to take the place of: nobody uses it from now on, or ADMIT_BUSY. */
admit_error admit_retire(admit_gate *gate);
/* Takes away the file of a gate that has been removed, if whoever removed it was killed before. */
admit_error admit_finish_removal(admit_gate *gate);
/* By force: one of an earlier version is made anew, whoever uses it. */
admit_gate *admit_gate_open_to_remove(const char *name, bool by_force);
/* Makes a gate of an earlier version anew, if nobody uses it: then ADMIT_REMOVED. */
admit_error admit_gate_renew(const admit_gate *gate);
/* Checks and maps the open file, and empties it if it is of an earlier boot. of_others: its owner may be another user
 * who has shared it. */
admit_error admit_gate_map(admit_gate *gate, bool of_others);

#endif
