/* SPDX-License-Identifier: MIT
 *
 * printable.h - what others wrote, fit for a terminal, a log or JSON.
 */
#ifndef ADMIT_NATIVE_PRINTABLE_H
#define ADMIT_NATIVE_PRINTABLE_H

#include <stddef.h>

/* Copies as much of the text as has room in `size` bytes with their final 0. The copy is UTF-8, also where it is cut;
 * a byte that is no part of it, or of a character that is not printed but changes how others are (control characters,
 * changes of direction), becomes '?'. Returns the copy's length. */
size_t admit_printable(const char *text, char *copy, size_t size);

/* The length of the UTF-8 character that begins here; 0 if none does, or none that is printed. */
unsigned admit_printable_character(const char *text);

#endif
