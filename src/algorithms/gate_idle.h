/* SPDX-License-Identifier: MIT
 *
 * gate_idle.h - for the checker: which steps of the gate (gate.c) are idle (checker/reduce/idle.h), marker by marker: those of which
 * it is certain by now that they change nothing and where they lead to, whatever the others do before. A record never comes
 * back to a ticket, nor ISSUE and VALID to a value; that is where the certainty comes from. Comparisons with ISSUE and VALID
 * are not here: that these grow is declared, and the checker knows by itself when one will fail for ever.
 *
 * tests/unit/idle.c tries all of them, in every state of two processes and on random runs of more.
 */
#include "algorithms/gate_states.h"

/* A state, as process i stands in it. */
struct outlook {
    unsigned n, k, i;
    word issue, valid;
    const word *records, *slots, *heirs;
    const struct locals *own;
    const struct recover *recover;
    const struct round *round;
};

static bool is_out(const struct outlook *at)
{
    return !is_outstanding(told(at->records[at->i]));
}

/* A compare-and-swap of VALID will fail, and all looks before it are in vain: the round ends where it began. */
static bool is_old_round(const struct outlook *at)
{
    return at->round->valid != at->valid;
}

/* --- enter -------------------------------------------------------------------------------------------------------- */

/* Whatever VALID says of it, it goes home; but one that tries goes away, if VALID does not say so any more. */
static bool goes_home(const struct outlook *at)
{
    return is_out(at) && !at->own->tries;
}

static bool draw_was_noted(const struct outlook *at)
{
    unsigned who = who_in(at->own->issue);
    return who >= at->n || has_drawn(at->records[who], at->own->issue);
}

/* With k = 1 this is the step that leads inside. */
static bool is_valid_for_good(const struct outlook *at)
{
    return at->k > 1 && may_enter(at->valid, at->own->mine);
}

/* Somebody has died since it lay down. */
static bool will_not_sleep(const struct outlook *at)
{
    return posture(at->records[at->i]) != LYING;
}

/* --- hand over ---------------------------------------------------------------------------------------------------- */

static bool own_is_out(const struct outlook *at)
{
    return at->round->whose == at->i && is_out(at);
}

/* Once a ticket has been drawn it is certain who has it. */
static bool finds_another(const struct outlook *at)
{
    word number = number_of(at->round->valid);
    unsigned who = (unsigned)__builtin_ctzll(at->round->todo);
    if (number == 0) /* a ticket that nobody has (gate_states.h) */
        return true;
    if (is_ahead(number, number_of(at->issue)))
        return false;
    bool will_have_it =
        number == number_of(at->issue) && who_in(at->issue) == who && !has_drawn(at->records[who], at->issue);
    return !will_have_it && !(is_outstanding(told(at->records[who])) && ticket_of(at->records[who]) == number);
}

static bool return_names_nobody(const struct outlook *at)
{
    return is_old_round(at) || who_in(at->valid) >= at->n;
}

static bool return_was_noted(const struct outlook *at)
{
    word record = at->records[at->round->another];
    return if_outstanding(record, at->round->other, OUT) == record;
}

/* --- recover ------------------------------------------------------------------------------------------------------ */

/* Of itself: it draws no ticket now. */
static bool own_draw_was_noted(const struct outlook *at)
{
    return at->recover->whose == at->i && (who_in(at->issue) != at->i || has_drawn(at->records[at->i], at->issue));
}

/* Returned or abandoned is all the same. */
static bool own_needs_no_burial(const struct outlook *at)
{
    return at->recover->whose == at->i && at->recover->draw.issue == STALE &&
           (is_out(at) || state_of(told(at->records[at->i])) == ABANDONED);
}

static bool slot_is_not_its_own(const struct outlook *at)
{
    const struct recover *recover = at->recover;
    bool keeps_back = recover->keep_back.its != 0;
    word its = keeps_back ? recover->keep_back.its : recover->its;
    return at->slots[keeps_back ? recover->keep_back.s : recover->s] != named(ticket_of(its), recover->whose, 0);
}

static bool was_buried(const struct outlook *at)
{
    word record = at->records[at->recover->whose];
    return if_outstanding(record, at->recover->its, ABANDONED) == record;
}

/* --- heirs -------------------------------------------------------------------------------------------------------- */

/* A command comes too late. */
static bool may_not_inherit(const struct outlook *at)
{
    return at->own->inherit.allowed != at->heirs[at->i - at->n];
}

static bool was_withdrawn(const struct outlook *at)
{
    const struct withdraw *withdraw = &at->recover->judge.withdraw;
    return withdraw->heir != at->heirs[withdraw->whose];
}

static bool is_idle_step(unsigned n, unsigned k, const uint64_t *registers, const struct stand *stands, unsigned i)
{
    static const struct {
        const char *marker;
        bool (*test)(const struct outlook *at);
    } markers[] = {
        {"passed?", goes_home},
        {"passed", is_out},
        {"note draw", draw_was_noted},
        {"valid?", is_valid_for_good},
        {"valid now?", is_valid_for_good},
        {"fall asleep", will_not_sleep},
        {"its ticket", own_is_out},
        {"whose is it?", finds_another},
        {"whose turn?", is_old_round},
        {"whose return?", return_names_nobody},
        {"note return", return_was_noted},
        {"its draw?", own_draw_was_noted},
        {"its record", own_needs_no_burial},
        {"free its slot", slot_is_not_its_own},
        {"bury", was_buried},
        {"inherit", may_not_inherit},
        {"withdraw", was_withdrawn},
    };
    const struct locals *own = stands[i].locals;
    const word *records = registers + 2;
    struct outlook at = {.n = n,
                         .k = k,
                         .i = i,
                         .issue = registers[0],
                         .valid = registers[1],
                         .records = records,
                         .slots = records + n,
                         .heirs = records + n + (k - 1) + n,
                         .own = own,
                         .recover = &own->look.recover,
                         .round = &own->look.recover.over.round};
    for (size_t m = 0; m < sizeof markers / sizeof *markers; m++)
        if (strcmp(stands[i].marker, markers[m].marker) == 0)
            return markers[m].test(&at);
    return false;
}
