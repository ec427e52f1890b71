/* SPDX-License-Identifier: MIT
 *
 * The turn-taking ring (ring.h) with any initial values: it may be the turn of several at once, but by Lemma 3 it is
 * always somebody's.
 */
#define INITIAL ANY_VALUE
#include "ring.h"

ALGORITHM(.title = "The turn-taking ring, from any values", .paper = "lamport86", .figure = "section 3.3", .k = 1,
          .bits = "n", .fairness = "in turn", CLAIMS({BOUNDED_EXIT, SAFE, CRASH}));
