/* SPDX-License-Identifier: MIT
 *
 * there.h - what a handle of a gate on etcd is.
 */
#ifndef ADMIT_CLUSTER_THERE_H
#define ADMIT_CLUSTER_THERE_H

#include "cluster/participant.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* Of a participant: there are as many as threads were inside or waited by this handle at once. */
struct seat {
    struct seat *next; /* never changed: a signal handler goes through all of them */
    struct participant *participant;
    bool busy;
    uint64_t ticket, token; /* 0: it is not inside */
};

struct there {
    struct cluster_gate gate;
    pid_t process;          /* which has opened it */
    pthread_mutex_t asking; /* of `etcd`, for what is asked by nobody who goes in; it may be a while */
    struct etcd *etcd;      /* NULL: the first participant has it */
    pthread_mutex_t lock;   /* of what follows, but for `seats` */
    struct told told;
    struct seat *_Atomic seats;
    unsigned idle; /* of these, with a session perhaps */
};

/* With the lock `asking`: there->etcd, or another that is made. NULL: an error has been noted. */
struct etcd *there_etcd(struct there *there);

/* view.c */
admit_view *there_inspect(void *there);
unsigned there_waiters(void *there);
admit_error there_list(const char *where, int (*one)(void *data, const char *name, const char *path), void *data);

/* manage.c. Up to when one waits for an answer that a person waits for. */
int64_t gate_patience(void);
/* So long it was waited, for that. */
void gate_waited(int64_t since, enum etcd_result result);
/* From now on this thread lists all gates, or does not: then what it waits for in vain counts for all of them. Returns what was. */
bool gate_lists_all(bool all);
/* The number of slots that this key says in the answer; 0: none that could be. */
unsigned gate_number_in(const struct etcd_answer *answer, const char *key);
/* What the store says k is, or makes it that if there is no gate and k is not 0. */
admit_error there_agree(struct there *there, unsigned k);
unsigned there_declared_k(void *there);
admit_error there_set_k(void *there, unsigned k, bool declare);
admit_error there_remove(const char *name, bool force);

/* gate.c */
struct there *there_new(const char *name, unsigned ttl);
void there_close(void *there);

#endif
