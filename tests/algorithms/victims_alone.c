/* SPDX-License-Identifier: MIT
 *
 * Peterson's algorithm for n processes without its levels: n - 1 variables, one too few.
 * G. L. Peterson, Myths About the Mutual Exclusion Problem, Information Processing Letters 12(3), 1981, keeps in which
 * stage each process is, and at each of n - 1 stages who came last; only the latter is kept here.
 *
 * Design summary
 *  - At each stage the last to come waits until another comes. Exclusion holds. A process that comes alone waits for
 *    ever.
 */
#include "registers/language.h"

struct shared {
    array last;
};
#define last (S->last)

struct locals {
    position at;
    proc stage;
};

static unsigned stages(unsigned n)
{
    return n > 1 ? n - 1 : 1;
}

DECLARE
{
    last = registers("last", stages(n), n + 1u, n, .writer = ANYBODY);
}

ENTER
BEGIN
    for_in_order ("come", L.stage, 0, stages(n)) {
        put(last[L.stage], i);
        AT("wait")
        await(get(last[L.stage]) != i);
    }
END

LEAVE
BEGIN
    AT("exit")
    (void)get(last[0]);
END

ALGORITHM(.title = "Peterson without levels", .paper = "-", .figure = "", .k = 1, .bits = "(n - 1) * log2(n + 1)",
          .fairness = "none", CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
