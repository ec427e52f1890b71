/* SPDX-License-Identifier: MIT
 *
 * store_world.h - the native world of store.h: a participant, and what the words of the text mean for it. The text decides;
 * here is what it is told, and nothing is decided that it could decide.
 */
#ifndef ADMIT_CLUSTER_STORE_WORLD_H
#define ADMIT_CLUSTER_STORE_WORLD_H

#include "cluster/participant.h"
#include "registers/transaction.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

typedef int64_t revision;
typedef unsigned crowd;

/* What stands in it is the client's, until it asks again. */
struct answer {
    bool done, over;
    revision mine;
};

struct client {
    struct cluster_gate *gate;
    struct etcd *etcd;
    struct etcd_session *session;        /* NULL: none; it is asked for when one goes in */
    const struct participant_wait *wait; /* NULL: it is not on its way in */
    int64_t patience_until;              /* of etcd_now: up to when one that leaves waits for an answer */
    unsigned k, others_k;      /* with which it goes in; what the store said last, 0: there is no gate any more */
    bool resized;              /* k has been another: slots have keys, whatever it is now */
    bool unanswered;           /* it has waited for an answer in vain */
    bool gives_up;             /* since the caller said so while it waited */
    admit_error why;           /* it is not inside; noted */
    struct etcd_answer answer; /* the last one */
    revision token;            /* of its slot */
    int64_t *ahead;            /* the leases of those before, as many as have not been seen to go */
    unsigned ahead_count;
    int64_t tell_place_at, look_at; /* of etcd_now: the next time, whatever the watch says */
    revision followed;              /* news is what was deleted after it */
    bool watch_begun, watch_failed; /* it is known to be there; its news are not to be relied upon */
    bool has_waited;                /* on its way in */
    bool comes_again;               /* soon after the last time: what it has for a wait it keeps for the next */
    int64_t went_in_at;             /* of etcd_now, the last time; 0: never */
    unsigned interrupts;            /* of the gate, when it began */
    uint64_t watches;               /* so far */
    /* What others interrupt: they come by a signal handler, too, so there is no lock. Whoever uses it counts itself before it
     * takes the pointer; who takes it away waits until nobody is counted. */
    struct etcd_watch *_Atomic watch; /* NULL: nothing is followed */
    atomic_uint interrupters;
    pthread_mutex_t lock;     /* of the rest, which the session's thread reads */
    void (*lost)(void *data); /* NULL: it is not inside, or nobody wants to know */
    void *lost_data;
};

#define how_many_are_left(crowd_) (crowd_)

static inline unsigned client_k(const struct client *client)
{
    return client->k;
}

void client_ask(struct client *client, const struct transaction *transaction, struct answer *answer);
crowd client_before(struct client *client, const struct answer *answer);
bool client_has_slot_keys(const struct client *client);
unsigned client_free_slot(struct client *client, const struct answer *answer, unsigned from);
unsigned client_own_slot(struct client *client, const struct answer *answer);
bool client_agrees(struct client *client, const struct answer *answer);
void client_follow(struct client *client, const struct answer *answer);
enum news client_news(struct client *client, crowd *ahead);
void client_follows_no_longer(struct client *client);
bool client_in_time(struct client *client);
void client_renew(struct client *client);
bool client_gives_up(struct client *client);

/* --- what the files of this world share ------------------------------------------------------------------------------- */

/* Nanoseconds. */
static const int64_t millisecond = 1000000;

static inline int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline void pause_for(int64_t ns)
{
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

/* store_line.c. How a key is called in the store. */
void client_name_key(const struct client *client, struct key key, char name[KEY_SIZE]);
/* The next pair of this family in the last answer, from *at on; NULL: there is none. */
const struct etcd_pair *client_next_of(const struct client *client, enum family family, unsigned *at);
/* The same of a place in line that is somebody's. */
const struct etcd_pair *client_next_place(const struct client *client, unsigned *at);

/* store_request.c. Whether the caller does, for an answer or for its turn; then why is noted. */
bool client_waits_no_longer(struct client *client);

/* store_news.c. ADMIT_NO_SLOT, noted. */
admit_error client_no_slot(const struct client *client);
void client_close_watch(struct client *client);
/* From another thread or a signal handler. */
void client_interrupt_watch(struct client *client);

#endif
