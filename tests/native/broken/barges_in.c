/* SPDX-License-Identifier: MIT
 *
 * The One-Bit algorithm without its second loop: whoever has the lowest number goes in, whoever else is there. The
 * witness of exclusion must notice.
 */
#include "registers/language.h"

struct shared {
    array x;
};
#define x (S->x)

struct locals {
    position at;
    proc j;
};

DECLARE
{
    x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
l:
    AT("l")
    put(x[i], true);
    for (L.j = 0; L.j < i; L.j++) {
        AT("first for")
        if (get(x[L.j])) {
            AT("give way")
            put(x[i], false);
            AT("wait")
            await(!get(x[L.j]));
            goto l;
        }
    }
END

LEAVE
BEGIN
    AT("exit")
    put(x[i], false);
END

ALGORITHM(.title = "One-Bit without the second for", .k = 1);
