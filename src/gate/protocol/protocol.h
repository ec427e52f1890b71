/* SPDX-License-Identifier: MIT
 *
 * protocol.h - entering and leaving, by which seat, and with how many slots.
 */
#ifndef ADMIT_GATE_PROTOCOL_PROTOCOL_H
#define ADMIT_GATE_PROTOCOL_PROTOCOL_H

#include "gate/sleep/sleep.h"

/* --- the protocol: protocol.c, giving_up.c ------------------------------------------------------------------------ */

void admit_protocol_join(struct seat *seat); /* after a claim: recovers what the record held */
void admit_protocol_leave(struct seat *seat);
uint64_t admit_protocol_ticket(const struct seat *seat); /* of one who is inside */
/* Instead of leaving: the slot is free, the ticket stays out, for nobody. */
void admit_protocol_reserve(struct seat *seat);
/* A free slot, whatever is being done to the gate otherwise. */
admit_error admit_protocol_try(admit_gate *gate, admit_hold *hold);
/* Notes this error as the reason, with its text. */
void admit_give_reason(struct sleeper *sleeper, admit_error error);

/* --- seats: seats.c ----------------------------------------------------------------------------------------------- */

/* The seat that this thread used last, for the fast path; with state 0 if there is none. */
extern __thread struct seat *admit_recent OF_THREAD;

/* A free one of this thread; NULL: what the sleeper says. `wait`: until there is one, if that is a matter of time. */
struct seat *admit_seat_find(admit_gate *gate, struct sleeper *sleeper, bool wait);
struct seat *admit_seat_of(admit_gate *gate, const admit_hold *hold); /* the one this thread is inside by, or NULL */
void admit_seat_release(struct seat *seat, uint32_t life);            /* with this value in its life word */
/* A place that was given up is in line still. Of such seats a thread keeps one. */
void admit_seat_given_up(struct seat *seat);
/* A record that was kept back for nobody returns its ticket. */
bool admit_seat_free_reserved(admit_gate *gate, unsigned who, admit_error *error);
void admit_seats_close(admit_gate *gate);
/* Takes over what the dead have left behind, so that nobody looks at them again. Returns how many there were. */
unsigned admit_bury_dead(admit_gate *gate);

/* --- how many slots: manage.c ------------------------------------------------------------------------------------- */

/* Whoever stands in line cannot take a free slot away: it has no other ticket to do so, and there is none as long as it
 * waits. */
enum settler { OUTSIDE_THE_LINE, IN_LINE };
/* Sees to it that there are k slots, if nobody else is at it. */
void admit_settle_k(admit_gate *gate, enum settler settler);
/* Leaves a gate that is being resized. Whether the seat is there still: its record may be kept back for nobody. */
bool admit_leave_resizing(admit_gate *gate, struct seat *seat);
/* What whoever waits, or finds no slot, does now and then: looks for those whose death the kernel has not marked, for a
 * resize that was not finished, and for the gate's file. Returns whether it was time to. */
bool admit_look_around(admit_gate *gate, enum settler settler);

#endif
