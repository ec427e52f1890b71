/* SPDX-License-Identifier: MIT
 *
 * Whoever sleeps is woken by what concerns it, and need not look by itself. In a build with ADMIT_NO_LOOKS a wake-up
 * that is missing is a hang; elsewhere the look twice a second hides it.
 */
#include "gate_holder.h"

#include <pthread.h>

enum { CROWD = 150 }; /* more than the kernel takes words */

static void await_sleep(admit_gate *gate, unsigned place)
{
    while (waiters_of(gate) < place)
        usleep(500);
    usleep(50000); /* it has napped by then, most likely */
}

static pid_t start_waiter(admit_gate *gate, unsigned place)
{
    pid_t waiter = fork();
    if (waiter == 0) {
        admit_hold hold;
        _exit(admit_gate_enter(gate, &hold) == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 1);
    }
    await_sleep(gate, place);
    return waiter;
}

/* A process that waits, and stays inside. */
static pid_t start_stayer(admit_gate *gate, unsigned place)
{
    pid_t stayer = fork();
    if (stayer == 0) {
        admit_hold hold;
        if (admit_gate_enter(gate, &hold) != ADMIT_OK)
            _exit(1);
        for (;;)
            pause();
    }
    await_sleep(gate, place);
    return stayer;
}

static bool is_inside(admit_gate *gate, pid_t process)
{
    bool found = false;
    admit_view *view = admit_gate_inspect(gate);
    for (unsigned h = 0; h < view->holders; h++)
        found |= view->holder[h].pid == process;
    admit_view_free(view);
    return found;
}

static void await_inside(admit_gate *gate, pid_t process)
{
    while (!is_inside(gate, process))
        usleep(500);
}

static void assert_passes(pid_t waiter)
{
    int status;
    assert_int_equal(waitpid(waiter, &status, 0), waiter);
    assert_int_equal(status, 0);
}

/* Many who have records and are not inside, until they are told to go. */
struct guests {
    pid_t process[CROWD];
    _Atomic bool *go;
};

static struct guests invite(admit_gate *gate)
{
    struct guests guests;
    int told[2];
    guests.go = mmap(NULL, sizeof *guests.go, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(guests.go != MAP_FAILED);
    assert_int_equal(pipe(told), 0);
    for (unsigned g = 0; g < CROWD; g++) {
        guests.process[g] = fork();
        if (guests.process[g] == 0) {
            admit_hold hold;
            if (admit_gate_try(gate, &hold) != ADMIT_OK || admit_gate_leave(gate, &hold) != ADMIT_OK)
                _exit(1);
            say(told[1]);
            while (!atomic_load(guests.go))
                usleep(10000);
            admit_gate_close(gate);
            _exit(0);
        }
        assert_true(hear(told[0]));
    }
    close(told[0]), close(told[1]);
    return guests;
}

static void dismiss(struct guests *guests)
{
    int status;
    atomic_store(guests->go, true);
    for (unsigned g = 0; g < CROWD; g++) {
        assert_int_equal(waitpid(guests->process[g], &status, 0), guests->process[g]);
        assert_int_equal(status, 0);
    }
    munmap((void *)guests->go, sizeof *guests->go);
}

/* Records that are free are not watched instead of those that are taken. */
static void by_a_death_behind_many_free_records(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2 * CROWD});
    struct guests guests = invite(gate);
    pid_t holder = start_holder(gate);
    dismiss(&guests);
    pid_t waiter = start_waiter(gate, 1);
    end_child(holder);
    assert_passes(waiter);
    admit_gate_close(gate);
}

/* Nor those that are kept back for a larger k. */
static void by_a_death_behind_many_reserved_records(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = CROWD, .capacity = CROWD});
    pid_t holder = start_holder(gate), waiter = start_waiter(gate, 1);
    end_child(holder);
    assert_passes(waiter);
    admit_gate_close(gate);
}

/* In a crowd the first in line watches the one inside, and each who waits those before it. */
static void by_a_death_in_a_crowd(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2 * CROWD});
    struct guests guests = invite(gate);
    pid_t waiter[3], holder = start_holder(gate);
    for (unsigned w = 0; w < 3; w++)
        waiter[w] = start_waiter(gate, w + 1);
    end_child(waiter[0]);
    end_child(holder);
    assert_passes(waiter[1]);
    assert_passes(waiter[2]);
    dismiss(&guests);
    admit_gate_close(gate);
}

/* Whoever comes later is watched too: it is the first to have its record, and dies inside when the others sleep. */
static void by_the_death_of_one_who_came_later(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
    pid_t holder = start_holder(gate), first = start_waiter(gate, 1), later = start_stayer(gate, 2),
          last = start_waiter(gate, 3);
    end_child(holder);
    assert_passes(first);
    await_inside(gate, later);
    usleep(50000);
    end_child(later);
    assert_passes(last);
    admit_gate_close(gate);
}

/* A process that sleeps by its deadline's leave is woken for its turn as everybody is, and by the deadline if not. */
static void by_a_deadline(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
    pid_t holder = start_holder(gate);
    admit_hold hold;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    assert_int_equal(admit_gate_enter_until(gate, &hold, &until), ADMIT_TIMED_OUT);
    end_child(holder);
    admit_gate_close(gate);
}

struct held {
    admit_gate *gate;
    int told, go;
};

static void *hold_until_told(void *data)
{
    const struct held *held = data;
    admit_hold hold;
    if (admit_gate_enter(held->gate, &hold) != ADMIT_OK)
        return NULL;
    say(held->told);
    return hear(held->go) ? data : NULL;
}

/* Of a process that lives on: nobody else in it can give back what the thread held. */
static void by_the_end_of_a_thread(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
    int told[2], go[2];
    assert_int_equal(pipe(told), 0);
    assert_int_equal(pipe(go), 0);
    pid_t process = fork();
    if (process == 0) {
        struct held held = {gate, told[1], go[0]};
        pthread_t thread;
        void *went_in;
        if (pthread_create(&thread, NULL, hold_until_told, &held) != 0)
            _exit(1);
        if (pthread_join(thread, &went_in) != 0 || went_in == NULL)
            _exit(2);
        for (;;)
            pause();
    }
    assert_true(hear(told[0]));
    pid_t waiter = start_waiter(gate, 1);
    say(go[1]);
    assert_passes(waiter);
    end_child(process);
    close(told[0]), close(told[1]), close(go[0]), close(go[1]);
    admit_gate_close(gate);
}

static void *wait_interruptibly(void *gate)
{
    static admit_error error;
    admit_hold hold;
    error = admit_gate_enter_with(gate, &hold, &(admit_wait){.interruptible = 1});
    return &error;
}

static void by_an_interrupt(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
    pid_t holder = start_holder(gate);
    pthread_t thread;
    void *error;
    assert_int_equal(pthread_create(&thread, NULL, wait_interruptibly, gate), 0);
    await_sleep(gate, 1);
    admit_gate_interrupt(gate);
    assert_int_equal(pthread_join(thread, &error), 0);
    assert_int_equal(*(admit_error *)error, ADMIT_INTERRUPTED);
    end_child(holder);
    admit_gate_close(gate);
}

/* All who have room now, though nobody leaves. */
static void by_more_slots(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 4, .capacity = 8});
    pid_t waiter[3], holder = start_holder(gate);
    for (unsigned w = 0; w < 3; w++)
        waiter[w] = start_stayer(gate, w + 1);
    assert_int_equal(admit_gate_resize(gate, 4), ADMIT_OK);
    for (unsigned w = 0; w < 3; w++)
        await_inside(gate, waiter[w]);
    for (unsigned w = 0; w < 3; w++)
        end_child(waiter[w]);
    end_child(holder);
    admit_gate_close(gate);
}

/* One that comes back alone leaves by a way that looks at nobody. If somebody has come meanwhile, it must go the long
 * way after all. */
static void by_one_that_had_been_alone(void **state)
{
    (void)state;
    for (unsigned most = 1; most <= 2; most++) {
        admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = most, .capacity = 8});
        admit_hold hold;
        for (unsigned pass = 0; pass < 3; pass++) {
            assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
            assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        }
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
        pid_t waiter = start_waiter(gate, 1);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        assert_passes(waiter);
        admit_gate_close(gate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_a_death_behind_many_free_records),
        cmocka_unit_test(by_a_death_behind_many_reserved_records),
        cmocka_unit_test(by_a_death_in_a_crowd),
        cmocka_unit_test(by_the_death_of_one_who_came_later),
        cmocka_unit_test(by_a_deadline),
        cmocka_unit_test(by_the_end_of_a_thread),
        cmocka_unit_test(by_an_interrupt),
        cmocka_unit_test(by_more_slots),
        cmocka_unit_test(by_one_that_had_been_alone),
    };
    return cmocka_run_group_tests_name("gate woken", tests, NULL, NULL);
}
