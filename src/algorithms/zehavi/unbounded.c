/* SPDX-License-Identifier: MIT
 *
 * Algorithm 1 of Zehavi, 2013 (zehavi.h), over unbounded timestamps.
 */
#define TIMESTAMPS "timestamps/unbounded.h"
#include "algorithms/zehavi.h"

ZEHAVI(.title = "k-Exclusion, unbounded timestamps", .bits = TIMESTAMPS_BITS,
       .ticket_locals = {TIMESTAMPS_TICKETS(label, scan)}, .climb = TIMESTAMPS_CLIMB(label));
