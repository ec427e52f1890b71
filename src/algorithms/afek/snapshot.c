/* SPDX-License-Identifier: MIT
 *
 * Figure 2 of Afek, Dolev, Gafni, Merritt and Shavit, 1994 (afek.h), over bounded timestamps: timestamps/snapshot.h.
 */
#define TIMESTAMPS "timestamps/snapshot.h"
#include "algorithms/afek.h"

AFEK(.title = "The l-Exclusion Algorithm, snapshot timestamps", .bits = "n + " TIMESTAMPS_BITS,
     .bits_each = "3 * (n - 1) * (n + 1) + 2 * n", AFEK_CLAIMS());
