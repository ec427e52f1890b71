/* SPDX-License-Identifier: MIT
 *
 * The One-Bit Algorithm embedded in the N-Bit Algorithm.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, section 3.5, Theorem 7.
 *
 * Design summary
 *  - n_bit.c lets processes on in the order in which they came; of those that it has let on, one_bit.c lets in one at a
 *    time. embedding.h says how the two are put together.
 *  - Theorem 7: mutual exclusion, first come, first served, no deadlock, no lockout.
 *
 * Deviations from the text: those of n_bit.c and one_bit.c.
 */
#define FC "algorithms/n_bit.c"
#define ME "algorithms/one_bit.c"
#include "algorithms/embedding.h"

ALGORITHM(.title = "The One-Bit Algorithm in the N-Bit Algorithm", .paper = "lamport86", .figure = "Theorem 7", .k = 1,
          .doorway = true, .bits = "n * (n + 1)", .bits_each = "n + 1", .fairness = "first come, first served",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE}, {FCFS, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE},
                 {BOUNDED_DOORWAY, SAFE, CRASH}, {BOUNDED_EXIT, SAFE, CRASH}));
