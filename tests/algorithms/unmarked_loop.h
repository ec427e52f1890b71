/* SPDX-License-Identifier: MIT
 *
 * Local work that never ends, before the first marker of a part: on the way in, or, if LOOPS_LEAVING is defined, on the
 * way out.
 */
#include "registers/language.h"

struct shared {
    array x;
};

struct locals {
    position at;
    proc j;
};

DECLARE
{
    S->x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
#ifndef LOOPS_LEAVING
again:
    L.j = (proc)((L.j + 1) % n);
    if (L.j < n)
        goto again;
#endif
    AT("enter")
    put(S->x[i], true);
END

LEAVE
BEGIN
#ifdef LOOPS_LEAVING
again:
    L.j = (proc)((L.j + 1) % n);
    if (L.j < n)
        goto again;
#endif
    AT("leave")
    put(S->x[i], false);
END
