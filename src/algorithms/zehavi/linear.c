/* SPDX-License-Identifier: MIT
 *
 * Algorithm 1 of Zehavi, 2013 (zehavi.h), over bounded timestamps: timestamps/linear.h.
 */
#define TIMESTAMPS "timestamps/linear.h"
#include "algorithms/zehavi.h"

#define REGISTERS_BEFORE(n) ZEHAVI_REGISTERS(n)
#include "timestamps/linear_alike.h"

ZEHAVI(.title = "k-Exclusion in bounded space, linear timestamps", .alike = TIMESTAMPS_ALIKE,
       .bits = ZEHAVI_BITS " + " TIMESTAMPS_BITS);
