/* SPDX-License-Identifier: MIT
 *
 * What strangers, children and stopped processes hold. Promised: nobody who may only read a gate's file, no child that
 * was forked at the wrong moment and no process that is stopped in the middle of managing a gate keeps others from
 * managing it, from leaving or from handing a hold to a command; a process that may not delete the file throws nobody
 * out of line; and a neighbour that scribbles into the file makes nobody wait for itself.
 */
#include "faults.h"
#include "layout.h"

#include <pthread.h>

static const admit_gate_options two = {.k = 2, .capacity = 16};

/* --- a process that reads ----------------------------------------------------------------------------------------- */

static int outcome_of_resize(admit_gate *gate, unsigned k)
{
    pid_t child = start();
    if (child == 0)
        _exit((int)admit_gate_resize(gate, k));
    return outcome(child, SOON_S);
}

static void a_reader_does_not_hold_up_a_resize(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&two);
    start_reader(gate);
    assert_int_equal(outcome_of_resize(gate, 1), ADMIT_OK);
    assert_slots(gate, 1);
    assert_int_equal(outcome_of_resize(gate, 2), ADMIT_OK);
    assert_slots(gate, 2);
    admit_gate_close(gate);
}

static void a_reader_does_not_hold_up_a_removal(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&two);
    start_reader(gate);
    start_holder(gate);
    pid_t child = start();
    if (child == 0)
        _exit((int)admit_gate_remove(admit_gate_name(gate), 1));
    assert_int_equal(outcome(child, SOON_S), ADMIT_OK);
    assert_int_not_equal(access(admit_gate_path(gate), F_OK), 0);
    admit_gate_close(gate);
}

static _Atomic uint32_t *turn;

/* Inside twice, until told. */
static pid_t start_leaver(admit_gate *gate)
{
    turn = shared_words();
    pid_t leaver = start();
    if (leaver == 0) {
        admit_hold hold[2];
        if (enter_within(gate, &hold[0], SOON_S) != ADMIT_OK || enter_within(gate, &hold[1], SOON_S) != ADMIT_OK)
            _exit(1);
        atomic_store(turn, 1);
        while (atomic_load(turn) != 2)
            usleep(200);
        _exit(admit_gate_leave(gate, &hold[0]) == ADMIT_OK && admit_gate_leave(gate, &hold[1]) == ADMIT_OK ? 0 : 2);
    }
    assert_true(comes_true(turn, 1, SOON_S));
    return leaver;
}

static void a_reader_does_not_hold_up_one_who_leaves_during_a_resize(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&two);
    pid_t leaver = start_leaver(gate);
    assert_int_equal(outcome_of_resize(gate, 1), ADMIT_OK); /* which will be when one has left */
    start_reader(gate);
    atomic_store(turn, 2);
    assert_int_equal(outcome(leaver, SOON_S), 0);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)turn, 4096);
}

static _Atomic uint32_t *command;

static void starts_a_command_with_children(admit_gate *gate, const admit_hold *hold)
{
    if (admit_gate_bequeath(gate, hold, 1) != ADMIT_OK)
        _exit(2);
    if (fork() == 0) {
        if (admit_gate_inherit(gate, hold) != ADMIT_OK)
            _exit(3);
        atomic_store(command, (uint32_t)getpid());
        stay();
    }
}

static void a_reader_does_not_hold_up_a_command(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 16});
    command = shared_words();
    start_reader(gate);
    pid_t starter = start_holder_that(gate, starts_a_command_with_children);
    for (unsigned look = 0; look < SOON_S * 1000 && atomic_load(command) == 0 && !has_ended(starter); look++)
        usleep(1000);
    if (atomic_load(command) == 0)
        fail_msg("the starter ended with %d", outcome(starter, SOON_S));
    end(starter);
    bool got_in = another_gets_in(gate, 1);
    kill((pid_t)atomic_load(command), SIGKILL);
    assert_false(got_in);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)command, 4096);
}

/* It was there before anybody else: whoever comes after it is let in, and back after a death, as ever. */
static void a_reader_that_came_first_changes_nothing(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&two);
    start_reader(gate);
    pid_t first = start_holder(gate), second = start_holder(gate), waiter = start_waiter(gate, 1);
    assert_false(has_ended(waiter));
    end(first);
    assert_int_equal(outcome(waiter, SOON_S), 0);
    end(second);
    assert_slots(gate, 2);
    admit_gate_close(gate);
}

/* --- children ----------------------------------------------------------------------------------------------------- */

static _Atomic bool enough;

static void *resizes_on_and_on(void *gate)
{
    while (!atomic_load(&enough)) {
        admit_gate_resize(gate, 1);
        admit_gate_resize(gate, 2);
    }
    return NULL;
}

static void a_child_forked_during_a_resize_keeps_nothing(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&two);
    atomic_store(&enough, false);
    pid_t program = start(); /* whose children live on, but not beyond the case */
    if (program == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, resizes_on_and_on, gate) != 0)
            _exit(1);
        for (unsigned c = 0; c < unless_quick(200, 50); c++) {
            if (start() == 0)
                stay();
            usleep(200);
        }
        atomic_store(&enough, true);
        pthread_join(thread, NULL);
        pid_t manager = start();
        if (manager == 0)
            _exit((int)admit_gate_resize(gate, 1));
        int ended = outcome(manager, SOON_S);
        end_all(NULL);
        _exit(ended);
    }
    assert_int_equal(outcome(program, 3 * SOON_S), ADMIT_OK);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* --- stopped ------------------------------------------------------------------------------------------------------ */

static void resizes_to_one(void *gate)
{
    _exit((int)admit_gate_resize(gate, 1));
}

/* False: the resizer had ended by then. */
static bool stop_after(unsigned steps)
{
    int status;
    admit_gate *gate = admit_gate_create_private(&two);
    pid_t leaver = start_leaver(gate);
    pid_t resizer = start_stepped(resizes_to_one, gate);
    bool stopped = make_steps(resizer, PTRACE_SYSCALL, steps, &status);
    if (stopped) {
        ptrace(PTRACE_DETACH, resizer, NULL, (void *)(uintptr_t)SIGSTOP);
        assert_int_equal(waitpid(resizer, &status, WUNTRACED), resizer);
        stopped = WIFSTOPPED(status);
        if (!stopped)
            forget_child(resizer);
    }
    atomic_store(turn, 2);
    int left = outcome(leaver, SOON_S);
    if (left != 0)
        fail_msg("a resizer stopped after %u half system calls: one who leaves ended with %d", steps, left);
    int managed = outcome_of_resize(gate, 2);
    if (managed == HUNG)
        fail_msg("a resizer stopped after %u half system calls: another who resizes waits for it", steps);
    if (stopped && steps % 2 == 0)
        end(resizer);
    if (stopped && steps % 2 == 1) {
        kill(resizer, SIGCONT);
        assert_int_not_equal(outcome(resizer, SOON_S), HUNG);
    }
    unsigned k = admit_gate_k(gate), found = slots_within(gate, k, SOON_S);
    if (found != k)
        fail_msg("a resizer stopped after %u half system calls: k = %u, and %u slots", steps, k, found);
    admit_gate_close(gate);
    munmap((void *)turn, 4096);
    return stopped;
}

static void one_who_is_stopped_while_it_resizes_holds_up_nobody(void **state)
{
    (void)state;
    skip_without_ptrace();
    unsigned steps = 0, places = 0;
    for (; stop_after(steps); places++)
        steps += sized(1, 2, 6);
    print_message("# stopped at %u places\n", places);
    assert_true(steps > 0);
}

/* --- a process that may not delete the file ----------------------------------------------------------------------- */

enum { COMERS = 4 };

/* In line again and again, for a moment each time: whatever is told for a moment, one of several hears it. */
static pid_t start_comer(admit_gate *gate, _Atomic uint32_t *told)
{
    pid_t comer = start();
    if (comer == 0)
        for (admit_hold hold;;) {
            admit_error error = enter_within(gate, &hold, 0.003);
            if (error != ADMIT_TIMED_OUT)
                atomic_store(told, (uint32_t)error + 1);
        }
    return comer;
}

/* In the remover: 0, it was refused each time. */
static int remove_on_and_on(const char *path)
{
    if (!become_somebody() || access(path, R_OK | W_OK) != 0)
        return CANNOT;
    for (unsigned r = 0; r < 3000; r++)
        if (admit_gate_remove(path, 1) == ADMIT_OK)
            return 1;
    return 0;
}

static void a_removal_that_is_not_allowed_throws_nobody_out(void **state)
{
    (void)state;
    only_root("be somebody else");
    char directory[PATH_MAX + 16], path[PATH_MAX + 32];
    _Atomic uint32_t *told = shared_words();
    pid_t comer[COMERS];
    snprintf(directory, sizeof directory, "%s/roots~", test_directory());
    snprintf(path, sizeof path, "%s/gate", directory);
    assert_int_equal(chmod(test_directory(), 0755), 0);
    assert_int_equal(mkdir(directory, 0755), 0);
    assert_int_equal(chmod(directory, 0755), 0);
    admit_gate *gate = admit_gate_open_with(path, &(admit_gate_options){.k = 1, .capacity = 16, .mode = 0666});
    assert_non_null(gate);
    pid_t holder = start_holder(gate), waiter = start_waiter(gate, 1);
    for (unsigned c = 0; c < COMERS; c++)
        comer[c] = start_comer(gate, told);
    pid_t remover = start();
    if (remover == 0)
        _exit(remove_on_and_on(path));
    int removed = outcome(remover, LONG_S / 2);
    if (removed == CANNOT)
        skip_because("the directory for the test's files is closed to other users");
    assert_int_equal(removed, 0);
    assert_int_equal(access(path, F_OK), 0);
    for (unsigned c = 0; c < COMERS; c++)
        end(comer[c]);
    if (atomic_load(told) != 0)
        fail_msg("one in line was told: %s", admit_error_message((admit_error)(atomic_load(told) - 1)));
    assert_false(has_ended(waiter));
    end(holder);
    assert_int_equal(outcome(waiter, SOON_S), ADMIT_OK);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)told, 4096);
}

/* --- a process that scribbles ------------------------------------------------------------------------------------- */

static void a_neighbour_that_announces_a_removal_hangs_nobody(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&two);
    pid_t neighbour = start();
    if (neighbour == 0) {
        int fd = open(admit_gate_path(gate), O_RDWR | O_CLOEXEC);
        char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (page == MAP_FAILED)
            _exit(1);
        for (_Atomic uint32_t *removed = (_Atomic uint32_t *)(page + REMOVED_AT);;)
            atomic_store(removed, 2);
    }
    pid_t resizer = start();
    if (resizer == 0) {
        for (unsigned round = 0; round < 100; round++) {
            admit_gate_resize(gate, 1);
            admit_gate_resize(gate, 2);
        }
        _exit(0);
    }
    pid_t passer = start();
    if (passer == 0) {
        admit_hold hold;
        for (unsigned round = 0; round < 100; round++)
            if (enter_within(gate, &hold, SOON_S) == ADMIT_OK)
                admit_gate_leave(gate, &hold);
        _exit(0);
    }
    int resized = outcome(resizer, 2 * SOON_S), passed = outcome(passer, 2 * SOON_S);
    assert_false(has_ended(neighbour));
    assert_int_equal(resized, 0);
    assert_int_equal(passed, 0);
    end(neighbour);
    admit_gate_close(gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(a_reader_does_not_hold_up_a_resize),
        FAULT(a_reader_does_not_hold_up_a_removal),
        FAULT(a_reader_does_not_hold_up_one_who_leaves_during_a_resize),
        FAULT(a_reader_does_not_hold_up_a_command),
        FAULT(a_reader_that_came_first_changes_nothing),
        FAULT(a_child_forked_during_a_resize_keeps_nothing),
        FAULT(one_who_is_stopped_while_it_resizes_holds_up_nobody),
        FAULT(a_removal_that_is_not_allowed_throws_nobody_out),
        FAULT(a_neighbour_that_announces_a_removal_hangs_nobody),
    };
    return run_faults("neighbours", tests);
}
