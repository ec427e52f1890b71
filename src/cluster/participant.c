/* SPDX-License-Identifier: MIT
 *
 * A participant: its session, and the text of the gate on etcd, which it runs by what the other files of the store's world do.
 */
#include "cluster/store_world.h"

#define STORE_WORLD
#include "algorithms/etcd_gate.c"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct participant {
    struct client client;
    struct locals locals; /* kept from one passage to the next */
};

/* --- the session ---------------------------------------------------------------------------------------------------- */

bool client_in_time(struct client *client)
{
    return client->session != NULL && etcd_session_in_time(client->session);
}

/* By the session's thread. Not after leave has returned, which takes the lock before. */
static void session_is_over(void *data)
{
    struct client *client = data;
    pthread_mutex_lock(&client->lock);
    if (client->lost != NULL)
        client->lost(client->lost_data);
    client->lost = NULL;
    pthread_mutex_unlock(&client->lock);
    etcd_interrupt(client->etcd);
    client_interrupt_watch(client);
}

/* What it had under the lease comes back now, or if that cannot be said, when the lease ends by itself, as nobody renews it:
 * what may have been asked late is harmless, since nobody takes a place for its own that has another lease. */
void client_renew(struct client *client)
{
    client_close_watch(client);
    etcd_session_revoke(client->session, client->etcd);
    client->session = NULL;
}

static admit_error begin_session(struct client *client)
{
    const int64_t least = 5000 * millisecond, ttl = client->gate->ttl * 1000 * millisecond;
    if (client->session != NULL && !client_in_time(client))
        client_renew(client);
    if (client->session != NULL)
        return ADMIT_OK;
    const int64_t until = earlier(client->wait->until, etcd_now() + (ttl > least ? ttl : least));
    const int64_t soon = etcd_now() + 1000 * millisecond;
    enum etcd_result result;
    do /* what has interrupted it may have been the end of the session before */
        result = etcd_session_open(client->etcd, &client->gate->address.options, client->gate->ttl,
                                   until > soon ? until : soon, session_is_over, client, &client->session);
    while ((result == ETCD_INTERRUPTED ||
            (result == ETCD_UNKNOWN && etcd_reason(client->etcd) != ETCD_NO_SPACE && etcd_now() < until)) &&
           !client_waits_no_longer(client)); /* a lease that was granted in vain ends by itself */
    if (client->why != ADMIT_OK)
        return client->why;
    return result == ETCD_DONE ? ADMIT_OK : gate_etcd_failed(client->gate->name, client->etcd, result);
}

/* --- a participant --------------------------------------------------------------------------------------------------- */

struct participant *participant_new(struct cluster_gate *gate)
{
    return participant_new_with(gate, NULL);
}

struct participant *participant_new_with(struct cluster_gate *gate, struct etcd *given)
{
    struct participant *participant = calloc(1, sizeof *participant);
    struct etcd *etcd = given != NULL || participant == NULL ? given : etcd_open(&gate->address.options);
    if (participant == NULL || etcd == NULL) {
        etcd_close(etcd);
        gate_fails(participant != NULL ? ADMIT_BAD_OPTION : ADMIT_NO_MEMORY, "gate \"%s\": %s", gate->name,
                   participant != NULL ? etcd_open_failure() : "out of memory");
        free(participant);
        return NULL;
    }
    participant->client.gate = gate;
    participant->client.etcd = etcd;
    pthread_mutex_init(&participant->client.lock, NULL);
    return participant;
}

static void free_rest(struct participant *participant)
{
    struct client *client = &participant->client;
    etcd_close(client->etcd);
    etcd_answer_free(&client->answer);
    pthread_mutex_destroy(&client->lock);
    free(client->ahead);
    free(participant);
}

void participant_free(struct participant *participant)
{
    struct client *client = &participant->client;
    client_close_watch(client);
    etcd_session_revoke(client->session, client->etcd);
    free_rest(participant);
}

void participant_rest(struct participant *participant)
{
    client_close_watch(&participant->client);
    if (participant->client.session != NULL)
        client_renew(&participant->client);
    participant->locals = (struct locals){0};
}

void participant_forget(struct participant *participant)
{
    struct client *client = &participant->client;
    etcd_watch_close(atomic_exchange(&client->watch, NULL));
    etcd_session_forget(client->session);
    free_rest(participant);
}

/* A look, so that it takes no place that it cannot use; but for a client that comes in between. */
static bool seems_free(struct client *client)
{
    char prefix[KEY_SIZE];
    unsigned at = 0, places = 0;
    client_name_key(client, the_only(LINE), prefix);
    const struct etcd_txn txn = {.thens = 1,
                                 .then = {{.deed = ETCD_LIST, .key = prefix, .prefix = true, .keys_only = true}}};
    etcd_answer_free(&client->answer);
    if (etcd_do(client->etcd, &txn, etcd_now() + 1000 * millisecond, &client->answer) != ETCD_DONE)
        return true; /* why not will be seen */
    while (client_next_place(client, &at) != NULL)
        places++;
    return places < client->k;
}

static admit_error removed(const struct client *client)
{
    return gate_fails(ADMIT_REMOVED, "gate \"%s\" has been removed", client->gate->name);
}

static admit_error place_lost(const struct client *client)
{
    const bool told = client->unanswered && etcd_text(client->etcd)[0] != '\0';
    const char *why = told ? etcd_text(client->etcd) : "this process was stopped, or could reach nobody";
    return gate_fails(ADMIT_LOST, "gate \"%s\": the place in line is lost, as its lease is over: %s",
                      client->gate->name, why);
}

/* With the text's words; from the beginning, if k has changed meanwhile: it finds the place that it has. */
static admit_error go_in(struct participant *participant)
{
    struct client *client = &participant->client;
    for (;;) {
        client->others_k = client->k = atomic_load(&client->gate->k);
        switch (enter(client, &participant->locals)) {
        case TO_THE_END:
            return ADMIT_OK;
        case HAS_NO_PLACE:
            if (client->others_k == 0)
                client->why = removed(client);
            return client->why != ADMIT_OK ? client->why : place_lost(client);
        case OTHER_K:
        case GIVES_UP:
            if (client->others_k == 0)
                client->why = removed(client);
            if (client->why == ADMIT_OK)
                continue;
            client->patience_until = etcd_now() + 1000 * millisecond;
            client->wait = NULL;
            leave(client, &participant->locals);
            client_close_watch(client);
            return client->why;
        case WAS_LOST:
            break;
        }
        return ADMIT_LOST;
    }
}

static void set_lost(struct client *client, void (*lost)(void *data), void *data)
{
    pthread_mutex_lock(&client->lock);
    client->lost = lost;
    client->lost_data = data;
    pthread_mutex_unlock(&client->lock);
}

/* A watch costs a connection, and the server each of its news; so that of a client that has come back is kept that comes and goes, and
 * only as long as it has to wait each time. */
static void note_inside(struct client *client)
{
    if (!client->has_waited)
        client_close_watch(client);
    client->went_in_at = etcd_now();
}

static void begin(struct client *client, const struct participant_wait *wait)
{
    client->wait = wait;
    client->why = ADMIT_OK;
    client->gives_up = client->unanswered = false;
    client->tell_place_at = 0;
    client->token = 0;
    client->has_waited = false;
    client->comes_again = client->went_in_at != 0 && etcd_now() < client->went_in_at + 1000 * millisecond;
    client->interrupts = atomic_load(&client->gate->interrupts);
    client->k = atomic_load(&client->gate->k);
}

admit_error participant_enter(struct participant *participant, const struct participant_wait *wait,
                              struct participant_hold *hold)
{
    struct client *client = &participant->client;
    const struct own *own = &participant->locals.session.own;
    begin(client, wait);
    admit_error error = wait->only_if_free && !seems_free(client) ? client_no_slot(client) : begin_session(client);
    if (error == ADMIT_OK)
        error = go_in(participant);
    client->wait = NULL; /* which is the caller's */
    if (error != ADMIT_OK)
        return error;
    note_inside(client);
    const bool numbered = client_has_slot_keys(client);
    *hold = (struct participant_hold){.slot = numbered ? own->slot : 0,
                                      .ticket = (uint64_t)own->created,
                                      .token = (uint64_t)(numbered ? client->token : own->created)};
    set_lost(client, wait->lost, wait->data);
    if (!client_in_time(client)) { /* its thread may have looked before there was anybody to tell */
        participant_leave(participant);
        return gate_fails(ADMIT_LOST, "gate \"%s\": the lease was over before it was inside", client->gate->name);
    }
    return ADMIT_OK;
}

/* Unless it had been lost it is well: if the cluster cannot be reached now, or refuses, the slot comes back when the lease ends. */
admit_error participant_leave(struct participant *participant)
{
    struct client *client = &participant->client;
    const bool in_time = client_in_time(client);
    set_lost(client, NULL, NULL);
    client->wait = NULL;
    client->why = ADMIT_OK;
    client->patience_until = etcd_now() + 2000 * millisecond;
    const bool is_told = leave(client, &participant->locals) == WAS_LOST && !client->unanswered;
    const bool was_lost = is_told && client->why == ADMIT_OK;
    return in_time && !was_lost
               ? ADMIT_OK
               : gate_fails(ADMIT_LOST, "gate \"%s\": the hold was lost: its lease was over", client->gate->name);
}

int64_t participant_time_left(const struct participant *participant)
{
    const struct client *client = &participant->client;
    if (client->session == NULL || !etcd_session_in_time(client->session))
        return 0;
    const int64_t left = etcd_session_deadline(client->session) - etcd_now();
    return left > 0 ? left : 0;
}

void participant_interrupt(struct participant *participant)
{
    struct client *client = &participant->client;
    etcd_interrupt(client->etcd);
    client_interrupt_watch(client);
}

uint64_t participant_requests(const struct participant *participant)
{
    return etcd_requests(participant->client.etcd);
}

uint64_t participant_watches(const struct participant *participant)
{
    return participant->client.watches;
}

uint64_t participant_renewals(const struct participant *participant)
{
    return participant->client.session != NULL ? etcd_session_renewals(participant->client.session) : 0;
}
