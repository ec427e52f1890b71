/* SPDX-License-Identifier: MIT
 *
 * The self-stabilizing One-Bit Algorithm embedded in the N!-Bit Algorithm: what the proof of Theorem 8 speaks of.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, section 3.5, Theorem 8.
 *
 * Design summary
 *  - As one_bit.c beside this file, with the modification of Theorem 4 in the inner algorithm.
 *  - From an arbitrary start it excludes and keeps the order eventually, but it can deadlock and lock out: one process
 *    may wait in the outer algorithm with its inner flag up, another in the inner one for that flag. docs/findings.md
 *    shows both; one_bit_mending.c is the repair.
 *
 * Deviations from the text: those of n_factorial_bit.c and one_bit_stabilizing.c.
 */
#define FC "algorithms/n_factorial_bit.c"
#define ME "algorithms/one_bit_stabilizing.c"
#include "algorithms/embedding.h"

ALGORITHM(.title = "The self-stabilizing One-Bit Algorithm in the N!-Bit Algorithm", .paper = "lamport86",
          .figure = "Theorem 8", .k = 1, .max_n = 9, .doorway = true,
          .bits = "n * (2 + sum(m = 2..n, (n - 1)! / (n - m)!))", .bits_each = "2 + sum(m = 2..n, (n - 1)! / (n - m)!)",
          .fairness = "first come, first served",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE | TRANSIENT},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE},
                 {FCFS, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE | TRANSIENT}, {BOUNDED_DOORWAY, SAFE, CRASH},
                 {BOUNDED_EXIT, SAFE, CRASH}));
