/* SPDX-License-Identifier: MIT */
#define TIMESTAMPS "timestamps/ideal.h"
#include "algorithms/zehavi.h"

ZEHAVI(.title = "Algorithm 1 over ideal timestamps", .bits = "6 * n * (n - 1) + n + " TIMESTAMPS_BITS);
