/* SPDX-License-Identifier: MIT
 *
 * makeflags.h - what builds learn from their environment: how many jobs there may be, and where their tokens are.
 */
#ifndef ADMIT_CLI_GATES_MAKEFLAGS_H
#define ADMIT_CLI_GATES_MAKEFLAGS_H

#include <stdbool.h>

/* Where in a word such as "-kj6" the option -j is; NULL: nowhere. In what follows an option that takes a value
 * there is none; which do, `options` says as getopt takes them. */
const char *jobs_among(const char *word, const char *options);
/* The same of a whole MAKEFLAGS. */
bool makeflags_have_jobs(const char *flags);
/* The environment of a command whose tokens are there ("100,101", "fifo:PATH"): what it says of other pools or of a number
 * of jobs is taken out, and told with the name of the gate; NULL: not told. */
void makeflags_set(const char *tokens, const char *gate);
/* The tokens that it names now, as above; "": none. */
void makeflags_tokens(char *tokens, unsigned size);

#endif
