/* SPDX-License-Identifier: MIT
 *
 * Looks at the words of the protocol: what they say of a participant and its ticket. Nothing is changed here.
 */
#include "gate/words/meaning.h"

bool admit_protocol_in_line(const admit_gate *gate, unsigned who)
{
    word its = atomic_load(&gate->cells.record[who].value);
    return is_outstanding(its) && !says_returned(atomic_load(&gate->cells.valid->value), who, its);
}

struct standing admit_protocol_standing(const admit_gate *gate, unsigned who)
{
    word issue = atomic_load(&gate->cells.issue->value);
    word its = atomic_load(&gate->cells.record[who].value);
    word valid = atomic_load(&gate->cells.valid->value);
    if (who_in(issue) == who)
        its = with_draw(its, issue);
    struct standing standing = {.ticket = ticket_of(its)};
    if (!is_outstanding(its) || says_returned(valid, who, its))
        standing.stage = STAGE_OUT;
    else if (state_of(its) == ABANDONED)
        standing.stage = STAGE_ABANDONED;
    else
        standing.stage = is_valid(valid, its) ? STAGE_VALID : STAGE_WAITING;
    return standing;
}

bool admit_protocol_is_next(const admit_gate *gate, uint64_t record)
{
    return is_valid(later(get(gate->cells.valid[0]), 1), record);
}

uint64_t admit_protocol_next(const admit_gate *gate)
{
    return number_of(later(get(gate->cells.valid[0]), 1));
}

/* VALID first, which never goes back: if ISSUE has not passed it by then, nobody was in line between the two looks. */
bool admit_protocol_has_line(const admit_gate *gate)
{
    word valid = get(gate->cells.valid[0]);
    return is_ahead(number_of(get(gate->cells.issue[0])), number_of(valid));
}

bool admit_ticket_before(uint64_t a, uint64_t b)
{
    return a != b && FIELD(b - a, TICKET_BITS - 1, 1) == 0; /* by the shorter way round */
}

unsigned admit_place_of(const admit_gate *gate, unsigned who)
{
    uint64_t own = admit_protocol_standing(gate, who).ticket;
    unsigned place = 1;
    for (unsigned other = 0; other < present_in(gate); other++) {
        struct standing standing = admit_protocol_standing(gate, other);
        place += standing.stage == STAGE_WAITING && admit_ticket_before(standing.ticket, own);
    }
    return place;
}

unsigned admit_length_of_line(const admit_gate *gate)
{
    unsigned length = 0;
    for (unsigned who = 0; who < present_in(gate); who++)
        length += admit_protocol_standing(gate, who).stage == STAGE_WAITING;
    return length;
}
