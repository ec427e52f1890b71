/* SPDX-License-Identifier: MIT
 *
 * Zehavi's Algorithm 1 from every contents of Order< and Allow, whose initial values the paper calls immaterial.
 */
#define IMMATERIAL ANY_VALUE
#include "algorithms/zehavi/ideal.c"
