/* SPDX-License-Identifier: MIT
 *
 * Another time. In a time namespace (`unshare -T`, containers that were restored) the clocks that count from the boot
 * have an offset, and so have the start times of processes that /proc shows. Promised: a command that holds on after
 * its starter was killed is the same command from everywhere, so that nobody goes in beside it, and who waits goes in
 * when it has ended; and deadlines are those of the caller's own clock.
 */
#include "faults.h"
#include "gate/life/life.h"

#include <sys/vfs.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

static const admit_gate_options one = {.k = 1, .capacity = 16};

/* A child whose clocks are ahead of ours by a day and more; it ends with its starter. */
static pid_t start_in_another_time(void)
{
    pid_t outside = start();
    if (outside != 0)
        return outside;
    static const char offsets[] = "monotonic 100000 0\nboottime 100000 0\n";
    int fd = unshare(CLONE_NEWTIME) != 0 ? -1 : open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, offsets, sizeof offsets - 1) != (ssize_t)sizeof offsets - 1)
        _exit(CANNOT);
    close(fd);
    pid_t inside = fork();
    if (inside == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return 0;
    }
    int status = 0;
    waitpid(inside, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status));
}

static void skip_without_time_namespaces(void)
{
    uint64_t before = monotonic_ns();
    pid_t child = start_in_another_time();
    if (child == 0)
        _exit(monotonic_ns() > before + UINT64_C(99999) * 1000000000 ? 0 : 1);
    if (outcome(child, SOON_S) != 0)
        skip_because("it takes root, and Linux 5.6, to make a time namespace");
}

/* --- an orphaned command ------------------------------------------------------------------------------------------ */

enum { THE_COMMAND }; /* its place in the words that all share */

static _Noreturn void start_a_command_and_die(admit_gate *gate, _Atomic uint32_t *words)
{
    admit_hold hold;
    if (enter_within(gate, &hold, SOON_S) != ADMIT_OK || admit_gate_bequeath(gate, &hold, 0) != ADMIT_OK)
        _exit(1);
    if (fork() == 0) {
        if (admit_gate_inherit(gate, &hold) != ADMIT_OK)
            _exit(2);
        atomic_store(&words[THE_COMMAND], (uint32_t)getpid());
        stay();
    }
    while (atomic_load(&words[THE_COMMAND]) == 0)
        usleep(500);
    raise(SIGKILL);
    _exit(3);
}

/* Two seconds beside it, by both ways to come; then it ends. */
static _Noreturn void look(admit_gate *gate, _Atomic uint32_t *words)
{
    admit_hold hold;
    for (unsigned times = 0; times < 50; times++, usleep(10000))
        if (admit_gate_try(gate, &hold) == ADMIT_OK)
            _exit(4);
    if (enter_within(gate, &hold, 1.5) == ADMIT_OK)
        _exit(5);
    kill((pid_t)atomic_load(&words[THE_COMMAND]), SIGKILL);
    if (enter_within(gate, &hold, SOON_S) != ADMIT_OK)
        _exit(6);
    _exit((int)admit_gate_leave(gate, &hold));
}

static void a_command_is_the_same_from_everywhere(void **state)
{
    (void)state;
    skip_without_time_namespaces();
    for (unsigned way = 0; way < 3; way++) { /* who is in another time: the looker, the command, nobody */
        _Atomic uint32_t *words = shared_words();
        admit_gate *gate = fresh_gate(&one);
        pid_t starter = way == 1 ? start_in_another_time() : start();
        if (starter == 0)
            start_a_command_and_die(gate, words);
        outcome(starter, SOON_S);
        assert_true(atomic_load(&words[THE_COMMAND]) != 0);
        pid_t looker = way == 0 ? start_in_another_time() : start();
        if (looker == 0)
            look(gate, words);
        int ended = outcome(looker, 2 * SOON_S);
        kill((pid_t)atomic_load(&words[THE_COMMAND]), SIGKILL);
        if (ended != 0)
            fail_msg("with the %s in another time, the looker ended with %d",
                     way == 0   ? "looker"
                     : way == 1 ? "command"
                                : "nobody",
                     ended);
        assert_slots(gate, 1);
        admit_gate_close(gate);
        munmap((void *)words, 4096);
    }
}

/* The same by the command line, as somebody would do it. */
static void run_does_not_go_in_beside_it(void **state)
{
    (void)state;
    skip_without_time_namespaces();
    _Atomic uint32_t *words = shared_words();
    admit_gate *gate = fresh_gate(&one);
    pid_t starter = start();
    if (starter == 0)
        start_a_command_and_die(gate, words);
    outcome(starter, SOON_S);
    assert_true(atomic_load(&words[THE_COMMAND]) != 0);
    pid_t runner = start_in_another_time();
    if (runner == 0)
        become_admit(ADMIT("run", "-k", "1", "--try", (char *)(uintptr_t)admit_gate_name(gate), "--", "true"));
    int beside = outcome(runner, SOON_S);
    kill((pid_t)atomic_load(&words[THE_COMMAND]), SIGKILL);
    runner = start_in_another_time();
    if (runner == 0)
        become_admit(ADMIT("run", "-k", "1", "-w", "10", (char *)(uintptr_t)admit_gate_name(gate), "--", "true"));
    int after = outcome(runner, 2 * SOON_S);
    assert_int_not_equal(beside, 0);
    assert_int_equal(after, 0);
    admit_gate_close(gate);
    munmap((void *)words, 4096);
}

/* --- the living, and deadlines ------------------------------------------------------------------------------------ */

static void all_stand_in_one_line(void **state)
{
    (void)state;
    skip_without_time_namespaces();
    admit_gate *gate = fresh_gate(&one);
    pid_t holder = start_holder(gate);
    pid_t impatient = start_in_another_time();
    if (impatient == 0) {
        admit_hold hold;
        uint64_t before = monotonic_ns();
        admit_error error = enter_within(gate, &hold, 0.3);
        _exit(error != ADMIT_TIMED_OUT ? 1 : monotonic_ns() - before < 290000000 ? 2 : 0);
    }
    assert_int_equal(outcome(impatient, SOON_S), 0);
    pid_t waiter = start_in_another_time();
    if (waiter == 0) {
        admit_hold hold;
        admit_error error = enter_within(gate, &hold, LONG_S);
        _exit(error != ADMIT_OK ? (int)error : (int)admit_gate_leave(gate, &hold));
    }
    await_waiters(gate, 1);
    usleep(100000);
    assert_false(has_ended(waiter));
    end(holder);
    assert_int_equal(outcome(waiter, SOON_S), 0);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* Where the kernel numbers processes for ever (Linux 6.9), that tells the one from another that has its number later, and
 * needs no time. */
static void a_process_is_told_without_its_time(void **state)
{
    (void)state;
    enum { PIDFS = 0x50494446 };
    struct statfs system = {0};
    int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    bool has_numbers = pidfd >= 0 && fstatfs(pidfd, &system) == 0 && system.f_type == PIDFS;
    if (pidfd >= 0)
        close(pidfd);
    if (!has_numbers)
        skip_because("processes have no numbers of their own here (Linux 6.9)");
    const unsigned own = (unsigned)getpid();
    const uint64_t identity = admit_process_identity(false);
    assert_true(identity != 0);
    assert_int_equal(admit_process_state(own, identity, false), HEIR_LIVES);
    assert_int_equal(admit_process_state(own, identity ^ 1, false), HEIR_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(a_command_is_the_same_from_everywhere),
        FAULT(run_does_not_go_in_beside_it),
        FAULT(all_stand_in_one_line),
        FAULT(a_process_is_told_without_its_time),
    };
    return run_faults("time namespace", tests);
}
