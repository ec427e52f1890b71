/* SPDX-License-Identifier: MIT
 *
 * process.h - what /proc says of a process, and of the boot since which it may run.
 */
#ifndef ADMIT_CLI_GATES_PROCESS_H
#define ADMIT_CLI_GATES_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether /proc is there, and has the numbers by which this process knows others: in a new pid namespace it may be that of
 * the outer one still. */
bool process_numbers_are_ours(void);
/* 0 where there is none, or it cannot be seen. */
long process_parent(long pid);
/* The same, and 0 of an admit in the background: its parent, which has put it there and has yet to exit, does not wait for
 * it, nor does what that one is part of. */
long process_starter(long pid);
/* When it started, in clock ticks since boot: no two processes of one number have the same. 0: it cannot be seen. */
uint64_t process_start_time(long pid);
/* 'R', 'S', 'Z' ... as ps shows it. 0: it cannot be seen. */
char process_state(long pid);
/* Whether it was forked and has executed nothing since, as a subshell is. False, with *known, if it has. */
bool process_is_only_forked(long pid, bool *known);
/* A number that each boot of the machine has for itself. 0: it cannot be seen. */
uint64_t boot_number(void);
/* Of this process's namespace of that kind, "pid" or "time"; 0: it cannot be seen. */
uint64_t namespace_number(const char *kind);

#endif
