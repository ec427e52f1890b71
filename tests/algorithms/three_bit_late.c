/* SPDX-License-Identifier: MIT
 *
 * The Three-Bit Algorithm of Theorem 6 (src/algorithms/three_bit_stabilizing.c) with its write at another place that the
 * theorem allows: right before the first for.
 */
#define STABILIZING BEFORE_FOR
#include "algorithms/three_bit.c"

ALGORITHM(.title = "The Three-Bit Algorithm, y corrected right before the first for", .paper = "lamport86",
          .figure = "Theorem 6", .k = 1, .bits = "3 * n", .bits_each = "3", .fairness = "nobody starves",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | FAILURE | TRANSIENT},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | FAILURE | TRANSIENT},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | FAILURE | TRANSIENT}, {BOUNDED_EXIT, SAFE, CRASH}));
