/* SPDX-License-Identifier: MIT
 *
 * Whose children hold. A program hands its hold to a command, with all that the command starts. Promised: the command
 * and its descendants hold, also when the program has been killed, and nothing else that the program starts meanwhile,
 * before or after, forked or executed; the slot is free when the last of those who may hold has ended.
 */
#include "faults.h"

static const admit_gate_options one = {.k = 1, .capacity = 16};

enum when { BEFORE_BEQUEATH, BEFORE_COMMAND, AFTER_COMMAND };
enum { THE_COMMAND, ITS_CHILD, THE_OTHER, READY }; /* places in the words that all share */

static _Atomic uint32_t *pids;
static enum when other_starts;
static bool other_executes, command_has_child;

/* What has nothing to do with the command. */
static void start_the_other(void)
{
    pid_t other = fork();
    if (other == 0) {
        if (other_executes)
            execlp("sleep", "sleep", "60", (char *)NULL);
        stay();
    }
    atomic_store(&pids[THE_OTHER], (uint32_t)other);
}

static void be_the_command(admit_gate *gate, const admit_hold *hold)
{
    if (admit_gate_inherit(gate, hold) != ADMIT_OK)
        _exit(2);
    if (command_has_child) {
        pid_t child = fork();
        if (child == 0) {
            execlp("sleep", "sleep", "60", (char *)NULL);
            _exit(127);
        }
        atomic_store(&pids[ITS_CHILD], (uint32_t)child);
    }
    atomic_store(&pids[THE_COMMAND], (uint32_t)getpid());
    execlp("sleep", "sleep", "60", (char *)NULL);
    _exit(127);
}

static void is_the_program(admit_gate *gate, const admit_hold *hold)
{
    if (other_starts == BEFORE_BEQUEATH)
        start_the_other();
    if (admit_gate_bequeath(gate, hold, 1) != ADMIT_OK)
        _exit(1);
    if (other_starts == BEFORE_COMMAND)
        start_the_other();
    pid_t command = fork();
    if (command == 0)
        be_the_command(gate, hold);
    while (atomic_load(&pids[THE_COMMAND]) == 0)
        usleep(500);
    if (other_starts == AFTER_COMMAND)
        start_the_other();
    usleep(50000); /* until all have executed */
    atomic_store(&pids[READY], 1);
    waitpid(command, NULL, 0);
    if (admit_gate_await_heirs(gate, hold) != ADMIT_OK || admit_gate_leave(gate, hold) != ADMIT_OK)
        _exit(3);
    stay();
}

static pid_t start_program(admit_gate *gate, enum when when, bool executes, bool has_child)
{
    pids = shared_words();
    other_starts = when;
    other_executes = executes;
    command_has_child = has_child;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t program = start_holder_that(gate, is_the_program);
    assert_true(comes_true(&pids[READY], 1, SOON_S));
    return program;
}

static void kill_one(unsigned which)
{
    pid_t pid = (pid_t)atomic_exchange(&pids[which], 0);
    if (pid > 0)
        kill(pid, SIGKILL);
}

static void kill_all(pid_t program)
{
    for (unsigned which = THE_COMMAND; which <= THE_OTHER; which++)
        kill_one(which);
    end(program);
    while (waitpid(-1, NULL, WNOHANG) > 0) /* whose parents were killed */
        ;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    munmap((void *)pids, 4096);
}

/* The program lives, or is killed once all have been started. */
static void the_other_does_not_hold(bool program_killed)
{
    unsigned failed = 0;
    for (enum when when = BEFORE_BEQUEATH; when <= AFTER_COMMAND; when++)
        for (unsigned executes = 0; executes < 2; executes++) {
            admit_gate *gate = fresh_gate(&one);
            pid_t program = start_program(gate, when, executes, false);
            if (program_killed)
                kill(program, SIGKILL);
            bool early = another_gets_in(gate, 0.3);
            kill_one(THE_COMMAND);
            unsigned slots = slots_within(gate, 1, SOON_S);
            bool other_lives = kill((pid_t)atomic_load(&pids[THE_OTHER]), 0) == 0;
            kill_all(program);
            if (early || slots != 1)
                print_message("# another child, %s %s: %s\n", executes ? "executed" : "forked",
                              when == BEFORE_BEQUEATH  ? "before the bequest"
                              : when == BEFORE_COMMAND ? "before the command"
                                                       : "after the command",
                              early ? "the command did not hold" : "it holds the slot");
            assert_true(other_lives);
            failed += early || slots != 1;
            admit_gate_close(gate);
        }
    assert_int_equal(failed, 0);
}

static void another_child_does_not_hold(void **state)
{
    (void)state;
    the_other_does_not_hold(false);
}

static void another_child_does_not_hold_when_the_program_was_killed(void **state)
{
    (void)state;
    the_other_does_not_hold(true);
}

static void the_commands_own_children_hold(void **state)
{
    (void)state;
    for (unsigned program_killed = 0; program_killed < 2; program_killed++) {
        admit_gate *gate = fresh_gate(&one);
        pid_t program = start_program(gate, AFTER_COMMAND, true, true);
        if (program_killed)
            kill(program, SIGKILL);
        kill_one(THE_COMMAND);
        bool early = another_gets_in(gate, 1);
        kill_one(THE_OTHER);
        bool still_early = another_gets_in(gate, 0.3);
        kill_one(ITS_CHILD);
        unsigned slots = slots_within(gate, 1, SOON_S);
        kill_all(program);
        assert_false(early || still_early);
        assert_int_equal(slots, 1);
        admit_gate_close(gate);
    }
}

/* Without its children: when the command has ended, so has the hold. */
static void a_command_alone_holds_alone(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&one);
    _Atomic uint32_t *words = shared_words();
    admit_hold hold;
    pid_t starter = start();
    if (starter == 0) {
        if (enter_within(gate, &hold, SOON_S) != ADMIT_OK || admit_gate_bequeath(gate, &hold, 0) != ADMIT_OK)
            _exit(1);
        if (fork() == 0) {
            pid_t child;
            if (admit_gate_inherit(gate, &hold) != ADMIT_OK)
                _exit(2);
            if ((child = fork()) == 0)
                stay();
            atomic_store(&words[1], (uint32_t)child);
            atomic_store(&words[0], (uint32_t)getpid());
            stay();
        }
        stay();
    }
    for (unsigned look = 0; look < SOON_S * 1000 && atomic_load(&words[0]) == 0; look++)
        usleep(1000);
    assert_true(atomic_load(&words[0]) != 0);
    end(starter);
    bool early = another_gets_in(gate, 0.3);
    kill((pid_t)atomic_load(&words[0]), SIGKILL);
    unsigned slots = slots_within(gate, 1, SOON_S);
    kill((pid_t)atomic_load(&words[1]), SIGKILL);
    assert_false(early);
    assert_int_equal(slots, 1);
    admit_gate_close(gate);
    munmap((void *)words, 4096);
}

/* --- who waits until the last has ended ---------------------------------------------------------------------------- */

static void interrupt_call(int signal)
{
    (void)signal;
}

static void waits_for_the_command(admit_gate *gate, const admit_hold *hold)
{
    if (admit_gate_bequeath(gate, hold, 1) != ADMIT_OK)
        _exit(1);
    if (fork() == 0) {
        if (admit_gate_inherit(gate, hold) != ADMIT_OK)
            _exit(1);
        atomic_store(&pids[THE_COMMAND], (uint32_t)getpid());
        stay();
    }
    while (atomic_load(&pids[THE_COMMAND]) == 0)
        usleep(500);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = interrupt_call}, NULL);
    atomic_store(&pids[READY], 1);
    _exit((int)admit_gate_await_heirs(gate, hold));
}

/* The kernel lets it wait for a lock; where others who may only read have locked the same, it looks again and again. */
static void a_signal_interrupts_who_waits_for_the_last(void **state)
{
    (void)state;
    for (unsigned readers = 0; readers < 2; readers++) {
        admit_gate *gate = fresh_gate(&one);
        pids = shared_words();
        pid_t reader = readers ? start_reader(gate) : 0, program = start_holder_that(gate, waits_for_the_command);
        assert_true(comes_true(&pids[READY], 1, SOON_S));
        usleep(100000);
        assert_false(has_ended(program));
        for (unsigned look = 0; look < SOON_S * 1000 && !has_ended(program); look++) {
            kill(program, SIGUSR1); /* the first may come before it waits */
            usleep(1000);
        }
        int ended = outcome(program, 0);
        kill_one(THE_COMMAND);
        if (readers)
            end(reader);
        assert_int_equal(ended, ADMIT_INTERRUPTED);
        assert_slots(gate, 1);
        admit_gate_close(gate);
        munmap((void *)pids, 4096);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(another_child_does_not_hold),
        FAULT(another_child_does_not_hold_when_the_program_was_killed),
        FAULT(the_commands_own_children_hold),
        FAULT(a_command_alone_holds_alone),
        FAULT(a_signal_interrupts_who_waits_for_the_last),
    };
    return run_faults("children", tests);
}
