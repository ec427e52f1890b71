/* SPDX-License-Identifier: MIT
 *
 * The One-Bit Algorithm, made self-stabilizing.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, Figure 1 with the
 * modification of Theorem 4.
 *
 * Design summary
 *  - The One-Bit Algorithm (one_bit.c), but whoever waits looks at its own bit too and corrects it: down in the first
 *    for loop, where it gives way, up in the second, where it insists.
 *  - So, from whatever places and values the processes start, after a while the bits say what they should: no
 *    deadlock in which all give way with their bits up, and nobody who waits in the second loop unseen.
 *  - In normal operation there is nothing to correct, and it does what one_bit.c does.
 *
 * Deviations from the text: processes are numbered 0..n-1 instead of 1..N. "if x_i then x_i := false" is written
 * x_i *:=* false, which the paper defines as the same: a write only if it changes the value.
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
    for_in_order ("first for", L.j, 0, i)
        if (get(x[L.j])) {
            AT("give way")
            put(x[i], false);
        first_while:
            while_waiting();
            AT("first while")
            if (get(x[L.j])) {
                AT("correct to false")
                put_if_different(x[i], false);
                try_again(first_while);
            }
            goto l;
        }
    local(L.j);
    for (L.j = i + 1; L.j < n; L.j++) {
    second_while:
        while_waiting();
        AT("second while")
        if (get(x[L.j])) {
            AT("correct to true")
            put_if_different(x[i], true);
            try_again(second_while);
        }
    }
END

LEAVE
BEGIN
    AT("exit")
    put(x[i], false);
END

ALGORITHM(.title = "The One-Bit Algorithm, self-stabilizing", .paper = "lamport86", .figure = "Theorem 4", .k = 1,
          .bits = "n", .bits_each = "1", .fairness = "deadlock-free; the lowest-numbered trier goes first",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | FAILURE | TRANSIENT},
                 {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | FAILURE | TRANSIENT}, {BOUNDED_EXIT, SAFE, CRASH}));
