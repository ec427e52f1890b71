/* SPDX-License-Identifier: MIT
 *
 * The example that Afek et al. (1994) give of order(): the pairs (1001, 1), (1500, 2), (1500, 3), (2564, 4), for which
 * the paper has the permutation (2, 3, 1, 4). Computed by the unbounded timestamp system itself.
 */
#include "claims/claims.h"

#include <stdio.h>

#define ADMIT_STEPPED
#define ADMIT_ID "claims"
#include "timestamps/unbounded.h"

static void compute_example(struct row *row, uint64_t memory_limit)
{
    static const ticket labels[] = {1001, 1500, 1500, 2564};
    static const proc printed[] = {2, 3, 1, 4};
    enum { PAIRS = sizeof labels / sizeof labels[0] };
    proc rank[PAIRS];
    (void)memory_limit;
    (void)timestamps_declare, (void)Label, (void)Scan, (void)order_of, (void)ordered_before; /* not asked here */
    rank_pairs(labels, rank, PAIRS);
    row->found = HOLDS;
    for (unsigned p = 0; p < PAIRS; p++)
        if (rank[p] + 1 != printed[p])
            row->found = VIOLATED;
    snprintf(row->note, sizeof row->note, "by the definition before it: (%u, %u, %u, %u)", rank[0] + 1u, rank[1] + 1u,
             rank[2] + 1u, rank[3] + 1u);
}
const struct calculation order_example = {"order() of the example", compute_example};
