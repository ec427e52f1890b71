/* SPDX-License-Identifier: MIT
 *
 * Each process writes a register in its neighbour's row, which it has declared that only the neighbour writes. A debug
 * build must notice.
 */
#include "registers/language.h"

struct shared {
    array z;
};
#define z(i, j) (S->z[(i)*n + (j)])

struct locals {
    position at;
};

DECLARE
{
    S->z = register_rows("z", n, n, BOOLEAN, ANY_VALUE, .writer = OWN_ROW);
}

ENTER
BEGIN
    AT("enter")
    put(z((i + 1) % n, i), true);
END

LEAVE
BEGIN
    AT("leave")
    put(z((i + 1) % n, i), false);
END

ALGORITHM(.title = "Writes into another's row", .k = 1);
