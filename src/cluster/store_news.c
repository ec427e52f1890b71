/* SPDX-License-Identifier: MIT
 *
 * Waiting: a watch of the line, what the caller is told meanwhile, and whether it goes on waiting.
 */
#include "cluster/store_world.h"

#include <sched.h>
#include <stdlib.h>

/* --- waiting -------------------------------------------------------------------------------------------------------- */

/* A server that is cut off, or stands still, says nothing of those who go, and nobody goes in before somebody looks: soon.
 * But the longer the line, the more it costs to look at all of it. */
static int64_t until_next_look(const struct client *client)
{
    return 2000 * millisecond + 20 * millisecond * client->answer.pairs;
}

void client_close_watch(struct client *client)
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
    client_close_watch(client);
    client_name_key(client, the_only(LINE), prefix);
    client->watches++;
    client->watch_begun = client->watch_failed = false;
    atomic_store(&client->watch, etcd_watch_open(client->etcd, prefix, 0, true));
}

void client_follows_no_longer(struct client *client)
{
    if (!client->comes_again)
        client_close_watch(client);
}

void client_interrupt_watch(struct client *client)
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
    if (etcd_now() >= client->look_at)
        return must_look_again(client);
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
    case ETCD_WATCH_STOPPED: /* why is seen the next time */
        break;
    }
    return SOME_HAVE_GONE;
}

admit_error client_no_slot(const struct client *client)
{
    return gate_fails(ADMIT_NO_SLOT, "gate \"%s\" has no free slot", client->gate->name);
}

bool client_gives_up(struct client *client)
{
    if (!client_waits_no_longer(client) && client->wait->only_if_free)
        client->why = client_no_slot(client);
    return client->why != ADMIT_OK || client->others_k != client->k; /* then it begins again, and keeps its place */
}
