/* SPDX-License-Identifier: MIT
 *
 * Figure 2 of Afek, Dolev, Gafni, Merritt and Shavit, 1994 (afek.h), over timestamps of one atomic step.
 */
#define TIMESTAMPS "timestamps/ideal.h"
#include "algorithms/afek.h"

AFEK(.title = "The l-Exclusion Algorithm, ideal timestamps", .bits = "n + " TIMESTAMPS_BITS,
     .checked_only = TIMESTAMPS_CHECKED_ONLY, AFEK_CLAIMS());
