/* SPDX-License-Identifier: MIT
 *
 * protocol.h - entering and leaving, by which seat, and with how many slots.
 */
#ifndef ADMIT_GATE_PROTOCOL_PROTOCOL_H
#define ADMIT_GATE_PROTOCOL_PROTOCOL_H

#include "gate/file/elsewhere.h"
#include "gate/sleep/sleep.h"

/* --- the protocol: protocol.c, giving_up.c ------------------------------------------------------------------------ */

/* After a claim: recovers what the record held. False: of the process that died, a command has inherited that, and
 * runs. */
bool admit_protocol_join(struct seat *seat, bool after_death);
void admit_protocol_leave(struct seat *seat);
uint64_t admit_protocol_ticket(const struct seat *seat); /* of a process that is inside */
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
/* The one this thread is inside by, and no other may leave by; or NULL. */
struct seat *admit_seat_of(admit_gate *gate, const admit_hold *hold);
/* The one by which any thread of this process may leave, or NULL. With admit_seats_lock. */
struct seat *admit_seat_of_any(const admit_gate *gate, const admit_hold *hold);
void admit_seat_release(struct seat *seat, uint32_t life); /* with this value in its life word */
/* Whether this thread can leave the seat's ticket, which perhaps another has, in its record to nobody; then it does. */
bool admit_seat_leave_reserved(struct seat *seat);
/* A place that was given up is in line still. Of such seats a thread keeps one. */
void admit_seat_given_up(struct seat *seat);
/* A record that was kept back for nobody returns its ticket. */
bool admit_seat_free_reserved(admit_gate *gate, unsigned who, admit_error *error);
void admit_seats_close(admit_gate *gate);
/* Takes over what the dead have left behind, so that nobody looks at them again. Returns how many there were. */
unsigned admit_bury_dead(admit_gate *gate);

/* --- those who wait for a record: outside.c ----------------------------------------------------------------------- */

struct outsider {
    admit_gate *gate;
    uint32_t number;   /* in the order of arrival */
    struct seat *post; /* if it is the first of them */
    bool is_called;    /* by whoever woke it, or by having found nobody */
    uint32_t vacated;  /* before it looked for a record */
};

/* Whether somebody is there who came before. Of one that does not wait: beyond doubt. */
bool admit_outside_is_somebody(const admit_gate *gate, bool wait);
void admit_outside_begin(struct outsider *outsider, admit_gate *gate);
/* Whether this thread is the first of them, who looks for a record; or an error (noted). */
bool admit_outside_is_first(struct outsider *outsider, bool *failed);
/* for_a_place: what it waits for may be that a place which was given up is passed. */
void admit_outside_sleep(struct outsider *outsider, const struct sleeper *sleeper, bool for_a_place);
/* It has a record, or gives up; and when it has drawn, or given up, the next may be the first. */
void admit_outside_end(const struct outsider *outsider);
void admit_outside_next(admit_gate *gate);
/* Also of a forked child, in which it begins. */
void admit_outside_thread_ends(void);

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
