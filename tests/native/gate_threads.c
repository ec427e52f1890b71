/* SPDX-License-Identifier: MIT
 *
 * Leaving from another thread than the one that entered, where the caller said so: once, whoever does it, whatever the
 * thread that entered does meanwhile.
 */
#include "gate_witness.h"

#include "gate/calls/calls.h"

#include <pthread.h>

static const admit_wait any_thread = {.any_thread = 1};

static admit_gate *new_gate(unsigned k, unsigned most_k)
{
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = k, .most_k = most_k, .capacity = 32});
    assert_non_null(gate);
    return gate;
}

/* --- one hold ----------------------------------------------------------------------------------------------------- */

struct leaver {
    admit_gate *gate;
    admit_hold hold;
    admit_error error;
    pthread_barrier_t *at;
};

static void *leaves_with(void *data)
{
    struct leaver *leaver = data;
    if (leaver->at != NULL)
        pthread_barrier_wait(leaver->at);
    leaver->error = admit_gate_leave(leaver->gate, &leaver->hold);
    return NULL;
}

static admit_error left_by_another(admit_gate *gate, const admit_hold *hold)
{
    struct leaver leaver = {.gate = gate, .hold = *hold};
    pthread_t thread;
    pthread_create(&thread, NULL, leaves_with, &leaver);
    pthread_join(thread, NULL);
    return leaver.error;
}

static void another_thread_leaves_if_it_may(void **state)
{
    (void)state;
    for (unsigned most_k = 2; most_k <= 4; most_k += 2) {
        admit_gate *gate = new_gate(2, most_k);
        admit_hold own, any, more;
        assert_int_equal(admit_gate_enter(gate, &own), ADMIT_OK);
        assert_int_equal(admit_gate_enter_with(gate, &any, &any_thread), ADMIT_OK);
        assert_int_equal(left_by_another(gate, &own), ADMIT_NOT_HOLDING);
        assert_int_equal(admit_gate_try(gate, &more), ADMIT_NO_SLOT);
        assert_int_equal(left_by_another(gate, &any), ADMIT_OK);
        assert_int_equal(left_by_another(gate, &any), ADMIT_NOT_HOLDING);
        assert_int_equal(admit_gate_leave(gate, &any), ADMIT_NOT_HOLDING);
        for (unsigned pass = 0; pass < 3; pass++) { /* its thread goes on with the same record */
            assert_int_equal(admit_gate_enter_with(gate, &any, &any_thread), ADMIT_OK);
            assert_int_equal(admit_gate_leave(gate, &any), ADMIT_OK);
            assert_int_equal(admit_gate_enter(gate, &any), ADMIT_OK);
            assert_int_equal(left_by_another(gate, &any), ADMIT_NOT_HOLDING); /* this time it did not say so */
            assert_int_equal(admit_gate_leave(gate, &any), ADMIT_OK);
        }
        assert_int_equal(admit_gate_leave(gate, &own), ADMIT_OK);
        assert_all_slots_are_there(gate, 2);
        admit_gate_close(gate);
    }
}

static void one_of_several_leaves(void **state)
{
    (void)state;
    enum { LEAVERS = 3 };
    admit_gate *gate = new_gate(1, 1);
    for (unsigned round = 0; round < unless_quick(500, 100); round++) {
        struct leaver leaver[LEAVERS];
        pthread_t thread[LEAVERS];
        pthread_barrier_t at;
        admit_hold hold;
        unsigned left = 0;
        assert_int_equal(admit_gate_enter_with(gate, &hold, &any_thread), ADMIT_OK);
        pthread_barrier_init(&at, NULL, LEAVERS + 1);
        for (unsigned l = 0; l < LEAVERS; l++) {
            leaver[l] = (struct leaver){.gate = gate, .hold = hold, .at = &at};
            pthread_create(&thread[l], NULL, leaves_with, &leaver[l]);
        }
        pthread_barrier_wait(&at);
        left += admit_gate_leave(gate, &hold) == ADMIT_OK;
        for (unsigned l = 0; l < LEAVERS; l++) {
            pthread_join(thread[l], NULL);
            left += leaver[l].error == ADMIT_OK;
        }
        pthread_barrier_destroy(&at);
        assert_int_equal(left, 1);
    }
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

/* --- its thread ends ---------------------------------------------------------------------------------------------- */

static void *enters_and_ends(void *data)
{
    struct leaver *leaver = data;
    leaver->error = admit_gate_enter_with(leaver->gate, &leaver->hold, &any_thread);
    pthread_barrier_wait(leaver->at);
    return NULL;
}

/* At the same moment: then it has left, or its end has given it back. */
static void its_thread_may_end_meanwhile(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1, 2);
    for (unsigned round = 0; round < unless_quick(500, 100); round++) {
        pthread_barrier_t at;
        struct leaver entered = {.gate = gate, .at = &at};
        pthread_t thread;
        pthread_barrier_init(&at, NULL, 2);
        pthread_create(&thread, NULL, enters_and_ends, &entered);
        pthread_barrier_wait(&at);
        assert_int_equal(entered.error, ADMIT_OK);
        admit_error error = admit_gate_leave(gate, &entered.hold);
        assert_true(error == ADMIT_OK || error == ADMIT_NOT_HOLDING);
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&at);
        assert_int_equal(admit_gate_leave(gate, &entered.hold), ADMIT_NOT_HOLDING);
    }
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

static void a_forked_child_holds_nothing(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1, 1);
    admit_hold hold;
    int status;
    assert_int_equal(admit_gate_enter_with(gate, &hold, &any_thread), ADMIT_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(admit_gate_leave(gate, &hold) == ADMIT_NOT_HOLDING ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(left_by_another(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

/* --- with a resize ------------------------------------------------------------------------------------------------ */

/* What others leave counts for a resize as what one leaves oneself. */
static void fewer_slots_as_another_thread_leaves(void **state)
{
    (void)state;
    enum { BEFORE = 4, AFTER = 2 };
    admit_gate *gate = new_gate(BEFORE, BEFORE);
    admit_hold hold[BEFORE], more;
    for (unsigned round = 0; round < unless_quick(50, 20); round++) {
        for (unsigned h = 0; h < BEFORE; h++)
            assert_int_equal(admit_gate_enter_with(gate, &hold[h], &any_thread), ADMIT_OK);
        assert_int_equal(admit_gate_resize(gate, AFTER), ADMIT_OK);
        for (unsigned h = 0; h < BEFORE; h++) {
            if (BEFORE - h >= AFTER)
                assert_int_equal(admit_gate_try(gate, &more), ADMIT_NO_SLOT);
            assert_int_equal(left_by_another(gate, &hold[h]), ADMIT_OK);
        }
        assert_all_slots_are_there(gate, AFTER);
        assert_int_equal(admit_gate_resize(gate, BEFORE), ADMIT_OK);
        assert_all_slots_are_there(gate, BEFORE);
    }
    admit_gate_close(gate);
}

/* The slot goes to nobody, and not to the next in line; with musl, where a word cannot be taken from the thread that has
 * it on its list, it does. */
static void a_slot_fewer_although_somebody_waits(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(2, 2);
    admit_hold hold[2];
    int status;
    for (unsigned h = 0; h < 2; h++)
        assert_int_equal(admit_gate_enter_with(gate, &hold[h], &any_thread), ADMIT_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(admit_gate_enter(gate, hold) == ADMIT_OK && admit_gate_leave(gate, hold) == ADMIT_OK ? 0 : 1);
    while (admit_gate_waiters(gate) == 0)
        usleep(200);
    assert_int_equal(admit_gate_resize(gate, 1), ADMIT_OK);
    assert_int_equal(left_by_another(gate, &hold[0]), ADMIT_OK);
#ifdef __GLIBC__
    assert_int_equal(admit_gate_waiters(gate), 1);
#endif
    assert_int_equal(left_by_another(gate, &hold[1]), ADMIT_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_all_slots_are_there(gate, 1);
    assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK); /* by the thread whose record it was */
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
}

static unsigned mappings_of(const char *name)
{
    char line[PATH_MAX + 200];
    unsigned count = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, name) != NULL;
    fclose(maps);
    return count;
}

static admit_gate *open_kept_back(void)
{
    admit_gate *gate = admit_gate_open_with("kept_back", &(admit_gate_options){.k = 2, .most_k = 4, .capacity = 8});
    assert_non_null(gate);
    return gate;
}

static void *enters_resizes_and_ends(void *data)
{
    admit_hold hold;
    bool is_inside = admit_gate_enter(data, &hold) == ADMIT_OK;
    return is_inside && admit_gate_resize(data, 1) == ADMIT_OK ? data : NULL;
}

/* What a thread is inside by when it closes the handle, or ends, is kept back, and nothing else of it stays: the same
 * thread can have that record again, and as much memory is in use as before. */
static void what_is_kept_back_of_ones_own_is_let_go(void **state)
{
    (void)state;
    admit_hold hold, own;
    test_directory();
    admit_gate *gate = open_kept_back();
    assert_int_equal(admit_gate_enter(gate, &own), ADMIT_OK);
    unsigned before = mappings_of("kept_back");
    for (unsigned round = 0; round < 4; round++) {
        admit_gate *again = open_kept_back();
        assert_int_equal(admit_gate_resize(again, 2), ADMIT_OK);
        assert_int_equal(admit_gate_try(again, &hold), ADMIT_OK);
        assert_int_equal(admit_gate_resize(again, 1), ADMIT_OK);
        admit_gate_close(again);
        assert_int_equal(mappings_of("kept_back"), before);
    }
    for (unsigned round = 0; round < 4; round++) {
        pthread_t thread;
        void *result;
        assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK);
        pthread_create(&thread, NULL, enters_resizes_and_ends, gate);
        pthread_join(thread, &result);
        assert_non_null(result);
        assert_int_equal(mappings_of("kept_back"), before);
    }
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("kept_back", 0), ADMIT_OK);
    remove_test_directory();
}

/* --- one that enters all the time, and one that leaves ------------------------------------------------------------- */

enum { SLOTS = 3, ASIDE = 2, HANDED_OVER = 8 };

struct relay {
    admit_gate *gate;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    admit_hold hold[HANDED_OVER];
    unsigned count;
    bool ended;
    _Atomic unsigned inside, most_inside;
    unsigned passes;
};

static void count_in(struct relay *relay)
{
    unsigned inside = atomic_fetch_add(&relay->inside, 1) + 1, most = atomic_load(&relay->most_inside);
    while (inside > most && !atomic_compare_exchange_weak(&relay->most_inside, &most, inside))
        ;
}

static void *enters(void *data)
{
    struct relay *relay = data;
    for (unsigned pass = 0; pass < relay->passes; pass++) {
        admit_hold hold;
        if (admit_gate_enter_with(relay->gate, &hold, &any_thread) != ADMIT_OK)
            abort();
        count_in(relay);
        pthread_mutex_lock(&relay->mutex);
        while (relay->count == HANDED_OVER)
            pthread_cond_wait(&relay->changed, &relay->mutex);
        relay->hold[relay->count++] = hold;
        pthread_cond_broadcast(&relay->changed);
        pthread_mutex_unlock(&relay->mutex);
    }
    pthread_mutex_lock(&relay->mutex);
    relay->ended = true;
    pthread_cond_broadcast(&relay->changed);
    while (relay->count > 0) /* its end would count as a kill */
        pthread_cond_wait(&relay->changed, &relay->mutex);
    pthread_mutex_unlock(&relay->mutex);
    return NULL;
}

static void *passes_by_itself(void *data)
{
    struct relay *relay = data;
    for (unsigned pass = 0; pass < relay->passes; pass++) {
        admit_hold hold;
        if (admit_gate_enter(relay->gate, &hold) != ADMIT_OK)
            abort();
        count_in(relay);
        atomic_fetch_sub(&relay->inside, 1);
        if (admit_gate_leave(relay->gate, &hold) != ADMIT_OK)
            abort();
    }
    return NULL;
}

static void leave_what_another_entered(struct relay *relay)
{
    bool ended = false;
    while (!ended) {
        pthread_mutex_lock(&relay->mutex);
        while (relay->count == 0 && !relay->ended)
            pthread_cond_wait(&relay->changed, &relay->mutex);
        ended = relay->count == 0;
        admit_hold hold = relay->hold[ended ? 0 : relay->count - 1];
        pthread_mutex_unlock(&relay->mutex);
        if (ended)
            break;
        atomic_fetch_sub(&relay->inside, 1);
        assert_int_equal(admit_gate_leave(relay->gate, &hold), ADMIT_OK);
        pthread_mutex_lock(&relay->mutex);
        for (unsigned h = 0; h < relay->count; h++) /* the other may have added some */
            if (relay->hold[h].ticket == hold.ticket)
                relay->hold[h] = relay->hold[--relay->count];
        pthread_cond_broadcast(&relay->changed);
        pthread_mutex_unlock(&relay->mutex);
    }
}

static void relay_with(unsigned most_k)
{
    struct relay relay = {.gate = new_gate(SLOTS, most_k), .passes = unless_quick(20000, 2000)};
    pthread_t entering, aside[ASIDE];
    pthread_mutex_init(&relay.mutex, NULL);
    pthread_cond_init(&relay.changed, NULL);
    pthread_create(&entering, NULL, enters, &relay);
    for (unsigned a = 0; a < ASIDE; a++)
        pthread_create(&aside[a], NULL, passes_by_itself, &relay);
    leave_what_another_entered(&relay);
    pthread_join(entering, NULL);
    for (unsigned a = 0; a < ASIDE; a++)
        pthread_join(aside[a], NULL);
    assert_true(atomic_load(&relay.most_inside) <= SLOTS);
    assert_int_equal(atomic_load(&relay.inside), 0);
    assert_all_slots_are_there(relay.gate, SLOTS);
    admit_gate_close(relay.gate);
    pthread_mutex_destroy(&relay.mutex);
    pthread_cond_destroy(&relay.changed);
}

static void one_enters_and_another_leaves(void **state)
{
    (void)state;
    relay_with(SLOTS);
    relay_with(2 * SLOTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_thread_leaves_if_it_may),
        cmocka_unit_test(one_of_several_leaves),
        cmocka_unit_test(its_thread_may_end_meanwhile),
        cmocka_unit_test(a_forked_child_holds_nothing),
        cmocka_unit_test(fewer_slots_as_another_thread_leaves),
        cmocka_unit_test(what_is_kept_back_of_ones_own_is_let_go),
        cmocka_unit_test(a_slot_fewer_although_somebody_waits),
        cmocka_unit_test(one_enters_and_another_leaves),
    };
    return cmocka_run_group_tests_name("gate threads", tests, NULL, NULL);
}
