/* SPDX-License-Identifier: MIT
 *
 * Nobody writes while waiting, but one can be held up for ever on its way out, with its flag up, for which the other
 * waits. It tests that deadlock from an arbitrary start is not decided on the registers alone (checker/judge/deadlock_by_contents.h) where
 * somebody may wait in the exit.
 */
#include "registers/language.h"

struct shared {
    array flag_of, pass;
};
#define flag_of (S->flag_of)
#define pass (S->pass)
#define other ((i + 1) % n)

struct locals {
    position at;
};

DECLARE
{
    flag_of = registers("flag", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    pass = registers("pass", n, BOOLEAN, true, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("wait")
    await(!get(flag_of[other]));
END

LEAVE
BEGIN
    AT("held up")
    await(get(pass[other]));
    AT("leave")
    put(flag_of[i], false);
END

ALGORITHM(.title = "Held up on the way out", .paper = "-", .figure = "", .k = 1, .bits = "2 * n", .fairness = "none",
          CLAIMS({DEADLOCK_FREEDOM, ATOMIC, 0}));
