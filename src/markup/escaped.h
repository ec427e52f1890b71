/* SPDX-License-Identifier: MIT
 *
 * escaped.h - what others wrote, as text of XML or HTML.
 */
#ifndef ADMIT_MARKUP_ESCAPED_H
#define ADMIT_MARKUP_ESCAPED_H

#include <stdio.h>

/* So many characters of it at most; then "..." says that there are more. What is no character of XML becomes '?', as does
 * what would disturb a terminal. */
void print_escaped(FILE *out, const char *text, unsigned most);

#endif
