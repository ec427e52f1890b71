/* SPDX-License-Identifier: MIT
 *
 * participant.h - one participant of a gate on etcd: the text of src/algorithms/etcd_gate.c, run.
 *
 * A participant is inside at most once, and is used by one thread at a time, but for the calls that say otherwise. It keeps
 * its session from one passage to the next. src/cluster/gate.c has as many as threads are inside or wait at once.
 */
#ifndef ADMIT_CLUSTER_PARTICIPANT_H
#define ADMIT_CLUSTER_PARTICIPANT_H

#include "cluster/etcd.h"

#include <admit.h>

/* What all participants of one handle of a gate have in common. Keys: PREFIX/k, PREFIX/line/LEASE, PREFIX/slot/NUMBER,
 * PREFIX/passages/LEASE, where PREFIX is admit/GATE. */
struct cluster_gate {
    struct etcd_options options;
    char name[65];      /* GATE */
    char prefix[80];    /* admit/GATE/, with the slash */
    unsigned ttl;       /* seconds */
    _Atomic unsigned k; /* as it was seen last */
};

struct participant;

/* NULL: out of memory, or options that make no sense (etcd_open_failure). Reaches nobody yet. */
struct participant *participant_new(struct cluster_gate *gate);
/* Ends its session; what it had is given back by the end of its lease, at once if that can be revoked in a second. */
void participant_free(struct participant *participant);
/* In a forked child. */
void participant_forget(struct participant *participant);

struct participant_wait {
    const char *told; /* JSON: host, user, pid, command: the value of its key in the line. `since` is added */
    int64_t until;    /* CLOCK_BOOTTIME; INT64_MAX: for ever */
    bool only_if_free;
    /* As in admit_wait. place: 1 for the next. Called when the wait begins and about twice a second; not 0: gives up. */
    int (*waiting)(void *data, unsigned place);
    void *data;
    /* Called once if the hold is lost while it is inside, by the session's thread: it must not call the participant. */
    void (*lost)(void *data);
};

struct participant_hold {
    unsigned slot;
    int64_t token; /* the revision at which its key was made */
};

/* ADMIT_OK, ADMIT_TIMED_OUT, ADMIT_NO_SLOT, ADMIT_INTERRUPTED, ADMIT_NO_GATE (there is no k), ADMIT_LOST (the session was over
 * before it was inside, or nobody can be reached for as long), ADMIT_SYSTEM: admit_last_error_text says what. */
admit_error participant_enter(struct participant *participant, const struct participant_wait *wait,
                              struct participant_hold *hold);
/* ADMIT_LOST: it had been lost before; it is not inside in any case. */
admit_error participant_leave(struct participant *participant);
/* Nanoseconds until the hold is lost unless the session is kept; 0: it is lost. By any thread. */
int64_t participant_time_left(const struct participant *participant);
/* By any thread or a signal handler: a wait ends with ADMIT_INTERRUPTED. */
void participant_interrupt(struct participant *participant);
/* Round trips so far, for the bench. */
uint64_t participant_requests(const struct participant *participant);

#endif
