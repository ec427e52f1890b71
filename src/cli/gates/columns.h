/* SPDX-License-Identifier: MIT
 *
 * columns.h - how wide text is on a terminal, and what there is room for.
 */
#ifndef ADMIT_CLI_GATES_COLUMNS_H
#define ADMIT_CLI_GATES_COLUMNS_H

/* Of the terminal that this descriptor is; 0: it is none, or does not say. */
unsigned columns_of_terminal(int fd);

/* Of printable text (native/printable.h): two for an ideograph or an emoji, none for an accent that joins the letter
 * before it. No locale is asked: the tables of a program that is linked statically know ASCII alone. */
unsigned columns_of_text(const char *text);

/* If it is wider, as much of it is left as has room with "..." behind it. */
void cut_to_columns(char *text, unsigned columns);
/* The same of a name or a path, whose end tells as much as its beginning: "..." is in its middle. */
void shorten_to_columns(char *text, unsigned columns);

#endif
