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
#include "registers/fields.h"

/* A value is at most 64: seven bits. */
enum { VALUE_BITS = 7, COLOR_BITS = NUMBER_BITS - VALUE_BITS, COLORS = 1 << COLOR_BITS };

struct ticket {
    unsigned VALUE, COLOR;
};

struct memory {
    struct ticket ISSUE, VALID;
    unsigned n, k;
};

#include "algorithms/colored.h"

#define VARIABLES(FIELD)                                                                                               \
    FIELD(VALID.VALUE, VALUE_BITS)                                                                                     \
    FIELD(VALID.COLOR, COLOR_BITS)                                                                                     \
    FIELD(ISSUE.VALUE, VALUE_BITS)                                                                                     \
    FIELD(ISSUE.COLOR, COLOR_BITS)
PACKED(VARIABLES);

/* Figure 5. */
static inline struct ticket TAKE_NEXT_TICKET(struct memory *m) {
    if (ISSUE.VALUE < M - 1) {
        ISSUE.VALUE = ISSUE.VALUE + 1;
    } else {
        ISSUE.VALUE = 0;
        ISSUE.COLOR = (ISSUE.COLOR + 1) % COLORS;
    }
    return ISSUE;
}

static inline void
VALIDATE_NEXT_TICKET(struct ticket T, struct memory *m)
{
    (void)T;
    if (VALID.VALUE < M - 1) {
        VALID.VALUE = VALID.VALUE + 1;
    } else {
        VALID.VALUE = 0;
        VALID.COLOR = (VALID.COLOR + 1) % COLORS;
    }
}

/* For the checker, what stands for all tickets whose color is left behind; inside, a ticket is of no more use. */
static const struct ticket LEFT_BEHIND = {0, COLORS};
#define KEPT(T) LEFT_BEHIND

#include "algorithms/ticket.h"

static void show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    const struct memory m[1] = {unpacked(value, n, k)};
    snprintf(text, size, "ISSUE=(%u,%u) VALID=(%u,%u)", ISSUE.VALUE, ISSUE.COLOR, VALID.VALUE, VALID.COLOR);
}

/* For the checker: the smaller of the two colors becomes 0. */
static unsigned smaller(const struct memory *m)
{
    unsigned ahead = (VALID.COLOR - ISSUE.COLOR) % COLORS;
    return ahead < COLORS / 2 ? ISSUE.COLOR : VALID.COLOR;
}

static word renumber_word(word w)
{
    struct memory m[1] = {unpacked(w, 1, 1)};
    unsigned less = smaller(m);
    ISSUE.COLOR = (ISSUE.COLOR - less) % COLORS;
    VALID.COLOR = (VALID.COLOR - less) % COLORS;
    return packed(m);
}

static void renumber_ticket(word w, void *ticket)
{
    const struct memory m[1] = {unpacked(w, 1, 1)};
    struct ticket *T = ticket;
    if (T->COLOR != ISSUE.COLOR && T->COLOR != VALID.COLOR)
        *T = LEFT_BEHIND;
    else
        T->COLOR = (T->COLOR - smaller(m)) % COLORS;
}

DECLARE
{
    struct memory m[1] = {unpacked(0, n, k)};
    ISSUE = (struct ticket){0, 0};
    VALID = (struct ticket){k, 0};
    S->memory = shared_word("ISSUE, VALID", word_bits(n, k), packed(m), .shown = show, .unbounded = true);
}

ALGORITHM(.title = "The Unbounded Colored Ticket Algorithm", .paper = "flbb89", .figure = "Figures 2, 4, 5",
          .doorway = true, .bits = "unbounded", .fairness = "first in, first enabled",
          .renumbering = {renumber_word, renumber_ticket, offsetof(struct locals, TICKET), sizeof(struct ticket)},
          TICKET_CLAIMS);
