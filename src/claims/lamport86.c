/* SPDX-License-Identifier: MIT
 *
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986.
 */
#include "claims/claims.h"

static const struct statement statements[] = {
    {.where = "Theorem 3",
     .algorithm = "one_bit",
     .n = {2, 4},
     .registers = ON_ALL,
     .behaviours = NORMALLY | SHUTDOWN | FAILURE,
     .full_from = 4,
     .properties = P(EXCLUSION) | P(DEADLOCK_FREEDOM)},
};

const struct paper lamport86 = {.id = "lamport86",
                                .title = "Lamport, The Mutual Exclusion Problem, Part II, 1986",
                                .statements = statements,
                                .count = sizeof statements / sizeof statements[0]};
