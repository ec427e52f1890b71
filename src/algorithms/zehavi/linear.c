/* SPDX-License-Identifier: MIT
 *
 * Algorithm 1 of Zehavi, 2013 (zehavi.h), over bounded timestamps: timestamps/linear.h.
 */
#define TIMESTAMPS "timestamps/linear.h"
#include "algorithms/zehavi.h"

ZEHAVI(.title = "k-Exclusion in bounded space, linear timestamps", .bits = ZEHAVI_BITS " + " TIMESTAMPS_BITS);
