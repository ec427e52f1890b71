/* SPDX-License-Identifier: MIT
 *
 * Dijkstra's solution, the first.
 * E. W. Dijkstra, Solution of a Problem in Concurrent Programming Control, CACM 8(9), 1965, p. 569.
 *
 * Design summary
 *  - b[i] is false while i wants to enter or is inside, c[i] while it believes to be alone. k is whose chance it is.
 *  - Until k is i: raise c[i]; if the process whose chance it is does not want it, take the chance. Then lower c[i] and
 *    look at all others' c: go in if nobody else has lowered its own.
 *  - No deadlock; a process may starve. Burns and Lynch (1993, section 1) count its shared states as n * 3^n: one
 *    variable of n values, n pairs of three values each.
 *
 * Deviations from the text: each pair b[i], c[i] is one variable, of three values, as c[i] is false only if b[i] is:
 *
 *    b[i] true,  c[i] true    resting
 *    b[i] false, c[i] true    wanting
 *    b[i] false, c[i] false   alone
 *
 * Only i writes either, and knows both, so that a write of one is a write of the pair; a reader looks at one of them,
 * and reads it off the pair. No step is saved by that: leaving is c[i] := true and then b[i] := true, two steps, as
 * printed. Li3's "if b[k]" reads k again and then b[k]. Processes are numbered from 0; k is 0 at first.
 */
#include "registers/language.h"

enum { resting, wanting, alone };

struct shared {
    array bc, k_;
};
#define bc (S->bc)
#define K (S->k_[0])

struct locals {
    position at;
    proc j;
};

DECLARE
{
    bc = registers("bc", n, 3, resting, .writer = OWN_ELEMENT);
    S->k_ = registers("k", 1, n, 0, .writer = ANYBODY);
}

ENTER
BEGIN
    AT("Li0")
    put(bc[i], wanting);
Li1:
    local(L.j);
    AT("Li1")
    if (get(K) != i) {
        AT("Li2")
        put(bc[i], wanting);
        AT("Li3 k")
        L.j = (proc)get(K);
        AT("Li3 b[k]")
        if (get(bc[L.j]) == resting) {
            AT("k := i")
            put(K, i);
        }
        goto Li1;
    }
    AT("Li4")
    put(bc[i], alone);
    for (L.j = 0; L.j < n; L.j++) {
        if (L.j == i)
            continue;
        AT("Li4 c[j]")
        if (get(bc[L.j]) == alone)
            goto Li1;
    }
END

LEAVE
BEGIN
    AT("c[i] := true")
    put(bc[i], wanting);
    AT("b[i] := true")
    put(bc[i], resting);
END

ALGORITHM(.title = "Dijkstra's solution", .paper = "-", .figure = "CACM 8(9), 1965", .k = 1, .bits = "2 * n + log2(n)",
          .fairness = "deadlock-free",
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {BOUNDED_EXIT, ATOMIC, CRASH}));
