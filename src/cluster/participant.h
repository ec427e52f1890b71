/* SPDX-License-Identifier: MIT
 *
 * participant.h - one participant of a gate on etcd: the text of src/algorithms/etcd_gate.c, run.
 *
 * A participant is inside at most once, and is used by one thread at a time, but for the calls that say otherwise. It keeps
 * its session from one passage to the next.
 */
#ifndef ADMIT_CLUSTER_PARTICIPANT_H
#define ADMIT_CLUSTER_PARTICIPANT_H

#include "cluster/gate.h"

/* What all participants of one handle of a gate have in common. */
struct cluster_gate {
    struct address address;
    char name[1200];              /* as it was opened by */
    unsigned ttl;                 /* seconds */
    _Atomic unsigned k, declared; /* as they were seen last */
    _Atomic unsigned interrupts;  /* how many there have been */
};

struct participant;

/* NULL: an error has been noted. Reaches nobody yet. */
struct participant *participant_new(struct cluster_gate *gate);
/* With a handle that is given, and the connection that it has, which is the participant's from now on; NULL: with one of its own. */
struct participant *participant_new_with(struct cluster_gate *gate, struct etcd *given);
/* Ends its session; what it had is given back by the end of its lease, at once if that can be revoked in a second. */
void participant_free(struct participant *participant);
/* Ends its session; the next passage begins another. */
void participant_rest(struct participant *participant);
/* In a forked child. */
void participant_forget(struct participant *participant);

struct participant_wait {
    const struct told *told;
    int64_t until; /* of etcd_now; INT64_MAX: for ever */
    bool only_if_free, interruptible;
    /* As in admit_wait, with data. place: 1 for the next. Called when the wait begins and about twice a second; not 0: gives up. */
    int (*waiting)(void *data, unsigned place);
    /* Called once if the hold is lost while it is inside, by the session's thread. */
    void (*lost)(void *data);
    void *data;
};

struct participant_hold {
    unsigned slot;
    uint64_t ticket, token; /* the revisions at which its place, and its slot, was created */
};

/* ADMIT_LOST: its session was over before it was inside, so that its place is lost. What else it may be: an error of
 * admit_gate_enter_with, noted. */
admit_error participant_enter(struct participant *participant, const struct participant_wait *wait,
                              struct participant_hold *hold);
/* ADMIT_LOST: it had been lost before; it is not inside in any case. */
admit_error participant_leave(struct participant *participant);
/* Nanoseconds until the hold is lost unless the session is kept; 0: it is lost. By any thread. */
int64_t participant_time_left(const struct participant *participant);
/* By any thread or a signal handler, after one has been added to the gate's interrupts: a wait that is interruptible ends
 * with ADMIT_INTERRUPTED. */
void participant_interrupt(struct participant *participant);
/* For the bench: round trips so far, but for those of the session's thread and those of watches; watches that were begun; and
 * keep-alives of the present session. */
uint64_t participant_requests(const struct participant *participant);
uint64_t participant_watches(const struct participant *participant);
uint64_t participant_renewals(const struct participant *participant);

#endif
