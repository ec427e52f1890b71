/* SPDX-License-Identifier: MIT
 *
 * The gate: at most k inside, in the order in which they came, whoever is killed.
 * docs/gate.md has the design; (G1) to (G12) are its invariants. The two counters are those of the numbered tickets of
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, TOPLAS 11(1), 1989, Figures 2 and 3.
 *
 * Design summary
 *  - ISSUE: the ticket drawn last, and who drew it. VALID: the last that may go in, and whose return made it valid. To
 *    enter, draw and wait until VALID has come so far. To leave, make the next ticket valid.
 *  - RECORD[i]: the ticket of participant i, and whether it has been returned. Whoever overwrites a name in ISSUE or VALID
 *    first writes what it said into that one's record: so nothing is known to a dead process alone.
 *  - Before VALID moves on, the owner of its ticket has been woken, or its ticket, if it was abandoned, returned.
 *  - A dead participant's ticket is returned by the same compare-and-swap as a live one's, in its name.
 *  - First in, first enabled, from the draw on.
 */
#include "registers/sleeping.h"

#include <limits.h>

/* --- words -------------------------------------------------------------------------------------------------------- */

#ifdef TEXT_IN_HASTE /* numbers are what they are: few passages, around 2^12 tickets */
enum { TICKET_BITS = 12, WHO_BITS = 5, AHEAD_BITS = 4, START = (1 << TICKET_BITS) - 2 };
#elif defined(ADMIT_STEPPED)
enum { TICKET_BITS = 12, WHO_BITS = 5, AHEAD_BITS = TICKET_BITS - 1, START = 2 };
#else /* AHEAD_BITS: (G9), there are no more places in line than participants */
enum { TICKET_BITS = 47, WHO_BITS = 16, AHEAD_BITS = WHO_BITS, START = 2 };
#endif
enum { STATE_BITS = 3, PHASE_BITS = 1, NUMBER_AT = WHO_BITS + PHASE_BITS, WHOLE_BITS = TICKET_BITS + NUMBER_AT };

/* OUT: returned. IN: drawn, and its owner is awake or inside. WAITING: its owner sleeps, or is about to. GRANTED: valid,
 * and its owner must be woken. LEAVING: its owner returns it, but whoever comes by may be faster. ABANDONED: nobody will use
 * it; whoever makes it valid returns it. */
enum state { OUT, IN, WAITING, GRANTED, LEAVING, ABANDONED };

struct shared {
    array issue, valid, record, slot, heir, life, removed;
};
#define ISSUE (S->issue[0])
#define VALID (S->valid[0])
#define RECORD (S->record)
#define SLOT (S->slot)
#define HEIR (S->heir)
#define LIFE (S->life)
#define REMOVED (S->removed[0])

#define FIELD(w, shift, bits) ((w) >> (shift) & ((UINT64_C(1) << (bits)) - 1))

/* Natively, with the lowest bit on the right; LIFE is the kernel's, HEIR is in gate/life/heir.c, and REMOVED in
 * gate/file/there.c. What a participant learns from each bit, and what goes
 * wrong if it is wrong, is a table of docs/gate.md ("Bit by bit").
 *
 *            47          13         3       1
 *   ISSUE   | number    | who + 1          | 0     |   too small a number: a ticket is drawn twice, and k + 1 go in
 *   VALID   | number    | who + 1          | phase |   too large: k + 1 go in; name or phase: one is returned twice, or never
 *   SLOT    | number    | who + 1          | 0     |   0: free. Otherwise two have a slot, or nobody has it
 *   RECORD  | number    | 0        | state | phase |   a ticket that is on no record is never returned
 */
static inline word named(word number, unsigned who, unsigned phase)
{
    return FIELD(number, 0, TICKET_BITS) << NUMBER_AT | (word)(who + 1) << PHASE_BITS | phase;
}

static inline word number_of(word w)
{
    return w >> NUMBER_AT;
}

/* n or more: nobody. */
static inline unsigned who_in(word w)
{
    return (unsigned)FIELD(w, PHASE_BITS, WHO_BITS) - 1;
}

/* A word that names nobody is about nobody's record: where the text looks at one all the same, it is its own. */
static inline unsigned named_or(word w, unsigned n, unsigned i)
{
    return who_in(w) < n ? who_in(w) : i;
}

static inline unsigned phase_in(word w)
{
    return (unsigned)w & 1;
}

/* A process knows its ticket as VALID will name it when it has been returned: `mine`. So many tickets later, then, with the
 * same name and phase. */
static inline word later(word w, word tickets)
{
    return (w + (tickets << NUMBER_AT)) & ~UINT64_C(0) >> (64 - WHOLE_BITS);
}

/* As its draw left it in ISSUE, and as it is in SLOT. */
static inline word draw_of(word mine)
{
    return mine & ~(word)1;
}

/* That of the same participant's next ticket, if nobody else draws before. */
static inline word next_of(word mine)
{
    return later(mine, 1) ^ 1;
}

/* VALID when this ticket is to be returned, if the same participant returned the one before it, VALID was so far ahead of that
 * then, and nobody has returned anything since. */
static inline word before_return(unsigned room, word mine)
{
    return later(mine, room - 1) ^ 1;
}

/* How far VALID is ahead of a ticket that has been returned. */
static inline number room_after(word valid, word mine)
{
    return (number)FIELD(number_of(valid) - number_of(mine), 0, TICKET_BITS);
}

/* RECORD: with the number where the others have it, and the state in the low half, on which one sleeps. */
static inline word entry(word number, enum state state, unsigned phase)
{
    return FIELD(number, 0, TICKET_BITS) << NUMBER_AT | (word)state << PHASE_BITS | phase;
}

static inline word ticket_of(word w)
{
    return FIELD(w, NUMBER_AT, TICKET_BITS);
}

static inline enum state state_of(word w)
{
    return (enum state)FIELD(w, PHASE_BITS, STATE_BITS);
}

static inline word in_state(word w, enum state state)
{
    return entry(ticket_of(w), state, phase_in(w));
}

static inline word record_of(word mine, enum state state)
{
    return entry(number_of(mine), state, phase_in(mine));
}

static inline bool is_outstanding(word w)
{
    return state_of(w) != OUT;
}

/* a > b. Numbers wrap around, and a may be behind b by any number; but it is never ahead by more than there can be places in
 * line (docs/gate.md). So what is not ahead by so few is behind. */
static inline bool is_ahead(word a, word b)
{
    return FIELD(a - b - 1, AHEAD_BITS, TICKET_BITS - AHEAD_BITS) == 0;
}

/* Some records say so themselves, however old the number is. */
static inline bool is_valid(word valid, word own)
{
    return state_of(own) == GRANTED || state_of(own) == LEAVING || !is_ahead(ticket_of(own), number_of(valid));
}

static inline bool may_enter(word valid, word mine)
{
    return !is_ahead(number_of(mine), number_of(valid));
}

/* VALID says that the ticket in i's record has been returned. */
static inline bool says_returned(word valid, unsigned i, word its)
{
    return is_outstanding(its) && who_in(valid) == i && phase_in(valid) == phase_in(its);
}

/* It must be returned, by whomever. */
static inline bool is_due(word valid, unsigned i, word its)
{
    return state_of(its) >= LEAVING && is_valid(valid, its) && !says_returned(valid, i, its);
}

static inline bool is_owner(word its, word valid)
{
    return is_outstanding(its) && ticket_of(its) == number_of(valid);
}

static inline unsigned turn_in(word valid, unsigned n)
{
    return (uint32_t)number_of(valid) % n;
}

/* The record has the ticket in ISSUE, or a later one; or else an older one, of which (G10) holds. */
static inline bool has_drawn(word its, word issue)
{
    return !is_ahead(number_of(issue), ticket_of(told(its)));
}

/* With the number drawn last instead of its own, if that has been returned. */
static inline word renewed(word w, word issue)
{
    word own = told(w);
    return is_outstanding(own) ? w : w ^ own ^ entry(number_of(issue), OUT, phase_in(own));
}

/* Whatever the one before has come to. */
static inline word with_draw(word w, word issue)
{
    return has_drawn(w, issue) ? w : w ^ told(w) ^ entry(number_of(issue), IN, !phase_in(w));
}

/* The owner of VALID's ticket, if it waits. */
static inline word with_grant(word w, word valid)
{
    word now = told(w);
    return is_owner(now, valid) && state_of(now) == WAITING ? w ^ now ^ in_state(now, GRANTED) : w;
}

/* In whatever state the ticket is by now, unless it has been returned. */
static inline word if_outstanding(word w, word its, enum state state)
{
    word now = told(w);
    return is_outstanding(now) && in_state(now, OUT) == in_state(its, OUT) ? w ^ now ^ in_state(now, state) : w;
}

/* As a ticket of one that was killed inside; but not one that is leaving: that is returned by whoever has the turn. */
static inline word kept_back(word w, word its)
{
    word now = told(w);
    bool is_it = ticket_of(now) == ticket_of(its) && is_outstanding(now) && state_of(now) < LEAVING;
    return is_it ? w ^ now ^ in_state(now, GRANTED) : w;
}

static inline bool is_kept_back(word now, word its)
{
    return ticket_of(now) == ticket_of(its) && state_of(now) == GRANTED;
}

/* --- handing over ------------------------------------------------------------------------------------------------- */

/* One round: VALID is looked at, then settled, then moves on. */
struct round {
    position at;
    proc whose;   /* in: whose ticket must be returned, if it is due */
    word valid;   /* as this round found it */
    flag due;     /* there is a ticket to return: */
    proc who;     /* its owner, */
    flag phase;   /* and the phase of it */
    flag settled; /* VALID's own ticket needs nobody: it is the one that is due */
    flag at_once; /* it is abandoned, too: its turn is now */
    proc another; /* another one that must be looked at; `other` is that one's record */
    procset todo;
    word other;
    flag hasty; /* in: haste.h */
};

/* Is there a ticket to return? */
PROCEDURE_ON(look, round)
BEGIN
    word its;
again:
    forget(L.valid, L.who, L.phase);
    L.due = L.settled = L.at_once = false;
    AT("VALID")
    L.valid = get(VALID);
    AT("its ticket")
    its = told(get(RECORD[L.whose]));
    /* A process that leaves returns its ticket itself, unless it is its turn: to help it again and again never ends. */
    if (state_of(its) == LEAVING && L.whose != i)
        its = in_state(its, OUT);
    if (seldom(says_returned(L.valid, L.whose, its))) {
        if (L.whose != i) { /* or has it had two more since, by new owners, so that the phase is the same again? */
            AT("still so?")
            if (!is_still(VALID, L.valid))
                goto again;
        }
    } else if (mostly(is_due(L.valid, L.whose, its))) {
        L.due = true;
        L.who = L.whose;
        L.phase = phase_in(its);
        L.settled = is_owner(its, L.valid);
        L.at_once = L.settled && state_of(its) == ABANDONED;
    }
END

/* (G4): the owner of VALID's ticket is woken, or its ticket is returned first, if it is abandoned. If nobody has drawn it yet,
 * whoever does will find it valid. */
PROCEDURE_ON(settle, round)
BEGIN
    word w;
    if (!L.settled) {
        ASKED_AT("drawn yet?")
        if (if_need_be(!is_ahead(number_of(L.valid), number_of(get(ISSUE))))) {
            local(L.another, L.other);
            L.other = 0;
            for_all_likely("whose is it?", L.another, 0, n, number_of(L.valid))
            {
                act(RECORD[L.another], w, w = with_grant(w, L.valid));
                if (is_owner(told(w), L.valid)) {
                    L.other = told(w);
                    break;
                }
            }
            if (state_of(L.other) == GRANTED) {
                forget(L.other);
                AT("wake")
                wake(RECORD[L.another]);
            } else if (state_of(L.other) == ABANDONED) {
                L.due = L.at_once = true;
                L.who = L.another;
                L.phase = phase_in(L.other);
            }
        }
    }
    L.settled = false;
END

/* VALID says that the ticket has been returned, and that the next one is valid; unless VALID has changed since, or it is
 * another's turn: then the ticket is still due. */
PROCEDURE_ON(move_on, round)
BEGIN
    word w;
    if (k > 1 && !L.at_once) { /* whose turn it is comes first, lest another always be faster than it */
        local(L.another);
        L.another = (proc)turn_in(L.valid, n);
        AT("whose turn?")
        w = told(get(RECORD[L.another]));
        if (seldom(L.another != L.whose && is_due(L.valid, L.another, w))) {
            L.who = L.another;
            L.phase = phase_in(w);
        }
    }
    L.at_once = false;
    /* (G2): what the name in VALID says goes into that one's record before it is overwritten. */
    if (if_need_be(who_in(L.valid) < n && who_in(L.valid) != L.who)) {
        local(L.another, L.other);
        AT("whose return?")
        L.other = told(get(RECORD[named_or(L.valid, n, i)]));
        if (who_in(L.valid) < n && says_returned(L.valid, who_in(L.valid), L.other)) {
            L.another = (proc)who_in(L.valid);
            L.other = in_state(L.other, IN); /* which state no longer matters */
            AT("still VALID?")
            if (!is_still(VALID, L.valid))
                goto in_vain;
            AT("note return")
            act(RECORD[L.another], w, w = if_outstanding(w, L.other, OUT));
        }
    }
    AT("return")
    if (mostly(changes(VALID, L.valid, named(number_of(L.valid) + 1, L.who, L.phase)) && L.who == L.whose)) {
        L.valid = named(number_of(L.valid) + 1, n, 0); /* by nobody: VALID does not move on from there */
        L.due = false;
        forget(L.who, L.phase);
    }
in_vain:;
END

struct hand_over {
    position at;
    proc whose; /* in: whose ticket must be returned, if it is due */
    struct round round;
    flag hasty; /* in: haste.h */
};

PROCEDURE(hand_over)
BEGIN
    L.round.whose = L.whose;
    L.round.hasty = in_haste();
again:
    CALL(look, L.round);
settle:
    CALL(settle, L.round);
    if (L.round.due) {
        CALL(move_on, L.round);
        if (L.round.due)
            goto again;
        goto settle; /* the ticket that has become valid */
    }
END

#include "algorithms/gate_dead.h"
#include "algorithms/gate_removal.h"

/* --- enter, leave, give up, take a dead one's place --------------------------------------------------------------- */

struct locals {
    position at;
    number s;
    word issue;
    word own;  /* this process's record, as it found it */
    word mine; /* its ticket, its name and the ticket's phase, as VALID will have them */
    struct look_for_dead look;
    struct run_command running;
    struct inherit inherit; /* by a command */
    word held;              /* as HEIR has it */
    struct object object;   /* before it goes in */
    struct decide decide;   /* by one that removes */
    flag sent_out;          /* it has found the gate removed */
    flag lying;             /* and has still to look */
    flag tries;             /* and does not wait */
    flag keeps;             /* and will come back by what it leaves */
    flag hasty, half;       /* haste.h */
    flag kept;              /* and its ticket is kept back when it leaves */
    word last;              /* what was `mine`, if it comes back by that: it outlives the passage, and so does */
    number room;            /* how far VALID was ahead of that: as far as there are slots */
};

ENTER
BEGIN
    word w;
    resume_from(drawn, L.mine);
    if (comes_back(L.last)) { /* (G11) */
        AT("draw again")
        L.keeps = comes_back_later();
        rarely(L.room < k); /* others may have tickets: natively only while a resize goes on */
        if (mostly(changes(ISSUE, draw_of(L.last), draw_of(next_of(L.last))))) {
            waiting_room();
            L.mine = next_of(L.last);
            L.s = k - 1;
            if (L.room == k) /* then nobody claims that slot, or has one */
                goto inside;
            goto claim;
        }
    }
    L.last = 0;
    forget(L.keeps, L.room);
    {
    home:
        local(L.issue, L.own, L.tries);
        AT("ISSUE")
        L.tries = only_if_free();
        L.issue = get(ISSUE);
        AT("own record") /* (G10): what is drawn next must be ahead of it */
        act(RECORD[i], w, if (if_need_be(!is_ahead(number_of(L.issue) + 1, ticket_of(w)))) w = renewed(w, L.issue));
        L.own = told(w);
        if (seldom(is_outstanding(L.own))) { /* a place that was given up: in line still, unless VALID says otherwise */
            forget(L.issue);
            AT("passed?")
            if (!says_returned(get(VALID), i, L.own)) {
                if (L.tries)
                    not_free();
                forget(L.own);
                try_again(home);
            }
            L.own = in_state(L.own, OUT);
            AT("passed")
            put(RECORD[i], L.own);
            forget(L.own);
            goto home;
        }
        /* (G1): what the name in ISSUE says goes into that one's record before it is overwritten. */
        if (if_need_be(who_in(L.issue) < n && who_in(L.issue) != i)) {
            AT("note draw")
            act(RECORD[named_or(L.issue, n, i)], w, w = who_in(L.issue) < n ? with_draw(w, L.issue) : w);
        }
        if (L.tries) { /* VALID never goes back: what is free now is free when ISSUE is still as it was */
            AT("free?")
            if (is_ahead(number_of(L.issue) + 1, number_of(get(VALID))))
                not_free();
            forget(L.tries);
        }
        AT("draw")
        L.keeps = comes_back_later();
        if (seldom(!changes(ISSUE, L.issue, named(number_of(L.issue) + 1, i, 0)))) {
            forget(L.own, L.keeps);
            goto home;
        }
        waiting_room();
        L.mine = named(number_of(L.issue) + 1, i, !phase_in(L.own));
    }
    half_way();
drawn:
    AT("valid?")
    if (seldom(
            !patiently(may_enter(w = get(VALID), L.mine), FIELD(number_of(L.mine) - number_of(w), 0, TICKET_BITS)))) {
        local(L.lying);
    wait:
        AT("lie down")
        lie_down(RECORD[i], record_of(L.mine, WAITING));
        CALL_SELDOM(look_for_dead, L.look); /* (G7) */
        AT("valid now?")
        if (!may_enter(get(VALID), L.mine)) { /* (G6) */
            AT("fall asleep")
            if (falls_asleep(RECORD[i], record_of(L.mine, WAITING))) {
                may_give_up();
                AT("asleep")
                sleep_while(RECORD[i], record_of(L.mine, WAITING));
                AT("get up")
                get_up(RECORD[i]);
            }
            goto wait;
        }
    }
claim:
    for (L.s = 0; L.s < k - 1; L.s++) {
        AT("claim slot")
        if (changes(SLOT[L.s], 0, draw_of(L.mine)))
            break;
    }
inside:;
    if (asks_whether_removed()) { /* natively the caller sees to that, which is one look if there is no news */
        CALL(object, L.object);
        L.sent_out = L.object.removed;
        if (L.sent_out)
            send_out();
    }
END

LEAVE
BEGIN
    word w;
    resume_from(left, L.mine);
    if (runs_command() && !L.sent_out) {
        L.running.bequeath.allowed = bequest(L.mine, L.s);
        CALL(run_command, L.running);
    }
    if (L.s < k - 1) {
        AT("free slot")
        jot(SLOT[L.s], 0);
    }
    AT("leave")
    L.kept = keeps_back();
    jot(RECORD[i], record_of(L.mine, L.kept ? GRANTED : LEAVING));
    if (L.kept) { /* to have a slot fewer: it is inside still, for nobody, until a newcomer takes its place */
        L.last = 0;
        forget(L.s, L.mine, L.keeps, L.room);
        AT("for nobody")
        leave_to_nobody(LIFE, i);
        AT("for somebody")
        claim_life(LIFE, i);
        L.look.recover.whose = i;
        CALL(recover, L.look.recover);
        AT("alive again")
        forget(L.kept);
        begin_life(LIFE, i);
        goto gone;
    }
    half_way();
    if (comes_back(L.last)) { /* (G11): as long as it is alone there is nobody to help, or to wake */
        AT("return alone")    /* (G2): the name in VALID is its own, and its last return is in its record */
        if (seldom(!changes(VALID, before_return(L.room, L.mine), later(L.mine, L.room))))
            goto left;
        if (!L.keeps)
            forget(L.room);
        AT("nobody since?")
        if (mostly(is_still(ISSUE, draw_of(L.mine))))
            goto out;
    }
left:
    forget(L.s, L.room);
    L.look.recover.over.whose = (proc)i;
    L.look.recover.over.hasty = in_haste();
    CALL(hand_over, L.look.recover.over);
    if (L.keeps)
        L.room = k;
    if (L.keeps && k > 1) {
        AT("the last?")
        w = get(VALID);
        L.room = room_after(w, L.mine);
        if (w != later(L.mine, L.room) || !are_all_slots(L.room))
            forget(L.keeps, L.room);
    }
out:
    forget(L.s);
    AT("out")
    L.last = L.keeps ? L.mine : 0;
    jot(RECORD[i], record_of(L.mine, OUT));
gone:;
END

GIVE_UP
BEGIN
    AT("abandon")
    put(RECORD[i], record_of(L.mine, ABANDONED));
    forget(L.mine);
    CALL_SELDOM(look_for_dead, L.look); /* (G7) */
    L.look.recover.over.whose = (proc)i;
    CALL(hand_over, L.look.recover.over);
END

NEWCOMER
BEGIN
again:
    AT("claim life")
    claim_life(LIFE, i);
    if (asks_for_heirs()) { /* only now: since it was found dead, the record may have had another owner, that has one */
        L.look.recover.judge.withdraw.whose = i;
        CALL(withdraw, L.look.recover.judge.withdraw);
        if (L.look.recover.judge.withdraw.heir != 0) {
            forget(L.look.recover.judge.withdraw.heir);
            AT("dead still")
            give_life_back(LIFE, i);
            goto again;
        }
    }
    L.look.recover.whose = i;
    CALL(recover, L.look.recover);
    AT("alive") /* (G5): until then it is dead to the others, lest it keep them from what the dead one left */
    begin_life(LIFE, i);
END

INHERIT
BEGIN
    AT("fork")
    L.inherit.allowed = get(HEIR[i]);
    if (kind_of_heir(L.inherit.allowed) != ALLOWED)
        not_free();
    L.inherit.heir = heir_of_kind(L.inherit.allowed, RUNS);
    CALL(inherit, L.inherit);
    if (!L.inherit.has)
        not_free();
    L.held = L.inherit.heir;
    L.s = (number)FIELD(L.held, KIND_BITS, HELD_SLOT_BITS);
END

COMMAND
BEGIN
    word w;
    AT("command ends")
    change(HEIR[i], w, L.held, heir_of_kind(L.held, ENDED));
END

REMOVER
BEGIN
    CALL(decide, L.decide);
    if (!L.decide.removed)
        not_free();
END

/* From now on another gate of that name may be there, and the one that removed this one may be inside of that. */
AFTERWARDS
BEGIN
    AT("inside of another")
    (void)get(REMOVED);
END

WATCHED(RECORD, LIFE)

#if defined(TEXT_IN_HASTE) || !defined(ADMIT_STEPPED)
#define REDUCTIONS .rename_all = NULL
#else
#include "algorithms/gate_idle.h" /* for the checker: which states are the same, and which steps do nothing */
#define REDUCTIONS .rename_all = rename_numbers, .is_idle = is_idle_step, .forgets_whose = true
#endif

#include "algorithms/gate_shown.h"

/* ISSUE and VALID take no value twice: each change makes the number larger. */
static bool has_grown(word from, word to)
{
    return is_ahead(number_of(to), number_of(from));
}

DECLARE
{
    S->issue = shared_word("ISSUE", TICKET_BITS + WHO_BITS + PHASE_BITS, named(START, UINT_MAX, 0), .shown = show_named,
                           .unbounded = true, .grows = has_grown);
    S->valid = shared_word("VALID", TICKET_BITS + WHO_BITS + PHASE_BITS, named(START + k, UINT_MAX, 0),
                           .shown = show_named, .unbounded = true, .grows = has_grown);
    S->record = registers("RECORD", n, word_values(POSTURE_AT + POSTURE_BITS), entry(1, OUT, 0), .writer = ANYBODY,
                          .shown = show_entry, .unbounded = true);
    S->slot = registers("SLOT", k - 1, word_values(TICKET_BITS + WHO_BITS + PHASE_BITS), 0, .writer = ANYBODY,
                        .shown = show_named, .unbounded = true);
    S->life = registers("LIFE", n, LIVES, ALIVE, .writer = ANYBODY);
    S->heir = registers("HEIR", heirs_of(n), word_values(TICKET_BITS + HELD_TICKET_AT), 0, .writer = ANYBODY,
                        .shown = show_heir, .unbounded = true);
    S->removed = registers("REMOVED", removals(), word_values(REMOVAL_BITS + WHO_BITS), IS_THERE, .writer = ANYBODY,
                           .shown = show_removed);
}

ALGORITHM(.title = "The gate", .paper = "-", .figure = "", .doorway = true, .draws = true, .bits = "unbounded",
          .fairness = "first in, first enabled", REDUCTIONS, .ways = TRY | ALONE | RESIZE | BEQUEST | REMOVAL,
          .lasting_at = offsetof(struct locals, last), .slot_at = offsetof(struct locals, s),
          CLAIMS({EXCLUSION, ATOMIC, RECOVERY | ABORT}, {DEADLOCK_FREEDOM, ATOMIC, RECOVERY | ABORT},
                 {LOCKOUT_FREEDOM, ATOMIC, RECOVERY | ABORT}, {FIFE, ATOMIC, RECOVERY | ABORT},
                 {STRONG_FIFE, ATOMIC, RECOVERY | ABORT}, {FIFO_ENABLING, ATOMIC, RECOVERY | ABORT},
                 {BOUNDED_EXIT, ATOMIC, 0}, {NO_SLOT_LOST, ATOMIC, RECOVERY | ABORT},
                 {DISTINCT_SLOTS, ATOMIC, RECOVERY | ABORT}, {NO_SLOT_IDLE, ATOMIC, RECOVERY | ABORT}));
