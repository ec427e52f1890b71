/* SPDX-License-Identifier: MIT
 *
 * The text's transactions as etcd's, and asked until there is an answer.
 */
#include "cluster/store_world.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- requests ------------------------------------------------------------------------------------------------------- */

/* What goes over the wire, with the texts that it points to. */
struct wire {
    struct etcd_txn txn;
    char key[3 * OF_A_TRANSACTION_MAX + 4][KEY_SIZE];
    unsigned keys;
    char k[16], lease[20];
    char *told; /* NULL: not needed so far; or no memory */
};

static const char *key_on(struct wire *wire, const struct client *client, struct key key)
{
    char *name = wire->key[wire->keys++];
    client_name_key(client, key, name);
    return name;
}

static struct etcd_condition condition_on(struct wire *wire, const struct client *client,
                                          const struct condition *condition)
{
    struct etcd_condition on = {.key = key_on(wire, client, condition->key), .relation = ETCD_EQUAL};
    if (condition->aspect == LEASE_OF_OTHERS) {
        on = (struct etcd_condition){on.key, .prefix = true, ETCD_LEASE, ETCD_UNEQUAL};
        on.number = etcd_session_lease(client->session);
    } else if (condition->aspect == VALUE) {
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

static bool takes_slot(const struct action *action)
{
    return action->deed == SETS_FIRST_FREE;
}

/* One at least, which is k or more where somebody who came under another k has what would be free. And so many at most: more
 * would cost a server more than another request does (bench/etcd.md). */
static unsigned below_of(const struct action *action)
{
    enum { AT_ONCE = 16 };
    const unsigned from = action->key.number, below = action->below > from ? action->below : from + 1;
    return below - from < AT_ONCE ? below : from + AT_ONCE;
}

static unsigned actions_on(struct wire *wire, const struct client *client,
                           const struct action actions[OF_A_TRANSACTION_MAX], struct etcd_op ops[ETCD_OPS_MAX])
{
    unsigned count = 0;
    for (unsigned a = 0; a < OF_A_TRANSACTION_MAX; a++) {
        const struct action *action = &actions[a];
        if (action->deed == NOTHING_MORE)
            continue;
        static const enum etcd_deed deeds[] = {
            [SETS] = ETCD_PUT, [SETS_FIRST_FREE] = ETCD_PUT_FIRST_FREE, [REMOVES] = ETCD_DELETE, [LISTS] = ETCD_LIST};
        struct etcd_op *op = &ops[count++];
        *op = (struct etcd_op){.deed = deeds[action->deed]};
        op->prefix = op->keys_only = action->deed == LISTS && action->key.family != AGREED;
        op->key = key_on(wire, client, takes_slot(action) ? the_only(action->key.family) : action->key);
        if (takes_slot(action)) {
            op->from = action->key.number;
            op->below = below_of(action);
        }
        if (action->deed == SETS || takes_slot(action)) {
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

/* Where others are listed k is, too, and whether it has been another: whoever waits is to know when it has changed. */
static unsigned with_k(struct wire *wire, const struct client *client, struct etcd_op ops[ETCD_OPS_MAX], unsigned count)
{
    if (!lists_line(ops, count))
        return count;
    char *resized = wire->key[wire->keys++];
    key_of(resized, client->gate->address.gate, "resized");
    ops[count++] = (struct etcd_op){.deed = ETCD_LIST, .key = resized};
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

static void note_k(struct client *client, const struct wire *wire)
{
    unsigned at = 0;
    if (!lists_line(wire->txn.then, wire->txn.thens))
        return;
    const struct etcd_pair *pair = client_next_of(client, AGREED, &at);
    client->others_k = pair != NULL ? gate_number(pair->value) : 0;
    char resized[KEY_SIZE];
    key_of(resized, client->gate->address.gate, "resized");
    for (unsigned p = 0; p < client->answer.pairs; p++)
        client->resized |= strcmp(client->answer.pair[p].key, resized) == 0;
    if (client->others_k != 0)
        atomic_store(&client->gate->k, client->others_k);
}

/* Of the k who are enabled this one has none, so that one is free (docs/algorithms/etcd_gate.md): if all are taken, there are
 * some that nobody in the line has; or, where k has been another, that those have who came then. */
static bool finds_no_slot(struct client *client, const struct transaction *transaction, const struct answer *answer)
{
    if (!answer->done || !takes_slot(&transaction->then[0]) || client->resized ||
        client_own_slot(client, answer) != UINT_MAX || client_free_slot(client, answer, 0) < client->k)
        return false;
    client->why = gate_fails(ADMIT_GATE_CORRUPT,
                             "gate \"%s\": all of its %u slots are taken, but fewer are in line: "
                             "somebody else has written to the keys of its slots",
                             client->gate->name, client->k);
    return true;
}

static void take_answer(struct client *client, const struct wire *wire, const struct transaction *transaction,
                        struct answer *answer)
{
    unsigned at = 0;
    const int64_t own = etcd_session_lease(client->session);
    answer->done = client->answer.succeeded;
    for (const struct etcd_pair *pair; (pair = client_next_place(client, &at)) != NULL;)
        if (lease_in(pair->key) == own)
            answer->mine = pair->created;
    note_k(client, wire);
    answer->over = finds_no_slot(client, transaction, answer);
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

bool client_waits_no_longer(struct client *client)
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
        if (once_more && client_waits_no_longer(client))
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
            take_answer(client, &wire, transaction, answer);
            break;
        }
        client->unanswered = result != ETCD_REFUSED;
        if (has_failed(client, result))
            break;
    }
    free(wire.told);
}
