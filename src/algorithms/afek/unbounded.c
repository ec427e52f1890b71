/* SPDX-License-Identifier: MIT
 *
 * Figure 2 of Afek, Dolev, Gafni, Merritt and Shavit, 1994 (afek.h), over the unbounded timestamps of its Figure 1.
 */
#define TIMESTAMPS "timestamps/unbounded.h"
#include "algorithms/afek.h"

/* Section 5: with this timestamp system, first in, first enabled also in the stronger sense. */
AFEK(.title = "The l-Exclusion Algorithm, unbounded timestamps", .bits = TIMESTAMPS_BITS,
     .ticket_locals = {TIMESTAMPS_TICKETS(label, scan)}, .climb = TIMESTAMPS_CLIMB(label),
     AFEK_CLAIMS({STRONG_FIFE, ATOMIC, 0}));
