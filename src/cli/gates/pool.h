/* SPDX-License-Identifier: MIT
 *
 * pool.h - the jobs of one build: for each token that it can take, or has taken, a slot is held at the gate.
 *
 * One request of the build stands in line. When its turn has come, that slot is offered, and so are all that are free then
 * and that nobody waits for. When all of these are taken, the next request is made. A token that comes back is offered
 * again if nobody waits, and its slot is given back otherwise: so builds take turns, job by job.
 *
 * Nobody can ask a build whether it would take more. What is on offer and is not taken costs nothing as long as nobody
 * waits for it, which is looked for 31 times a second; else it is withdrawn when it is OFFER_MS old, and the build makes
 * its next request after a pause, which is the longer the more often nothing was taken.
 */
#ifndef ADMIT_CLI_GATES_POOL_H
#define ADMIT_CLI_GATES_POOL_H

#include "cli/gates/request.h"
#include "cli/gates/tokens.h"

#include <admit.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct pool {
    admit_gate *gate;
    const char *name;     /* the gate's, as it was named, and */
    char *const *command; /* the build's words, for the log */
    int family;           /* whom the slots are left to if this process is killed */
    struct tokens *tokens;
    struct request request;
    struct lent *lent; /* the slots of tokens that are on offer or taken */
    unsigned count, room;
    struct log_stay asking; /* of the request */
    bool asks;              /* a request has been made */
    bool closed;            /* no more are, */
    bool ended;             /* since the command has ended */
    bool offering;          /* something may be on offer that nobody has taken yet, */
    int64_t offered_at;     /* since then, */
    unsigned offered;       /* so many in all */
    int64_t look_at;        /* when to look next who waits; 0: not */
    int64_t look_after;
    int64_t ask_at; /* no request before */
    int64_t pause;
};

enum { POOL_EVENTS = 3 };

/* False: it could not begin, which has been said. */
bool pool_begin(struct pool *pool);
/* What to wait for, and how long at most, in milliseconds (-1: for ever); and what to do then. */
int pool_awaits(struct pool *pool, struct pollfd events[POOL_EVENTS]);
void pool_act(struct pool *pool, const struct pollfd events[POOL_EVENTS]);
/* What it does not need while it is stopped is given back, and its place in line given up; both until the next awaits. */
void pool_rest(struct pool *pool);
/* The command has ended: nothing more is offered. Returns how many tokens have not come back. */
unsigned pool_close(struct pool *pool);
/* Their slots are given back. */
void pool_end(struct pool *pool);

#endif
