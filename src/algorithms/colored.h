/* SPDX-License-Identifier: MIT
 *
 * colored.h - what the colored ticket algorithms have in common: tickets (VALUE, COLOR), and when they are valid.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, section 2.4 and Figure 4.
 *
 * Numbered tickets are cut into blocks of M = 1 + max(k, N - k). A ticket's VALUE is its place in its block, and all of
 * a block have one COLOR. ISSUE and VALID are never M or more apart: so which of the two leads can be told from their
 * values and from whether their colors are the same, and nothing else about colors matters.
 *
 * Correction of Figure 4: it prints > in the branch of LEADS for equal colors; the text says that on equality each leads
 * the other, which needs >=. As printed, Figure 7 takes the other's color where it needs a new one: the mutant
 * colored_ticket:printed_leads is caught. Figure 5 asks LEADS only of different colors, and does not notice.
 *
 * An algorithm defines, then includes this file:
 *
 *     struct ticket               with VALUE and COLOR
 *     struct memory               with ISSUE and VALID, and n and k (fields.h)
 */
#include "registers/fields.h"

#define ISSUE (m->ISSUE)
#define VALID (m->VALID)

/* M. With SMALL_M, footnote 2: see colored_ticket_small.c. */
static inline unsigned block_size(unsigned n, unsigned k)
{
    unsigned most = k > n - k ? k : n - k;
#ifdef SMALL_M
    return most;
#else
    return 1 + most;
#endif
}
#define M block_size(m->n, m->k)

/* Figure 4. Tests if A leads B. */
static inline bool LEADS(struct ticket A, struct ticket B)
{
    if (A.COLOR == B.COLOR)
        return A.VALUE >= B.VALUE;
    else
        return A.VALUE < B.VALUE;
}

static inline bool IS_VALID(struct ticket T, const struct memory *m)
{
    if (T.COLOR == VALID.COLOR)
        return T.VALUE <= VALID.VALUE;
    else if (T.COLOR == ISSUE.COLOR)
        return LEADS(VALID, ISSUE);
    else
        return true;
}

/* At most N - k < M tickets wait at a time, and they follow each other. */
#define BAY(T) ((T).VALUE)
