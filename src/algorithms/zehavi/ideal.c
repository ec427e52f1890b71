/* SPDX-License-Identifier: MIT
 *
 * Algorithm 1 of Zehavi, 2013 (zehavi.h), over timestamps of one atomic step.
 */
#define TIMESTAMPS "timestamps/ideal.h"
#include "algorithms/zehavi.h"

ZEHAVI(.title = "k-Exclusion in bounded space, ideal timestamps", .bits = ZEHAVI_BITS " + " TIMESTAMPS_BITS,
       .checked_only = TIMESTAMPS_CHECKED_ONLY);
