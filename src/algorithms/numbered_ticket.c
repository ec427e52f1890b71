/* SPDX-License-Identifier: MIT
 *
 * The Numbered Ticket Algorithm.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, Figures 2 and 3; ticket.h has Figure 2.
 *
 * Design summary
 *  - ISSUE: the ticket that was issued last. VALID: the one that was made valid last; all up to it are valid.
 *  - To enter, take ISSUE + 1 and wait until it is valid. To leave, make the next ticket valid, whether or not somebody
 *    has taken it. At any time k tickets that have not been discarded are valid.
 *  - A process that waits changes nothing: it may stop for ever and is in nobody's way, but for the slot it would get.
 *  - First in, first enabled. The numbers grow without bound.
 *
 * Deviations from the figures: ISSUE and VALID have NUMBER_BITS bits each and wrap around (32 natively), so T <= VALID
 * reads: VALID is not behind T by the shorter way round. Tickets that wait are at most N - k ahead of VALID, so that
 * only a process whose ticket is valid, and which takes no step while 2^31 others leave, would wait for as many again.
 */
#include "registers/fields.h"

#define NUMBER(x) low_bits((x), NUMBER_BITS)

struct ticket {
    word NUMBER;
};

struct memory {
    struct ticket ISSUE, VALID;
    unsigned n, k;
};
#define ISSUE (m->ISSUE)
#define VALID (m->VALID)

#define VARIABLES(FIELD) FIELD(VALID.NUMBER, NUMBER_BITS) FIELD(ISSUE.NUMBER, NUMBER_BITS)
PACKED(VARIABLES);

/* a <= b */
static inline bool at_most(struct ticket a, struct ticket b)
{
    return NUMBER(b.NUMBER - a.NUMBER) >> (NUMBER_BITS - 1) == 0;
}

/* Figure 3. */
static inline struct ticket TAKE_NEXT_TICKET(struct memory *m) {
    ISSUE.NUMBER = NUMBER(ISSUE.NUMBER + 1);
    return ISSUE;
}

static inline bool
IS_VALID(struct ticket T, const struct memory *m)
{
    return at_most(T, VALID);
}

static inline void VALIDATE_NEXT_TICKET(struct ticket T, struct memory *m)
{
    (void)T;
    VALID.NUMBER = NUMBER(VALID.NUMBER + 1);
}

#define BAY(T) ((unsigned)(T).NUMBER)
#define KEPT(T) ((struct ticket){0})

#include "algorithms/ticket.h"

static void show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    const struct memory m[1] = {unpacked(value, n, k)};
    snprintf(text, size, "ISSUE=%u VALID=%u", (unsigned)ISSUE.NUMBER, (unsigned)VALID.NUMBER);
}

/* For the checker: the smaller of the two becomes 0, and every valid ticket that is held too. */
static word smaller(const struct memory *m)
{
    return at_most(ISSUE, VALID) ? ISSUE.NUMBER : VALID.NUMBER;
}

static word renumber_word(word w)
{
    struct memory m[1] = {unpacked(w, 0, 0)};
    word less = smaller(m);
    ISSUE.NUMBER = NUMBER(ISSUE.NUMBER - less);
    VALID.NUMBER = NUMBER(VALID.NUMBER - less);
    return packed(m);
}

static void renumber_ticket(word w, void *ticket)
{
    const struct memory m[1] = {unpacked(w, 0, 0)};
    struct ticket *T = ticket;
    T->NUMBER = IS_VALID(*T, m) ? 0 : NUMBER(T->NUMBER - smaller(m));
}

DECLARE
{
    struct memory m[1] = {unpacked(0, n, k)};
    ISSUE = (struct ticket){0};
    VALID = (struct ticket){k};
    S->memory = shared_word("ISSUE, VALID", word_bits(n, k), packed(m), .shown = show, .unbounded = true);
}

ALGORITHM(.title = "The Numbered Ticket Algorithm", .paper = "flbb89", .figure = "Figures 2, 3", .doorway = true,
          .bits = "unbounded", .fairness = "first in, first enabled",
          .renumbering = {renumber_word, renumber_ticket, offsetof(struct locals, TICKET), sizeof(struct ticket)},
          TICKET_CLAIMS);
