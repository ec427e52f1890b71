/* SPDX-License-Identifier: MIT
 *
 * No exclusion at all: it tests the questions of src/claims about what registers hold and who has written them.
 *
 * Design summary
 *  - To enter, look at the others' marks, and enter whatever they say: nothing is written on the way in.
 *  - To leave, set one's own mark, and leave it there.
 */
#include "registers/language.h"

struct shared {
    array mark;
};
#define mark (S->mark)

struct locals {
    position at;
    proc j;
    procset todo;
};

DECLARE
{
    mark = registers("mark", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    for_all ("look", L.j, 0, n)
        (void)get(mark[L.j]);
END

LEAVE
BEGIN
    AT("leave a mark")
    put(mark[i], true);
END

ALGORITHM(.title = "No lock", .paper = "-", .figure = "", .k = 1, .bits = "n", .fairness = "none",
          CLAIMS({DEADLOCK_FREEDOM, SAFE, CRASH}, {LOCKOUT_FREEDOM, SAFE, CRASH}, {BOUNDED_EXIT, SAFE, CRASH}));
