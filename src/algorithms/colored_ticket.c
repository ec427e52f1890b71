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
 * Deviations from the figures: QUANT is kept in 2k bits, as a string in which each color has as many ones as there are
 * valid tickets of it, then a zero; the zero of the last color is left out. There are binom(2k, k) such strings, which
 * is the paper's number of values of QUANT. Both changes of QUANT at the end of Figure 7 are made at once, and a process
 * inside remembers the color of its ticket only.
 *
 * Native: one word of 64 bits has room for k up to 21, with any N up to 64; a larger k is refused. (k = 22 would still go
 * into 64 bits for N up to 53, if VALUE had no more bits there than it needs; but its width is a constant.) 128 bits
 * would have room for k up to 52, with six bits for COLOR. They are not used: C11 promises no lock-free atomics of that
 * size, gcc and clang call a library for them, which may take a lock, and the first x86-64 processors have no
 * compare-and-swap of 128 bits at all.
 */
#include "algorithms/colored.h"

struct memory {
    struct ticket ISSUE, VALID;
    word QUANT;
    word STACK;         /* only with the stack of free colors; else 0 */
    unsigned M, colors; /* colors = k + 1 */
};

/* Natively constants: M is at most 64 and k at most 31, else the word has no room anyway. */
static inline unsigned value_bits(unsigned M)
{
    return field_bits(M - 1, 6);
}

static inline unsigned color_bits(unsigned colors)
{
    return field_bits(colors - 1, 5);
}

static inline unsigned quant_bits(unsigned k)
{
    return 2 * k;
}

/* How many colors are on the stack, and k colors. */
static inline unsigned stack_bits(unsigned k)
{
#ifdef WITH_STACK
    return (1 + k) * bits_up_to(k);
#else
    return (void)k, 0;
#endif
}

static unsigned word_bits(unsigned n, unsigned k)
{
    return 2 * (value_bits(1 + last_value(n, k)) + color_bits(k + 1)) + quant_bits(k) + stack_bits(k);
}

static inline word low_bits(word w, unsigned bits)
{
    return w & (((word)1 << bits) - 1);
}

static inline struct ticket unpacked_ticket(word w, unsigned M, unsigned colors)
{
    return (struct ticket){.VALUE = (unsigned)low_bits(w, value_bits(M)),
                           .COLOR = (unsigned)low_bits(w >> value_bits(M), color_bits(colors))};
}

static inline word packed_ticket(struct ticket T, unsigned M)
{
    return (word)T.COLOR << value_bits(M) | T.VALUE;
}

/* From the lowest bits up: VALID, ISSUE, QUANT, STACK. */
static inline struct memory unpacked(word w, unsigned n, unsigned k)
{
    unsigned M = 1 + last_value(n, k), colors = k + 1, bits = value_bits(M) + color_bits(colors);
    return (struct memory){.VALID = unpacked_ticket(w, M, colors),
                           .ISSUE = unpacked_ticket(w >> bits, M, colors),
                           .QUANT = low_bits(w >> 2 * bits, quant_bits(k)),
                           .STACK = stack_bits(k) > 0 ? w >> (2 * bits + quant_bits(k)) : 0,
                           .M = M,
                           .colors = colors};
}

static inline word packed(const struct memory *m)
{
    unsigned bits = value_bits(m->M) + color_bits(m->colors), k = m->colors - 1;
    word stack = stack_bits(k) > 0 ? m->STACK << (2 * bits + quant_bits(k)) : 0;
    return stack | m->QUANT << 2 * bits | packed_ticket(m->ISSUE, m->M) << bits | packed_ticket(m->VALID, m->M);
}

/* Where the ones of color C end, in a string of so many bits. */
static inline unsigned end_of(word QUANT, unsigned bits, unsigned C)
{
    word zeros = low_bits(~QUANT, bits) | (word)1 << bits;
    for (; C > 0 && (zeros & (zeros - 1)) != 0; C--)
        zeros &= zeros - 1;
    return (unsigned)__builtin_ctzll(zeros);
}

static inline unsigned QUANT(const struct memory *m, unsigned C)
{
    unsigned bits = quant_bits(m->colors - 1), end = end_of(m->QUANT, bits, C);
    return C == 0 ? end : end - end_of(m->QUANT, bits, C - 1) - 1;
}

/* QUANT(up) := QUANT(up) + 1; QUANT(down) := QUANT(down) - 1. */
static inline void update_quantity(struct memory *m, unsigned up, unsigned down)
{
    if (up == down)
        return;
    unsigned bits = quant_bits(m->colors - 1), at = end_of(m->QUANT, bits, down);
    if (at == 0)
        return; /* there is no such ticket: never, but for what the checker tries beforehand */
    word without = m->QUANT >> at << (at - 1) | low_bits(m->QUANT, at - 1);
    at = end_of(without, bits - 1, up);
    m->QUANT = ((without >> at << 1) | 1) << at | low_bits(without, at);
}

#ifndef WITH_STACK

/* Figure 6. Returns unused color. */
static inline unsigned NEW_COLOR(struct memory *m)
{
    unsigned C = 0;
    while (C + 1 < m->colors && QUANT(m, C) > 0)
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
    unsigned width = bits_up_to(m->colors - 1);
    word height = low_bits(m->STACK, width), above = m->STACK >> width;
    m->STACK = (above << width | C) << width | (height + 1);
}

static inline unsigned NEW_COLOR(struct memory *m)
{
    unsigned width = bits_up_to(m->colors - 1), C = (unsigned)low_bits(m->STACK >> width, width);
    word height = low_bits(m->STACK, width);
    m->STACK = m->STACK >> 2 * width << width | (height - 1);
    return C;
}

/* A color without valid tickets is free again. */
static inline void discarded(unsigned C, struct memory *m)
{
    if (QUANT(m, C) == 0)
        push(C, m);
}

#endif

static inline struct ticket TAKE_NEXT_TICKET(struct memory *m) {
    if (m->ISSUE.VALUE < m->M - 1) {
        m->ISSUE.VALUE = m->ISSUE.VALUE + 1;
    } else {
        if (LEADS(m->ISSUE, m->VALID))
            m->ISSUE.COLOR = NEW_COLOR(m);
        else
            m->ISSUE.COLOR = m->VALID.COLOR;
        m->ISSUE.VALUE = 0;
    }
    return m->ISSUE;
}

static inline void
VALIDATE_NEXT_TICKET(struct ticket T, struct memory *m)
{
    if (m->VALID.VALUE < m->M - 1) {
        m->VALID.VALUE = m->VALID.VALUE + 1;
    } else {
        if (LEADS(m->VALID, m->ISSUE))
            m->VALID.COLOR = NEW_COLOR(m);
        else
            m->VALID.COLOR = m->ISSUE.COLOR;
        m->VALID.VALUE = 0;
    }
    /* Update quantity information. */
    update_quantity(m, m->VALID.COLOR, T.COLOR);
    discarded(T.COLOR, m);
}

#define KEPT(T) ((struct ticket){.COLOR = (T).COLOR})

#include "algorithms/ticket.h"

#ifdef WITH_STACK
static void show_stack(char *text, size_t size, const struct memory *m)
{
    unsigned width = bits_up_to(m->colors - 1), height = (unsigned)low_bits(m->STACK, width);
    int used = snprintf(text, size, " STACK=%s", height == 0 ? "empty" : "");
    for (unsigned h = 0; h < height && used >= 0 && (size_t)used < size; h++)
        used += snprintf(text + used, size - (size_t)used, "%s%u", h > 0 ? "," : "",
                         (unsigned)low_bits(m->STACK >> (h + 1) * width, width));
}
#endif

static void show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    struct memory m = unpacked(value, n, k);
    int used = snprintf(text, size, "ISSUE=(%u,%u) VALID=(%u,%u) QUANT=", m.ISSUE.VALUE, m.ISSUE.COLOR, m.VALID.VALUE,
                        m.VALID.COLOR);
    for (unsigned C = 0; C <= k && used >= 0 && (size_t)used < size; C++)
        used += snprintf(text + used, size - (size_t)used, "%s%u", C > 0 ? "," : "", QUANT(&m, C));
#ifdef WITH_STACK
    show_stack(text + used, size - (size_t)used, &m);
#endif
}

DECLARE
{
    struct memory start = {.ISSUE = {0, 0},
                           .VALID = {k, 0},
                           .QUANT = ((word)1 << k) - 1, /* QUANT(0) = k, the others 0 */
                           .M = 1 + last_value(n, k),
                           .colors = k + 1};
#ifdef SMALL_M
    if (k == start.M) {
        start.VALID = (struct ticket){0, 1};
        update_quantity(&start, 1, 0);
    }
#endif
#ifdef WITH_STACK
    for (unsigned C = k; C > 0; C--)
        push(C, &start);
#endif
    S->memory = shared_word("ISSUE, VALID, QUANT", word_bits(n, k), packed(&start), .shown = show);
}

#if !defined(WITH_STACK) && !defined(SMALL_M)
ALGORITHM(.title = "The Colored Ticket Algorithm", .paper = "flbb89", .figure = "Figures 2, 4, 6, 7", .doorway = true,
          .bits = "2 * bits(max(k, n - k)) + 2 * bits(k) + 2 * k", .fairness = "first in, first enabled",
          .word_bits = word_bits, TICKET_CLAIMS);
#endif
