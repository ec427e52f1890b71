/* SPDX-License-Identifier: MIT
 *
 * The gate's text with the library's conditions: each process is hasty at first, and does what may be needless only if need
 * be (registers/haste.h); numbers are not renamed, and begin just before they wrap around. So nothing that the reductions
 * of the gate's states take for the same is taken for the same here, but there are states without end: --passages must be
 * given.
 */
#define TEXT_IN_HASTE
#include "algorithms/gate.c"
