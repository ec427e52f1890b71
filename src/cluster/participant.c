/* SPDX-License-Identifier: MIT
 *
 * What the text's words mean where there is a cluster. The text decides; here is what it is told, and nothing is decided that it
 * could decide.
 */
#include "cluster/store_world.h"

#define STORE_WORLD
#include "algorithms/etcd_gate.c"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const int64_t millisecond = 1000000;

struct participant {
    struct client client;
    struct locals locals; /* kept from one passage to the next */
};

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void pause_for(int64_t ns)
{
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static void name_key(const struct client *client, struct key key, char name[KEY_SIZE])
{
    static const char *const families[] = {
        [AGREED] = "k", [LINE] = "line/", [SLOTS] = "slot/", [PASSAGES] = "passages/"};
    char rest[48];
    switch (key.whose) {
    case THE_ONLY:
        snprintf(rest, sizeof rest, "%s", families[key.family]);
        break;
    case MINE:
        snprintf(rest, sizeof rest, "%s%016llx", families[key.family],
                 (unsigned long long)etcd_session_lease(client->session));
        break;
    case NUMBERED:
        snprintf(rest, sizeof rest, "%s%u", families[key.family], key.number);
        break;
    }
    key_of(name, client->gate->address.gate, rest);
}

/* The next pair of this family in the last answer, from *at on; NULL: there is none. */
static const struct etcd_pair *next_of(const struct client *client, enum family family, unsigned *at)
{
    char prefix[KEY_SIZE];
    name_key(client, the_only(family), prefix);
    const size_t length = strlen(prefix);
    while (*at < client->answer.pairs) {
        const struct etcd_pair *pair = &client->answer.pair[(*at)++];
        if (strncmp(pair->key, prefix, length) == 0 && (family != AGREED || pair->key[length] == '\0'))
            return pair;
    }
    return NULL;
}

/* A place in line that is somebody's, in the last answer. */
static const struct etcd_pair *next_place(const struct client *client, unsigned *at)
{
    const struct etcd_pair *pair;
    do
        pair = next_of(client, LINE, at);
    while (pair != NULL && lease_in(pair->key) == 0);
    return pair;
}

/* --- requests ------------------------------------------------------------------------------------------------------- */

/* What goes over the wire, with the texts that it points to. */
struct wire {
    struct etcd_txn txn;
    char key[3 * OF_A_TRANSACTION_MAX + 2][KEY_SIZE];
    unsigned keys;
    char k[16], lease[20];
    char *told; /* NULL: not needed so far; or no memory */
};

static const char *key_on(struct wire *wire, const struct client *client, struct key key)
{
    char *name = wire->key[wire->keys++];
    name_key(client, key, name);
    return name;
}

static struct etcd_condition condition_on(struct wire *wire, const struct client *client,
                                          const struct condition *condition)
{
    struct etcd_condition on = {.key = key_on(wire, client, condition->key), .relation = ETCD_EQUAL};
    if (condition->aspect == VALUE) {
        snprintf(wire->k, sizeof wire->k, "%llu", (unsigned long long)condition->is);
        on.target = ETCD_VALUE;
        on.value = wire->k;
    } else {
        on.target = condition->aspect == CREATED ? ETCD_CREATED : ETCD_MODIFIED;
        on.number = (int64_t)condition->is;
    }
    return on;
}

static const char *value_of(struct wire *wire, const struct client *client, enum family family)
{
    if (family == LINE) {
        struct told told = *client->wait->told;
        told.k = client->k;
        if (wire->told == NULL)
            wire->told = told_write(&told);
        return wire->told != NULL ? wire->told : "";
    }
    snprintf(wire->lease, sizeof wire->lease, "%016llx", (unsigned long long)etcd_session_lease(client->session));
    return family == SLOTS ? wire->lease : "";
}

static unsigned actions_on(struct wire *wire, const struct client *client,
                           const struct action actions[OF_A_TRANSACTION_MAX], struct etcd_op ops[ETCD_OPS_MAX])
{
    unsigned count = 0;
    for (unsigned a = 0; a < OF_A_TRANSACTION_MAX; a++) {
        const struct action *action = &actions[a];
        if (action->deed == NOTHING_MORE)
            continue;
        struct etcd_op *op = &ops[count++];
        *op = (struct etcd_op){.key = key_on(wire, client, action->key)};
        op->deed = action->deed == SETS ? ETCD_PUT : action->deed == REMOVES ? ETCD_DELETE : ETCD_LIST;
        op->prefix = action->deed == LISTS && action->key.family != AGREED;
        if (action->deed == SETS) {
            op->value = value_of(wire, client, action->key.family);
            op->lease = etcd_session_lease(client->session);
        }
    }
    return count;
}

static bool lists_line(const struct etcd_op *ops, unsigned count)
{
    for (unsigned o = 0; o < count; o++)
        if (ops[o].deed == ETCD_LIST)
            return true;
    return false;
}

/* Where others are listed k is, too: whoever waits is to know when it has changed. */
static unsigned with_k(struct wire *wire, const struct client *client, struct etcd_op ops[ETCD_OPS_MAX], unsigned count)
{
    if (lists_line(ops, count))
        ops[count++] = (struct etcd_op){.deed = ETCD_LIST, .key = key_on(wire, client, the_only(AGREED))};
    return count;
}

static void put_on_wire(struct wire *wire, const struct client *client, const struct transaction *transaction)
{
    struct etcd_txn *txn = &wire->txn;
    *wire = (struct wire){.keys = 0};
    for (unsigned c = 0; c < OF_A_TRANSACTION_MAX; c++)
        if (transaction->conditions[c].aspect != ALWAYS_TRUE)
            txn->condition[txn->conditions++] = condition_on(wire, client, &transaction->conditions[c]);
    txn->thens = with_k(wire, client, txn->then, actions_on(wire, client, transaction->then, txn->then));
    txn->elses = actions_on(wire, client, transaction->otherwise, txn->otherwise);
    txn->elses = with_k(wire, client, txn->otherwise, txn->elses);
}

static bool takes_slot(const struct transaction *transaction)
{
    for (unsigned a = 0; a < OF_A_TRANSACTION_MAX; a++)
        if (transaction->then[a].deed == SETS && transaction->then[a].key.family == SLOTS)
            return true;
    return false;
}

static void note_k(struct client *client, const struct wire *wire)
{
    unsigned at = 0;
    if (!lists_line(wire->txn.then, wire->txn.thens))
        return;
    const struct etcd_pair *pair = next_of(client, AGREED, &at);
    client->others_k = pair != NULL ? (unsigned)strtoul(pair->value, NULL, 10) : 0;
    if (client->others_k != 0)
        atomic_store(&client->gate->k, client->others_k);
}

static void take_answer(struct client *client, const struct wire *wire, const struct transaction *transaction,
                        struct answer *answer)
{
    unsigned at = 0;
    const int64_t own = etcd_session_lease(client->session);
    answer->done = client->answer.succeeded;
    for (const struct etcd_pair *pair; (pair = next_place(client, &at)) != NULL;)
        if (lease_in(pair->key) == own)
            answer->mine = pair->created;
    if (answer->done && takes_slot(transaction))
        client->token = client->answer.revision;
    note_k(client, wire);
}

/* Whether it is of no use to ask once more; then why is noted. */
static bool has_failed(struct client *client, enum etcd_result result)
{
    const enum etcd_reason reason = etcd_reason(client->etcd);
    if (result == ETCD_REFUSED && reason == ETCD_LEASE_GONE)
        return true;
    if (result == ETCD_REFUSED || reason == ETCD_NO_SPACE) {
        client->why = gate_etcd_failed(client->gate->name, client->etcd, result);
        return true;
    }
    return false;
}

/* Whether the caller does, for an answer or for its turn; then why is noted. */
static bool waits_no_longer(struct client *client)
{
    const struct participant_wait *wait = client->wait;
    if (wait == NULL)
        return etcd_now() >= client->patience_until;
    if (client->why != ADMIT_OK)
        return true;
    if (client->gives_up || (wait->interruptible && atomic_load(&client->gate->interrupts) != client->interrupts))
        client->why = gate_fails(ADMIT_INTERRUPTED, "gate \"%s\": interrupted", client->gate->name);
    else if (etcd_now() >= wait->until)
        client->why = gate_fails(ADMIT_TIMED_OUT, "gate \"%s\": timed out", client->gate->name);
    return client->why != ADMIT_OK;
}

void client_ask(struct client *client, const struct transaction *transaction, struct answer *answer)
{
    struct wire wire;
    *answer = (struct answer){.over = true};
    put_on_wire(&wire, client, transaction);
    client->unanswered = false;
    for (bool once_more = false; client_in_time(client); once_more = true) {
        if (once_more && waits_no_longer(client))
            break;
        if (once_more)
            pause_for(20 * millisecond);
        const int64_t limit = client->wait != NULL ? client->wait->until : client->patience_until;
        const int64_t soon = etcd_now() + 100 * millisecond; /* also for one whose time is over */
        etcd_answer_free(&client->answer);
        const enum etcd_result result =
            etcd_do(client->etcd, &wire.txn,
                    earlier(etcd_session_deadline(client->session), limit > soon ? limit : soon), &client->answer);
        if (result == ETCD_DONE) {
            answer->over = false;
            take_answer(client, &wire, transaction, answer);
            break;
        }
        client->unanswered = result != ETCD_REFUSED;
        if (has_failed(client, result))
            break;
    }
    free(wire.told);
}

/* --- what is in the answer ------------------------------------------------------------------------------------------ */

/* Without memory for who they are it looks again when any of the line goes. */
crowd client_before(struct client *client, const struct answer *answer)
{
    unsigned at = 0, count = 0;
    free(client->ahead);
    client->ahead = malloc((client->answer.pairs + 1) * sizeof *client->ahead);
    for (const struct etcd_pair *pair; (pair = next_place(client, &at)) != NULL;)
        if (answer->mine == 0 || pair->created < answer->mine) {
            if (client->ahead != NULL)
                client->ahead[count] = lease_in(pair->key);
            count++;
        }
    client->ahead_count = client->ahead != NULL ? count : 0;
    return count;
}

/* One that drew its place when k was 1 has slot 0 without a key. */
static bool has_slot_unsaid(const struct client *client)
{
    unsigned at = 0;
    struct told told;
    for (const struct etcd_pair *pair; (pair = next_place(client, &at)) != NULL;) {
        told_read(&told, pair->value);
        if (told.k == 1 && pair->lease != etcd_session_lease(client->session))
            return true;
    }
    return false;
}

static bool is_taken(const struct client *client, unsigned slot)
{
    unsigned at = 0;
    for (const struct etcd_pair *pair; (pair = next_of(client, SLOTS, &at)) != NULL;)
        if (strtoul(strrchr(pair->key, '/') + 1, NULL, 10) == slot)
            return true;
    return slot == 0 && client->k > 1 && has_slot_unsaid(client);
}

unsigned client_free_slot(struct client *client, const struct answer *answer, unsigned from)
{
    (void)answer;
    for (unsigned tried = 0; client->k > 1 && tried < client->k; tried++)
        if (!is_taken(client, (from + tried) % client->k))
            return (from + tried) % client->k;
    return from % client->k;
}

unsigned client_own_slot(struct client *client, const struct answer *answer)
{
    unsigned at = 0;
    (void)answer;
    for (const struct etcd_pair *pair; (pair = next_of(client, SLOTS, &at)) != NULL;)
        if (pair->lease == etcd_session_lease(client->session)) {
            client->token = pair->created;
            return (unsigned)strtoul(strrchr(pair->key, '/') + 1, NULL, 10);
        }
    return client->k;
}

bool client_agrees(struct client *client, const struct answer *answer)
{
    return answer->done || client->others_k == client->k;
}

/* --- waiting -------------------------------------------------------------------------------------------------------- */

/* A server that is cut off, or stands still, says nothing of those who go, and nobody goes in before somebody looks: soon.
 * But the longer the line, the more it costs to look at all of it. */
static int64_t until_next_look(const struct client *client)
{
    return 2000 * millisecond + 20 * millisecond * client->answer.pairs;
}

static void close_watch(struct client *client)
{
    struct etcd_watch *watch = atomic_exchange(&client->watch, NULL);
    while (watch != NULL && atomic_load(&client->interrupters) > 0)
        sched_yield();
    etcd_watch_close(watch);
}

/* A watch that is there already tells more than is asked for: what was deleted up to the answer is not news. One that is to be
 * made tells what happens from now on; whether that is all since the answer is known when it is there. To ask for all from the
 * answer on would be simpler, and be told up to a tenth of a second late at every store that is busy (etcd.h). */
void client_follow(struct client *client, const struct answer *answer)
{
    char prefix[KEY_SIZE];
    (void)answer;
    struct etcd_watch *watch = atomic_load(&client->watch);
    client->has_waited = true;
    client->followed = client->answer.revision;
    client->look_at = etcd_now() + until_next_look(client);
    if (watch != NULL && !client->watch_failed && etcd_watch_is_near(watch, client->etcd))
        return;
    close_watch(client);
    name_key(client, the_only(LINE), prefix);
    client->watches++;
    client->watch_begun = client->watch_failed = false;
    atomic_store(&client->watch, etcd_watch_open(client->etcd, prefix, 0, true));
}

void client_follows_no_longer(struct client *client)
{
    if (!client->comes_again)
        close_watch(client);
}

static void interrupt_watch(struct client *client)
{
    atomic_fetch_add(&client->interrupters, 1);
    struct etcd_watch *watch = atomic_load(&client->watch);
    if (watch != NULL)
        etcd_watch_interrupt(watch);
    atomic_fetch_sub(&client->interrupters, 1);
}

static void tell_place(struct client *client, crowd ahead)
{
    const struct participant_wait *wait = client->wait;
    if (wait->waiting == NULL || etcd_now() < client->tell_place_at)
        return;
    client->tell_place_at = etcd_now() + 500 * millisecond;
    client->gives_up |= wait->waiting(wait->data, ahead >= client->k ? ahead - client->k + 1 : 1) != 0;
}

/* False: what was deleted may be anything: all is looked at again. */
static bool takes_out(struct client *client, crowd *ahead, const char *key)
{
    const int64_t lease = lease_in(key);
    if (lease == 0 || lease == etcd_session_lease(client->session) || client->ahead == NULL)
        return false;
    for (unsigned a = 0; a < client->ahead_count; a++)
        if (client->ahead[a] == lease) {
            client->ahead[a] = client->ahead[--client->ahead_count];
            --*ahead;
            break;
        }
    return true;
}

static enum news must_look_again(struct client *client)
{
    client->watch_failed = true;
    return WATCH_ENDED;
}

static enum etcd_news next_event(struct client *client, struct etcd_watch *watch, int64_t until,
                                 struct etcd_event *event)
{
    int64_t revision;
    if (client->watch_begun)
        return etcd_watch_next(watch, until, event);
    const enum etcd_news news = etcd_watch_begin(watch, until, &revision);
    client->watch_begun = news == ETCD_WATCH_BEGUN;
    return client->watch_begun && revision > 0 && revision <= client->followed ? ETCD_NO_NEWS : news;
}

enum news client_news(struct client *client, crowd *ahead)
{
    struct etcd_event event;
    tell_place(client, *ahead);
    if (!client_in_time(client))
        return IS_OVER;
    if (client_gives_up(client))
        return SOME_HAVE_GONE; /* which gives it the opportunity */
    struct etcd_watch *watch = atomic_load(&client->watch);
    if (watch == NULL) {
        pause_for(100 * millisecond);
        return must_look_again(client);
    }
    int64_t until = earlier(client->wait->until, earlier(client->look_at, etcd_session_deadline(client->session)));
    if (client->wait->waiting != NULL)
        until = earlier(until, client->tell_place_at);
    switch (next_event(client, watch, until, &event)) {
    case ETCD_EVENT:
        return event.revision <= client->followed || takes_out(client, ahead, event.key) ? SOME_HAVE_GONE : WATCH_ENDED;
    case ETCD_WATCH_BEGUN: /* what happened since the answer, and before it was there, it does not tell */
        return WATCH_ENDED;
    case ETCD_WATCH_ENDED:
        pause_for(20 * millisecond);
        return must_look_again(client);
    case ETCD_NO_NEWS:
        return etcd_now() >= client->look_at ? must_look_again(client) : SOME_HAVE_GONE;
    case ETCD_WATCH_STOPPED:
        break;
    }
    return SOME_HAVE_GONE;
}

static admit_error no_slot(const struct client *client)
{
    return gate_fails(ADMIT_NO_SLOT, "gate \"%s\" has no free slot", client->gate->name);
}

bool client_gives_up(struct client *client)
{
    if (!waits_no_longer(client) && client->wait->only_if_free)
        client->why = no_slot(client);
    return client->why != ADMIT_OK || client->others_k != client->k; /* then it begins again, and keeps its place */
}

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
    interrupt_watch(client);
}

/* What it had under the lease comes back now, or if that cannot be said, when the lease ends by itself, as nobody renews it:
 * what may have been asked late is harmless, since nobody takes a place for its own that has another lease. */
void client_renew(struct client *client)
{
    close_watch(client);
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
    while (result == ETCD_INTERRUPTED && !waits_no_longer(client));
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
    close_watch(client);
    etcd_session_revoke(client->session, client->etcd);
    free_rest(participant);
}

void participant_rest(struct participant *participant)
{
    close_watch(&participant->client);
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

/* A look, so that it takes no place that it cannot use; but for one who comes in between. */
static bool seems_free(struct client *client)
{
    char prefix[KEY_SIZE];
    unsigned at = 0, places = 0;
    name_key(client, the_only(LINE), prefix);
    const struct etcd_txn txn = {.thens = 1,
                                 .then = {{.deed = ETCD_LIST, .key = prefix, .prefix = true, .keys_only = true}}};
    etcd_answer_free(&client->answer);
    if (etcd_do(client->etcd, &txn, etcd_now() + 1000 * millisecond, &client->answer) != ETCD_DONE)
        return true; /* why not will be seen */
    while (next_place(client, &at) != NULL)
        places++;
    return places < client->k;
}

static admit_error removed(const struct client *client)
{
    return gate_fails(ADMIT_REMOVED, "gate \"%s\" has been removed", client->gate->name);
}

static admit_error place_lost(const struct client *client)
{
    const char *why = client->unanswered ? etcd_text(client->etcd) : "this process was stopped, or could reach nobody";
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
            client->patience_until = etcd_now() + 3000 * millisecond;
            client->wait = NULL;
            leave(client, &participant->locals);
            close_watch(client);
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

/* A watch costs a connection, and the server each of its news; so that of one who has come back is kept that comes and goes, and
 * only as long as it has to wait each time. */
static void note_inside(struct client *client)
{
    if (!client->has_waited)
        close_watch(client);
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
    admit_error error = wait->only_if_free && !seems_free(client) ? no_slot(client) : begin_session(client);
    if (error == ADMIT_OK)
        error = go_in(participant);
    client->wait = NULL; /* which is the caller's */
    if (error != ADMIT_OK)
        return error;
    note_inside(client);
    *hold = (struct participant_hold){.slot = client->k > 1 ? own->slot : 0,
                                      .ticket = (uint64_t)own->created,
                                      .token = (uint64_t)(client->k > 1 ? client->token : own->created)};
    set_lost(client, wait->lost, wait->data);
    if (!client_in_time(client)) { /* its thread may have looked before there was anybody to tell */
        participant_leave(participant);
        return gate_fails(ADMIT_LOST, "gate \"%s\": the lease was over before it was inside", client->gate->name);
    }
    return ADMIT_OK;
}

/* Unless it had been lost it is well: if the cluster cannot be reached now, the slot comes back when the lease ends. */
admit_error participant_leave(struct participant *participant)
{
    struct client *client = &participant->client;
    const bool in_time = client_in_time(client);
    set_lost(client, NULL, NULL);
    client->wait = NULL;
    client->patience_until = etcd_now() + 3000 * millisecond;
    const bool was_lost = leave(client, &participant->locals) == WAS_LOST && !client->unanswered;
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
    interrupt_watch(client);
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
