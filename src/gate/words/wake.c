/* SPDX-License-Identifier: MIT
 *
 * How the owner of a record is woken, and when that can be left out.
 *
 * Whoever has been granted its turn need not be woken if it is up, and has said so: it takes that back before it sleeps,
 * and the kernel compares its record then. Nor need a process that another has woken by the very same grant: `woken`
 * says so when the kernel has done it. Whoever is woken for another reason is woken whatever it does.
 */
#include "gate/words/meaning.h"

static bool is_needless(const admit_gate *gate, const struct cell *cell, unsigned who, word value)
{
    return state_of(value) == GRANTED && (atomic_load(&cell->woken) == value ||
                                          atomic_load(hint_of(gate, ticket_of(value))) == (HINT_AWAKE | (who + 1)));
}

/* The shortest lately; what is rare is forgotten in time. */
static void learn_call(struct rousing *rousing, int64_t took)
{
    int64_t most = rousing->call + rousing->call / 8 + 1;
    rousing->call = rousing->call == 0 || took < most ? took : most;
}

void admit_wake_sleeper(struct sleeper *sleeper, struct cell *cell, unsigned who)
{
    word value = atomic_load(&cell->value);
    if (sleeper == NULL) {
        admit_wake(&cell->value);
        return;
    }
    if (is_needless(sleeper->gate, cell, who, value))
        return;
    int64_t before = admit_monotonic();
    admit_wake(&cell->value);
    learn_call(&sleeper->rousing, admit_monotonic() - before);
    if (state_of(value) == GRANTED)
        atomic_store(&cell->woken, value);
}
