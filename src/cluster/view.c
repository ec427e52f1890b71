/* SPDX-License-Identifier: MIT
 *
 * Who is inside a gate on etcd, who waits, and which gates there are: one list of keys, at one revision.
 */
#include "cluster/there.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct picture {
    admit_view view;
    admit_participant people[];
};

static bool is_below(const char *key, const char *prefix)
{
    return strncmp(key, prefix, strlen(prefix)) == 0;
}

static bool is_place(const struct etcd_pair *pair, const char *line)
{
    return is_below(pair->key, line) && lease_in(pair->key) != 0;
}

/* Of the one with this lease; -1: it has none. */
static int slot_of(const struct etcd_answer *answer, const char *slots, int64_t lease)
{
    for (unsigned p = 0; p < answer->pairs; p++)
        if (answer->pair[p].lease == lease && is_below(answer->pair[p].key, slots))
            return atoi(answer->pair[p].key + strlen(slots));
    return -1;
}

static void draw(admit_participant *one, const struct etcd_pair *pair, const struct told *told, const struct told *own)
{
    *one = (admit_participant){
        .ticket = (uint64_t)pair->created, .pid = told->pid, .since = told->since, .user = told->user};
    snprintf(one->command, sizeof one->command, "%s", told->command);
    snprintf(one->user_name, sizeof one->user_name, "%s", told->user_name);
    if (strcmp(told->host, own->host) != 0)
        snprintf(one->host, sizeof one->host, "%s", told->host);
}

static int by_slot(const void *a, const void *b)
{
    const admit_participant *one = a, *other = b;
    return (one->slot > other->slot) - (one->slot < other->slot);
}

/* Pairs come in the order in which they were created, which is that of the line. Inside are those who have a slot, and the
 * first where there is but one; of the others the first who are fewer than k are about to take theirs. */
static void draw_all(admit_view *view, admit_participant *holder, admit_participant *waiter,
                     const struct etcd_answer *answer, const struct there *there)
{
    char line[KEY_SIZE], slots[KEY_SIZE];
    unsigned rank = 0;
    key_of(line, there->gate.address.gate, "line/");
    key_of(slots, there->gate.address.gate, "slot/");
    for (unsigned p = 0; p < answer->pairs; p++) {
        const struct etcd_pair *pair = &answer->pair[p];
        struct told told;
        if (!is_place(pair, line))
            continue;
        told_read(&told, pair->value);
        const int slot = slot_of(answer, slots, pair->lease);
        if (slot >= 0 || rank < view->k) {
            draw(&holder[view->holders], pair, &told, &there->told);
            holder[view->holders++].slot = slot >= 0 ? (unsigned)slot : told.k == 1 ? 0 : view->most_k;
        } else {
            draw(&waiter[view->waiters], pair, &told, &there->told);
            waiter[view->waiters].place = view->waiters + 1;
            view->waiters++;
        }
        rank++;
    }
    qsort(holder, view->holders, sizeof *holder, by_slot);
    view->holder = holder;
    view->waiter = waiter;
}

static admit_error look(struct there *there, bool keys_only, struct etcd_answer *answer)
{
    char all[KEY_SIZE];
    key_of(all, there->gate.address.gate, "");
    const struct etcd_txn txn = {.thens = 1,
                                 .then = {{.deed = ETCD_LIST, .key = all, .prefix = true, .keys_only = keys_only}}};
    pthread_mutex_lock(&there->asking);
    struct etcd *etcd = there_etcd(there);
    admit_error error = etcd != NULL ? ADMIT_OK : ADMIT_BAD_OPTION;
    if (etcd != NULL) {
        const int64_t begun = etcd_now();
        const enum etcd_result result = etcd_do(etcd, &txn, gate_patience(), answer);
        gate_waited(begun, result);
        error = result == ETCD_DONE ? ADMIT_OK : gate_etcd_failed(there->gate.name, etcd, result);
    }
    pthread_mutex_unlock(&there->asking);
    return error;
}

static void note_k(struct there *there, const struct etcd_answer *answer)
{
    char key[KEY_SIZE];
    key_of(key, there->gate.address.gate, "k");
    const unsigned k = gate_number_in(answer, key);
    key_of(key, there->gate.address.gate, "declared");
    const unsigned declared = gate_number_in(answer, key);
    if (k != 0 && declared != 0) {
        atomic_store(&there->gate.k, k);
        atomic_store(&there->gate.declared, declared);
    }
}

/* How often anybody entered is counted nowhere. */
admit_view *there_inspect(void *handle)
{
    struct there *there = handle;
    struct etcd_answer answer;
    if (look(there, false, &answer) != ADMIT_OK)
        return NULL;
    struct picture *picture = calloc(1, sizeof *picture + 2 * ((size_t)answer.pairs + 1) * sizeof *picture->people);
    if (picture == NULL) {
        etcd_answer_free(&answer);
        gate_fails(ADMIT_NO_MEMORY, "out of memory");
        return NULL;
    }
    admit_view *view = &picture->view;
    note_k(there, &answer);
    view->k = atomic_load(&there->gate.k);
    view->declared_k = atomic_load(&there->gate.declared);
    view->most_k = ADMIT_GATE_K_MAX;
    view->entered = view->recovered = view->abandoned = ADMIT_NOT_COUNTED;
    draw_all(view, picture->people, picture->people + answer.pairs + 1, &answer, there);
    etcd_answer_free(&answer);
    return view;
}

unsigned there_waiters(void *handle)
{
    struct there *there = handle;
    struct etcd_answer answer;
    char line[KEY_SIZE];
    unsigned places = 0;
    if (look(there, true, &answer) != ADMIT_OK)
        return 0;
    key_of(line, there->gate.address.gate, "line/");
    for (unsigned p = 0; p < answer.pairs; p++)
        places += is_place(&answer.pair[p], line);
    etcd_answer_free(&answer);
    const unsigned k = atomic_load(&there->gate.k);
    return places > k ? places - k : 0;
}

/* --- all gates ------------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "admit/GATE/k" is of each gate one. In it GATE is cut out; NULL: it is another key. */
static char *gate_in(char *key)
{
    char *gate = key + strlen("admit/"), *slash = strchr(gate, '/');
    if (slash == NULL || strcmp(slash, "/k") != 0)
        return NULL;
    *slash = '\0';
    return gate;
}

static void list_gates(const char *where, struct etcd_answer *answer,
                       int (*one)(void *data, const char *name, const char *path), void *data)
{
    char **names = calloc(answer->pairs + 1, sizeof *names);
    size_t count = 0;
    for (unsigned p = 0; names != NULL && p < answer->pairs; p++)
        if ((names[count] = gate_in(answer->pair[p].key)) != NULL)
            count++;
    if (count > 0)
        qsort(names, count, sizeof *names, by_name);
    const size_t length = strlen(where);
    const bool joined = where[length - 1] == '/' || where[length - 1] == ':';
    for (size_t n = 0; n < count; n++) {
        char name[1300];
        snprintf(name, sizeof name, "%s%s%s", where, joined ? "" : "/", names[n]);
        if (one(data, name, "") != 0)
            break;
    }
    free(names);
}

admit_error there_list(const char *where, int (*one)(void *data, const char *name, const char *path), void *data)
{
    struct address address;
    struct etcd_answer answer;
    admit_error error = address_read(&address, where, false);
    struct etcd *etcd = error == ADMIT_OK ? etcd_open(&address.options) : NULL;
    if (error == ADMIT_OK && etcd == NULL)
        error = gate_fails(ADMIT_BAD_OPTION, "\"%.200s\": %s", where, etcd_open_failure());
    if (etcd == NULL)
        return error;
    const struct etcd_txn txn = {.thens = 1,
                                 .then = {{.deed = ETCD_LIST, .key = "admit/", .prefix = true, .keys_only = true}}};
    const enum etcd_result result = etcd_do(etcd, &txn, gate_patience(), &answer);
    if (result != ETCD_DONE) {
        error = gate_etcd_failed(where, etcd, result);
    } else {
        const bool before = gate_lists_all(true);
        list_gates(where, &answer, one, data);
        gate_lists_all(before);
        etcd_answer_free(&answer);
    }
    etcd_close(etcd);
    return error;
}
