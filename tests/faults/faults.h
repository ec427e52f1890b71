/* SPDX-License-Identifier: MIT
 *
 * faults.h - what the suites of faults share: processes that hold or wait and die as the test wants, calls that the
 * kernel refuses, steps of a debugger, the processor time of others.
 *
 * Nothing here waits for ever: whatever might hang is done by a child, which is killed when its time is up, and a
 * program that hangs nevertheless is ended by its alarm. A child never asserts: it ends with a status.
 */
#ifndef ADMIT_TESTS_FAULTS_H
#define ADMIT_TESTS_FAULTS_H

#include "gate_witness.h"

#include <dirent.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

enum {
    SOON_S = 10,     /* what is promised within a second */
    LONG_S = 60,     /* what a child waits for if the test lets it */
    PROGRAM_S = 300, /* the program's alarm: only a hang takes so long */
    CANNOT = 77,     /* statuses of a child: the machine does not allow it */
    HUNG = 90,       /* it had to be killed */
    BY_SIGNAL = 100, /* and the signal's number */
    CHILDREN_MAX = 2048
};

/* --- children ----------------------------------------------------------------------------------------------------- */

static pid_t children[CHILDREN_MAX];
static unsigned children_count;

/* A child that ends with its starter, whatever happens to that. 0: this is the child. */
static inline pid_t start(void)
{
    fflush(stdout);
    if (children_count == CHILDREN_MAX)
        abort();
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        static const int caught[] = {SIGALRM, SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS};
        for (unsigned c = 0; c < sizeof caught / sizeof caught[0]; c++)
            signal(caught[c], SIG_DFL); /* cmocka would go on with the next case */
        children_count = 0;
    } else if (child > 0) {
        children[children_count++] = child;
    }
    assert_true(child >= 0);
    return child;
}

static inline void forget_child(pid_t child)
{
    for (unsigned c = 0; c < children_count; c++)
        if (children[c] == child)
            children[c--] = children[--children_count];
}

/* How it ended within these seconds: its exit status, BY_SIGNAL and the signal, or HUNG. */
static inline int outcome(pid_t child, double seconds)
{
    int status = 0;
    uint64_t until = monotonic_ns() + (uint64_t)(seconds * 1e9);
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && monotonic_ns() < until)
        usleep(500);
    if (ended == 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    forget_child(child);
    return ended != child ? HUNG : WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
}

static inline bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

static inline void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    forget_child(child);
}

/* After a case: what a failed one has left. */
static inline int end_all(void **state)
{
    (void)state;
    while (children_count > 0)
        end(children[children_count - 1]);
    return 0;
}

static inline void skip_because(const char *why)
{
    print_message("# skipped: %s\n", why);
    skip();
}

static inline void only_root(const char *to)
{
    if (geteuid() != 0) {
        print_message("# skipped: it takes root to %s\n", to);
        skip();
    }
}

/* Words that all processes of a test share; zeros. */
static inline _Atomic uint32_t *shared_words(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    return page;
}

/* False: not within these seconds. */
static inline bool comes_true(_Atomic uint32_t *word, uint32_t value, double seconds)
{
    uint64_t until = monotonic_ns() + (uint64_t)(seconds * 1e9);
    while (atomic_load(word) != value && monotonic_ns() < until)
        usleep(500);
    return atomic_load(word) == value;
}

/* --- gates and those who use them --------------------------------------------------------------------------------- */

/* A gate that no other case has used. */
static inline admit_gate *fresh_gate(const admit_gate_options *options)
{
    static unsigned number;
    char name[32];
    snprintf(name, sizeof name, "gate-%u", number++);
    admit_gate *gate = admit_gate_open_with(name, options);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    return gate;
}

static inline struct timespec seconds_from_now(double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    return until;
}

static inline admit_error enter_within(admit_gate *gate, admit_hold *hold, double seconds)
{
    struct timespec until = seconds_from_now(seconds);
    return admit_gate_enter_until(gate, hold, &until);
}

/* Until it is killed, and not for ever: its starter may have been killed, and the test have failed. */
static inline _Noreturn void stay(void)
{
    signal(SIGALRM, SIG_DFL);
    alarm(2 * LONG_S);
    for (;;)
        pause();
}

/* A child that goes in, says so, and then does this; NULL: it stays. */
typedef void inside_fn(admit_gate *gate, const admit_hold *hold);

static inline pid_t start_holder_that(admit_gate *gate, inside_fn *then)
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t holder = start();
    if (holder == 0) {
        admit_hold hold;
        if (enter_within(gate, &hold, SOON_S) != ADMIT_OK)
            _exit(1);
        say(told[1]);
        close(told[0]), close(told[1]);
        if (then != NULL)
            then(gate, &hold);
        stay();
    }
    close(told[1]);
    bool heard = hear(told[0]);
    close(told[0]);
    assert_true(heard);
    return holder;
}

static inline pid_t start_holder(admit_gate *gate)
{
    return start_holder_that(gate, NULL);
}

static inline void await_waiters(admit_gate *gate, unsigned many)
{
    uint64_t until = monotonic_ns() + (uint64_t)LONG_S * 1000000000;
    while (waiters_of(gate) < many) {
        if (monotonic_ns() > until)
            fail_msg("%u of %u in line after %d s", waiters_of(gate), many, LONG_S);
        usleep(500);
    }
}

/* A child in line, the `place`-th; it passes and ends with 0, or with the error. */
static inline pid_t start_waiter(admit_gate *gate, unsigned place)
{
    pid_t waiter = start();
    if (waiter == 0) {
        admit_hold hold;
        admit_error error = enter_within(gate, &hold, LONG_S);
        _exit(error != ADMIT_OK ? (int)error : (int)admit_gate_leave(gate, &hold));
    }
    await_waiters(gate, place);
    return waiter;
}

/* How many can be inside at once, those who are there not counted: k if k more can, within so many seconds, and not one
 * beyond; k + 1 if one beyond can. By a process of its own, which leaves again. */
static inline unsigned slots_within(admit_gate *gate, unsigned k, double seconds)
{
    _Atomic uint32_t *count = shared_words();
    pid_t child = start();
    if (child == 0) {
        static admit_hold hold[ADMIT_GATE_K_MAX + 1];
        unsigned had = 0;
        struct timespec until = seconds_from_now(seconds);
        while (had < k && admit_gate_enter_until(gate, &hold[had], &until) == ADMIT_OK)
            atomic_store(count, ++had);
        if (had == k && admit_gate_try(gate, &hold[had]) == ADMIT_OK)
            atomic_store(count, ++had);
        while (had > 0)
            if (admit_gate_leave(gate, &hold[--had]) != ADMIT_OK)
                _exit(1);
        _exit(0);
    }
    int ended = outcome(child, seconds + 2 * SOON_S);
    unsigned counted = atomic_load(count);
    munmap((void *)count, 4096);
    if (ended != 0)
        fail_msg("the one who counts the slots ended with %d, after %u of %u", ended, counted, k);
    return counted;
}

static inline void assert_slots(admit_gate *gate, unsigned k)
{
    unsigned found = slots_within(gate, k, SOON_S);
    if (found != k)
        fail_msg("%u slots where %u should be", found, k);
}

/* Whether another, who comes again and again for so many seconds, gets in. */
static inline bool another_gets_in(admit_gate *gate, double seconds)
{
    pid_t child = start();
    if (child == 0) {
        admit_hold hold;
        uint64_t until = monotonic_ns() + (uint64_t)(seconds * 1e9);
        while (monotonic_ns() < until) {
            if (admit_gate_try(gate, &hold) == ADMIT_OK || enter_within(gate, &hold, 0.1) == ADMIT_OK)
                _exit(2);
            usleep(2000);
        }
        _exit(0);
    }
    int ended = outcome(child, seconds + SOON_S);
    if (ended != 0 && ended != 2)
        fail_msg("another ended with %d", ended);
    return ended == 2;
}

/* Another user, who may do nothing but read. For root only. */
enum { SOMEBODY = 65534 };

static inline bool become_somebody(void)
{
    return syscall(SYS_setgroups, 0, NULL) == 0 && syscall(SYS_setresgid, SOMEBODY, SOMEBODY, SOMEBODY) == 0 &&
           syscall(SYS_setresuid, SOMEBODY, SOMEBODY, SOMEBODY) == 0;
}

/* A process that may only read the file, and holds every lock on it that is to be had that way, until it is killed. */
static inline pid_t start_reader(admit_gate *gate)
{
    static const off_t from[] = {0, (off_t)1 << 40}; /* where others are likely to have locks: byte by byte */
    struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    _Atomic uint32_t *locked = shared_words();
    assert_int_equal(chmod(test_directory(), 0755), 0);
    assert_int_equal(chmod(admit_gate_path(gate), 0644), 0);
    pid_t reader = start();
    if (reader == 0) {
        if (geteuid() == 0 && !become_somebody())
            _exit(1);
        int fd = open(admit_gate_path(gate), O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            _exit(2);
        bool whole = fcntl(fd, F_OFD_SETLK, &all) == 0;
        flock(fd, LOCK_SH | LOCK_NB);
        for (unsigned f = 0; f < 2 && !whole; f++)
            for (off_t at = 0; at < 16384; at++) {
                struct flock byte = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = from[f] + at, .l_len = 1};
                fcntl(fd, F_OFD_SETLK, &byte);
            }
        atomic_store(locked, 1);
        stay();
    }
    assert_true(comes_true(locked, 1, SOON_S));
    munmap((void *)locked, 4096);
    return reader;
}

/* --- containers --------------------------------------------------------------------------------------------------- */

/* The first process of a new pid namespace; it ends with its starter. Its number outside goes to *number. */
static inline pid_t start_in_container(_Atomic uint32_t *number)
{
    pid_t outside = start();
    if (outside != 0)
        return outside;
    if (unshare(CLONE_NEWPID) != 0)
        _exit(CANNOT);
    pid_t inside = fork();
    if (inside == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (number != NULL && atomic_load(number) == 0)
            usleep(100);
        return 0;
    }
    if (number != NULL)
        atomic_store(number, (uint32_t)inside);
    int status = 0;
    waitpid(inside, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status));
}

static inline void skip_without_containers(void)
{
    pid_t child = start_in_container(NULL);
    if (child == 0)
        _exit(0);
    if (outcome(child, SOON_S) != 0)
        skip_because("it takes root to make a pid namespace");
}

/* --- a first thread that has ended: then /proc shows of the process what it shows by the others alone -------------- */

static inline bool shows_no_descriptors(pid_t process)
{
    char path[40];
    unsigned many = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *list = opendir(path);
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
        many += entry->d_name[0] != '.';
    if (list != NULL)
        closedir(list);
    return list != NULL && many == 0;
}

static inline void await_the_end_of_the_first_thread(pid_t process)
{
    for (unsigned look = 0; look < SOON_S * 1000 && !shows_no_descriptors(process); look++)
        usleep(1000);
}

/* In a child: only this goes on, once the word is 1. */
static inline _Noreturn void go_on_without_the_first_thread(void *(*thread)(void *), void *data,
                                                            _Atomic uint32_t *begin)
{
    pthread_t other;
    if (pthread_create(&other, NULL, thread, data) != 0 || !comes_true(begin, 1, SOON_S))
        _exit(1);
    syscall(SYS_exit, 0);
    abort();
}

/* --- death without memory ----------------------------------------------------------------------------------------- */

enum { THREADS_MAX = 64 };

static inline unsigned threads_of(pid_t process, pid_t thread[THREADS_MAX])
{
    char path[40];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL && count < THREADS_MAX;)
        if (entry->d_name[0] != '.')
            thread[count++] = (pid_t)atoi(entry->d_name);
    if (directory != NULL)
        closedir(directory);
    return count;
}

/* kill -9, and its memory is taken away, as user-space OOM killers do, before the kernel can read from it what it
 * should tell of the death: a debugger's stop holds up each thread on its way out meanwhile. The whole process has
 * ended then; a child is not reaped. False: the machine does not allow it. */
static inline bool kill_without_memory(pid_t victim)
{
    pid_t thread[THREADS_MAX];
    int status, pidfd = (int)syscall(SYS_pidfd_open, victim, 0);
    unsigned threads = threads_of(victim, thread), held = 0;
    if (pidfd < 0)
        return false;
    for (unsigned t = 0; t < threads; t++)
        held += ptrace(PTRACE_SEIZE, thread[t], NULL, (void *)(uintptr_t)PTRACE_O_TRACEEXIT) == 0;
    kill(victim, SIGKILL);
    for (unsigned t = 0; held == threads && t < threads; t++)
        held -= waitpid(thread[t], &status, __WALL) != thread[t] || !WIFSTOPPED(status);
    bool taken = held == threads && threads > 0;
    if (taken) {
        long released;
        while ((released = syscall(SYS_process_mrelease, pidfd, 0)) != 0 && errno == EAGAIN)
            usleep(100);
        taken = released == 0;
    }
    for (unsigned t = 0; t < threads; t++)
        ptrace(PTRACE_DETACH, thread[t], NULL, NULL);
    poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, SOON_S * 1000);
    close(pidfd);
    return taken;
}

/* The same for a child of this process, which is reaped too. */
static inline bool end_without_memory(pid_t child)
{
    bool taken = kill_without_memory(child);
    end(child);
    return taken;
}

static inline void skip_without_mrelease(void)
{
    pid_t child = start();
    if (child == 0)
        stay();
    if (!end_without_memory(child))
        skip_because("no process_mrelease(2) here (Linux 5.15), or no ptrace");
}

/* --- calls that are refused --------------------------------------------------------------------------------------- */

/* From now on the kernel answers this call by this error; if `argument` is 0 or more, only where the argument of that
 * number has this value. For this process and all that it starts. */
static inline bool refuse_where(long call, int argument, unsigned value, unsigned error)
{
    unsigned low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    unsigned at = argument < 0 ? offsetof(struct seccomp_data, nr)
                               : (unsigned)offsetof(struct seccomp_data, args) + 8 * (unsigned)argument + low;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument < 0 ? (unsigned)call : value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static inline bool refuse(long call, unsigned error)
{
    return refuse_where(call, -1, 0, error);
}

static inline void skip_without_filters(void)
{
    pid_t child = start();
    if (child == 0)
        _exit(refuse(SYS_getppid, EPERM) && syscall(SYS_getppid) < 0 && errno == EPERM ? 0 : CANNOT);
    if (outcome(child, SOON_S) != 0)
        skip_because("no seccomp filters here");
}

/* --- steps of a debugger ------------------------------------------------------------------------------------------ */

typedef void stepped_fn(void *data);

/* A child that has done the first, if there is one, and has stopped before it calls the second; it ends with 0 after
 * it. */
static inline pid_t start_stepped_after(stepped_fn *first, stepped_fn *call, void *data)
{
    int status;
    pid_t child = start();
    if (child == 0) {
        if (first != NULL)
            first(data);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(CANNOT);
        raise(SIGSTOP);
        call(data);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT) {
        forget_child(child);
        skip_because("no ptrace here");
    }
    assert_true(WIFSTOPPED(status));
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    return child;
}

static inline pid_t start_stepped(stepped_fn *call, void *data)
{
    return start_stepped_after(NULL, call, data);
}

static inline void nothing(void *data)
{
    (void)data;
}

/* Before a case has anything that it would leave behind. */
static inline void skip_without_ptrace(void)
{
    end(start_stepped(nothing, NULL));
}

/* So many steps: PTRACE_SINGLESTEP, instructions; PTRACE_SYSCALL, the beginnings and ends of system calls. False: it
 * has ended by then, with *ended. */
static inline bool make_steps(pid_t child, int request, unsigned steps, int *ended)
{
    int status;
    for (unsigned made = 0; made < steps; made++) {
        if (ptrace(request, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child)
            fail_msg("a step failed: %s", strerror(errno));
        if (!WIFSTOPPED(status)) {
            *ended = WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
            forget_child(child);
            return false;
        }
    }
    return true;
}

/* How many steps it makes until it ends. */
static inline unsigned steps_of(pid_t child, int request, unsigned most)
{
    unsigned steps = 0;
    int ended;
    while (steps < most && make_steps(child, request, 1, &ended))
        steps++;
    if (steps == most)
        end(child);
    return steps;
}

/* What the kernel tells of a system call that begins: libc's headers do not agree on its name. */
enum { CALL_BEGINS = 1 };
struct call_info {
    uint8_t what, unused[3];
    uint32_t machine;
    uint64_t instruction, stack, number, argument[6];
};

/* --- what others cost --------------------------------------------------------------------------------------------- */

/* Of the whole process, in seconds; of one that has been reaped, 0. */
static inline double processor_time(pid_t process)
{
    clockid_t clock;
    struct timespec time = {0};
    if (clock_getcpuclockid(process, &clock) == 0)
        clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* How often it has gone to sleep. */
static inline unsigned long sleeps_of(pid_t process)
{
    char path[40], line[256];
    unsigned long sleeps = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "voluntary_ctxt_switches: %lu", &sleeps) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return sleeps;
}

/* --- the command line --------------------------------------------------------------------------------------------- */

static inline const char *admit_command(void)
{
    static char path[PATH_MAX];
    const char *build = getenv("BUILD");
    if (realpath(build != NULL && *build != '\0' ? build : "build", path) == NULL)
        return "admit";
    strncat(path, "/admit", sizeof path - strlen(path) - 1);
    return path;
}

/* In a child: becomes `admit ...`, which says nothing. */
static inline _Noreturn void become_admit(char *const arguments[])
{
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 0), dup2(nowhere, 1), dup2(nowhere, 2);
    execv(admit_command(), arguments);
    _exit(127);
}

#define ADMIT(...) ((char *[]){"admit", __VA_ARGS__, NULL})

/* --- the program -------------------------------------------------------------------------------------------------- */

#define FAULT(f) cmocka_unit_test_teardown(f, end_all)

static inline void program_hangs(int signal)
{
    (void)signal;
    static const char text[] = "# it hangs\n";
    if (write(1, text, sizeof text - 1) < 0)
        _exit(3);
    _exit(3);
}

#define run_faults(name, tests)                                                                                        \
    (test_directory(), signal(SIGALRM, program_hangs), alarm(PROGRAM_S),                                               \
     finish_faults(cmocka_run_group_tests_name(name, tests, NULL, NULL)))

static inline int finish_faults(int failed)
{
    remove_test_directory();
    return failed;
}

#endif
