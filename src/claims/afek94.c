/* SPDX-License-Identifier: MIT
 *
 * Y. Afek, D. Dolev, E. Gafni, M. Merritt, N. Shavit, A Bounded First-In, First-Enabled Solution to the l-Exclusion
 * Problem, ACM Transactions on Programming Languages and Systems 16, 1994.
 *
 * l is k here. Two chapters: concurrent timestamp systems (section 3.1), and the algorithm of Figure 2 over each of the
 * four that there are: the unbounded one of Figure 1, the ideal one, and two that are bounded.
 */
#include "claims/afek94.h"

const struct paper afek94 = {
    .id = "afek94",
    .cited = "Afek and others 1994",
    .title = "Afek, Dolev, Gafni, Merritt, Shavit, A Bounded First-In, First-Enabled Solution to l-Exclusion, 1994",
    .chapters = {&afek94_timestamps, &afek94_algorithm}};
