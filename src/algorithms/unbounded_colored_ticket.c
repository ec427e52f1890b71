/* SPDX-License-Identifier: MIT
 *
 * The Unbounded Colored Ticket Algorithm.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, Figures 2, 4 and 5; ticket.h has Figure 2, colored.h has Figure 4.
 *
 * Design summary
 *  - The numbered tickets, cut into blocks of M: ticket t is (t mod M, t div M), a value and a color.
 *  - Of colors only whether they are equal is asked. That prepares for colored_ticket.c, which uses k + 1 of them again
 *    and again; here they still grow without bound.
 *
 * Deviations from the figures: a color has COLOR_BITS bits and wraps around (25 natively), so that a process whose ticket
 * is valid, and which takes no step while 2^25 blocks of tickets are used up, might take it for a later one.
 */
#include "algorithms/colored.h"

/* A value is at most 64: seven bits. */
enum { VALUE_BITS = 7, COLOR_BITS = NUMBER_BITS - VALUE_BITS, COLORS = 1 << COLOR_BITS };

struct memory {
    struct ticket ISSUE, VALID;
    unsigned M;
};

static inline struct ticket unpacked_ticket(word w)
{
    return (struct ticket){.VALUE = w % (1 << VALUE_BITS), .COLOR = w >> VALUE_BITS & (COLORS - 1)};
}

static inline word packed_ticket(struct ticket T)
{
    return (word)T.COLOR << VALUE_BITS | T.VALUE;
}

static inline struct memory unpacked(word w, unsigned n, unsigned k)
{
    return (struct memory){unpacked_ticket(w >> NUMBER_BITS), unpacked_ticket(w), 1 + last_value(n, k)};
}

static inline word packed(const struct memory *m)
{
    return packed_ticket(m->ISSUE) << NUMBER_BITS | packed_ticket(m->VALID);
}

static inline struct ticket TAKE_NEXT_TICKET(struct memory *m) {
    if (m->ISSUE.VALUE < m->M - 1) {
        m->ISSUE.VALUE = m->ISSUE.VALUE + 1;
    } else {
        m->ISSUE.VALUE = 0;
        m->ISSUE.COLOR = (m->ISSUE.COLOR + 1) % COLORS;
    }
    return m->ISSUE;
}

static inline void
VALIDATE_NEXT_TICKET(struct ticket T, struct memory *m)
{
    (void)T;
    if (m->VALID.VALUE < m->M - 1) {
        m->VALID.VALUE = m->VALID.VALUE + 1;
    } else {
        m->VALID.VALUE = 0;
        m->VALID.COLOR = (m->VALID.COLOR + 1) % COLORS;
    }
}

/* For the checker, what stands for all tickets whose color is left behind; inside, a ticket is of no more use. */
static const struct ticket LEFT_BEHIND = {0, COLORS};
#define KEPT(T) LEFT_BEHIND

#include "algorithms/ticket.h"

static void show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    struct memory m = unpacked(value, n, k);
    snprintf(text, size, "ISSUE=(%u,%u) VALID=(%u,%u)", m.ISSUE.VALUE, m.ISSUE.COLOR, m.VALID.VALUE, m.VALID.COLOR);
}

/* For the checker: the smaller of the two colors becomes 0. */
static unsigned smaller(const struct memory *m)
{
    unsigned ahead = (m->VALID.COLOR - m->ISSUE.COLOR) % COLORS;
    return ahead < COLORS / 2 ? m->ISSUE.COLOR : m->VALID.COLOR;
}

static word renumber_word(word w)
{
    struct memory m = unpacked(w, 1, 1);
    unsigned less = smaller(&m);
    m.ISSUE.COLOR = (m.ISSUE.COLOR - less) % COLORS;
    m.VALID.COLOR = (m.VALID.COLOR - less) % COLORS;
    return packed(&m);
}

static void renumber_ticket(word w, void *ticket)
{
    struct memory m = unpacked(w, 1, 1);
    struct ticket *T = ticket;
    if (T->COLOR != m.ISSUE.COLOR && T->COLOR != m.VALID.COLOR)
        *T = LEFT_BEHIND;
    else
        T->COLOR = (T->COLOR - smaller(&m)) % COLORS;
}

DECLARE
{
    const struct memory start = {.ISSUE = {0, 0}, .VALID = {k, 0}};
    S->memory = shared_word("ISSUE, VALID", 2 * NUMBER_BITS, packed(&start), .shown = show, .unbounded = true);
}

ALGORITHM(.title = "The Unbounded Colored Ticket Algorithm", .paper = "flbb89", .figure = "Figures 2, 4, 5",
          .doorway = true, .bits = "unbounded", .fairness = "first in, first enabled",
          .renumbering = {renumber_word, renumber_ticket, offsetof(struct locals, TICKET), sizeof(struct ticket)},
          TICKET_CLAIMS);
