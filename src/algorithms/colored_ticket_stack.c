/* SPDX-License-Identifier: MIT
 *
 * The Colored Ticket Algorithm with a stack of free colors.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, section 2.4, after Figure 6.
 *
 * Design summary
 *  - colored_ticket.c, in which NEW_COLOR does not look for a color C with QUANT(C) = 0 but takes it from a stack;
 *    VALIDATE_NEXT_TICKET(T) pushes T.COLOR if QUANT has become zero for it. The loop of Figure 6 is gone, for k^k times
 *    as many shared values (the paper's estimate).
 *
 * Deviations from the text: the stack's height, which the paper does not mention, is kept too: it does not follow from
 * QUANT, since a color that ISSUE has taken has no valid tickets yet. At the start colors 1 .. k are on it.
 *
 * Native: one word of 64 bits has room for k up to 7 with any N up to 64. Others are refused.
 */
#define WITH_STACK
#include "algorithms/colored_ticket.c"

ALGORITHM(.title = "The Colored Ticket Algorithm with a stack of colors", .paper = "flbb89", .figure = "section 2.4",
          .doorway = true, .bits = "2 * bits(max(k, n - k)) + 2 * bits(k) + 2 * k + (k + 1) * bits(k)",
          .fairness = "first in, first enabled", .word_bits = word_bits, TICKET_CLAIMS);
