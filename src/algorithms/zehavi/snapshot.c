/* SPDX-License-Identifier: MIT
 *
 * Algorithm 1 of Zehavi, 2013 (zehavi.h), over bounded timestamps: timestamps/snapshot.h.
 */
#define TIMESTAMPS "timestamps/snapshot.h"
#include "algorithms/zehavi.h"

ZEHAVI(.title = "k-Exclusion in bounded space, snapshot timestamps", .bits = ZEHAVI_BITS " + " TIMESTAMPS_BITS);
