/* SPDX-License-Identifier: MIT
 *
 * die.h - for what must not happen: memory is gone, or an algorithm's text breaks the rules of the register language.
 */
#ifndef ADMIT_BASE_DIE_H
#define ADMIT_BASE_DIE_H

#include <stddef.h>
#include <stdio.h>

/* Prints "admit: ..." on stderr and exits with status 2. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with status 3: what was asked is undecided. */
_Noreturn void die_undecided(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Zeroed memory, or the end of the program: with status 3, since whatever was asked is undecided then. */
void *must_allocate(size_t size);
void *must_reallocate(void *memory, size_t size);

/* A file in memory. When it has been closed, *text is what was written, and the caller's. */
FILE *must_open_memory(char **text, size_t *size);
void must_close_memory(FILE *file);

#endif
