/* SPDX-License-Identifier: MIT */
#define LOOPS_LEAVING
#include "unmarked_loop.h"

ALGORITHM(.title = "Loops before it leaves", .paper = "-", .figure = "", .k = 1, .bits = "n", .fairness = "none",
          CLAIMS({EXCLUSION, ATOMIC, 0}));
