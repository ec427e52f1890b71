/* SPDX-License-Identifier: MIT
 *
 * What is in an answer of the store: who is in the line, and who has which slot.
 */
#include "cluster/store_world.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- keys ----------------------------------------------------------------------------------------------------------- */

void client_name_key(const struct client *client, struct key key, char name[KEY_SIZE])
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

const struct etcd_pair *client_next_of(const struct client *client, enum family family, unsigned *at)
{
    char prefix[KEY_SIZE];
    client_name_key(client, the_only(family), prefix);
    const size_t length = strlen(prefix);
    while (*at < client->answer.pairs) {
        const struct etcd_pair *pair = &client->answer.pair[(*at)++];
        if (strncmp(pair->key, prefix, length) == 0 && (family != AGREED || pair->key[length] == '\0'))
            return pair;
    }
    return NULL;
}

const struct etcd_pair *client_next_place(const struct client *client, unsigned *at)
{
    const struct etcd_pair *pair;
    do
        pair = client_next_of(client, LINE, at);
    while (pair != NULL && lease_in(pair->key) == 0);
    return pair;
}

/* --- what is in the answer ------------------------------------------------------------------------------------------ */

/* Without memory for who they are it looks again when any of the line goes. */
crowd client_before(struct client *client, const struct answer *answer)
{
    unsigned at = 0, count = 0;
    free(client->ahead);
    client->ahead = malloc((client->answer.pairs + 1) * sizeof *client->ahead);
    for (const struct etcd_pair *pair; (pair = client_next_place(client, &at)) != NULL;)
        if (answer->mine == 0 || pair->created < answer->mine) {
            if (client->ahead != NULL)
                client->ahead[count] = lease_in(pair->key);
            count++;
        }
    client->ahead_count = client->ahead != NULL ? count : 0;
    return count;
}

static const struct etcd_pair *slot_of(const struct client *client, int64_t lease)
{
    unsigned at = 0;
    const struct etcd_pair *pair;
    do
        pair = client_next_of(client, SLOTS, &at);
    while (pair != NULL && pair->lease != lease);
    return pair;
}

static unsigned number_of(const struct etcd_pair *slot)
{
    return (unsigned)strtoul(strrchr(slot->key, '/') + 1, NULL, 10);
}

bool client_has_slot_keys(const struct client *client)
{
    return client->k > 1 || client->resized;
}

/* Where k has been another it may be k or more, as long as somebody is left from before. Without memory it is any. */
unsigned client_free_slot(struct client *client, const struct answer *answer, unsigned from)
{
    unsigned at = 0;
    bool *taken = calloc(client->answer.pairs + 1, sizeof *taken);
    (void)answer;
    for (const struct etcd_pair *pair; taken != NULL && (pair = client_next_of(client, SLOTS, &at)) != NULL;)
        if (number_of(pair) >= from && number_of(pair) - from < client->answer.pairs)
            taken[number_of(pair) - from] = true;
    for (unsigned s = 0; taken != NULL && taken[s]; s++)
        from++;
    free(taken);
    return from;
}

unsigned client_own_slot(struct client *client, const struct answer *answer)
{
    const struct etcd_pair *pair = slot_of(client, etcd_session_lease(client->session));
    (void)answer;
    if (pair == NULL)
        return UINT_MAX; /* the text's NO_SLOT */
    client->token = pair->created;
    return number_of(pair);
}

bool client_agrees(struct client *client, const struct answer *answer)
{
    return answer->done || client->others_k == client->k;
}
