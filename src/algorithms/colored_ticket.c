/* SPDX-License-Identifier: MIT
 *
 * The Colored Ticket Algorithm.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, Figures 2, 4, 6 and 7; ticket.h has Figure 2, colored.h has Figure 4.
 *
 * Design summary
 *  - Tickets (value, color) as in unbounded_colored_ticket.c, but of k + 1 colors that are used again.
 *  - QUANT(c): how many valid tickets have color c. They are k together, so there is always a color without any.
 *  - When the leading one of ISSUE and VALID comes to the end of its block, the next block gets a color that no valid
 *    ticket has; the other one follows and takes the leader's color.
 *  - Equivalent to the queue of all processes that try or are inside, with O(N^2) shared values for fixed k.
 *
 * Correction of Figure 7: it prints QUANT = 0 for all colors at the start. The k tickets that are valid then have color
 * 0, so QUANT(0) = k; as printed, QUANT(0) never exceeds 0 and NEW_COLOR returns nothing else: the mutant
 * `printed_quant` is caught. For Figure 4 see colored.h.
 *
 * Deviations from the figures: QUANT is kept in 2k bits, as tallies: a string in which each color has as many ones as
 * there are valid tickets of it, then a zero; the zero of the last color is left out. There are binom(2k, k) such
 * strings, which is the paper's number of values of QUANT. Both changes of QUANT at the end of Figure 7 are made at once,
 * and a process inside remembers the color of its ticket only.
 *
 * Native: one word of 64 bits has room for k up to 21, with any N up to 64; a larger k is refused. (k = 22 would still go
 * into 64 bits for N up to 53, if VALUE had no more bits there than it needs; but its width is a constant.) 128 bits
 * would have room for k up to 52, with six bits for COLOR. They are not used: C11 promises no lock-free atomics of that
 * size, gcc and clang call a library for them, which may take a lock, and the first x86-64 processors have no
 * compare-and-swap of 128 bits at all.
 */
#include "registers/fields.h"

struct ticket {
    unsigned VALUE, COLOR;
};

struct memory {
    struct ticket ISSUE, VALID;
    word QUANTS; /* all QUANT(C), as tallies (fields.h) */
    word STACK;  /* with the stack of free colors: how many are on it, then the colors, the top one first */
    unsigned n, k;
};
#define QUANTS (m->QUANTS)
#define QUANT(C) tally(QUANTS, 2 * m->k, (C))
#define STACK (m->STACK)

#include "algorithms/colored.h"

#ifdef WITH_STACK
#define STACK_OF_COLORS(FIELD) FIELD(STACK, (1 + k) * bits_up_to(k))
#else
#define STACK_OF_COLORS(FIELD)
#endif

/* Natively VALUE and COLOR have room for M up to 64 and k up to 31: for more, the word has no room anyway. */
#define VARIABLES(FIELD)                                                                                               \
    FIELD(VALID.VALUE, field_bits(M - 1, 6))                                                                           \
    FIELD(VALID.COLOR, field_bits(k, 5))                                                                               \
    FIELD(ISSUE.VALUE, field_bits(M - 1, 6))                                                                           \
    FIELD(ISSUE.COLOR, field_bits(k, 5))                                                                               \
    FIELD(QUANTS, 2 * k)                                                                                               \
    STACK_OF_COLORS(FIELD)
PACKED(VARIABLES);

#ifndef WITH_STACK

/* Figure 6. Returns unused color. */
static inline unsigned NEW_COLOR(struct memory *m)
{
    unsigned C = 0;
    while (C < m->k && QUANT(C) > 0)
        C = C + 1;
    return C;
}

static inline void discarded(unsigned C, struct memory *m)
{
    (void)C, (void)m;
}

#else

static inline void push(unsigned C, struct memory *m)
{
    STACK = inserted(STACK, bits_up_to(m->k), 1, C) + 1;
}

static inline unsigned NEW_COLOR(struct memory *m)
{
    unsigned C = item(STACK, bits_up_to(m->k), 1);
    STACK = removed(STACK, bits_up_to(m->k), 1) - 1;
    return C;
}

/* A color without valid tickets is free again. */
static inline void discarded(unsigned C, struct memory *m)
{
    if (QUANT(C) == 0)
        push(C, m);
}

#endif

/* Figure 7. */
static inline struct ticket TAKE_NEXT_TICKET(struct memory *m) {
    if (ISSUE.VALUE < M - 1) {
        ISSUE.VALUE = ISSUE.VALUE + 1;
    } else {
        if (LEADS(ISSUE, VALID))
            ISSUE.COLOR = NEW_COLOR(m);
        else
            ISSUE.COLOR = VALID.COLOR;
        ISSUE.VALUE = 0;
    }
    return ISSUE;
}

static inline void
VALIDATE_NEXT_TICKET(struct ticket T, struct memory *m)
{
    if (VALID.VALUE < M - 1) {
        VALID.VALUE = VALID.VALUE + 1;
    } else {
        if (LEADS(VALID, ISSUE))
            VALID.COLOR = NEW_COLOR(m);
        else
            VALID.COLOR = ISSUE.COLOR;
        VALID.VALUE = 0;
    }
    /* Update quantity information. */
    QUANTS = tally_moved(QUANTS, 2 * m->k, T.COLOR, VALID.COLOR);
    discarded(T.COLOR, m);
}

#define KEPT(T) ((struct ticket){.COLOR = (T).COLOR})

#include "algorithms/ticket.h"

static void show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    const struct memory m[1] = {unpacked(value, n, k)};
    snprintf(text, size, "ISSUE=(%u,%u) VALID=(%u,%u) QUANT=", ISSUE.VALUE, ISSUE.COLOR, VALID.VALUE, VALID.COLOR);
    for (unsigned C = 0; C <= k; C++)
        append(text, size, "%s%u", C > 0 ? "," : "", QUANT(C));
#ifdef WITH_STACK
    unsigned height = item(STACK, bits_up_to(k), 0);
    append(text, size, " STACK=%s", height == 0 ? "empty" : "");
    for (unsigned h = 1; h <= height; h++)
        append(text, size, "%s%u", h > 1 ? "," : "", item(STACK, bits_up_to(k), h));
#endif
}

DECLARE
{
    struct memory m[1] = {unpacked(0, n, k)};
    ISSUE = (struct ticket){0, 0};
    VALID = (struct ticket){k, 0};
    QUANTS = ((word)1 << k) - 1; /* QUANT(0) = k, the others 0 */
#ifdef SMALL_M
    if (k == M) {
        VALID = (struct ticket){0, 1};
        QUANTS = tally_moved(QUANTS, 2 * k, 0, 1);
    }
#endif
#ifdef WITH_STACK
    for (unsigned C = k; C > 0; C--)
        push(C, m);
#endif
    S->memory = shared_word("ISSUE, VALID, QUANT", word_bits(n, k), packed(m), .shown = show);
}

#if !defined(WITH_STACK) && !defined(SMALL_M)
ALGORITHM(.title = "The Colored Ticket Algorithm", .paper = "flbb89", .figure = "Figures 2, 4, 6, 7", .doorway = true,
          .bits = "2 * bits(max(k, n - k)) + 2 * bits(k) + 2 * k", .fairness = "first in, first enabled",
          .word_bits = word_bits, TICKET_CLAIMS);
#endif
