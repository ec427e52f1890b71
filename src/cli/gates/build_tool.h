/* SPDX-License-Identifier: MIT
 *
 * build_tool.h - what is known of the commands that can be told how many jobs they may run: which of their options say a
 * number themselves, and how they take tokens.
 */
#ifndef ADMIT_CLI_GATES_BUILD_TOOL_H
#define ADMIT_CLI_GATES_BUILD_TOOL_H

#include <stdbool.h>

/* The command itself: behind env, nice, timeout and the like, with what they are told. NULL: there is none. */
char *const *build_command(char *const *words);
/* The word by which the command, of whatever name, says a number of jobs; NULL: none. */
const char *build_says_jobs(char *const *words);
/* Whether it takes tokens from a fifo alone. */
bool build_needs_fifo(char *const *words);
/* Of one that does: the version of its ninja, if that is too old to take part; NULL: it is not, or that cannot be known.
 * Runs it. */
const char *build_too_old(char *const *words, char version[64]);
/* The version of a make that takes no tokens from a fifo, the same way. */
const char *build_takes_no_fifo(char *const *words, char version[64]);

#endif
