/* SPDX-License-Identifier: MIT
 *
 * Whoever sleeps is woken by what concerns it also where others fail: they are killed in the middle, end in line, die
 * without the kernel's word, lose the gate's file; or the sleeper has no futex_waitv. As in native/gate_woken.c nobody
 * looks by itself here: a wake-up that is missing is a hang.
 */
#include "faults.h"

#include <linux/futex.h>
#include <pthread.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static admit_gate *new_gate(void)
{
    return fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
}

/* Longer than it takes to lie down, most likely: one that does not sleep yet needs no wake-up. */
static void let_it_lie_down(void)
{
    usleep(50000);
}

static pid_t start_sleeper(admit_gate *gate, unsigned place)
{
    pid_t sleeper = start_waiter(gate, place);
    let_it_lie_down();
    return sleeper;
}

/* --- by deaths ---------------------------------------------------------------------------------------------------- */

static void waits_urgently(void *gate)
{
    admit_hold hold;
    struct sched_param first = {.sched_priority = 1};
    if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &first) != 0) /* musl has a function that only fails */
        _exit(CANNOT);
    enter_within(gate, &hold, LONG_S);
}

/* Until it begins such a system call; if operation is 0 or more, one whose second argument is that. */
static void step_to(pid_t child, long call, int operation)
{
    struct call_info info = {0};
    int ended;
    do {
        if (!make_steps(child, PTRACE_SYSCALL, 1, &ended)) {
            if (ended == CANNOT)
                skip_because("nobody is urgent here: no SCHED_FIFO");
            fail_msg("it ended with %d", ended);
        }
        assert_true(ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) > 0);
    } while (info.what != CALL_BEGINS || info.number != (uint64_t)call ||
             (operation >= 0 && info.argument[1] != (uint64_t)operation));
}

/* The kernel wakes the most urgent of those who watch a dead one. That one came later than another, to whom it hands
 * over, and is killed just before it can say so. */
static void kill_newcomer_as_it_helps(pid_t newcomer, pid_t holder)
{
    step_to(newcomer, SYS_futex_waitv, -1);
    assert_int_equal(ptrace(PTRACE_SYSCALL, newcomer, NULL, NULL), 0);
    let_it_lie_down();
    end(holder);
    assert_int_equal(waitpid(newcomer, NULL, 0), newcomer); /* it has been woken */
    step_to(newcomer, SYS_futex, FUTEX_WAKE);
    end(newcomer);
}

/* The other must have learned that it should watch the newcomer. */
static void by_a_newcomer_who_is_killed_as_it_helps(void **state)
{
    (void)state;
    skip_without_ptrace();
    admit_gate *gate = new_gate();
    pid_t holder = start_holder(gate), sleeper = start_sleeper(gate, 1);
    kill_newcomer_as_it_helps(start_stepped(waits_urgently, gate), holder);
    assert_int_equal(outcome(sleeper, SOON_S), 0);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

enum { CROWD = 130 }; /* with those who matter, more than the kernel takes words */

/* While somebody is inside: this thread has so many records, by a handle each. */
static void take_records(admit_gate *gate, admit_gate **by, unsigned many)
{
    admit_hold hold;
    for (unsigned b = 0; b < many; b++) {
        by[b] = admit_gate_open(admit_gate_name(gate), 0);
        assert_non_null(by[b]);
        assert_int_equal(admit_gate_try(by[b], &hold), ADMIT_NO_SLOT);
    }
}

static void free_records(admit_gate **by, unsigned many)
{
    for (unsigned b = 0; b < many; b++)
        admit_gate_close(by[b]);
}

/* The same, but nobody tells it that there is one more: that one takes a record which somebody else had before. */
static void by_a_newcomer_in_a_record_that_was_free(void **state)
{
    (void)state;
    skip_without_ptrace();
    admit_gate *by[2], *gate = new_gate();
    pid_t holder = start_holder(gate);
    take_records(gate, by, 2);
    free_records(by, 2);
    pid_t sleeper = start_sleeper(gate, 1); /* in the first of the two */
    kill_newcomer_as_it_helps(start_stepped(waits_urgently, gate), holder);
    assert_int_equal(outcome(sleeper, SOON_S), 0);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

static void passes_once(void *gate)
{
    admit_hold hold;
    if (enter_within(gate, &hold, SOON_S) != ADMIT_OK || admit_gate_leave(gate, &hold) != ADMIT_OK)
        _exit(1);
}

/* In a crowd those before it come first; as far as there is room it watches others, too, of whom one has a record, and
 * stands behind it later. */
static void by_one_behind_it_in_a_crowd_who_is_killed_as_it_helps(void **state)
{
    (void)state;
    skip_without_ptrace();
    static admit_gate *by[CROWD];
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2 * CROWD});
    pid_t newcomer = start_stepped_after(passes_once, waits_urgently, gate), holder = start_holder(gate);
    take_records(gate, by, CROWD);
    pid_t sleeper = start_sleeper(gate, 1);
    kill_newcomer_as_it_helps(newcomer, holder);
    assert_int_equal(outcome(sleeper, SOON_S), 0);
    free_records(by, CROWD);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* What the kernel does not say, the first who notices does. Here that is a process that looks for other reasons. */
static void by_whoever_notices_a_death_without_memory(void **state)
{
    (void)state;
    skip_without_mrelease();
    admit_gate *gate = new_gate();
    pid_t holder = start_holder(gate), sleeper = start_sleeper(gate, 1);
    assert_true(end_without_memory(holder));
    assert_int_equal(admit_gate_resize(gate, 1), ADMIT_OK);
    assert_int_equal(outcome(sleeper, SOON_S), 0);
    admit_gate_close(gate);
}

/* --- by the end of a thread --------------------------------------------------------------------------------------- */

struct thread_in_line {
    admit_gate *gate;
    _Atomic uint32_t *told; /* [0] to end, [1] that it has ended */
};

static int ends_when_told(void *data, unsigned place)
{
    (void)place;
    if (atomic_load((_Atomic uint32_t *)data) != 0)
        pthread_exit(NULL);
    return 0;
}

static void *waits_until_told(void *data)
{
    struct thread_in_line *thread = data;
    admit_hold hold;
    admit_gate_enter_with(thread->gate, &hold, &(admit_wait){.waiting = ends_when_told, .data = (void *)thread->told});
    _exit(1);
}

static void interrupt_call(int signal)
{
    (void)signal;
}

static pid_t start_thread_in_line(admit_gate *gate, _Atomic uint32_t *told)
{
    pid_t process = start();
    if (process != 0) {
        await_waiters(gate, 1);
        return process;
    }
    struct thread_in_line data = {gate, told};
    pthread_t thread;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = interrupt_call}, NULL);
    if (pthread_create(&thread, NULL, waits_until_told, &data) != 0)
        _exit(1);
    comes_true(&told[0], 1, LONG_S);
    while (pthread_tryjoin_np(thread, NULL) != 0) {
        pthread_kill(thread, SIGUSR1);
        usleep(1000);
    }
    atomic_store(&told[1], 1);
    stay();
}

/* It ends while it waits, by a function of its own; its process lives on. Whoever is behind it must learn it: to the
 * holder, who leaves, it is one that waits. */
static void by_the_end_of_a_thread_in_line(void **state)
{
    (void)state;
    admit_gate *gate = new_gate();
    _Atomic uint32_t *told = shared_words();
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t process = start_thread_in_line(gate, told), sleeper = start_sleeper(gate, 2);
    atomic_store(&told[0], 1);
    assert_true(comes_true(&told[1], 1, SOON_S));
    let_it_lie_down();
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_int_equal(outcome(sleeper, SOON_S), 0);
    end(process);
    munmap((void *)told, 4096);
    admit_gate_close(gate);
}

/* --- by what becomes of the gate ---------------------------------------------------------------------------------- */

static void becomes_deaf(void)
{
    if (!refuse(SYS_futex_waitv, ENOSYS))
        _exit(CANNOT);
}

/* One in line whom nothing but a word to its record wakes. */
static pid_t start_deaf_sleeper(admit_gate *gate, unsigned place)
{
    pid_t sleeper = start();
    if (sleeper == 0) {
        admit_hold hold;
        becomes_deaf();
        _exit((int)enter_within(gate, &hold, LONG_S));
    }
    await_waiters(gate, place);
    let_it_lie_down();
    return sleeper;
}

static void by_a_removal(void **state)
{
    (void)state;
    skip_without_filters();
    admit_gate *gate = new_gate();
    pid_t holder = start_holder(gate), sleeper = start_sleeper(gate, 1), deaf = start_deaf_sleeper(gate, 2);
    assert_int_equal(admit_gate_remove(admit_gate_name(gate), 1), ADMIT_OK);
    assert_int_equal(outcome(sleeper, SOON_S), ADMIT_REMOVED);
    assert_int_equal(outcome(deaf, SOON_S), ADMIT_REMOVED);
    end(holder);
    admit_gate_close(gate);
}

static void by_whoever_finds_the_file_deleted(void **state)
{
    (void)state;
    admit_gate *gate = new_gate();
    pid_t holder = start_holder(gate), sleeper = start_sleeper(gate, 1);
    assert_int_equal(unlink(admit_gate_path(gate)), 0);
    assert_int_equal(admit_gate_resize(gate, 1), ADMIT_REMOVED);
    assert_int_equal(outcome(sleeper, SOON_S), ADMIT_REMOVED);
    end(holder);
    admit_gate_close(gate);
}

/* Nobody can say of a file that was moved away that it is gone for all: each looks itself, and is asked to. */
static void by_whoever_would_make_another_in_its_place(void **state)
{
    (void)state;
    char path[PATH_MAX + 8];
    admit_gate *gate = new_gate();
    pid_t holder = start_holder(gate), sleeper = start_sleeper(gate, 1);
    snprintf(path, sizeof path, "%s.away", admit_gate_path(gate));
    assert_int_equal(rename(admit_gate_path(gate), path), 0);
    assert_null(admit_gate_open(admit_gate_name(gate), 1));
    assert_int_equal(admit_last_error(), ADMIT_BUSY);
    assert_int_equal(outcome(sleeper, SOON_S), ADMIT_REMOVED);
    end(holder);
    admit_gate_close(gate);
}

/* --- outside ------------------------------------------------------------------------------------------------------ */

/* A gate with a record for a process that is inside and a process that waits, both there; and the first of those
 * outside. */
struct full_gate {
    admit_gate *gate;
    pid_t holder, waiter, first;
};

static unsigned outside_of_gate(admit_gate *gate)
{
    admit_view *view = admit_gate_inspect(gate);
    unsigned outside = view->outside;
    admit_view_free(view);
    return outside;
}

static void await_outside(admit_gate *gate, unsigned many)
{
    while (outside_of_gate(gate) < many)
        usleep(500);
    let_it_lie_down();
}

static pid_t start_outside(admit_gate *gate, unsigned place)
{
    pid_t child = start();
    if (child == 0) {
        admit_hold hold;
        _exit((int)enter_within(gate, &hold, LONG_S));
    }
    await_outside(gate, place);
    return child;
}

static struct full_gate fill_gate(void)
{
    struct full_gate full = {.gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2})};
    full.holder = start_holder(full.gate);
    full.waiter = start_waiter(full.gate, 1);
    full.first = start_outside(full.gate, 1);
    return full;
}

static void clear_gate(struct full_gate *full)
{
    end(full->first), end(full->waiter), end(full->holder);
    admit_gate_close(full->gate);
}

/* The first of them, who would tell the next as it goes, is stopped. */
static void by_a_removal_outside(void **state)
{
    (void)state;
    struct full_gate full = fill_gate();
    pid_t second = start_outside(full.gate, 2);
    kill(full.first, SIGSTOP);
    assert_int_equal(admit_gate_remove(admit_gate_name(full.gate), 1), ADMIT_OK);
    assert_int_equal(outcome(second, SOON_S), ADMIT_REMOVED);
    clear_gate(&full);
}

/* --- by an interrupt ---------------------------------------------------------------------------------------------- */

static void *waits_interruptibly(void *gate)
{
    static admit_error error;
    admit_hold hold;
    error = admit_gate_enter_with(gate, &hold, &(admit_wait){.interruptible = 1});
    return &error;
}

/* The word of interrupts is this process's own; a thread that cannot watch two words is told by the other. */
static void assert_interrupted(admit_gate *gate, bool outside)
{
    pid_t process = start();
    if (process == 0) {
        pthread_t thread;
        void *error;
        becomes_deaf();
        if (pthread_create(&thread, NULL, waits_interruptibly, gate) != 0)
            _exit(1);
        if (outside)
            await_outside(gate, 2);
        else
            await_waiters(gate, 1);
        let_it_lie_down();
        admit_gate_interrupt(gate);
        _exit(pthread_join(thread, &error) == 0 && *(admit_error *)error == ADMIT_INTERRUPTED ? 0 : 2);
    }
    assert_int_equal(outcome(process, SOON_S), 0);
}

static void by_an_interrupt_without_waitv(void **state)
{
    (void)state;
    skip_without_filters();
    admit_gate *gate = new_gate();
    pid_t holder = start_holder(gate);
    assert_interrupted(gate, false);
    end(holder);
    admit_gate_close(gate);
}

static void by_an_interrupt_outside_without_waitv(void **state)
{
    (void)state;
    skip_without_filters();
    struct full_gate full = fill_gate();
    assert_interrupted(full.gate, true);
    clear_gate(&full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(by_a_newcomer_who_is_killed_as_it_helps),
        FAULT(by_a_newcomer_in_a_record_that_was_free),
        FAULT(by_one_behind_it_in_a_crowd_who_is_killed_as_it_helps),
        FAULT(by_whoever_notices_a_death_without_memory),
        FAULT(by_the_end_of_a_thread_in_line),
        FAULT(by_a_removal),
        FAULT(by_whoever_finds_the_file_deleted),
        FAULT(by_whoever_would_make_another_in_its_place),
        FAULT(by_a_removal_outside),
        FAULT(by_an_interrupt_without_waitv),
        FAULT(by_an_interrupt_outside_without_waitv),
    };
    return run_faults("woken", tests);
}
