/* SPDX-License-Identifier: MIT
 *
 * The Three-Bit Algorithm, made self-stabilizing.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, Figure 2 with the
 * modification of Theorem 6.
 *
 * Design summary
 *  - The text of three_bit.c with one statement more: y[i] *:=* true, "somewhere between the label l2 and the
 *    beginning of the for statement". It makes sure that nobody waits with its y false, unseen.
 *  - It stands right at l2, before i reads the y of all, its own among them: so i is in the cycle that it computes,
 *    from the first round on, and Lemma 3 gives it an f. (The other two places, tests/algorithms/three_bit_*.c, do as well,
 *    as far as they were explored.)
 *  - x is corrected by the algorithm itself, and z may have any value.
 *
 * Deviations from the text: those of three_bit.c.
 */
#define STABILIZING RIGHT_AT_L2
#include "algorithms/three_bit.c"

ALGORITHM(.title = "The Three-Bit Algorithm, self-stabilizing", .paper = "lamport86", .figure = "Theorem 6", .k = 1,
          .bits = "3 * n", .bits_each = "3", .fairness = "nobody starves",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | FAILURE | TRANSIENT},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | FAILURE | TRANSIENT},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | FAILURE | TRANSIENT}, {BOUNDED_EXIT, SAFE, CRASH}));
