/* SPDX-License-Identifier: MIT */
#include "cli/gates/table.h"

#include "base/die.h"
#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "native/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most of a name on a terminal; and what is between columns. */
enum { NAME_COLUMNS = 20, GAP = 2 };

static char *fit_for_print(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = must_allocate(size);
    admit_printable(text, copy, size);
    return copy;
}

void table_row(struct table *table, const char *const *cells)
{
    const size_t columns = strlen(table->columns);
    if (table->rows == table->room) {
        table->room = table->room > 0 ? 2 * table->room : 16;
        table->cells = must_reallocate(table->cells, table->room * columns * sizeof *table->cells);
    }
    char **row = &table->cells[table->rows++ * columns];
    for (size_t c = 0; c < columns; c++)
        row[c] = cells[c] != NULL ? fit_for_print(cells[c]) : NULL;
}

/* What takes the rest of its line widens no column. */
static bool takes_rest(char *const *row, size_t column, size_t columns)
{
    return column + 1 == columns || row[column + 1] == NULL;
}

static void print_cell(const char *text, char kind, unsigned width)
{
    const unsigned has = columns_of_text(text), more = width > has ? width - has : 0;
    printf("%*s%s%*s", kind == '>' ? (int)more : 0, "", text, GAP + (kind == '>' ? 0 : (int)more), "");
}

static void print_row(char *const *row, const char *kinds, const unsigned *width)
{
    const size_t columns = strlen(kinds);
    unsigned at = 0;
    for (size_t c = 0; c < columns && row[c] != NULL; c++) {
        if (takes_rest(row, c, columns)) {
            if (c + 1 == columns && kinds[c] == '~')
                shorten_for_terminal(row[c], at);
            else if (c + 1 == columns)
                cut_for_terminal(row[c], at);
            puts(row[c]);
            return;
        }
        print_cell(row[c], kinds[c], width[c]);
        at += width[c] + GAP;
    }
    putchar('\n');
}

void table_print(struct table *table)
{
    const size_t columns = strlen(table->columns);
    const bool on_terminal = width_of_terminal() > 0;
    unsigned width[TABLE_COLUMNS_MAX] = {0};
    for (size_t r = 0; r < table->rows; r++) {
        char **row = &table->cells[r * columns];
        for (size_t c = 0; c < columns && row[c] != NULL && !takes_rest(row, c, columns); c++) {
            if (on_terminal && table->columns[c] == '~')
                shorten_to_columns(row[c], NAME_COLUMNS);
            if (columns_of_text(row[c]) > width[c])
                width[c] = columns_of_text(row[c]);
        }
    }
    for (size_t r = 0; r < table->rows; r++) {
        print_row(&table->cells[r * columns], table->columns, width);
        for (size_t c = 0; c < columns; c++)
            free(table->cells[r * columns + c]);
    }
    free(table->cells);
    *table = (struct table){.columns = table->columns};
}
