/* SPDX-License-Identifier: MIT
 *
 * The turn-taking ring.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, section 3.3.
 *
 * Design summary
 *  - All processes stand in one cycle. v[i] is written by i and read by i and the one after it.
 *  - It is i's turn when v changes value at i (algorithms/cycles.h). To pass the turn on, i complements v[i].
 *  - It solves another problem than mutual exclusion: nobody can go on while the process whose turn it is rests.
 *
 * The file that includes this says INITIAL, the initial values.
 */
#include "algorithms/cycles.h"
#include "registers/language.h"

struct shared {
    array v;
};
#define v (S->v)

struct locals {
    position at;
    flag v_i;
};

DECLARE
{
    v = registers("v", n, BOOLEAN, INITIAL, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    local(L.v_i);
    AT("own")
    L.v_i = get(v[i]);
    AT("turn")
    await(CG(L.v_i, get(v[(i + n - 1) % n]), 0, i));
END

LEAVE
BEGIN
    AT("own again")
    L.v_i = get(v[i]);
    AT("pass on")
    put(v[i], !L.v_i);
END
