/* SPDX-License-Identifier: MIT
 *
 * table.h - rows for people, whose columns are as wide as what stands in them: it is printed when all of it is known.
 */
#ifndef ADMIT_CLI_GATES_TABLE_H
#define ADMIT_CLI_GATES_TABLE_H

#include <stddef.h>

enum { TABLE_COLUMNS_MAX = 8 };

/* Columns are set off by two blanks. Of each a character says how it is: '<' to the left, '>' to the right, '~' to the left,
 * and on a terminal it gives way in its middle if it is long. The last one ends at the edge of a terminal. */
struct table {
    const char *columns;
    char **cells; /* of each row as many as there are columns */
    size_t rows, room;
};

/* Takes a copy of what stands in each column; a cell that is NULL is empty, and what stands before it takes the rest of the
 * line. Without what would disturb a terminal. */
void table_row(struct table *table, const char *const *cells);
/* Prints it, and forgets all rows. */
void table_print(struct table *table);

#endif
