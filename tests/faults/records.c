/* SPDX-License-Identifier: MIT
 *
 * Records leak. A gate has as many records as its capacity says, and a thread keeps one from a passage to the next.
 * Promised: a record serves again as soon as nobody needs it. Threads that outlive the handles they used, places that
 * were given up by time-outs, however many, and threads that ended, in line or inside, take nothing away from others:
 * ADMIT_FULL is for so many who take part, and for nothing else. And a record that has another owner is that one's.
 */
#include "faults.h"

#include <pthread.h>

enum { POOL = 4, TIMED_OUT_THREADS = 64 };

/* --- a pool of threads -------------------------------------------------------------------------------------------- */

static pthread_barrier_t begin, finish;
static admit_gate *pool_gate;
static _Atomic bool pool_ends;
static _Atomic unsigned pool_failed;

static void *pool_thread(void *unused)
{
    (void)unused;
    for (;;) {
        admit_hold hold;
        pthread_barrier_wait(&begin);
        if (atomic_load(&pool_ends))
            return NULL;
        admit_error error = enter_within(pool_gate, &hold, SOON_S);
        if (error != ADMIT_OK || admit_gate_leave(pool_gate, &hold) != ADMIT_OK)
            atomic_store(&pool_failed, error == ADMIT_OK ? 1 : error);
        pthread_barrier_wait(&finish);
    }
}

/* In a child: so many times the gate is opened, used by each thread, and closed by one that is none of them. */
static _Noreturn void use_and_close(const char *name, unsigned cycles, _Atomic uint32_t *done)
{
    pthread_t thread[POOL];
    pthread_barrier_init(&begin, NULL, POOL + 1);
    pthread_barrier_init(&finish, NULL, POOL + 1);
    for (unsigned t = 0; t < POOL; t++)
        if (pthread_create(&thread[t], NULL, pool_thread, NULL) != 0)
            _exit(CANNOT);
    for (unsigned cycle = 0; cycle < cycles; cycle++) {
        pool_gate = admit_gate_open(name, 0);
        if (pool_gate == NULL)
            _exit(2);
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&finish);
        admit_gate_close(pool_gate);
        if (atomic_load(&pool_failed) != 0)
            _exit((int)atomic_load(&pool_failed));
        atomic_store(done, cycle + 1);
    }
    atomic_store(&pool_ends, true);
    pthread_barrier_wait(&begin);
    for (unsigned t = 0; t < POOL; t++)
        pthread_join(thread[t], NULL);
    _exit(0);
}

static void threads_outlive_their_handles(void **state)
{
    (void)state;
    static const unsigned cycles[] = {66, 300};
    for (unsigned c = 0; c < 2; c++) {
        _Atomic uint32_t *done = shared_words();
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 256});
        pid_t child = start();
        if (child == 0)
            use_and_close(admit_gate_name(gate), cycles[c], done);
        int ended = outcome(child, LONG_S);
        if (ended != 0)
            fail_msg("after %u of %u cycles: %s", atomic_load(done), cycles[c],
                     admit_error_message((admit_error)ended));
        assert_slots(gate, 2);
        admit_gate_close(gate);
        munmap((void *)done, 4096);
    }
}

/* While the program lives, with its threads and without the handle, all records are there for others. */
static void what_is_closed_is_free_for_others(void **state)
{
    (void)state;
    enum { CAPACITY = 8 };
    _Atomic uint32_t *words = shared_words();
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = CAPACITY, .capacity = CAPACITY});
    char name[40];
    snprintf(name, sizeof name, "%s", admit_gate_name(gate));
    admit_gate_close(gate);
    pid_t child = start();
    if (child == 0) {
        pthread_t thread;
        pthread_barrier_init(&begin, NULL, POOL + 1);
        pthread_barrier_init(&finish, NULL, POOL + 1);
        for (unsigned t = 0; t < POOL; t++)
            pthread_create(&thread, NULL, pool_thread, NULL);
        for (unsigned cycle = 0; cycle < 3; cycle++) {
            pool_gate = admit_gate_open(name, 0);
            if (pool_gate == NULL)
                _exit(2);
            pthread_barrier_wait(&begin);
            pthread_barrier_wait(&finish);
            admit_gate_close(pool_gate);
        }
        atomic_store(words, 1 + atomic_load(&pool_failed));
        stay();
    }
    assert_true(comes_true(words, 1, SOON_S));
    gate = admit_gate_open(name, 0);
    assert_non_null(gate);
    pid_t holder[CAPACITY];
    for (unsigned h = 0; h < CAPACITY; h++)
        holder[h] = start_holder(gate);
    for (unsigned h = 0; h < CAPACITY; h++)
        end(holder[h]);
    end(child);
    assert_slots(gate, CAPACITY);
    admit_gate_close(gate);
    munmap((void *)words, 4096);
}

/* --- time-outs ---------------------------------------------------------------------------------------------------- */

static _Atomic uint32_t *report; /* 0: threads that are done; 1: the last error that was no time-out */

static void *times_out_several_times(void *gate)
{
    for (unsigned time = 0; time < 6; time++) {
        admit_hold hold;
        admit_error error = enter_within(gate, &hold, 0.05);
        if (error != ADMIT_TIMED_OUT)
            atomic_store(&report[1], error == ADMIT_OK ? 1000 : (uint32_t)error);
    }
    atomic_fetch_add(&report[0], 1);
    stay();
}

static void time_outs_of_many_leave_room_for_one_more(void **state)
{
    (void)state;
    report = shared_words();
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 256});
    pid_t holder = start_holder(gate), child = start();
    if (child == 0) {
        for (unsigned t = 0; t < TIMED_OUT_THREADS; t++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, times_out_several_times, gate) != 0)
                _exit(CANNOT);
        }
        stay();
    }
    assert_true(comes_true(&report[0], TIMED_OUT_THREADS, LONG_S));
    if (atomic_load(&report[1]) != 0)
        fail_msg("one of those who time out: %s", admit_error_message((admit_error)atomic_load(&report[1])));
    for (unsigned more = 0; more < 10; more++) { /* each waits properly, and times out */
        pid_t one_more = start();
        if (one_more == 0) {
            admit_hold hold;
            _exit((int)enter_within(gate, &hold, 0.1));
        }
        int ended = outcome(one_more, SOON_S);
        if (ended != ADMIT_TIMED_OUT)
            fail_msg("one more: %s", admit_error_message((admit_error)ended));
    }
    pid_t last = start();
    if (last == 0) {
        admit_hold hold;
        _exit((int)enter_within(gate, &hold, LONG_S));
    }
    usleep(200000);
    assert_false(has_ended(last));
    end(holder);
    assert_int_equal(outcome(last, SOON_S), ADMIT_OK);
    end(child);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)report, 4096);
}

/* Deadlines in the past, as fast as it goes. */
static void ten_thousand_time_outs_of_one(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    pid_t holder = start_holder(gate), impatient = start();
    if (impatient == 0) {
        admit_hold hold;
        for (unsigned time = 0; time < unless_quick(10000, 1000); time++) {
            admit_error error = enter_within(gate, &hold, 0);
            if (error != ADMIT_TIMED_OUT)
                _exit(error == ADMIT_OK ? 1 : (int)error);
        }
        _exit(0);
    }
    assert_int_equal(outcome(impatient, LONG_S), 0);
    pid_t waiter = start_waiter(gate, 1);
    end(holder);
    assert_int_equal(outcome(waiter, SOON_S), 0);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

static int not_now(void *data, unsigned place)
{
    (void)data, (void)place;
    return 1;
}

/* When its places have been passed, all records but one are there for others; also while it lives, and does nothing. */
static void of_the_places_that_it_gave_up_a_thread_keeps_one(void **state)
{
    (void)state;
    enum { CAPACITY = 8, GIVEN_UP = 3 };
    admit_hold hold;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = CAPACITY});
    admit_gate *impatient = admit_gate_open(admit_gate_name(gate), 0), *other[CAPACITY - 1];
    pid_t holder = start_holder(gate);
    assert_non_null(impatient);
    for (unsigned time = 0; time < GIVEN_UP; time++)
        assert_int_equal(admit_gate_enter_with(impatient, &hold, &(admit_wait){.waiting = not_now}), ADMIT_INTERRUPTED);
    end(holder);
    assert_slots(gate, 1);
    for (unsigned o = 0; o < CAPACITY - 1; o++) { /* this thread takes part by each handle for itself */
        other[o] = admit_gate_open(admit_gate_name(gate), 0);
        assert_non_null(other[o]);
        assert_int_equal(admit_gate_try(other[o], &hold), o == 0 ? ADMIT_OK : ADMIT_NO_SLOT);
    }
    for (unsigned o = 0; o < CAPACITY - 1; o++)
        admit_gate_close(other[o]);
    admit_gate_close(impatient);
    admit_gate_close(gate);
}

/* It has given up so often that it may have to wait for a record of its own; nobody else is there to see to it. */
static void one_who_has_given_up_often_still_sees_a_death(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 16});
    _Atomic uint32_t *ready = shared_words();
    pid_t holder = start_holder(gate), waiter = start();
    if (waiter == 0) {
        admit_hold hold;
        for (unsigned time = 0; time < 10; time++)
            if (enter_within(gate, &hold, 0.02) != ADMIT_TIMED_OUT)
                _exit(1);
        atomic_store(ready, 1);
        _exit((int)enter_within(gate, &hold, 2 * SOON_S));
    }
    assert_true(comes_true(ready, 1, SOON_S));
    usleep(50000);
    end(holder);
    assert_int_equal(outcome(waiter, SOON_S), ADMIT_OK);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)ready, 4096);
}

/* --- threads that end --------------------------------------------------------------------------------------------- */

static void *passes_once(void *gate)
{
    admit_hold hold;
    if (enter_within(gate, &hold, SOON_S) != ADMIT_OK || admit_gate_leave(gate, &hold) != ADMIT_OK)
        atomic_fetch_add(&report[0], 1);
    return NULL;
}

static void threads_that_end_take_nothing_along(void **state)
{
    (void)state;
    report = shared_words();
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 8});
    pid_t child = start();
    if (child == 0) {
        for (unsigned t = 0; t < 500; t++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, passes_once, gate) != 0 || pthread_join(thread, NULL) != 0)
                _exit(CANNOT);
        }
        _exit(0);
    }
    assert_int_equal(outcome(child, LONG_S), 0);
    assert_int_equal(atomic_load(&report[0]), 0);
    assert_slots(gate, 2);
    admit_gate_close(gate);
    munmap((void *)report, 4096);
}

enum way_to_end { BY_EXIT, BY_CANCELLATION, WAYS_TO_END };

/* Called while its thread stands in line: it says so, and when it is told to, the thread ends here. */
static int ends_here(void *data, unsigned place)
{
    (void)place;
    atomic_store(&report[0], 1);
    comes_true(&report[1], 1, LONG_S);
    if (*(const enum way_to_end *)data == BY_EXIT)
        pthread_exit(NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return 0;
}

struct end_in_line {
    admit_gate *gate;
    enum way_to_end way;
};

static void *ends_in_line(void *data)
{
    struct end_in_line *end = data;
    admit_hold hold;
    admit_gate_enter_with(end->gate, &hold, &(admit_wait){.waiting = ends_here, .data = &end->way});
    atomic_store(&report[3], 1); /* it should not come here */
    return NULL;
}

/* Its process lives on, so that nobody but the thread itself says that its place is free. */
static void threads_that_end_in_line_hold_up_nobody(void **state)
{
    (void)state;
    for (enum way_to_end way = BY_EXIT; way < WAYS_TO_END; way++) {
        if (SANITIZED && way == BY_CANCELLATION)
            continue; /* the sanitizer does not see that its stack is left */
        report = shared_words();
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        pid_t holder = start_holder(gate), child = start();
        if (child == 0) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, ends_in_line, &(struct end_in_line){gate, way}) != 0 ||
                pthread_join(thread, NULL) != 0)
                _exit(CANNOT);
            atomic_store(&report[2], 1);
            stay();
        }
        assert_true(comes_true(&report[0], 1, SOON_S));
        pid_t behind = start_waiter(gate, 2);
        atomic_store(&report[1], 1);
        assert_true(comes_true(&report[2], 1, SOON_S));
        assert_int_equal(atomic_load(&report[3]), 0);
        end(holder);
        int ended = outcome(behind, SOON_S);
        if (ended != 0)
            fail_msg("a thread has ended in line, by %s: the next ended with %d",
                     way == BY_EXIT ? "pthread_exit" : "cancellation", ended);
        assert_slots(gate, 1);
        assert_false(has_ended(child));
        end(child);
        assert_slots(gate, 1);
        admit_gate_close(gate);
        munmap((void *)report, 4096);
    }
}

/* Inside by its second record, while its first, the lowest, is idle; and then the kernel alone knows that it has
 * ended. */
static void *ends_without_a_word(void *gate)
{
    admit_hold first, second;
    if (enter_within(gate, &first, SOON_S) != ADMIT_OK || enter_within(gate, &second, SOON_S) != ADMIT_OK ||
        admit_gate_leave(gate, &first) != ADMIT_OK)
        _exit(1);
    atomic_store(&report[3], (uint32_t)syscall(SYS_gettid));
    syscall(SYS_exit, 0);
    return NULL;
}

/* pthread_join would wait for a word too, with musl. */
static void wait_for_its_end(void)
{
    while (atomic_load(&report[3]) == 0 || syscall(SYS_tgkill, getpid(), atomic_load(&report[3]), 0) == 0)
        usleep(500);
}

static void *ends_inside_without_a_word(void *gate)
{
    admit_hold hold;
    if (enter_within(gate, &hold, SOON_S) != ADMIT_OK)
        _exit(1);
    atomic_store(&report[3], (uint32_t)syscall(SYS_gettid));
    syscall(SYS_exit, 0);
    return NULL;
}

/* Its process lives on, and with it all that tells of the process's end: the kernel's mark is enough. */
static void the_record_of_a_thread_that_ended_without_a_word_serves_again(void **state)
{
    (void)state;
    enum { CAPACITY = 2 };
    report = shared_words();
    admit_hold hold;
    admit_gate *other[CAPACITY], *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = CAPACITY});
    pid_t child = start();
    if (child == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, ends_inside_without_a_word, gate) != 0)
            _exit(CANNOT);
        wait_for_its_end();
        atomic_store(&report[0], 1);
        stay();
    }
    assert_true(comes_true(&report[0], 1, SOON_S));
    for (unsigned o = 0; o < CAPACITY; o++) {
        other[o] = admit_gate_open(admit_gate_name(gate), 0);
        assert_non_null(other[o]);
        assert_int_equal(admit_gate_try(other[o], &hold), o == 0 ? ADMIT_OK : ADMIT_NO_SLOT);
    }
    for (unsigned o = 0; o < CAPACITY; o++)
        admit_gate_close(other[o]);
    end(child);
    admit_gate_close(gate);
    munmap((void *)report, 4096);
}

static void leaves_when_told(admit_gate *gate, const admit_hold *hold)
{
    comes_true(&report[2], 1, LONG_S);
    _exit(admit_gate_leave(gate, hold) == ADMIT_OK ? 0 : 1);
}

/* The handle by which the thread took part is closed when the record has another owner: that one stays inside, and its
 * slot comes back when it leaves or is killed. */
static void a_closed_handle_takes_nothing_from_a_newcomer(void **state)
{
    (void)state;
    for (unsigned killed = 0; killed < 2; killed++) {
        report = shared_words();
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 3, .capacity = 8});
        pid_t child = start();
        if (child == 0) {
            pthread_t thread;
            admit_gate *own = admit_gate_open(admit_gate_name(gate), 0);
            if (own == NULL || pthread_create(&thread, NULL, ends_without_a_word, own) != 0)
                _exit(CANNOT);
            wait_for_its_end();
            atomic_store(&report[0], 1);
            comes_true(&report[1], 1, LONG_S);
            admit_gate_close(own);
            atomic_store(&report[0], 2);
            stay();
        }
        assert_true(comes_true(&report[0], 1, SOON_S));
        pid_t newcomer = start_holder_that(gate, leaves_when_told);
        atomic_store(&report[1], 1);
        assert_true(comes_true(&report[0], 2, SOON_S));
        assert_slots(gate, 2); /* beside the newcomer */
        if (killed) {
            end(newcomer);
        } else {
            atomic_store(&report[2], 1);
            assert_int_equal(outcome(newcomer, SOON_S), 0);
        }
        assert_slots(gate, 3);
        end(child);
        assert_slots(gate, 3);
        admit_gate_close(gate);
        munmap((void *)report, 4096);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(threads_outlive_their_handles),
        FAULT(what_is_closed_is_free_for_others),
        FAULT(time_outs_of_many_leave_room_for_one_more),
        FAULT(ten_thousand_time_outs_of_one),
        FAULT(of_the_places_that_it_gave_up_a_thread_keeps_one),
        FAULT(one_who_has_given_up_often_still_sees_a_death),
        FAULT(threads_that_end_take_nothing_along),
        FAULT(threads_that_end_in_line_hold_up_nobody),
        FAULT(the_record_of_a_thread_that_ended_without_a_word_serves_again),
        FAULT(a_closed_handle_takes_nothing_from_a_newcomer),
    };
    return run_faults("records", tests);
}
