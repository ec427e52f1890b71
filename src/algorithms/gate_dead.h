/* SPDX-License-Identifier: MIT
 *
 * gate_dead.h - of the gate's text (gate.c), what is done with the ticket of one that is dead: it is returned, or stays abandoned
 * in line; or it is kept back for nobody, while the gate is made smaller.
 */
#include "algorithms/gate_heirs.h"

struct note_draw {
    position at;
    proc whose;
    word issue;
    word its; /* out: its record */
};

PROCEDURE(note_draw)
BEGIN
    word w;
    AT("its draw?")
    L.issue = get(ISSUE);
    AT("its record") /* (G1) */
    act(RECORD[L.whose], w, w = who_in(L.issue) == L.whose ? with_draw(w, L.issue) : w);
    forget(L.issue);
    L.its = told(w);
END

struct keep_back {
    position at;
    proc whose;
    number s;
    word its;  /* in: its ticket, as it was read before it was found dead */
    flag kept; /* out */
};

/* While the gate is made smaller, the ticket of one that was killed inside stays out, for nobody, as it would have if that one
 * had left; not if it was leaving. Its record may have another owner by now: then it has another ticket, or none. The dead one
 * may have made a ticket valid, and not have woken its owner: all look, while it is dead to others still. */
PROCEDURE(keep_back)
BEGIN
    word w;
    AT("inside?")
    L.kept = keeps_back_dead();
    if (!is_valid(get(VALID), L.its))
        L.kept = false;
    if (L.kept) {
        AT("keep back")
        act(RECORD[L.whose], w, w = kept_back(w, L.its));
        L.kept = is_kept_back(told(w), L.its);
    }
    if (L.kept) {
        for_in_order ("free its slot", L.s, 0, k - 1) /* (G8) */
            change(SLOT[L.s], w, named(ticket_of(L.its), L.whose, 0), 0);
        for_in_order ("all look", L.s, 0, n)
            wake(RECORD[L.s]);
        AT("to nobody")
        L.kept = goes_to_nobody(LIFE, L.whose);
    }
    if (L.kept) {
        AT("kept still?")
        L.kept = is_kept_back(told(get(RECORD[L.whose])), L.its);
        if (!L.kept) {
            AT("dead again")
            comes_from_nobody(LIFE, L.whose);
        }
    }
END

struct recover {
    position at;
    proc whose;
    number s;
    word its;
    struct note_draw draw;
    struct judge judge;
    struct keep_back keep_back;
    struct hand_over over;
};

/* Returns the ticket of a process that is dead, or leaves it abandoned in line. */
PROCEDURE(recover)
BEGIN
    word w;
    local(L.its);
    L.draw.whose = L.whose;
    CALL(note_draw, L.draw);
    L.its = L.draw.its;
    if (is_outstanding(L.its) && state_of(L.its) != ABANDONED) {
        L.its = in_state(L.its, IN);
        if (L.whose != i) {
            L.judge.whose = L.whose; /* (G5) */
            CALL(judge, L.judge);
            if (!L.judge.dead)
                goto alive;
            if (may_keep_back()) {
                L.keep_back.whose = L.whose;
                L.keep_back.its = L.its;
                CALL(keep_back, L.keep_back);
                if (L.keep_back.kept)
                    goto alive;
            }
        }
        for_in_order ("free its slot", L.s, 0, k - 1) /* (G8) */
            change(SLOT[L.s], w, named(ticket_of(L.its), L.whose, 0), 0);
        AT("bury")
        act(RECORD[L.whose], w, w = if_outstanding(w, L.its, ABANDONED));
    }
    forget(L.its);
    /* Even if it has been returned: the dead one may have died before it had woken somebody. */
    L.over.whose = L.whose;
    CALL(hand_over, L.over);
alive:;
END

struct look_for_dead {
    position at;
    proc other;
    procset todo;
    struct recover recover;
};

SELDOM(look_for_dead)
BEGIN
    for_all_others ("dead?", L.other) {
        if (is_dead(LIFE, L.other)) {
            L.recover.whose = L.other;
            CALL(recover, L.recover);
        }
    }
END
