/* SPDX-License-Identifier: MIT
 *
 * Records that are kept back for nobody, while a gate has fewer slots than it could have (manage.c): how many there are, and
 * how many there should be.
 */
#include "gate/words/words.h"

/* Only with a ticket: one whose ticket has been returned all the same keeps nothing back. The first of them, lest one be
 * present that need not be. */
unsigned admit_reserved_now(const admit_gate *gate, unsigned *one)
{
    unsigned count = 0;
    for (unsigned who = gate->records; who-- > 0;)
        if (atomic_load(life_of(gate, who)) == LIFE_RESERVED &&
            admit_protocol_standing(gate, who).stage == STAGE_VALID) {
            *one = who;
            count++;
        }
    return count;
}

unsigned admit_reserved_in_future(const admit_gate *gate)
{
    unsigned k = k_of(gate);
    return k >= 1 && k <= gate->most_k ? gate->most_k - k : gate->most_k;
}

bool admit_has_k(const admit_gate *gate)
{
    unsigned one, wanted = admit_reserved_in_future(gate);
    return wanted == gate->most_k || admit_reserved_now(gate, &one) == wanted;
}

bool admit_keeps_back(const admit_gate *gate)
{
    unsigned one, wanted = admit_reserved_in_future(gate);
    return atomic_load(&gate->header->resizing) != 0 && wanted < gate->most_k &&
           admit_reserved_now(gate, &one) < wanted;
}
