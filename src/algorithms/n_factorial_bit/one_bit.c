/* SPDX-License-Identifier: MIT
 *
 * The One-Bit Algorithm embedded in the N!-Bit Algorithm: "the ultimate algorithm that satisfies every property we have
 * ever wanted".
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, section 3.5, Theorem 8.
 *
 * Design summary
 *  - n_factorial_bit.c lets processes on in the order in which they came; of those that it has let on,
 *    one_bit_stabilizing.c lets in one at a time. embedding.h says how the two are put together.
 *  - Theorem 8: mutual exclusion, first come, first served, no deadlock, no lockout; and all of them again after a
 *    transient malfunction.
 *
 * Deviations from the text: those of n_factorial_bit.c and one_bit_stabilizing.c. The theorem says "the One-Bit
 * Algorithm"; its proof relies on that being self-stabilizing, which it is with the modification of Theorem 4 only.
 */
#define FC "algorithms/n_factorial_bit.c"
#define ME "algorithms/one_bit_stabilizing.c"
#include "algorithms/embedding.h"

ALGORITHM(.title = "The One-Bit Algorithm in the N!-Bit Algorithm", .paper = "lamport86", .figure = "Theorem 8", .k = 1,
          .max_n = 9, .doorway = true, .bits = "n * (2 + sum(m = 2..n, (n - 1)! / (n - m)!))",
          .bits_each = "2 + sum(m = 2..n, (n - 1)! / (n - m)!)", .fairness = "first come, first served",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE | TRANSIENT},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE | TRANSIENT},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE | TRANSIENT},
                 {FCFS, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE | TRANSIENT}, {BOUNDED_DOORWAY, SAFE, CRASH},
                 {BOUNDED_EXIT, SAFE, CRASH}));
