/* SPDX-License-Identifier: MIT
 *
 * `admit run`, killed at exactly one point: before it starts the command's process, after that process exists but has
 * not become the owner of the slot, when it has but does not run the command yet, when it runs it, and when it has ended
 * but admit has not left. A debugger's means (ptrace) stop it there. Whatever the point: never two inside, no slot lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/ptrace.h>

#include <cmocka.h>

static char directory[64], gate[96], ran[96], hold[96], admit[256];

static int make_directory(void **state)
{
    (void)state;
    const char *build = getenv("BUILD");
    snprintf(admit, sizeof admit, "%s/admit", build != NULL ? build : "build");
    snprintf(directory, sizeof directory, "/tmp/admit-test.XXXXXX");
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(gate, sizeof gate, "%s/gate", directory);
    snprintf(ran, sizeof ran, "%s/ran", directory);
    snprintf(hold, sizeof hold, "%s/hold", directory);
    return mkfifo(hold, 0600);
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(gate), unlink(ran), unlink(hold);
    return rmdir(directory);
}

/* --- other participants ------------------------------------------------------------------------------------------- */

/* The exit status of `admit ARGUMENT...`. */
static int admit_status(const char *const arguments[])
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 1), dup2(null, 2);
        execv(admit, (char *const *)arguments);
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

enum { FREE = 0, TAKEN = 75 };

static int try_it(void)
{
    return admit_status((const char *[]){"admit", "run", "-k", "1", "--try", gate, "--", "true", NULL});
}

static bool command_ran(void)
{
    return access(ran, F_OK) == 0;
}

static void pause_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* Ended; whether anybody has asked how is of no matter. */
static bool ended(pid_t pid)
{
    char name[32], state = 'Z';
    snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(name, "re");
    if (file == NULL)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state == 'Z' || state == 'X';
}

/* What happens sooner or later. A minute is for what never does. */
static void eventually_free(void)
{
    for (int tries = 0; tries < 3000 && try_it() != FREE; tries++)
        pause_a_moment();
    assert_int_equal(try_it(), FREE);
}

/* --- the one that is killed --------------------------------------------------------------------------------------- */

enum { NO_CALL = -1 };

struct traced {
    pid_t wrapper, command; /* 0: not there yet */
};

/* It says that it ran, and then waits until somebody opens the pipe. */
static void start(struct traced *traced)
{
    unlink(ran);
    *traced = (struct traced){.wrapper = fork()};
    if (traced->wrapper == 0) {
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* its leak checker does not work under ptrace */
        setenv("RAN", ran, 1), setenv("HOLD", hold, 1);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execl(admit, "admit", "run", "-k", "1", gate, "--", "/bin/sh", "-c", "echo >$RAN; read x <$HOLD", (char *)NULL);
        _exit(99);
    }
    int status;
    assert_int_equal(waitpid(traced->wrapper, &status, 0), traced->wrapper);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, traced->wrapper, NULL,
                            PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                                PTRACE_O_TRACEEXEC),
                     0);
}

/* The system call that pid is about to make, or has just made (`done`); NO_CALL if it has stopped for another reason. */
static long call_of(pid_t pid, bool done)
{
    struct __ptrace_syscall_info info = {0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0)
        return NO_CALL;
    static long last;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
        last = (long)info.entry.nr;
    if (info.op == (done ? PTRACE_SYSCALL_INFO_EXIT : PTRACE_SYSCALL_INFO_ENTRY))
        return last;
    return NO_CALL;
}

/* Lets pid run to its next stop; returns the event, or 0 for a system call. Other signals are passed on. */
static int next_stop(pid_t pid)
{
    int signal = 0, status;
    for (;;) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)signal), 0);
        assert_int_equal(waitpid(pid, &status, __WALL), pid);
        assert_true(WIFSTOPPED(status));
        if (WSTOPSIG(status) == (SIGTRAP | 0x80))
            return 0;
        if (status >> 16 != 0)
            return status >> 16;
        signal = WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
    }
}

static bool starts_process(long call)
{
    return call == SYS_clone || call == SYS_clone3
#ifdef SYS_vfork
           || call == SYS_vfork || call == SYS_fork
#endif
        ;
}

static void run_to_call(pid_t pid, bool (*wanted)(long))
{
    while (next_stop(pid) != 0 || !wanted(call_of(pid, false))) {
    }
}

/* Until the command's process exists. It has not run a single instruction, and stands still. */
static void run_to_new_process(struct traced *traced)
{
    for (;;) {
        int event = next_stop(traced->wrapper);
        if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
            break;
    }
    unsigned long pid;
    int status;
    assert_int_equal(ptrace(PTRACE_GETEVENTMSG, traced->wrapper, NULL, &pid), 0);
    traced->command = (pid_t)pid;
    assert_int_equal(waitpid(traced->command, &status, __WALL), traced->command);
}

static void kill_wrapper(const struct traced *traced)
{
    int status;
    kill(traced->wrapper, SIGKILL);
    do {
        assert_int_equal(waitpid(traced->wrapper, &status, __WALL), traced->wrapper);
    } while (!WIFSIGNALED(status));
}

static void let_run(pid_t pid)
{
    assert_int_equal(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
}

/* The command runs, and ends once it can read. It was admit's child, so this process learns only that it is gone. */
static void end_command(const struct traced *traced)
{
    while (!command_ran())
        pause_a_moment();
    int out = open(hold, O_WRONLY);
    assert_true(out >= 0);
    assert_int_equal(write(out, "\n", 1), 1);
    close(out);
    while (!ended(traced->command))
        pause_a_moment();
}

static bool executes(long call)
{
    return call == SYS_execve || call == SYS_execveat;
}

static bool waits_for_child(long call)
{
    return call == SYS_waitid || call == SYS_wait4;
}

/* --- the points --------------------------------------------------------------------------------------------------- */

static void before_the_process_is_made(void **state)
{
    (void)state;
    struct traced traced;
    start(&traced);
    run_to_call(traced.wrapper, starts_process);
    assert_int_equal(try_it(), TAKEN);
    kill_wrapper(&traced);
    eventually_free();
    assert_false(command_ran());
}

/* Its slot is given to another before it has become the owner: it must not run the command. */
static void made_but_not_owner_and_noticed(void **state)
{
    (void)state;
    struct traced traced;
    start(&traced);
    run_to_new_process(&traced);
    kill_wrapper(&traced);
    eventually_free();
    let_run(traced.command);
    while (!ended(traced.command))
        pause_a_moment();
    assert_false(command_ran());
    eventually_free();
}

/* The same, but nobody has noticed: it becomes the owner, or it does not run the command. Never half of each. */
static void made_but_not_owner_and_unnoticed(void **state)
{
    (void)state;
    struct traced traced;
    start(&traced);
    run_to_new_process(&traced);
    kill_wrapper(&traced);
    let_run(traced.command);
    while (!command_ran() && !ended(traced.command))
        pause_a_moment();
    if (command_ran()) {
        assert_int_equal(try_it(), TAKEN);
        end_command(&traced);
    }
    eventually_free();
}

static void owner_but_not_yet_running(void **state)
{
    (void)state;
    struct traced traced;
    start(&traced);
    run_to_new_process(&traced);
    run_to_call(traced.command, executes);
    kill_wrapper(&traced);
    assert_int_equal(try_it(), TAKEN);
    let_run(traced.command);
    while (!command_ran())
        pause_a_moment();
    assert_int_equal(try_it(), TAKEN);
    end_command(&traced);
    eventually_free();
}

static void just_running(void **state)
{
    (void)state;
    struct traced traced;
    start(&traced);
    run_to_new_process(&traced);
    while (next_stop(traced.command) != PTRACE_EVENT_EXEC) {
    }
    kill_wrapper(&traced);
    assert_int_equal(try_it(), TAKEN);
    let_run(traced.command);
    end_command(&traced);
    eventually_free();
}

static void ended_but_not_left(void **state)
{
    (void)state;
    struct traced traced;
    start(&traced);
    run_to_new_process(&traced);
    let_run(traced.command);
    pid_t opener = fork();
    if (opener == 0) {
        end_command(&traced);
        _exit(0);
    }
    while (next_stop(traced.wrapper) != 0 || !waits_for_child(call_of(traced.wrapper, true))) {
    }
    kill_wrapper(&traced);
    assert_int_equal(waitpid(opener, NULL, 0), opener);
    eventually_free();
}

/* The command's process stands still before exec, and is killed: admit lives, and says so. */
static void killed_before_it_runs(void **state)
{
    (void)state;
    struct traced traced;
    start(&traced);
    run_to_new_process(&traced);
    run_to_call(traced.command, executes);
    kill(traced.command, SIGKILL);
    let_run(traced.wrapper);
    int status;
    assert_int_equal(waitpid(traced.command, &status, __WALL), traced.command);
    assert_int_equal(waitpid(traced.wrapper, &status, __WALL), traced.wrapper);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGKILL);
    assert_false(command_ran());
    eventually_free();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_process_is_made),
        cmocka_unit_test(made_but_not_owner_and_noticed),
        cmocka_unit_test(made_but_not_owner_and_unnoticed),
        cmocka_unit_test(owner_but_not_yet_running),
        cmocka_unit_test(just_running),
        cmocka_unit_test(ended_but_not_left),
        cmocka_unit_test(killed_before_it_runs),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
