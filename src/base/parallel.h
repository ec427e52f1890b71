/* SPDX-License-Identifier: MIT
 *
 * parallel.h - the same work in several shares at once.
 */
#ifndef ADMIT_BASE_PARALLEL_H
#define ADMIT_BASE_PARALLEL_H

enum { THREADS_MAX = 64 };

/* Cores to use: those there are, or as many as the environment variable ADMIT_THREADS says, if it is not empty. Whoever
 * reads the command line has seen to it that this is a number (check_threads). */
unsigned core_count(void);

/* Calls work(context, 0, shares) .. work(context, shares - 1, shares), each on a thread of its own, and waits for
 * all. */
void parallel(unsigned shares, void (*work)(void *context, unsigned share, unsigned shares), void *context);

#endif
