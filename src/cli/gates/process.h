/* SPDX-License-Identifier: MIT
 *
 * process.h - what /proc says of a process, and of the boot since which it may run.
 */
#ifndef ADMIT_CLI_GATES_PROCESS_H
#define ADMIT_CLI_GATES_PROCESS_H

#include <stdint.h>

/* 0 where there is none, or it cannot be seen. */
long process_parent(long pid);
/* When it started, in clock ticks since boot: no two processes of one number have the same. 0: it cannot be seen. */
uint64_t process_start_time(long pid);
/* A number that each boot of the machine has for itself. 0: it cannot be seen. */
uint64_t boot_number(void);

#endif
