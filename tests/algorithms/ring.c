/* SPDX-License-Identifier: MIT
 *
 * The turn-taking ring (ring.h), started as it should be, with all values equal: one at a time. It needs atomic
 * registers: the next one may see a turn while it is still being written, take it and come again, and then see it
 * again.
 */
#define INITIAL false
#include "ring.h"

ALGORITHM(.title = "The turn-taking ring", .paper = "lamport86", .figure = "section 3.3", .k = 1, .bits = "n",
          .fairness = "in turn", CLAIMS({EXCLUSION, ATOMIC, CRASH}, {BOUNDED_EXIT, SAFE, CRASH}));
