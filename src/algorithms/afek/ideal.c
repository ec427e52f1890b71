/* SPDX-License-Identifier: MIT */
#define TIMESTAMPS "timestamps/ideal.h"
#include "algorithms/afek.h"

AFEK(.title = "Figure 2 over ideal timestamps", .bits = "n + " TIMESTAMPS_BITS, AFEK_CLAIMS());
