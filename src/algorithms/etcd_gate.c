/* SPDX-License-Identifier: MIT
 *
 * The gate on etcd: at most k inside, in the order in which they came, on any machines that reach the same store.
 * docs/algorithms/etcd_gate.md tells it from the beginning.
 *
 * Design summary
 *  - A place in line is a key with a lease, LINE of this client; the revision at which it was created is the ticket.
 *    Enabled: fewer than k keys of the line were created before. They only become fewer.
 *  - A hold ends by a deletion: by a client that leaves, or because its lease has ended. Those who wait hear of either alike.
 *  - Whatever is asked may be done late, even after it has been asked again and other requests were done. So each request
 *    is conditional upon what its first execution changes: a draw upon the revision of the draw before (PASSAGES), a
 *    slot upon having none yet, and both that and a leave upon the revision of the place.
 *  - A lease is believed as long as the client's own clock says, which is less than the store does: once it has its
 *    place, and its slot, a client looks at the clock, and only then is it inside.
 *  - With k > 1 a slot number is a key, too, and the store gives the first that is free. Where it is not asked for all of the
 *    k at once, one goes on upwards: only what was found taken is passed, and so one of the k is free when it is
 *    asked for (docs/algorithms/etcd_gate.md, "Slots").
 */
#include "registers/store.h"

struct shared {
    array store;
};
#define STORE (S->store[0])

struct locals {
    position at;
    crowd ahead; /* whose places were before its own when it looked, and have not been seen to go */
    struct session session;
};

/* --- what is asked of the store ----------------------------------------------------------------------------------- */

enum request { DRAW = 1, LOOK, TAKE, GIVE_BACK };

REQUESTS
{
    switch (which) {
    case DRAW: /* repeated, it finds its place, or sets it; late, it finds another draw */
        return (struct transaction){
            .conditions = {is_missing(mine(LINE)), modified_at(mine(PASSAGES), own->drawn), says(the_only(AGREED), k)},
            .then = {sets(mine(LINE)), sets(mine(PASSAGES)), lists(LINE)},
            .otherwise = {lists(LINE), lists(AGREED)}};
    case LOOK:
        return (struct transaction){.then = {lists(LINE)}};
    case TAKE: /* repeated, it finds its slot; late, that, or that its place was given back */
        return (struct transaction){.conditions = {created_at(mine(LINE), own->created), none_is_mine(SLOTS)},
                                    .then = {sets_first_free(SLOTS, own->slot, k), lists(SLOTS)},
                                    .otherwise = {lists(SLOTS)}};
    case GIVE_BACK: /* the slot is its own as long as the place is: the place is never removed without it */
        return (struct transaction){
            .conditions = {created_at(mine(LINE), own->created)},
            .then = {removes(mine(LINE)), own->slot != NO_SLOT ? removes(numbered(SLOTS, own->slot)) : nothing_more()}};
    }
    return (struct transaction){0};
}

/* --- enter; leave, or give up -------------------------------------------------------------------------------------- */

ENTER
BEGIN
    struct answer a;
    ASK("draw", DRAW, a);
    if (a.over)
        goto over;
    insist_on_k(a);
    if (a.mine == 0) /* neither now nor before: the lease has ended in between */
        goto over;
    waiting_room();
    OWN.drawn = OWN.created = a.mine;
look:
    L.ahead = those_before(a);
    if (how_many(L.ahead) >= k) {
        follow();
        OWN.slot = NO_SLOT;
        for (;;) {
            give_up_allowed();
            AT("wait for news")
            enum news heard = news(L.ahead);
            if (heard == IS_OVER)
                goto over;
            if (heard == WATCH_ENDED) {
                forget(L.ahead);
                ASK("list again", LOOK, a);
                if (a.over || a.mine != OWN.created)
                    goto over;
                goto look;
            }
            if (how_many(L.ahead) < k)
                break;
        }
        follow_no_longer();
    }
    forget(L.ahead);
    OWN.slot = 0;
    while (slots_have_keys()) {
        ASK("take slot", TAKE, a);
        if (a.over)
            goto over;
        if (own_slot(a) != NO_SLOT) {
            OWN.slot = own_slot(a);
            break;
        }
        if (!a.done) /* its place has gone */
            goto over;
        OWN.slot = free_slot(a, OWN.slot);
    }
    AT("clock")
    if (!in_time()) {
    over:
        forget(L.ahead);
        AT("renew session")
        renew_session();
        no_place();
    }
END

LEAVE
BEGIN
    struct answer a;
    ASK("leave", GIVE_BACK, a);
    forget(L.session.own.created, L.session.own.slot, L.ahead);
    if (a.over) /* it may not have been done, and must not be done late */
        goto over;
    if (!a.done) { /* unless it was done when it was asked before, the hold had been lost */
        AT("clock, leaving")
        if (!in_time()) {
        over:
            AT("renew session, leaving")
            renew_session();
        }
    }
END

HAPPENINGS;

DECLARE
{
    S->store = shared_word("STORE", word_bits(n, k), 0, .shown = show_keys, .unbounded = true);
}

#define STANDS (CRASH | ABORT | LEASE | REPEAT | WATCH | FREEZE)

ALGORITHM(.title = "The gate on etcd", .paper = "-", .figure = "", .doorway = true, .bits = "unbounded",
          .fairness = "first in, first enabled", .checked_only = true, .word_bits = word_bits,
          .lasting_at = offsetof(struct locals, session), .session_at = offsetof(struct locals, session),
          .slot_at = offsetof(struct locals, session.own.slot),
          CLAIMS({EXCLUSION, ATOMIC, STANDS}, {DEADLOCK_FREEDOM, ATOMIC, STANDS}, {LOCKOUT_FREEDOM, ATOMIC, STANDS},
                 {FIFE, ATOMIC, STANDS}, {STRONG_FIFE, ATOMIC, STANDS}, {FIFO_ENABLING, ATOMIC, STANDS},
                 {BOUNDED_DOORWAY, ATOMIC, 0}, {BOUNDED_EXIT, ATOMIC, 0}, {NO_SLOT_LOST, ATOMIC, STANDS & ~CRASH},
                 {DISTINCT_SLOTS, ATOMIC, STANDS}, {NO_SLOT_IDLE, ATOMIC, STANDS}));
