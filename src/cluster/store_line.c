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

static bool is_taken(const struct client *client, unsigned slot)
{
    unsigned at = 0;
    for (const struct etcd_pair *pair; (pair = client_next_of(client, SLOTS, &at)) != NULL;)
        if (strtoul(strrchr(pair->key, '/') + 1, NULL, 10) == slot)
            return true;
    return false;
}

unsigned client_free_slot(struct client *client, const struct answer *answer, unsigned from)
{
    const struct etcd_pair *own = slot_of(client, etcd_session_lease(client->session));
    (void)answer;
    if (own != NULL) /* given to it when k was changed: the request will find that */
        return (unsigned)strtoul(strrchr(own->key, '/') + 1, NULL, 10);
    for (unsigned tried = 0; client->k > 1 && tried < client->k; tried++)
        if (!is_taken(client, (from + tried) % client->k))
            return (from + tried) % client->k;
    return from % client->k;
}

unsigned client_own_slot(struct client *client, const struct answer *answer)
{
    const struct etcd_pair *pair = slot_of(client, etcd_session_lease(client->session));
    (void)answer;
    if (pair == NULL)
        return UINT_MAX; /* the text's NO_SLOT */
    client->token = pair->created;
    return (unsigned)strtoul(strrchr(pair->key, '/') + 1, NULL, 10);
}

bool client_agrees(struct client *client, const struct answer *answer)
{
    return answer->done || client->others_k == client->k;
}
