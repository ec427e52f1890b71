/* SPDX-License-Identifier: MIT
 *
 * The Colored Ticket Algorithm with smaller blocks.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, footnote 2, which says that blocks of one less will do if k and N - k differ.
 *
 * Design summary
 *  - colored_ticket.c with M = max(k, N - k) in place of 1 + max(k, N - k). The conditions are those of Figures 4 and 7
 *    unchanged, and k = N - k is no exception. What must be adjusted is the start: ticket k, up to which all are valid,
 *    is (0, 1) if k = M, and QUANT then is k - 1, 1, 0, ...
 *  - Why the conditions stay. With d = ISSUE - VALID as numbers, what the larger M forbids is d = M = N - k, and
 *    d = -M = -k: in both, the values are equal and the colors differ, so that nobody can tell them apart, and LEADS
 *    says no to either question. But if d = N - k, all N processes hold tickets: nobody takes one, and for the others no
 *    is right, since ISSUE leads. And if d = -k, no valid ticket has been issued: nobody holds one to test or to
 *    discard, and for the next to take one no is right, since VALID leads.
 *  - Nor are more colors needed: when ISSUE leads and is about to begin a block, d <= N - k - 1 (the paper's footnote 3),
 *    and when VALID is, d >= -(k - 1), since the process that leaves holds one of the valid tickets. Both are less than
 *    M, so that the other one still has the same color.
 *
 * Deviations: as colored_ticket.c. Found by exploring: tests/check-all.sh lists for which N and k.
 */
#define SMALL_M
#include "algorithms/colored_ticket.c"

ALGORITHM(.title = "The Colored Ticket Algorithm with smaller blocks", .paper = "flbb89", .figure = "footnote 2",
          .doorway = true, .bits = "2 * bits(max(k, n - k) - 1) + 2 * bits(k) + 2 * k",
          .fairness = "first in, first enabled", .word_bits = word_bits, TICKET_CLAIMS);
