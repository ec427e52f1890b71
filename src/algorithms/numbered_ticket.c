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
 *  - Who waits changes nothing: it may stop for ever and is in nobody's way, but for the slot it would get.
 *  - First in, first enabled. The numbers grow without bound.
 *
 * Deviations from the figures: ISSUE and VALID have NUMBER_BITS bits each and wrap around (32 natively), so T <= VALID
 * reads: VALID is not behind T by the shorter way round. Tickets that wait are at most N - k ahead of VALID, so that
 * only a process whose ticket is valid, and which takes no step while 2^31 others leave, would wait for as many again.
 */
#include "registers/language.h"

#define NUMBER(x) ((x) & ((UINT64_C(1) << NUMBER_BITS) - 1))

struct ticket {
    word NUMBER;
};

struct memory {
    struct ticket ISSUE, VALID;
};

static inline struct memory unpacked(word w, unsigned n, unsigned k)
{
    (void)n, (void)k;
    return (struct memory){.ISSUE = {w >> NUMBER_BITS}, .VALID = {NUMBER(w)}};
}

static inline word packed(const struct memory *m)
{
    return m->ISSUE.NUMBER << NUMBER_BITS | m->VALID.NUMBER;
}

/* a <= b */
static inline bool at_most(struct ticket a, struct ticket b)
{
    return NUMBER(b.NUMBER - a.NUMBER) >> (NUMBER_BITS - 1) == 0;
}

static inline struct ticket TAKE_NEXT_TICKET(struct memory *m) {
    m->ISSUE.NUMBER = NUMBER(m->ISSUE.NUMBER + 1);
    return m->ISSUE;
}

static inline bool
IS_VALID(struct ticket T, const struct memory *m)
{
    return at_most(T, m->VALID);
}

static inline void VALIDATE_NEXT_TICKET(struct ticket T, struct memory *m)
{
    (void)T;
    m->VALID.NUMBER = NUMBER(m->VALID.NUMBER + 1);
}

#define SLOT(T) ((unsigned)(T).NUMBER)
#define KEPT(T) ((struct ticket){0})

#include "algorithms/ticket.h"

static void show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    struct memory m = unpacked(value, n, k);
    snprintf(text, size, "ISSUE=%u VALID=%u", (unsigned)m.ISSUE.NUMBER, (unsigned)m.VALID.NUMBER);
}

/* For the checker: the smaller of the two becomes 0, and every valid ticket that is held too. */
static word smaller(const struct memory *m)
{
    return at_most(m->ISSUE, m->VALID) ? m->ISSUE.NUMBER : m->VALID.NUMBER;
}

static word renumber_word(word w)
{
    struct memory m = unpacked(w, 0, 0);
    word less = smaller(&m);
    m = (struct memory){{NUMBER(m.ISSUE.NUMBER - less)}, {NUMBER(m.VALID.NUMBER - less)}};
    return packed(&m);
}

static void renumber_ticket(word w, void *ticket)
{
    struct memory m = unpacked(w, 0, 0);
    struct ticket *T = ticket;
    T->NUMBER = IS_VALID(*T, &m) ? 0 : NUMBER(T->NUMBER - smaller(&m));
}

DECLARE
{
    const struct memory start = {.ISSUE = {0}, .VALID = {k}};
    S->memory = shared_word("ISSUE, VALID", 2 * NUMBER_BITS, packed(&start), .shown = show, .unbounded = true);
}

ALGORITHM(.title = "The Numbered Ticket Algorithm", .paper = "flbb89", .figure = "Figures 2, 3", .doorway = true,
          .bits = "unbounded", .fairness = "first in, first enabled",
          .renumbering = {renumber_word, renumber_ticket, offsetof(struct locals, TICKET), sizeof(struct ticket)},
          TICKET_CLAIMS);
