/* SPDX-License-Identifier: MIT
 *
 * How many slots a gate on etcd has, and its end.
 *
 * k is two keys, `k` and `declared`, which change together. A client that draws a place does so under the condition that k is what it
 * believes; who waits is told of a change by line/0, a place of nobody's that goes in the transaction that changes k.
 */
#include "cluster/there.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For how long this thread has waited in vain, of which a listing of all gates has as much patience as for one. */
static _Thread_local bool lists_all;
static _Thread_local int64_t waited_in_vain;

int64_t gate_patience(void)
{
    return etcd_now() + 10 * INT64_C(1000000000) - waited_in_vain;
}

void gate_waited(int64_t since, enum etcd_result result)
{
    if (lists_all && result != ETCD_DONE)
        waited_in_vain += etcd_now() - since;
}

bool gate_lists_all(bool all)
{
    const bool before = lists_all;
    lists_all = all;
    if (!all)
        waited_in_vain = 0;
    return before;
}

unsigned gate_number_in(const struct etcd_answer *answer, const char *key)
{
    for (unsigned p = 0; p < answer->pairs; p++)
        if (strcmp(answer->pair[p].key, key) == 0)
            return gate_number(answer->pair[p].value);
    return 0;
}

/* Harmless if it is done twice, so it is asked until there is an answer. */
static enum etcd_result ask(struct etcd *etcd, const struct etcd_txn *txn, struct etcd_answer *answer)
{
    const int64_t begun = etcd_now(), until = gate_patience();
    enum etcd_result result;
    do
        result = etcd_do(etcd, txn, until, answer);
    while ((result == ETCD_UNKNOWN || result == ETCD_UNREACHED || result == ETCD_INTERRUPTED) &&
           etcd_reason(etcd) != ETCD_NO_SPACE && etcd_now() < until);
    gate_waited(begun, result);
    return result;
}

/* For what there is no answer to but that it was done. */
static enum etcd_result ask_only(struct etcd *etcd, const struct etcd_txn *txn)
{
    struct etcd_answer answer;
    const enum etcd_result result = ask(etcd, txn, &answer);
    if (result == ETCD_DONE)
        etcd_answer_free(&answer);
    return result;
}

struct keys {
    char k[KEY_SIZE], declared[KEY_SIZE], resized[KEY_SIZE], text[16];
};

static void name_keys(struct keys *keys, const struct there *there, unsigned k)
{
    key_of(keys->k, there->gate.address.gate, "k");
    key_of(keys->declared, there->gate.address.gate, "declared");
    key_of(keys->resized, there->gate.address.gate, "resized");
    snprintf(keys->text, sizeof keys->text, "%u", k);
}

static admit_error check_k(const struct there *there, unsigned k, unsigned present, unsigned declared)
{
    char other[32] = "";
    if (k == 0 || k == present || k == declared)
        return ADMIT_OK;
    if (declared != present)
        snprintf(other, sizeof other, " (declared with %u)", declared);
    return gate_fails(ADMIT_OTHER_K, "gate \"%s\" has k = %u%s, not %u; `admit resize %s %u` changes it for everybody",
                      there->gate.name, present, other, k, there->gate.name, k);
}

/* Makes it what is asked for if there is none, and finds what it is otherwise. A transaction that could write is written down
 * by most of the servers before it is answered, even if it writes nothing; so one looks first, which is all that is needed but
 * for the first who comes. */
static enum etcd_result look_or_make(struct there *there, const struct keys *keys, bool make,
                                     struct etcd_answer *answer)
{
    struct etcd_txn txn = {
        .conditions = 1,
        .condition = {{.key = keys->k, .target = ETCD_CREATED, .relation = ETCD_EQUAL, .number = 0}},
        .elses = 2,
        .otherwise = {{.deed = ETCD_LIST, .key = keys->k}, {.deed = ETCD_LIST, .key = keys->declared}}};
    const enum etcd_result result = ask(there->etcd, &txn, answer);
    if (result != ETCD_DONE || !answer->succeeded || !make)
        return result;
    etcd_answer_free(answer);
    txn.thens = 2;
    txn.then[0] = (struct etcd_op){.deed = ETCD_PUT, .key = keys->k, .value = keys->text};
    txn.then[1] = (struct etcd_op){.deed = ETCD_PUT, .key = keys->declared, .value = keys->text};
    return ask(there->etcd, &txn, answer);
}

admit_error there_agree(struct there *there, unsigned k)
{
    struct keys keys;
    struct etcd_answer answer;
    name_keys(&keys, there, k);
    const enum etcd_result result = look_or_make(there, &keys, k != 0, &answer);
    if (result != ETCD_DONE)
        return gate_etcd_failed(there->gate.name, there->etcd, result);
    const unsigned present = answer.succeeded ? k : gate_number_in(&answer, keys.k);
    const unsigned declared = answer.succeeded ? k : gate_number_in(&answer, keys.declared);
    const bool missing = answer.succeeded && k == 0;
    etcd_answer_free(&answer);
    if (missing)
        return gate_fails(ADMIT_NO_GATE, "there is no gate \"%s\"", there->gate.name);
    if (present == 0 || declared == 0)
        return gate_fails(ADMIT_GATE_CORRUPT, "gate \"%s\": %s is no number of slots", there->gate.name,
                          present == 0 ? keys.k : keys.declared);
    atomic_store(&there->gate.k, present);
    atomic_store(&there->gate.declared, declared);
    return check_k(there, k, present, declared);
}

unsigned there_declared_k(void *handle)
{
    return atomic_load(&((struct there *)handle)->gate.declared);
}

/* Of a removal by force. */
static enum etcd_result tell_those_who_wait(struct there *there)
{
    char key[KEY_SIZE];
    key_of(key, there->gate.address.gate, "line/0");
    const struct etcd_txn comes = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = key, .value = ""}}};
    const struct etcd_txn goes = {.thens = 1, .then = {{.deed = ETCD_DELETE, .key = key}}};
    const enum etcd_result result = ask_only(there->etcd, &comes);
    return result == ETCD_DONE ? ask_only(there->etcd, &goes) : result;
}

/* Who is the first in the line, of those whose places were listed; NULL: nobody is. */
static const struct etcd_pair *first_in_line(const struct etcd_answer *answer, const char *line)
{
    for (unsigned p = 0; p < answer->pairs; p++)
        if (strncmp(answer->pair[p].key, line, strlen(line)) == 0 && lease_in(answer->pair[p].key) != 0)
            return &answer->pair[p];
    return NULL;
}

static bool is_listed(const struct etcd_answer *answer, const char *key)
{
    for (unsigned p = 0; p < answer->pairs; p++)
        if (strcmp(answer->pair[p].key, key) == 0)
            return true;
    return false;
}

/* All at once, and under the condition that the line is as it was seen, when k is changed for the first time: line/0 goes, so that
 * all who wait hear of the change before they hear of anything later; and if k was 1, the first in the line has slot 0 by a key from now
 * on, which it has had without one. */
static enum etcd_result change_once(struct there *there, const struct keys *keys, bool declare, bool *done,
                                    bool *missing)
{
    char line[KEY_SIZE], tell[KEY_SIZE], slot[KEY_SIZE];
    struct etcd_answer seen, answer;
    key_of(line, there->gate.address.gate, "line/");
    key_of(tell, there->gate.address.gate, "line/0");
    key_of(slot, there->gate.address.gate, "slot/0");
    const struct etcd_txn look = {.thens = 3,
                                  .then = {{.deed = ETCD_LIST, .key = line, .prefix = true, .keys_only = true},
                                           {.deed = ETCD_LIST, .key = keys->k},
                                           {.deed = ETCD_LIST, .key = keys->resized}}};
    enum etcd_result result = ask(there->etcd, &look, &seen);
    if (result != ETCD_DONE)
        return result;
    const struct etcd_pair *first = first_in_line(&seen, line);
    struct etcd_txn txn = {.conditions = 1,
                           .condition = {{.key = keys->k, .target = ETCD_CREATED, .relation = ETCD_UNEQUAL}},
                           .thens = 3,
                           .then = {{.deed = ETCD_PUT, .key = keys->k, .value = keys->text},
                                    {.deed = ETCD_PUT, .key = keys->resized, .value = ""},
                                    {.deed = ETCD_DELETE, .key = tell}}};
    if (declare)
        txn.then[txn.thens++] = (struct etcd_op){.deed = ETCD_PUT, .key = keys->declared, .value = keys->text};
    if (!is_listed(&seen, keys->resized)) {
        txn.condition[txn.conditions++] = (struct etcd_condition){.key = keys->resized, .target = ETCD_CREATED};
        txn.condition[txn.conditions++] = (struct etcd_condition){
            .key = line, .prefix = true, .target = ETCD_CREATED, .relation = ETCD_LESS, .number = seen.revision + 1};
        if (first != NULL)
            txn.condition[txn.conditions++] =
                (struct etcd_condition){.key = first->key, .target = ETCD_CREATED, .number = first->created};
        if (first != NULL && gate_number_in(&seen, keys->k) == 1)
            txn.then[txn.thens++] = (struct etcd_op){
                .deed = ETCD_PUT, .key = slot, .value = strrchr(first->key, '/') + 1, .lease = first->lease};
    }
    *missing = !is_listed(&seen, keys->k);
    result = *missing ? ETCD_DONE : etcd_do(there->etcd, &txn, gate_patience(), &answer);
    if (result == ETCD_DONE && !*missing) {
        *done = answer.succeeded;
        etcd_answer_free(&answer);
    }
    etcd_answer_free(&seen);
    return result;
}

/* What was not answered may have been done; done twice it does no harm. */
static enum etcd_result change_k(struct there *there, const struct keys *keys, bool declare, bool *missing)
{
    char tell[KEY_SIZE];
    const int64_t until = gate_patience();
    enum etcd_result result;
    bool done = false;
    key_of(tell, there->gate.address.gate, "line/0");
    const struct etcd_txn comes = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = tell, .value = ""}}};
    do {
        result = ask_only(there->etcd, &comes);
        if (result == ETCD_DONE)
            result = change_once(there, keys, declare, &done, missing);
    } while (!done && !*missing && etcd_now() < until &&
             (result != ETCD_REFUSED || etcd_reason(there->etcd) == ETCD_LEASE_GONE) &&
             etcd_reason(there->etcd) != ETCD_NO_SPACE);
    return result;
}

admit_error there_set_k(void *handle, unsigned k, bool declare)
{
    struct there *there = handle;
    struct keys keys;
    bool missing = false;
    if (k < 1 || k > ADMIT_GATE_K_MAX)
        return gate_fails(ADMIT_BAD_OPTION, "gate \"%s\" can have k from 1 to %d, not %u", there->gate.name,
                          ADMIT_GATE_K_MAX, k);
    name_keys(&keys, there, k);
    pthread_mutex_lock(&there->asking);
    const bool can_ask = there_etcd(there) != NULL;
    const enum etcd_result result = can_ask ? change_k(there, &keys, declare, &missing) : ETCD_UNREACHED;
    const admit_error error = !can_ask              ? ADMIT_BAD_OPTION
                              : result != ETCD_DONE ? gate_etcd_failed(there->gate.name, there->etcd, result)
                                                    : ADMIT_OK;
    pthread_mutex_unlock(&there->asking);
    if (missing)
        return gate_fails(ADMIT_REMOVED, "gate \"%s\" has been removed", there->gate.name);
    if (error == ADMIT_OK) {
        atomic_store(&there->gate.k, k);
        if (declare)
            atomic_store(&there->gate.declared, k);
    }
    return error;
}

/* --- the end --------------------------------------------------------------------------------------------------------- */

static admit_error name_people(struct there *there)
{
    char people[256] = "";
    size_t at = 0;
    admit_view *view = there_inspect(there);
    for (unsigned p = 0; view != NULL && p < view->holders + view->waiters && at + 100 < sizeof people; p++) {
        const admit_participant *one = p < view->holders ? &view->holder[p] : &view->waiter[p - view->holders];
        at +=
            (size_t)snprintf(people + at, sizeof people - at, "%sprocess %ld%s%.40s %s", at > 0 ? ", " : "", one->pid,
                             one->host[0] != '\0' ? " on " : "", one->host, p < view->holders ? "is inside" : "waits");
    }
    admit_view_free(view);
    return gate_fails(ADMIT_BUSY, "gate \"%s\" is in use: %s", there->gate.name,
                      people[0] != '\0' ? people : "somebody");
}

static admit_error remove_unused(struct there *there)
{
    char all[KEY_SIZE], line[KEY_SIZE], tell[KEY_SIZE];
    struct etcd_answer answer;
    key_of(all, there->gate.address.gate, "");
    key_of(line, there->gate.address.gate, "line/");
    key_of(tell, there->gate.address.gate, "line/0");
    const struct etcd_txn txn = {
        .conditions = 1,
        .condition = {{.key = line, .prefix = true, .target = ETCD_CREATED, .relation = ETCD_EQUAL, .number = 0}},
        .thens = 1,
        .then = {{.deed = ETCD_DELETE, .key = all, .prefix = true}}};
    const struct etcd_txn tidy = {.thens = 1, .then = {{.deed = ETCD_DELETE, .key = tell}}};
    enum etcd_result result = ask_only(there->etcd, &tidy); /* of one that was killed while it changed k */
    if (result == ETCD_DONE)
        result = ask(there->etcd, &txn, &answer);
    if (result != ETCD_DONE)
        return gate_etcd_failed(there->gate.name, there->etcd, result);
    const bool removed = answer.succeeded;
    etcd_answer_free(&answer);
    return removed ? ADMIT_OK : name_people(there);
}

/* Where the store is full, and takes deletions only: from the end of the line on, so that each who waits finds its own place
 * gone before that of anybody before it. */
static enum etcd_result delete_from_the_end(struct there *there)
{
    char line[KEY_SIZE];
    struct etcd_answer answer;
    key_of(line, there->gate.address.gate, "line/");
    const struct etcd_txn look = {.thens = 1,
                                  .then = {{.deed = ETCD_LIST, .key = line, .prefix = true, .keys_only = true}}};
    enum etcd_result result = ask(there->etcd, &look, &answer);
    if (result != ETCD_DONE)
        return result;
    for (unsigned p = answer.pairs; p > 0 && result == ETCD_DONE; p--)
        result =
            ask_only(there->etcd,
                     &(struct etcd_txn){.thens = 1, .then = {{.deed = ETCD_DELETE, .key = answer.pair[p - 1].key}}});
    etcd_answer_free(&answer);
    return result;
}

/* First k, and all who wait are told to look: so that nobody takes the end of those before it for its turn. */
static admit_error remove_by_force(struct there *there)
{
    struct keys keys;
    char all[KEY_SIZE];
    name_keys(&keys, there, 0);
    key_of(all, there->gate.address.gate, "");
    const struct etcd_txn first = {
        .thens = 2, .then = {{.deed = ETCD_DELETE, .key = keys.k}, {.deed = ETCD_DELETE, .key = keys.declared}}};
    const struct etcd_txn last = {.thens = 1, .then = {{.deed = ETCD_DELETE, .key = all, .prefix = true}}};
    enum etcd_result result = ask_only(there->etcd, &first);
    if (result == ETCD_DONE) {
        result = tell_those_who_wait(there);
        if (result != ETCD_DONE && etcd_reason(there->etcd) == ETCD_NO_SPACE)
            result = delete_from_the_end(there);
    }
    if (result == ETCD_DONE)
        result = ask_only(there->etcd, &last);
    return result == ETCD_DONE ? ADMIT_OK : gate_etcd_failed(there->gate.name, there->etcd, result);
}

admit_error there_remove(const char *name, bool force)
{
    struct there *there = there_new(name, 0);
    if (there == NULL)
        return admit_last_error();
    admit_error error = there_agree(there, 0);
    if (force && (error == ADMIT_OK || error == ADMIT_GATE_CORRUPT)) /* which is a way out, then */
        error = remove_by_force(there);
    else if (error == ADMIT_OK)
        error = remove_unused(there);
    there_close(there);
    return error;
}
