/* SPDX-License-Identifier: MIT */
#include "cli/gates/shares.h"

#include "base/die.h"

#include <stdlib.h>

static int by_use(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->used != y->used)
        return x->used > y->used ? -1 : 1;
    if (x->entered != y->entered)
        return x->entered > y->entered ? -1 : 1;
    if (x->gave_up != y->gave_up)
        return x->gave_up > y->gave_up ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static uint32_t names_of(const struct log *log, bool by_user)
{
    return by_user ? log->users.count : log->programs.count;
}

/* One for each name, at its number, and a last one for what has none. */
static struct share *no_shares(uint32_t names)
{
    struct share *shares = must_allocate((names + 1) * sizeof *shares);
    for (uint32_t n = 0; n <= names; n++)
        shares[n].number = n < names ? n : NO_NAME;
    return shares;
}

static uint32_t place_of(uint32_t number, uint32_t names)
{
    return number < names ? number : names;
}

static bool is_any(const struct share *share)
{
    return share->used > 0 || share->entered + share->tokens + share->gave_up > 0;
}

unsigned largest_shares(const struct log *log, bool by_user, struct share *largest, unsigned most)
{
    const uint32_t names = names_of(log, by_user);
    struct share *shares = no_shares(names);
    unsigned filled = 0;
    for (size_t e = 0; e < log->count; e++)
        if (log->events[e].event == LOG_EXIT) {
            struct share *share = &shares[place_of(by_user ? log->events[e].user : log->events[e].program, names)];
            share->entered++;
            share->used += log->events[e].span;
        }
    qsort(shares, names + 1, sizeof *shares, by_use);
    while (filled < most && filled <= names && shares[filled].entered > 0) {
        largest[filled] = shares[filled];
        filled++;
    }
    free(shares);
    return filled;
}

/* --- of a gate ------------------------------------------------------------------------------------------------------ */

static void count_event(struct share *share, const struct event *event)
{
    share->tokens += event->event == LOG_ENTER && event->token;
    share->entered += event->event == LOG_ENTER && !event->token;
    share->gave_up += event->event == LOG_GIVE_UP && !event->token && event->why != WHY_ENDED;
}

/* Those from `most` on become one, at the end; *at_end is where each name's share is now. */
static size_t sum_up(struct share *shares, uint32_t names, size_t most, uint32_t *at_end)
{
    struct share others = {.number = NO_NAME};
    size_t kept = 0;
    for (uint32_t s = 0; s <= names; s++) {
        const struct share share = shares[s];
        const uint32_t place = place_of(share.number, names);
        if (kept < most && share.number != NO_NAME && is_any(&share)) {
            at_end[place] = (uint32_t)kept;
            shares[kept++] = share;
            continue;
        }
        at_end[place] = UINT32_MAX;
        others.entered += share.entered;
        others.tokens += share.tokens;
        others.gave_up += share.gave_up;
        others.used += share.used;
    }
    for (uint32_t n = 0; n <= names; n++)
        at_end[n] = at_end[n] == UINT32_MAX ? (uint32_t)kept : at_end[n];
    if (is_any(&others))
        shares[kept++] = others;
    return kept;
}

/* All waits of one share stand together in `room`, behind those of the share before it. */
static void find_waits(struct share *shares, size_t filled, const uint32_t *place, uint32_t names,
                       const struct event *events, size_t count, bool by_user)
{
    int64_t *room = must_allocate(count * sizeof *room);
    size_t *end = must_allocate(filled * sizeof *end);
    for (size_t s = 1; s < filled; s++)
        end[s] = end[s - 1] + (size_t)shares[s - 1].entered;
    for (size_t e = 0; e < count; e++)
        if (events[e].event == LOG_ENTER && !events[e].token)
            room[end[place[place_of(by_user ? events[e].user : events[e].program, names)]]++] = events[e].span;
    for (size_t s = 0; s < filled; s++)
        shares[s].waits = spread_of(room + end[s] - shares[s].entered, (size_t)shares[s].entered);
    free(room);
    free(end);
}

size_t shares_of_gate(const struct reckoning *r, const struct log *log, const struct event *events, size_t count,
                      bool by_user, size_t most, struct share **shares)
{
    const uint32_t names = names_of(log, by_user);
    uint32_t *place = must_allocate((names + 1) * sizeof *place);
    *shares = no_shares(names);
    for (size_t e = 0; e < count; e++)
        count_event(&(*shares)[place_of(by_user ? events[e].user : events[e].program, names)], &events[e]);
    for (size_t s = 0; s < r->stay_count; s++)
        (*shares)[place_of(by_user ? r->stays[s].user : r->stays[s].program, names)].used +=
            r->stays[s].end - r->stays[s].begin;
    qsort(*shares, names + 1, sizeof **shares, by_use);
    const size_t filled = sum_up(*shares, names, most, place);
    find_waits(*shares, filled, place, names, events, count, by_user);
    free(place);
    return filled;
}
