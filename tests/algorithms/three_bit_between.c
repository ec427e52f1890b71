/* SPDX-License-Identifier: MIT
 *
 * The Three-Bit Algorithm of Theorem 6 (src/algorithms/three_bit_stabilizing.c) with its write at another place that the
 * theorem allows: between gamma and f.
 */
#define STABILIZING BETWEEN_GAMMA_AND_F
#include "algorithms/three_bit.c"

ALGORITHM(.title = "The Three-Bit Algorithm, y corrected between gamma and f", .paper = "lamport86",
          .figure = "Theorem 6", .k = 1, .bits = "3 * n", .bits_each = "3", .fairness = "nobody starves",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | FAILURE | TRANSIENT},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | FAILURE | TRANSIENT},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | FAILURE | TRANSIENT}, {BOUNDED_EXIT, SAFE, CRASH}));
