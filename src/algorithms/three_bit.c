/* SPDX-License-Identifier: MIT
 *
 * The Three-Bit Algorithm.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, Figure 2.
 *
 * Design summary
 *  - The One-Bit Algorithm (one_bit.c) with process numbers that change: they are counted cyclically from f, so that
 *    every waiting process is the lowest-numbered at some time.
 *  - Three bits per process, which only i writes. y[i]: from the beginning of the trying section to the end of the
 *    exit. x[i]: as in the One-Bit Algorithm. z[i]: complemented after each critical section.
 *  - f is whose turn it is among those that are seen trying: the first element at which z changes value (cycles.h) on
 *    the ordered cycle of the j with y[j]. In leaving, a process complements its z and so passes its turn on.
 *  - First for: give way to everyone from f up to i that tries, by y: one that comes later cannot overtake. Instead of
 *    waiting for it, compute f again. Second for: everyone from i on to f must have given way, by x.
 *  - Theorem 5: mutual exclusion, no deadlock, no lockout.
 *
 * Deviations from the figure
 *  - Processes are numbered 0..n-1 instead of 1..N.
 *  - The set is { j : y_j = true }; the figure says i for j.
 *  - f is found by reading each z_j at most once: the last element's, then from the first element upwards, up to the
 *    first change. (What is read is then one function, to which Lemma 3 applies, whatever the others do meanwhile.)
 *  - An empty cycle, which a process that reads its own y false would get, gives f = i. It does not arise in normal
 *    operation.
 *
 * With STABILIZING, which says where it corrects its y, it is the algorithm of Theorem 6: see three_bit_stabilizing.c.
 */
#include "algorithms/cycles.h"
#include "registers/language.h"

#define RIGHT_AT_L2 1
#define BETWEEN_GAMMA_AND_F 2
#define BEFORE_FOR 3

struct shared {
    array x, y, z;
};
#define x (S->x)
#define y (S->y)
#define z (S->z)

/* gamma := ORD{ j : y_j = true }; f := minimum { j in gamma : CG(z, gamma, j) = true } */
struct minimum {
    position at;
    proc j, f;
    procset todo;
    procset gamma; /* as the set of its elements */
    flag z_before;
};

struct locals {
    position at;
    struct minimum minimum;
    proc j, f;
    flag z_i;
};

DECLARE
{
    x = registers("x", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    y = registers("y", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    z = registers("z", n, BOOLEAN, ANY_VALUE, .writer = OWN_ELEMENT);
}

PROCEDURE(minimum)
BEGIN
    local(L.j, L.gamma, L.z_before);
    L.gamma = 0;
    for_all ("l2 gamma", L.j, 0, n)
        if (get(y[L.j]))
            L.gamma |= only(L.j);
#if STABILIZING == BETWEEN_GAMMA_AND_F
    AT("l2 y_i *:=* true")
    put_if_different(y[i], true);
#endif
    L.f = i;
    if (L.gamma != 0) {
        L.f = ord_last(L.gamma);
        AT("l2 f")
        L.z_before = get(z[L.f]);
        for (L.j = ord_first(L.gamma); L.j != L.f; L.j++) {
            if (!has(L.gamma, L.j))
                continue;
            AT("l2 f")
            bool z_j = get(z[L.j]);
            if (CG(z_j, L.z_before, ord_first(L.gamma), L.j)) {
                L.f = L.j;
                break;
            }
            L.z_before = z_j;
        }
    }
END

ENTER
BEGIN
    AT("y_i := true")
    put(y[i], true);
l1:
    AT("l1")
    put(x[i], true);
l2:
#if STABILIZING == RIGHT_AT_L2
    AT("l2 y_i *:=* true")
    put_if_different(y[i], true);
#endif
    CALL(minimum, L.minimum);
    local(L.f);
    L.f = L.minimum.f;
#if STABILIZING == BEFORE_FOR
    AT("l2 y_i *:=* true")
    put_if_different(y[i], true);
#endif
    for_cyclically ("first for", L.j, L.f, i)
        if (get(y[L.j])) {
            forget(L.j, L.f);
            AT("give way")
            put_if_different(x[i], false);
            try_again(l2);
        }
    AT("if not x_i")
    if (!get(x[i]))
        goto l1;
    for_cyclically ("second for", L.j, (i + 1) % n, L.f)
        if (get(x[L.j]))
            try_again(l2);
END

LEAVE
BEGIN
    {
        local(L.z_i);
        AT("z_i")
        L.z_i = get(z[i]);
        AT("z_i := not z_i")
        put(z[i], !L.z_i);
    }
    AT("x_i := false")
    put(x[i], false);
    AT("y_i := false")
    put(y[i], false);
END

#ifndef STABILIZING
ALGORITHM(.title = "The Three-Bit Algorithm", .paper = "lamport86", .figure = "Figure 2", .k = 1, .bits = "3 * n",
          .bits_each = "3", .fairness = "nobody starves",
          CLAIMS({EXCLUSION, SAFE, CRASH | SHUTDOWN | FAILURE}, {DEADLOCK_FREEDOM, SAFE, SHUTDOWN | FAILURE},
                 {LOCKOUT_FREEDOM, SAFE, SHUTDOWN | FAILURE}, {BOUNDED_EXIT, SAFE, CRASH}));
#endif
