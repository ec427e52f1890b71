/* SPDX-License-Identifier: MIT
 *
 * etcd.h - a client of etcd, version 3, over its JSON gateway: transactions, leases, watches.
 *
 * It knows nothing of gates. A handle is for one thread at a time; each thread that needs one has its own. Whatever
 * goes wrong is told by one of five words, of which ETCD_UNKNOWN is the one to think about: a request that was sent and
 * not answered may have been done, may be done later, even after requests that were sent after it, or never.
 */
#ifndef ADMIT_CLUSTER_ETCD_H
#define ADMIT_CLUSTER_ETCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the cluster is, and who asks. What is NULL is not used. Copied by etcd_open. */
struct etcd_options {
    const char *endpoints;         /* HOST:PORT,HOST:PORT,...; an IPv6 address in brackets. The first, until it fails */
    bool tls;                      /* https */
    const char *ca;                /* files: of the authority that has signed the servers' certificates, */
    const char *certificate, *key; /* and of the client */
    const char *user, *password;
};

enum etcd_result {
    ETCD_DONE,
    ETCD_UNKNOWN,     /* no answer, or one that does not tell: see above */
    ETCD_UNREACHED,   /* certainly not done, and never will be: nobody could be reached, or had a leader, in time */
    ETCD_REFUSED,     /* certainly not done, and never will be: the cluster says so, and why */
    ETCD_INTERRUPTED, /* by etcd_interrupt: as ETCD_UNKNOWN otherwise */
};

enum etcd_reason {
    ETCD_NO_REASON,
    ETCD_LEASE_GONE, /* the lease that a key was to have is none, or has ended */
    /* The store is full (quota), and takes deletions only. Comes with ETCD_UNKNOWN: the first server that finds it
     * full says so of what it has just done. */
    ETCD_NO_SPACE,
    ETCD_NOT_ALLOWED, /* user, password, certificate, or what the user may do */
    ETCD_OTHER_REASON
};

struct etcd;

/* Reaches nobody yet. NULL: out of memory, or options that make no sense; etcd_open_failure says which. */
struct etcd *etcd_open(const struct etcd_options *options);
const char *etcd_open_failure(void); /* of this thread */
void etcd_close(struct etcd *etcd);

/* What the last call on this handle failed by, as one sentence, with the endpoint. */
const char *etcd_text(const struct etcd *etcd);
enum etcd_reason etcd_reason(const struct etcd *etcd);
/* Requests that were sent so far by this handle: round trips. */
uint64_t etcd_requests(const struct etcd *etcd);
/* From another thread or a signal handler: the call that is under way on this handle returns ETCD_INTERRUPTED soon,
 * or, if none is, the next one that would wait. */
void etcd_interrupt(struct etcd *etcd);

/* Nanoseconds of CLOCK_BOOTTIME, by which all deadlines here are told: it goes on while the machine is suspended. */
int64_t etcd_now(void);

/* --- transactions ------------------------------------------------------------------------------------------------- */

enum etcd_target { ETCD_CREATED, ETCD_MODIFIED, ETCD_VALUE, ETCD_LEASE };
enum etcd_relation { ETCD_EQUAL, ETCD_UNEQUAL, ETCD_LESS, ETCD_GREATER };

/* A key that is not there counts as created and modified at revision 0, and as without a lease; a condition on its
 * value does not hold, whatever the relation. With `prefix` all keys that there are must meet it, or if there is
 * none, such a one. */
struct etcd_condition {
    const char *key;
    bool prefix; /* all keys that begin so */
    enum etcd_target target;
    enum etcd_relation relation;
    int64_t number;
    const char *value; /* of ETCD_VALUE */
};

enum etcd_deed { ETCD_PUT, ETCD_PUT_FIRST_FREE, ETCD_DELETE, ETCD_LIST };

struct etcd_op {
    enum etcd_deed deed;
    const char *key;
    bool prefix; /* of ETCD_DELETE and ETCD_LIST: all keys that begin so */
    const char *value;
    int64_t lease; /* 0: none */
    bool keys_only;
    /* Of ETCD_PUT_FIRST_FREE: of the keys that are `key` and a number, from this one on and below that, the first that is not
     * there is put, if there is such a one. Each number is a transaction within the one before: a server takes some 120,
     * and what it does with them grows by the square (bench/etcd.md). */
    unsigned from, below;
};

enum { ETCD_OPS_MAX = 8 };

/* If all conditions hold, the one list is done, otherwise the other; in either case at once. */
struct etcd_txn {
    unsigned conditions, thens, elses;
    struct etcd_condition condition[ETCD_OPS_MAX];
    struct etcd_op then[ETCD_OPS_MAX], otherwise[ETCD_OPS_MAX];
};

struct etcd_pair {
    char *key, *value; /* with a 0 behind; values may have zeros inside */
    size_t value_size;
    int64_t created, modified, lease;
};

/* What came of it. `pair`: what the ETCD_LIST ops found, in their order, each sorted by the revision of creation. */
struct etcd_answer {
    bool succeeded;   /* the conditions held */
    int64_t revision; /* of the store, with what the transaction did in it */
    unsigned pairs;
    struct etcd_pair *pair;
};
void etcd_answer_free(struct etcd_answer *answer);

/* `until`: of CLOCK_BOOTTIME; ETCD_UNKNOWN or ETCD_UNREACHED then, ETCD_UNKNOWN also long before: where there are
 * several endpoints, one gets two seconds for an answer. Tries endpoints one after the other as long as the request
 * was certainly not done; one that may have been done is not sent again, unless it only reads: that is for the
 * caller, who knows whether it may be repeated, and then meets another endpoint. Reads are linearizable. There is
 * nothing in `answer` unless ETCD_DONE. */
enum etcd_result etcd_do(struct etcd *etcd, const struct etcd_txn *txn, int64_t until, struct etcd_answer *answer);

/* --- leases ------------------------------------------------------------------------------------------------------- */

/* The server may give more seconds than asked for. A lease of which the answer was lost ends by itself. */
enum etcd_result etcd_grant(struct etcd *etcd, unsigned seconds, int64_t until, int64_t *lease, unsigned *granted);
/* ETCD_REFUSED with ETCD_LEASE_GONE: it has ended. */
enum etcd_result etcd_keep_alive(struct etcd *etcd, int64_t lease, int64_t until, unsigned *granted);
enum etcd_result etcd_revoke(struct etcd *etcd, int64_t lease, int64_t until);

/* A lease that a thread of its own keeps alive. It has a deadline: that of the last keep-alive that was answered,
 * reckoned from when it was sent, so that it is over here before it is at any server, whatever the network did and
 * whether or not this process ran. Once it is over it stays so, though a later keep-alive might succeed. */
struct etcd_session;

/* Grants the lease, and begins to keep it. `over` is called once, by that thread, when the session is over; not after
 * etcd_session_close. Result as etcd_grant; the text of a failure is etcd's. When the thread finds another endpoint, `etcd` goes on
 * there, too. */
enum etcd_result etcd_session_open(struct etcd *etcd, const struct etcd_options *options, unsigned seconds,
                                   int64_t until, void (*over)(void *data), void *data, struct etcd_session **session);
int64_t etcd_session_lease(const struct etcd_session *session);
/* Of CLOCK_BOOTTIME; 0 once it is over. */
int64_t etcd_session_deadline(const struct etcd_session *session);
/* Asks the clock, too: false from the deadline on, even if the thread has not run since. */
bool etcd_session_in_time(const struct etcd_session *session);
/* How many keep-alives were asked for so far. */
uint64_t etcd_session_renewals(const struct etcd_session *session);
/* Ends the thread; revoke: and the lease, as well as that can be done in a second. Not to be called by `over`. */
void etcd_session_close(struct etcd_session *session, bool revoke);
/* The same; it is revoked by a request of this handle, which has a connection already. */
void etcd_session_revoke(struct etcd_session *session, struct etcd *etcd);
/* In a forked child, which has no such thread: frees what can be freed, and leaves the lease to the parent. (A
 * handle makes connections of its own there, if it is used; and a watch of the parent has ended.) */
void etcd_session_forget(struct etcd_session *session);

/* --- watches ------------------------------------------------------------------------------------------------------ */

struct etcd_watch;

enum etcd_news {
    ETCD_EVENT,
    ETCD_NO_NEWS,     /* by `until` */
    ETCD_WATCH_BEGUN, /* etcd_watch_begin alone */
    ETCD_WATCH_ENDED, /* connection lost, no leader, history compacted: what has happened since is not known; make it anew */
    ETCD_WATCH_STOPPED /* etcd_watch_interrupt; it goes on with the next call */
};

struct etcd_event {
    bool deleted;    /* else put */
    const char *key; /* these two until the next call */
    const char *value;
    int64_t revision;
};

/* All that happens to keys with this prefix from that revision on, in order; deletions only, if so. By a connection
 * of its own, to the endpoint that has answered this handle last: one that has ended is made anew after a call that
 * finds an endpoint which answers. NULL: out of memory. Whether it is there is told by the first etcd_watch_next. A
 * server that is stopped, not dead, tells nothing and ends nothing: look for yourself now and then. */
struct etcd_watch *etcd_watch_open(const struct etcd *etcd, const char *prefix, int64_t from, bool deletions_only);
enum etcd_news etcd_watch_next(struct etcd_watch *watch, int64_t until, struct etcd_event *event);
/* Waits until the server says that the watch is there, before the first etcd_watch_next. One that was opened from 0 on tells
 * all that happens after `*revision`. It tells it at once, too: a server that has gone on from the revision asked for when it
 * begins, however little, tells what has happened since by a look ten times a second, and what happens then as well. */
enum etcd_news etcd_watch_begin(struct etcd_watch *watch, int64_t until, int64_t *revision);
/* Not ended, as far as is known, and at the endpoint that has answered this handle last. */
bool etcd_watch_is_near(const struct etcd_watch *watch, const struct etcd *etcd);
/* From another thread or a signal handler. */
void etcd_watch_interrupt(struct etcd_watch *watch);
const char *etcd_watch_text(const struct etcd_watch *watch);
void etcd_watch_close(struct etcd_watch *watch);

#endif
