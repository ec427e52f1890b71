/* SPDX-License-Identifier: MIT
 *
 * Figure 2 of Afek, Dolev, Gafni, Merritt and Shavit, 1994 (afek.h), over bounded timestamps: timestamps/linear.h.
 */
#define TIMESTAMPS "timestamps/linear.h"
#include "algorithms/afek.h"

#define REGISTERS_BEFORE(n) (n)
#include "timestamps/linear_alike.h"

AFEK(.title = "The l-Exclusion Algorithm, linear timestamps", .alike = TIMESTAMPS_ALIKE, .bits = "n + " TIMESTAMPS_BITS,
     .bits_each = "1 + 3 * (n - 1) * (n + 2)", AFEK_CLAIMS());
