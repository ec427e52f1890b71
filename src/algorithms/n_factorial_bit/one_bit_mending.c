/* SPDX-License-Identifier: MIT
 *
 * Theorem 8 repaired: the self-stabilizing One-Bit Algorithm in the N!-Bit Algorithm, each seeing to the other's flag.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, section 3.5, Theorem 8.
 *
 * Design summary
 *  - As one_bit_stabilizing.c beside this file, and whoever waits in one of the two algorithms keeps its flag of the
 *    other one right (embedding.h, MENDS): x_i false while waiting in the outer, y_i true while waiting in the inner.
 *  - Mutual exclusion, first come, first served, no deadlock, no lockout; and all of them again after a transient
 *    malfunction, which is what Theorem 8 says of the algorithm without this.
 *
 * Deviations from the text: those of n_factorial_bit.c and one_bit_stabilizing.c, and the two writes of MENDS.
 */
#define FC "algorithms/n_factorial_bit.c"
#define ME "algorithms/one_bit_stabilizing.c"
#define MENDS
#include "algorithms/embedding.h"

ALGORITHM(.title = "One-Bit in N!-Bit, each mending the other", .paper = "lamport86", .figure = "Theorem 8", .k = 1,
          .max_n = 9, .doorway = true, .bits = "n * (2 + sum(m = 2..n, (n - 1)! / (n - m)!))",
          .bits_each = "2 + sum(m = 2..n, (n - 1)! / (n - m)!)", .fairness = "first come, first served",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE | TRANSIENT},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE | TRANSIENT},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE | TRANSIENT},
                 {FCFS, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE | TRANSIENT}, {BOUNDED_DOORWAY, SAFE, CRASH},
                 {BOUNDED_EXIT, SAFE, CRASH}));
