/* SPDX-License-Identifier: MIT
 *
 * The N-Bit FCFS Algorithm.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, Figure 3; a
 * modification of an algorithm of H. P. Katseff.
 *
 * Design summary
 *  - It does NOT exclude: it lets processes into its "critical section" in the order in which they came, perhaps
 *    several at a time. n_bit/one_bit.c puts a mutual exclusion algorithm there.
 *  - N bits per process, which only i writes. y[i]: i has passed its doorway. z_i[j], for each other j: read by j
 *    alone; with z_j[i] it tells the two whose turn it is (cycles.h), on the cycle of just i and j.
 *  - Doorway: towards each j, set z_i[j] so that it is not one's turn; see which j have passed their doorways; say
 *    that one has passed one's own. After each such j wait until it says that it has not, or has come again and set
 *    its z, so that it is one's turn.
 *  - Lemma 4: first come, first served, and no deadlock; hence, by Theorem 1, no lockout.
 *
 * Deviations from the figure
 *  - Processes are numbered 0..n-1 instead of 1..N.
 *  - after[j] is kept as a set of processes. "for all j" runs through the processes in any order, and in the waiting
 *    statement from one round of a while to that of another j; but a round, or the two accesses to z in the doorway,
 *    are not interleaved with those for another j.
 */
#include "algorithms/cycles.h"
#include "registers/language.h"

#include <stdio.h>

struct shared {
    array y, z;
};
#define y (S->y)
/* z_i[j] is z(i, j). There is none for j = i: row i has the others in order. */
#define z(i, j) (S->z[(i) * (n - 1) + (j) - ((j) > (i))])

struct locals {
    position at;
    proc j;
    flag z_value;
    procset todo;
    procset after;
};

/* The first element of the cycle ORD{i, j}. */
static inline unsigned first_of(unsigned i, unsigned j)
{
    return i < j ? i : j;
}

static void name_z(char *name, size_t size, unsigned n, unsigned row, unsigned column)
{
    (void)n;
    snprintf(name, size, "[%u][%u]", row, column + (column >= row));
}

DECLARE
{
    y = registers("y", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    S->z = register_rows("z", n, n - 1, BOOLEAN, ANY_VALUE, .writer = OWN_ROW, .elements = name_z);
}

ENTER
BEGIN
    for_all_others ("doorway z_j[i]", L.j) {
        local(L.z_value);
        L.z_value = !CGV(get(z(L.j, i)), first_of(i, L.j), i);
        AT("doorway z_i[j]")
        put_if_different(z(i, L.j), L.z_value);
    }
    for_all_others ("doorway after", L.j)
        if (get(y[L.j]))
            L.after |= only(L.j);
    AT("doorway y_i")
    put(y[i], true);
    waiting_room();
waiting:
    for_all_in ("waiting z_i[j]", L.j, L.after) {
        local(L.z_value);
        L.z_value = get(z(i, L.j));
        AT("waiting z_j[i]")
        if (!CG(L.z_value, get(z(L.j, i)), first_of(i, L.j), i)) {
            forget(L.z_value);
            AT("waiting y_j")
            if (get(y[L.j]))
                try_again(waiting);
        }
        L.after &= ~only(L.j);
    }
END

LEAVE
BEGIN
    AT("exit")
    put(y[i], false);
END

ALGORITHM(.title = "The N-Bit FCFS Algorithm", .paper = "lamport86", .figure = "Figure 3", .k = 1, .doorway = true,
          .bits = "n * n", .bits_each = "n", .fairness = "first come, first served, but no exclusion",
          CLAIMS({DEADLOCK_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE}, {LOCKOUT_FREEDOM, SAFE, 0},
                 {FCFS, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE},
                 {SERVED_BEFORE, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE}, {BOUNDED_DOORWAY, SAFE, CRASH},
                 {BOUNDED_EXIT, SAFE, CRASH}));
