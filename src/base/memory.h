/* SPDX-License-Identifier: MIT
 *
 * memory.h - how much memory may be used.
 */
#ifndef ADMIT_BASE_MEMORY_H
#define ADMIT_BASE_MEMORY_H

#include <stdint.h>

/* Most of the memory that is free now, in bytes; 0 where that cannot be told. */
uint64_t free_memory(void);

#endif
