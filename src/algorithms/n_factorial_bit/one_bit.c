/* SPDX-License-Identifier: MIT
 *
 * The One-Bit Algorithm embedded in the N!-Bit Algorithm, as Theorem 8 says.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, section 3.5, Theorem 8.
 *
 * Design summary
 *  - n_factorial_bit.c lets processes on in the order in which they came; of those that it has let on, one_bit.c lets in
 *    one at a time. embedding.h says how the two are put together.
 *  - Mutual exclusion, first come, first served, no deadlock, no lockout, with shutdown, abortion and failure too.
 *  - Not self-stabilizing, since One-Bit as printed is not; the proof means the form of Theorem 4, which is
 *    one_bit_stabilizing.c beside this file, and that does not do either: docs/findings.md.
 *
 * Deviations from the text: those of n_factorial_bit.c and one_bit.c.
 */
#define FC "algorithms/n_factorial_bit.c"
#define ME "algorithms/one_bit.c"
#include "algorithms/embedding.h"

ALGORITHM(.title = "The One-Bit Algorithm in the N!-Bit Algorithm", .paper = "lamport86", .figure = "Theorem 8", .k = 1,
          .max_n = 9, .doorway = true, .bits = "n * (2 + sum(m = 2..n, (n - 1)! / (n - m)!))",
          .bits_each = "2 + sum(m = 2..n, (n - 1)! / (n - m)!)", .fairness = "first come, first served",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE},
                 {FCFS, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE | TRANSIENT}, {BOUNDED_DOORWAY, SAFE, CRASH},
                 {BOUNDED_EXIT, SAFE, CRASH}));
