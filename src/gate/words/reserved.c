/* SPDX-License-Identifier: MIT
 *
 * Records that are kept back for nobody, while a gate has fewer slots than it could have (manage.c): how many there are and
 * should be, and how a dead one's record becomes one of them.
 */
#include "gate/words/meaning.h"

/* Only with a ticket: one whose ticket has been returned all the same keeps nothing back. The first of them, lest one be
 * present that need not be. */
unsigned admit_reserved_now(const admit_gate *gate, unsigned *one)
{
    unsigned count = 0;
    for (unsigned who = gate->records; who-- > 0;)
        if (atomic_load(life_of(gate, who)) == LIFE_RESERVED &&
            admit_protocol_standing(gate, who).stage == STAGE_VALID) {
            *one = who;
            count++;
        }
    return count;
}

unsigned admit_reserved_in_future(const admit_gate *gate)
{
    unsigned k = k_of(gate);
    return k >= 1 && k <= gate->most_k ? gate->most_k - k : gate->most_k;
}

bool admit_has_k(const admit_gate *gate)
{
    unsigned one, wanted = admit_reserved_in_future(gate);
    return wanted == gate->most_k || admit_reserved_now(gate, &one) == wanted;
}

bool admit_keeps_back(const admit_gate *gate)
{
    unsigned one, wanted = admit_reserved_in_future(gate);
    return atomic_load(&gate->header->resizing) != 0 && wanted < gate->most_k &&
           admit_reserved_now(gate, &one) < wanted;
}

/* Only the ticket that was asked about, which never comes back: the record may have another owner by now. And not one
 * that is leaving: that is returned by whoever has the turn. */
static word kept_back(word its, word issue, unsigned who, word ticket)
{
    word now = who_in(issue) == who ? with_draw(its, issue) : its;
    bool is_it = ticket_of(now) == ticket && is_outstanding(now) && state_of(now) < LEAVING;
    return is_it ? in_state(now, GRANTED) : its;
}

/* The dead one may have returned another's ticket, and been killed before it had woken the owner of the next: since
 * nobody recovers it any more, everybody that sleeps looks. */
bool admit_protocol_keep_back(admit_gate *gate, unsigned who, uint64_t ticket)
{
    const struct shared *S = writable_words(gate);
    word issue = get(ISSUE), its;
    act(RECORD[who], its, its = kept_back(its, issue, who, ticket));
    if (state_of(its) != GRANTED || ticket_of(its) != ticket)
        return false;
    for (unsigned s = 0; s + 1 < gate->most_k; s++)
        (void)changes(SLOT[s], named(ticket, who, 0), 0);
    for (unsigned other = 0; other < present_in(gate); other++)
        if (state_of(get(RECORD[other])) == WAITING)
            admit_wake(&RECORD[other].value);
    return true;
}

bool admit_protocol_is_kept_back(const admit_gate *gate, unsigned who, uint64_t ticket)
{
    word its = get(gate->cells.record[who]);
    return state_of(its) == GRANTED && ticket_of(its) == ticket;
}
