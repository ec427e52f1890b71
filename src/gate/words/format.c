/* SPDX-License-Identifier: MIT
 *
 * The words of a fresh gate, and whether those that somebody left can be the protocol's.
 */
#include "gate/words/meaning.h"

enum { FIRST_ISSUE = 1 };

uint64_t admit_protocol_drawn(const admit_gate *gate, uint64_t but_for)
{
    word drawn = number_of(atomic_load(&gate->cells.issue->value)) - FIRST_ISSUE;
    return is_ahead(but_for, drawn) ? 0 : FIELD(drawn - but_for, 0, TICKET_BITS);
}

void admit_protocol_format(admit_gate *gate, unsigned k)
{
    const struct shared *S = writable_words(gate);
    for (struct cell *cell = &ISSUE; cell < gate->cells.heir + gate->records; cell++)
        *cell = (struct cell){.writer = NATIVE_WRITER_ANYBODY};
    /* The last records, so that whoever looks at all that are present need not look at these. */
    unsigned reserved = gate->most_k - k, first = gate->records - reserved;
    unsigned last = reserved > 0 ? gate->records - 1 : UINT_MAX;
    put(ISSUE, named(FIRST_ISSUE + reserved, last, 0));
    put(VALID, named(FIRST_ISSUE + gate->most_k, UINT_MAX, 0));
    for (unsigned who = 0; who < gate->records; who++) {
        put(RECORD[who], who >= first ? entry(FIRST_ISSUE + 1 + (who - first), GRANTED, 1) : 0);
        atomic_store(life_of(gate, who), who >= first ? LIFE_RESERVED : LIFE_NOBODY);
        atomic_store(&whole_life_of(gate, who)->anchor, 0);
        atomic_store(&person_of(gate, who)->listed, 0);
        atomic_store(&person_of(gate, who)->listed_before, 0);
    }
    atomic_store(&gate->header->present, 0);
}

/* (G3), if ISSUE and VALID stand still meanwhile: as many tickets are out, and as many of these in line, as ISSUE and
 * VALID say. */
static int tickets_add_up(const admit_gate *gate)
{
    word issue = atomic_load(&gate->cells.issue->value), valid = atomic_load(&gate->cells.valid->value);
    word out = 0, in_line = 0;
    for (unsigned who = 0; who < gate->records; who++) {
        struct standing standing = admit_protocol_standing(gate, who);
        if (standing.stage == STAGE_OUT)
            continue;
        out++;
        in_line += standing.stage != STAGE_VALID && is_ahead(standing.ticket, number_of(valid));
    }
    if (issue != atomic_load(&gate->cells.issue->value) || valid != atomic_load(&gate->cells.valid->value))
        return -1; /* cannot tell */
    word not_valid = is_ahead(number_of(issue), number_of(valid)) ? number_of(issue) - number_of(valid) : 0;
    return FIELD(number_of(issue) + gate->most_k - number_of(valid), 0, TICKET_BITS) == out &&
           FIELD(not_valid, 0, TICKET_BITS) == in_line;
}

bool admit_protocol_in_order(const admit_gate *gate)
{
    for (const struct cell *cell = gate->cells.issue; cell < gate->cells.heir + gate->records; cell++)
        if (cell->writer != NATIVE_WRITER_ANYBODY)
            return false;
    for (unsigned who = 0; who < gate->records; who++)
        if (state_of(atomic_load(&gate->cells.record[who].value)) > ABANDONED)
            return false;
    for (unsigned attempt = 0; attempt < 3; attempt++) {
        int sum = tickets_add_up(gate);
        if (sum == 1 || (sum < 0 && attempt == 2))
            return true;
    }
    return false;
}
