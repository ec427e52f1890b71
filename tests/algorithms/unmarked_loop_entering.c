/* SPDX-License-Identifier: MIT */
#include "unmarked_loop.h"

ALGORITHM(.title = "Loops before it enters", .paper = "-", .figure = "", .k = 1, .bits = "n", .fairness = "none",
          CLAIMS({EXCLUSION, ATOMIC, 0}));
