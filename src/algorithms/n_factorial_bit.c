/* SPDX-License-Identifier: MIT
 *
 * The N!-Bit FCFS Algorithm.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, Figure 4.
 *
 * Design summary
 *  - It does NOT exclude: like the N-Bit Algorithm (n_bit.c) it lets processes into its "critical section" in the
 *    order in which they came. n_factorial_bit/one_bit.c puts a mutual exclusion algorithm there.
 *  - The N-Bit Algorithm, but with a turn (cycles.h) on every cycle of processes and not only on those of two. i
 *    waits for j only while on no cycle in which j immediately precedes i it is i's turn. On every cycle it is
 *    somebody's turn, so never do processes wait for each other in a circle, whatever the values are.
 *  - y[i]: i has passed its doorway; z_i[gamma], for each cycle gamma that contains i and somebody else. Only i
 *    writes them. They are 1 + (n-1)!/(n-2)! + ... + (n-1)!/0! bits per process.
 *  - Lemma 4 holds for it too, and it is self-stabilizing (the proof of Theorem 8).
 *
 * Deviations from the figure
 *  - What is printed has slips. The doorway ends with y_i := true, as in Figure 3; it sets z_i[gamma] for CGV(...,
 *    i), not j; the waiting statement says "if CG" without "not", as the prose above the figure does; and j
 *    "precedes" i in CYC(j, i) immediately. tests/mutants has each of the printed forms.
 *  - z_i[gamma] is written with *:=*, as in Figure 3: that abortions do not keep others waiting rests on writes that
 *    end.
 *  - Processes are numbered 0..n-1 instead of 1..N; a cycle is kept as its number in CYC(i).
 *  - after[j] is kept as a set of processes. The inner "for all" ends when after[j] is false: going on would change
 *    nothing. As in n_bit.c, "for all j" runs from one round of a while to that of another j, but rounds are not
 *    interleaved.
 *  - Up to 9 processes: their registers take 60 MiB, those of ten would take 600.
 */
#include "algorithms/cycles.h"
#include "registers/language.h"

#include <stdio.h>

struct shared {
    array y, z;
};
#define y (S->y)
/* z_i[gamma], gamma being the one with number c in CYC(i). */
#define z(i, c) (S->z[(size_t)(i)*cyc_count(n) + (c)])

/* Whether on a cycle in which j immediately precedes i it is i's turn. */
struct turn {
    position at;
    proc j;
    number gamma;
    flag z_i, mine;
    numberset todo;
};

struct locals {
    position at;
    proc j;
    number gamma;
    flag z_value;
    procset after;
    numberset todo;
    struct turn turn;
};

/* <0,2,1>, beginning with the first element. */
static void name_z(char *name, size_t size, unsigned n, unsigned row, unsigned column)
{
    struct cycle gamma = cyc(n, row, column);
    unsigned start = cycle_place(&gamma, cycle_first(&gamma));
    int used = snprintf(name, size, "[%u]<", row);
    for (unsigned e = 0; e < gamma.length && used >= 0 && (size_t)used < size; e++)
        used += snprintf(name + used, size - (size_t)used, "%u%s", gamma.element[(start + e) % gamma.length],
                         e + 1 < gamma.length ? "," : ">");
}

DECLARE
{
    y = registers("y", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    S->z = register_rows("z", n, cyc_count(n), BOOLEAN, ANY_VALUE, .writer = OWN_ROW, .elements = name_z);
}

PROCEDURE(turn)
BEGIN
    for_all ("waiting z_i[gamma]", L.gamma, cyc_start(n, L.j, i), cyc_start(n, L.j, i) + cyc_count_before(n)) {
        local(L.z_i);
        L.z_i = get(z(i, L.gamma));
        AT("waiting z_j[gamma]")
        struct cycle gamma = cyc(n, i, L.gamma);
        L.mine = CG(L.z_i, get(z(L.j, cyc_number(n, L.j, &gamma))), cycle_first(&gamma), i);
        if (L.mine)
            break;
    }
END

ENTER
BEGIN
    for_all ("doorway z_gamma", L.gamma, 0, cyc_count(n)) {
        local(L.z_value);
        struct cycle gamma = cyc(n, i, L.gamma);
        unsigned before = cycle_before(&gamma, i);
        L.z_value = !CGV(get(z(before, cyc_number(n, before, &gamma))), cycle_first(&gamma), i);
        AT("doorway z_i[gamma]")
        put_if_different(z(i, L.gamma), L.z_value);
    }
    for_all_others ("doorway after", L.j)
        if (get(y[L.j]))
            L.after |= only(L.j);
    AT("doorway y_i")
    put(y[i], true);
    waiting_room();
    local(L.j, L.todo); /* of the waiting statement, not of its loop alone */
waiting:
    while_waiting();
    for_all_in ("waiting y_j", L.j, L.after) {
        if (get(y[L.j])) {
            L.turn.j = L.j;
            CALL(turn, L.turn);
            if (!L.turn.mine)
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

ALGORITHM(.title = "The N!-Bit FCFS Algorithm", .paper = "lamport86", .figure = "Figure 4", .k = 1, .max_n = 9,
          .doorway = true, .bits = "n * (1 + sum(m = 2..n, (n - 1)! / (n - m)!))",
          .bits_each = "1 + sum(m = 2..n, (n - 1)! / (n - m)!)",
          .fairness = "first come, first served, but no exclusion",
          CLAIMS({DEADLOCK_FREEDOM, SAFE, SHUTDOWN | ABORT | FAILURE | TRANSIENT}, {LOCKOUT_FREEDOM, SAFE, 0},
                 {FCFS, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE | TRANSIENT},
                 {SERVED_BEFORE, SAFE, CRASH | SHUTDOWN | ABORT | FAILURE}, {BOUNDED_DOORWAY, SAFE, CRASH},
                 {BOUNDED_EXIT, SAFE, CRASH}));
