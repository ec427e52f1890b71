/* SPDX-License-Identifier: MIT */
#include "base/spelling.h"

#include <string.h>

unsigned edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    unsigned row[LONGEST + 1];
    size_t length = strnlen(b, LONGEST);
    for (unsigned c = 0; c <= length; c++)
        row[c] = c;
    for (unsigned r = 1; r <= strnlen(a, LONGEST); r++) {
        unsigned diagonal = row[0];
        row[0] = r;
        for (unsigned c = 1; c <= length; c++) {
            unsigned replaced = diagonal + (a[r - 1] != b[c - 1]);
            diagonal = row[c];
            unsigned changed = (row[c] < row[c - 1] ? row[c] : row[c - 1]) + 1;
            row[c] = replaced < changed ? replaced : changed;
        }
    }
    return row[length];
}
