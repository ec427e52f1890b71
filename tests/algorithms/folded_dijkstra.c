/* SPDX-License-Identifier: MIT
 *
 * Dijkstra's solution (dijkstra.c) with n - 2 of its pairs instead of n: with k, n - 1 variables, too few for n >= 3.
 *
 * Design summary
 *  - As the original, with bc[i mod (n - 2)] for bc[i]. Those that share a pair look past each other: one's own pair
 *    never shows an other at stage Li4, and counts as resting at Li3, where its own mark would stop it for ever.
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

static unsigned pairs(unsigned n)
{
    return n > 3 ? n - 2 : 1;
}

DECLARE
{
    bc = registers("bc", pairs(n), 3, resting, .writer = ANYBODY);
    S->k_ = registers("k", 1, n, 0, .writer = ANYBODY);
}

ENTER
BEGIN
    AT("Li0")
    put(bc[i % pairs(n)], wanting);
Li1:
    local(L.j);
    AT("Li1")
    if (get(K) != i) {
        AT("Li2")
        put(bc[i % pairs(n)], wanting);
        AT("Li3 k")
        L.j = (proc)get(K);
        AT("Li3 b[k]")
        if (get(bc[L.j % pairs(n)]) == resting || L.j % pairs(n) == i % pairs(n)) {
            AT("k := i")
            put(K, i);
        }
        goto Li1;
    }
    AT("Li4")
    put(bc[i % pairs(n)], alone);
    for (L.j = 0; L.j < pairs(n); L.j++) {
        if (L.j == i % pairs(n))
            continue;
        AT("Li4 c[j]")
        if (get(bc[L.j]) == alone)
            goto Li1;
    }
END

LEAVE
BEGIN
    AT("c[i] := true")
    put(bc[i % pairs(n)], wanting);
    AT("b[i] := true")
    put(bc[i % pairs(n)], resting);
END

ALGORITHM(.title = "Dijkstra's solution with n - 2 pairs", .paper = "-", .figure = "", .k = 1,
          .bits = "2 * (n - 2) + log2(n)", .fairness = "none", CLAIMS({BOUNDED_EXIT, ATOMIC, CRASH}));
