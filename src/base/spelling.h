/* SPDX-License-Identifier: MIT
 *
 * spelling.h - what somebody may have meant.
 */
#ifndef ADMIT_BASE_SPELLING_H
#define ADMIT_BASE_SPELLING_H

/* How many single-letter edits lead from one word to the other. */
unsigned edit_distance(const char *a, const char *b);

#endif
