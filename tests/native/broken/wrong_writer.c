/* SPDX-License-Identifier: MIT
 *
 * Each process writes its neighbour's register, which it has declared that only the neighbour writes. A debug build must
 * notice.
 */
#include "registers/language.h"

struct shared {
    array x;
};
#define x (S->x)

struct locals {
    position at;
};

DECLARE
{
    x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("enter")
    put(x[(i + 1) % n], true);
END

LEAVE
BEGIN
    AT("leave")
    put(x[(i + 1) % n], false);
END

ALGORITHM(.title = "Writes another's register", .k = 1);
