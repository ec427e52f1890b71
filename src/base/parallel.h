/* SPDX-License-Identifier: MIT
 *
 * parallel.h - the same work in several shares at once.
 */
#ifndef ADMIT_BASE_PARALLEL_H
#define ADMIT_BASE_PARALLEL_H

/* Cores to use: those there are, or as many as the environment variable ADMIT_THREADS says. */
unsigned core_count(void);

/* Calls work(context, 0, shares) .. work(context, shares - 1, shares), each on a thread of its own, and waits for
 * all. */
void parallel(unsigned shares, void (*work)(void *context, unsigned share, unsigned shares), void *context);

#endif
