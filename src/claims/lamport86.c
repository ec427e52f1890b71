/* SPDX-License-Identifier: MIT
 *
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986.
 *
 * The order is that of the paper. His communication variables are safe registers; what he claims for them is asked for
 * atomic and regular ones too. A property for which an algorithm is shutdown safe (fail safe, ...) is that property in
 * a setting in which every process may shut down (fail, ...).
 */
#include "claims/lamport86.h"

const struct paper lamport86 = {
    .id = "lamport86",
    .cited = "Lamport 1986",
    .title = "Lamport, The Mutual Exclusion Problem, Part II, 1986",
    .chapters = {&lamport86_the_problem, &lamport86_one_bit_to_three, &lamport86_fcfs_solutions}};
