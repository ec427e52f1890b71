/* SPDX-License-Identifier: MIT */
#include "cli/gates/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#define MS INT64_C(1000000)
#define OFFER_MS 5      /* a build that wants a job takes it as soon as it runs, */
#define DOUBTFUL_MS 2   /* and one that has wanted none several times is given less time */
#define LOOK_MOST_MS 32 /* how rarely one looks who waits */
#define PAUSE_MOST_MS 32

/* A slot that is held for a token. Which one's, nobody can tell: a build does not return the byte that it has read. */
struct lent {
    admit_hold hold;
    struct log_stay stay;
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* --- slots ---------------------------------------------------------------------------------------------------------- */

static struct log_stay new_stay(const struct pool *pool)
{
    struct log_stay stay = {.gate = pool->name, .command = pool->command, .token = true};
    log_came(&stay);
    return stay;
}

/* From here on it is the build's if this process is killed: before the build can know of it. */
static bool keep(struct pool *pool, const admit_hold *hold, struct log_stay *stay)
{
    if (pool->count == pool->room || admit_gate_bequeath_to(pool->gate, hold, pool->family) != ADMIT_OK) {
        admit_gate_leave(pool->gate, hold);
        return false;
    }
    log_entered(stay, pool->gate, hold);
    pool->lent[pool->count++] = (struct lent){.hold = *hold, .stay = *stay};
    return true;
}

/* One with the highest slot, which a resize may have taken away. */
static struct lent *highest(const struct pool *pool)
{
    struct lent *found = pool->lent;
    for (unsigned l = 1; l < pool->count; l++)
        if (pool->lent[l].hold.slot > found->hold.slot)
            found = &pool->lent[l];
    return found;
}

static void give_back(struct pool *pool, unsigned number)
{
    for (; number > 0 && pool->count > 0; number--) {
        struct lent *lent = highest(pool);
        log_left(&lent->stay, pool->gate, -1);
        admit_gate_leave(pool->gate, &lent->hold);
        *lent = pool->lent[--pool->count];
    }
}

/* How many of them the gate has no more. */
static unsigned too_many(const struct pool *pool)
{
    const unsigned k = admit_gate_k(pool->gate);
    unsigned above = 0;
    for (unsigned l = 0; l < pool->count; l++)
        above += pool->lent[l].hold.slot >= k;
    return above;
}

static bool others_wait(struct pool *pool)
{
    const bool own = request_is_in_line(&pool->request);
    return admit_gate_waiters(pool->gate) > own;
}

static int64_t withdrawn_after(const struct pool *pool)
{
    return (pool->pause < 8 * MS ? OFFER_MS : DOUBTFUL_MS) * MS;
}

/* --- offers --------------------------------------------------------------------------------------------------------- */

static void offer(struct pool *pool, unsigned number)
{
    if (number == 0)
        return;
    if (!pool->offering) {
        pool->offering = true;
        pool->offered_at = now();
        pool->offered = 0;
        pool->look_after = withdrawn_after(pool);
        pool->look_at = pool->offered_at + pool->look_after;
    }
    pool->offered += number;
    tokens_offer(pool->tokens, number);
}

/* Of a fifo, what has been taken may come back to it unseen. */
static void nothing_on_offer(struct pool *pool)
{
    pool->offering = false;
    pool->look_at = pool->tokens->fifo && pool->count > 0 ? now() + OFFER_MS * MS : 0;
}

/* Something was taken, so that more may be wanted. */
static void ask_at_once(struct pool *pool)
{
    pool->pause = pool->ask_at = 0;
}

static void ask_later(struct pool *pool)
{
    pool->pause = pool->pause == 0 ? MS : pool->pause * 2;
    if (pool->pause > PAUSE_MOST_MS * MS)
        pool->pause = PAUSE_MOST_MS * MS;
    pool->ask_at = now() + pool->pause;
}

static void all_taken(struct pool *pool)
{
    nothing_on_offer(pool);
    ask_at_once(pool);
}

static void withdraw(struct pool *pool, unsigned most)
{
    const unsigned withdrawn = tokens_withdraw(pool->tokens, most);
    give_back(pool, withdrawn);
    if (tokens_on_offer(pool->tokens) > 0)
        return;
    if (pool->offering && withdrawn == pool->offered)
        ask_later(pool);
    else
        ask_at_once(pool);
    nothing_on_offer(pool);
}

/* --- what happens --------------------------------------------------------------------------------------------------- */

/* More can come back than were taken, of a client with a fault, or one that was started with tokens of another pool: these
 * stand for nothing. */
static void come_back(struct pool *pool, unsigned returned)
{
    const unsigned on_offer = tokens_on_offer(pool->tokens);
    const unsigned taken = pool->count > on_offer ? pool->count - on_offer : 0;
    const unsigned back = returned < taken ? returned : taken;
    unsigned to_gate = pool->ended || others_wait(pool) ? back : too_many(pool);
    if (to_gate > back)
        to_gate = back;
    give_back(pool, to_gate);
    offer(pool, back - to_gate);
}

static unsigned take_unwanted(struct pool *pool)
{
    unsigned taken = 0;
    admit_hold hold;
    struct log_stay stay = new_stay(pool);
    while (pool->count < pool->room &&
           admit_gate_enter_with(pool->gate, &hold, &(admit_wait){.only_if_free = 1, .record_since = 1}) == ADMIT_OK &&
           keep(pool, &hold, &stay))
        taken++;
    return taken;
}

static void ask(struct pool *pool)
{
    const unsigned taken = take_unwanted(pool);
    if (taken > 0) {
        offer(pool, taken);
        return;
    }
    pool->asking = new_stay(pool);
    pool->asks = true;
    request_ask(&pool->request, &pool->asking);
}

static void take_answer(struct pool *pool)
{
    admit_hold hold;
    const admit_error error = request_answer(&pool->request, &hold);
    pool->asks = false;
    if (error == ADMIT_OK && pool->ended) {
        admit_gate_leave(pool->gate, &hold);
    } else if (error == ADMIT_OK) {
        if (keep(pool, &hold, &pool->asking))
            offer(pool, 1 + take_unwanted(pool));
        else
            pool->ask_at = now() + PAUSE_MOST_MS * MS;
    } else if (error == ADMIT_INTERRUPTED) {
        if (pool->asking.waits)
            log_gave_up(&pool->asking, pool->gate, "ended", 0);
    } else if (!pool->closed) {
        fprintf(stderr, "admit jobserver: %s: the build goes on with the jobs that it has\n", pool->request.why);
        pool->closed = true;
    }
}

static void look(struct pool *pool)
{
    const int64_t moment = now();
    const unsigned on_offer = tokens_on_offer(pool->tokens);
    pool->look_at = 0;
    if (pool->offering && on_offer == 0)
        all_taken(pool);
    if (on_offer > pool->count) /* of a fifo, to which too many were returned */
        tokens_withdraw(pool->tokens, on_offer - pool->count);
    if (on_offer > 0 && others_wait(pool)) {
        if (!pool->offering || moment >= pool->offered_at + withdrawn_after(pool))
            withdraw(pool, on_offer);
        else
            pool->look_at = pool->offered_at + withdrawn_after(pool);
    } else if (on_offer > 0) {
        const unsigned above = too_many(pool);
        if (above > 0)
            withdraw(pool, above < on_offer ? above : on_offer);
    }
    if (pool->look_at == 0 && (pool->offering || (pool->tokens->fifo && pool->count > 0))) {
        pool->look_after = 2 * pool->look_after < LOOK_MOST_MS * MS ? 2 * pool->look_after : LOOK_MOST_MS * MS;
        pool->look_at = moment + pool->look_after;
    }
}

/* --- the loop's ----------------------------------------------------------------------------------------------------- */

static bool may_ask(const struct pool *pool)
{
    return !pool->closed && !pool->asks && !pool->offering;
}

static int until(const int64_t moment)
{
    const int64_t left = moment - now();
    return left <= 0 ? 0 : (int)((left + MS - 1) / MS);
}

bool pool_begin(struct pool *pool)
{
    pool->room = admit_gate_most_k(pool->gate);
    pool->lent = calloc(pool->room, sizeof *pool->lent);
    if (pool->lent == NULL || !request_begin(&pool->request, pool->gate)) {
        fprintf(stderr, "admit jobserver: cannot start a thread: %s\n", strerror(errno));
        return false;
    }
    return true;
}

int pool_awaits(struct pool *pool, struct pollfd events[POOL_EVENTS])
{
    if (may_ask(pool) && now() >= pool->ask_at)
        ask(pool);
    const bool by_pipe = !pool->tokens->fifo;
    events[0] = (struct pollfd){.fd = pool->request.answered, .events = POLLIN};
    events[1] = (struct pollfd){.fd = by_pipe ? pool->tokens->returns : -1, .events = POLLIN};
    events[2] =
        (struct pollfd){.fd = by_pipe && pool->offering && !pool->asks ? pool->tokens->offers : -1, .events = POLLOUT};
    int64_t next = pool->look_at;
    if (may_ask(pool) && (next == 0 || pool->ask_at < next))
        next = pool->ask_at;
    return next == 0 ? -1 : until(next);
}

void pool_act(struct pool *pool, const struct pollfd events[POOL_EVENTS])
{
    if (events[1].revents != 0)
        come_back(pool, tokens_returned(pool->tokens));
    if (events[0].revents != 0)
        take_answer(pool);
    if (events[2].revents != 0 && pool->offering && tokens_on_offer(pool->tokens) == 0)
        all_taken(pool);
    if (pool->look_at != 0 && now() >= pool->look_at)
        look(pool);
}

void pool_rest(struct pool *pool)
{
    const bool ended = pool->ended;
    pool->ended = true;
    if (pool->asks) {
        request_withdraw(&pool->request);
        take_answer(pool);
    }
    come_back(pool, tokens_returned(pool->tokens));
    give_back(pool, tokens_withdraw(pool->tokens, tokens_on_offer(pool->tokens)));
    nothing_on_offer(pool);
    pool->ended = ended;
}

unsigned pool_close(struct pool *pool)
{
    pool->ended = pool->closed = true;
    pool_rest(pool);
    return pool->count;
}

void pool_end(struct pool *pool)
{
    give_back(pool, pool->count);
    request_end(&pool->request);
    free(pool->lent);
}
