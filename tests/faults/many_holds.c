/* SPDX-License-Identifier: MIT
 *
 * More holds than the kernel walks. It tells of a thread's death by that thread's robust list, and goes no further than
 * 2,048 entries of it. Promised: a thread that is inside a thousand times at each of three gates is refused beyond what
 * can be told, with an error, or is let in; and whatever it had comes back when it is killed, at each of the gates.
 */
#include "faults.h"

enum { GATES = 3, HOLDS = 1000, COUNTERS = 10 };

/* How many can be inside at once: by several, so that none of them needs many holds. */
static unsigned slots_by_several(admit_gate *gate)
{
    _Atomic uint32_t *words = shared_words(); /* 0: slots; 1: counters that are done */
    pid_t counter[COUNTERS];
    for (unsigned c = 0; c < COUNTERS; c++) {
        counter[c] = start();
        if (counter[c] != 0)
            continue;
        admit_hold hold;
        struct timespec until = seconds_from_now(SOON_S);
        for (unsigned h = 0; h < HOLDS / COUNTERS && admit_gate_enter_until(gate, &hold, &until) == ADMIT_OK; h++)
            atomic_fetch_add(&words[0], 1);
        atomic_fetch_add(&words[1], 1);
        stay();
    }
    bool done = comes_true(&words[1], COUNTERS, 3 * SOON_S), more = another_gets_in(gate, 0.1);
    unsigned slots = atomic_load(&words[0]) + (done && more);
    for (unsigned c = 0; c < COUNTERS; c++)
        end(counter[c]);
    munmap((void *)words, 4096);
    assert_true(done);
    return slots;
}

static void all_of_them_come_back(void **state)
{
    (void)state;
    admit_gate *gate[GATES];
    _Atomic uint32_t *words = shared_words(); /* at each gate; and then: done, the error that ended it */
    for (unsigned g = 0; g < GATES; g++)
        gate[g] = fresh_gate(&(admit_gate_options){.k = HOLDS, .capacity = HOLDS + 100});
    pid_t thread = start();
    if (thread == 0) {
        admit_hold hold;
        admit_error error = ADMIT_OK;
        for (unsigned g = 0; g < GATES; g++)
            for (error = ADMIT_OK; error == ADMIT_OK && atomic_load(&words[g]) < HOLDS;) {
                error = enter_within(gate[g], &hold, SOON_S);
                atomic_fetch_add(&words[g], error == ADMIT_OK);
            }
        atomic_store(&words[GATES + 1], error);
        atomic_store(&words[GATES], 1);
        stay();
    }
    assert_true(comes_true(&words[GATES], 1, LONG_S));
    admit_error error = (admit_error)atomic_load(&words[GATES + 1]);
    print_message("# inside %u, %u and %u times; then: %s\n", atomic_load(&words[0]), atomic_load(&words[1]),
                  atomic_load(&words[2]), admit_error_message(error));
    if (error == ADMIT_TIMED_OUT || error == ADMIT_NO_SLOT)
        fail_msg("to be refused for too many holds is no matter of time");
    assert_true(atomic_load(&words[0]) > 0);
    end(thread);
    unsigned slots[GATES], failed = 0;
    for (unsigned g = 0; g < GATES; g++) {
        slots[g] = slots_by_several(gate[g]);
        failed += slots[g] != HOLDS;
        admit_gate_close(gate[g]);
    }
    munmap((void *)words, 4096);
    if (failed > 0)
        fail_msg("of %u slots at each there are %u, %u and %u", HOLDS, slots[0], slots[1], slots[2]);
}

/* It leaves all of them again, in the order in which it came: a long list is no reason to lose the way. */
static void all_of_them_can_be_left(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = HOLDS, .capacity = HOLDS + 100});
    pid_t child = start();
    if (child == 0) {
        static admit_hold hold[HOLDS];
        unsigned inside = 0;
        while (inside < HOLDS && enter_within(gate, &hold[inside], SOON_S) == ADMIT_OK)
            inside++;
        for (unsigned h = 0; h < inside; h++)
            if (admit_gate_leave(gate, &hold[h]) != ADMIT_OK)
                _exit(1);
        _exit(inside == 0 ? 2 : 0);
    }
    assert_int_equal(outcome(child, LONG_S), 0);
    assert_int_equal(slots_by_several(gate), HOLDS);
    admit_gate_close(gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(all_of_them_come_back),
        FAULT(all_of_them_can_be_left),
    };
    return run_faults("many holds", tests);
}
