/* SPDX-License-Identifier: MIT
 *
 * Signals are blocked from before the slot is taken to the end, and asked for one by one: no handler runs in the middle
 * of anything, and none is inherited by the command.
 */
#include "cli/gates/command.h"

#include "cli/usage.h"
#include "native/printable.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As they were when admit was called; the command gets them back. */
static sigset_t original_mask;
static volatile sig_atomic_t interrupted_at_keyboard;

/* All but those that say that admit itself is broken, and those that stop a job in the background. */
static void held_signals(sigset_t *set)
{
    static const int left_alone[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGTTIN, SIGTTOU};
    sigfillset(set);
    for (unsigned s = 0; s < sizeof left_alone / sizeof left_alone[0]; s++)
        sigdelset(set, left_alone[s]);
}

/* What is not blocked is lost where nobody handles it, SIGCHLD for one, for which this would then wait for ever. */
static bool set_mask(int how, const sigset_t *set, sigset_t *before)
{
    enum { TRIES = 100 };
    for (unsigned tries = 0; tries < TRIES; tries++)
        if (sigprocmask(how, set, before) == 0)
            return true;
    return false;
}

static void set_mask_or_exit(int how, const sigset_t *set, sigset_t *before)
{
    if (set_mask(how, set, before))
        return;
    fprintf(stderr, "admit: cannot hold signals: %s\n", strerror(errno));
    exit(usage_exit_status);
}

void hold_signals(void)
{
    sigset_t set;
    held_signals(&set);
    set_mask_or_exit(SIG_BLOCK, &set, &original_mask);
    /* Where whoever called us ignores SIGCHLD, the kernel would throw the command's status away. */
    signal(SIGCHLD, SIG_DFL);
}

/* From the terminal to all of its foreground group; one that a process sends has its sender's id. */
static bool from_terminal(const siginfo_t *info)
{
    return info->si_code == SI_KERNEL;
}

static void note_keyboard(const siginfo_t *info)
{
    if (info->si_signo == SIGINT && from_terminal(info))
        interrupted_at_keyboard = true;
}

/* Those of the signals that end a process by which people end one, unless whoever called us ignores them. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { ENDING = sizeof ending / sizeof ending[0] };

static bool is_ignored(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void let_signals_be(void)
{
    set_mask_or_exit(SIG_SETMASK, &original_mask, NULL);
}

static void (*interrupt_wait)(void);
static volatile sig_atomic_t came_while_waiting;

static void note_and_interrupt(int signal, siginfo_t *info, void *context)
{
    (void)context;
    note_keyboard(info);
    came_while_waiting = signal;
    interrupt_wait();
}

void let_signals_interrupt(void (*interrupt)(void))
{
    interrupt_wait = interrupt;
    struct sigaction action = {.sa_sigaction = note_and_interrupt, .sa_flags = SA_SIGINFO};
    for (unsigned s = 0; s < ENDING; s++)
        if (!is_ignored(ending[s]))
            sigaction(ending[s], &action, NULL);
    set_mask_or_exit(SIG_SETMASK, &original_mask, NULL);
}

void hold_signals_again(void)
{
    sigset_t set;
    held_signals(&set);
    set_mask_or_exit(SIG_BLOCK, &set, NULL);
    for (unsigned s = 0; s < ENDING; s++)
        if (!is_ignored(ending[s]))
            signal(ending[s], SIG_DFL);
}

void hold_only_signals_that_end(sigset_t *held)
{
    sigset_t set = original_mask;
    sigemptyset(held);
    for (unsigned s = 0; s < ENDING; s++) {
        sigaddset(held, ending[s]);
        sigaddset(&set, ending[s]);
    }
    set_mask_or_exit(SIG_SETMASK, &set, NULL);
}

int signal_held(void)
{
    if (came_while_waiting != 0)
        return came_while_waiting;
    sigset_t pending, one;
    siginfo_t info;
    sigpending(&pending);
    for (unsigned s = 0; s < ENDING; s++) {
        if (!sigismember(&pending, ending[s]) || is_ignored(ending[s]))
            continue;
        sigemptyset(&one);
        sigaddset(&one, ending[s]);
        if (sigtimedwait(&one, &info, &(struct timespec){0}) == ending[s]) {
            note_keyboard(&info);
            return ending[s];
        }
    }
    return 0;
}

_Noreturn void exit_for_signal(int number)
{
    if (number == SIGINT && interrupted_at_keyboard) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, number);
        fflush(NULL);
        signal(number, SIG_DFL);
        raise(number);
        set_mask(SIG_UNBLOCK, &set, NULL);
    }
    exit(128 + number);
}

/* A directory of PATH that one may not search makes execvp say so of a command that is in none of them. Shells say then that
 * it was not found. */
static bool is_nowhere(const char *name)
{
    const char *path = getenv("PATH");
    char file[4096];
    if (strchr(name, '/') != NULL || path == NULL)
        return false;
    for (size_t length; *path != '\0'; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", length > 0 ? (int)length : 1, length > 0 ? path : ".", name);
        if (access(file, F_OK) == 0)
            return false;
    }
    return true;
}

/* What only a shell understands, and is in no directory. */
static bool is_for_shell(const char *command)
{
    static const char *const words[] = {"cd", "|",  "||",    "&&",     "&",     ";",      "(",      "{",   "!",    ".",
                                        ":",  "if", "alias", "export", "umask", "ulimit", "source", "for", "while"};
    for (unsigned w = 0; w < sizeof words / sizeof words[0]; w++)
        if (strcmp(command, words[w]) == 0)
            return true;
    return strpbrk(command, " \t\n") != NULL;
}

/* "FOO=1", as it stands before a command of a shell. */
static bool is_assignment(const char *command)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return command[0] != '=' && (command[0] < '0' || command[0] > '9') && command[strspn(command, letters)] == '=';
}

void tell_not_run(const char *by, const char *command, int error)
{
    static char printed[4096];
    admit_printable(command, printed, sizeof printed);
    fprintf(stderr, "admit %s: cannot run '%s': %s", by, printed, strerror(error));
    if (error == ENOENT && is_assignment(command))
        fprintf(stderr, "; to set a variable, say env %s COMMAND", command);
    else if (error == ENOENT && is_for_shell(command))
        fputs("; a shell's text needs sh -c", stderr);
    fputc('\n', stderr);
}

/* vfork: the new process borrows this one's memory and this one waits, until exec. It saves the copy of all page
 * tables, which is most of what fork costs, and lets the new process say here why it could not run the command. */
pid_t start_command(const char *by, char **argv, bool (*own)(void *context), void *context, int *status)
{
    enum { RUNS = 0, NOT_OWNED = -1 };
    volatile int failure = RUNS;
    pid_t pid = vfork();
    if (pid == 0) {
        if (!own(context)) {
            failure = NOT_OWNED;
            _exit(EXIT_OWN_FAILURE);
        }
        if (set_mask(SIG_SETMASK, &original_mask, NULL))
            execvp(argv[0], argv);
        failure = errno;
        _exit(failure == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
    }
    if (pid > 0 && failure == RUNS)
        return pid;
    if (pid < 0) {
        fprintf(stderr, "admit %s: cannot start a process: %s\n", by, strerror(errno));
        *status = EXIT_OWN_FAILURE;
        return -1;
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    if (failure == EACCES && is_nowhere(argv[0]))
        failure = ENOENT;
    *status = failure == NOT_OWNED ? EXIT_OWN_FAILURE : failure == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
    if (failure != NOT_OWNED)
        tell_not_run(by, argv[0], failure);
    return -1;
}

void adopt_children(void)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        fprintf(stderr, "admit run: --children: %s; processes that outlive the command will not be waited for\n",
                strerror(errno));
}

/* The command stopped as a job does, at Ctrl-Z for one: admit does the same, so that the shell notices. */
static void stop_too(const struct how_it_runs *how)
{
    sigset_t set;
    if (how->stops != NULL)
        how->stops(how->data);
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    raise(SIGTSTP);
    set_mask(SIG_UNBLOCK, &set, NULL);
    set_mask(SIG_BLOCK, &set, NULL);
}

/* What is left of the command when it has ended itself: its orphans, which are admit's children now. False: that cannot be
 * seen, as where there is no /proc. */
static bool for_each_child(void (*each)(void *data, pid_t pid), void *data)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(name, "re");
    if (list == NULL)
        return false;
    for (int pid; fscanf(list, "%d", &pid) == 1;)
        each(data, (pid_t)pid);
    fclose(list);
    return true;
}

static void send_signal(void *signal, pid_t pid)
{
    kill(pid, *(int *)signal);
}

static void signal_children(int signal)
{
    for_each_child(send_signal, &signal);
}

/* A terminal that hangs up tells only the leader of its session, which is to tell the others. If that is admit, all of
 * its group are what it has started; a shell with jobs, as the command, has a group of its own. SIGCONT too, as the
 * terminal does: one that is stopped would not end. */
static bool leads_session(void)
{
    return getsid(0) == getpid();
}

static void pass_hangup_on(pid_t pid, bool ended)
{
    static const int signals[] = {SIGHUP, SIGCONT};
    for (unsigned s = 0; s < 2; s++) {
        kill(0, signals[s]);
        if (!ended && getpgid(pid) != getpgrp())
            kill(pid, signals[s]);
    }
}

/* The command has its own of those from the terminal; or it is the sender; or admit and so the command ignore it. */
static bool is_passed_on(const siginfo_t *info, pid_t pid)
{
    note_keyboard(info);
    return !from_terminal(info) && info->si_pid != pid && !is_ignored(info->si_signo);
}

void pass_signal_on(const siginfo_t *info, pid_t pid)
{
    if (is_passed_on(info, pid))
        kill(pid, info->si_signo);
}

/* --- its time ------------------------------------------------------------------------------------------------------ */

enum { GRACE_S = 5 };

static void limit_to(struct running *running, uint64_t ns)
{
    running->limited = true;
    clock_gettime(CLOCK_MONOTONIC, &running->until);
    ns += (uint64_t)running->until.tv_nsec;
    running->until.tv_sec += (time_t)(ns / 1000000000);
    running->until.tv_nsec = (long)(ns % 1000000000);
}

static struct timespec time_left(const struct running *running)
{
    struct timespec now, left;
    clock_gettime(CLOCK_MONOTONIC, &now);
    left.tv_sec = running->until.tv_sec - now.tv_sec;
    left.tv_nsec = running->until.tv_nsec - now.tv_nsec;
    if (left.tv_nsec < 0) {
        left.tv_nsec += 1000000000;
        left.tv_sec--;
    }
    return left.tv_sec >= 0 ? left : (struct timespec){0};
}

bool has_ended(const struct running *running)
{
    return running->status >= 0;
}

/* A group may live on when its leader, the command, has ended. */
static int send(const struct running *running, int signal)
{
    return kill(running->how->own_group ? -running->pid : running->pid, signal);
}

/* Many a program takes a second SIGTERM for an order not to tidy up. */
static bool was_told(struct running *running, pid_t pid)
{
    for (unsigned t = 0; t < running->told_count; t++)
        if (running->told[t] == pid)
            return true;
    if (running->told_count < TOLD_MAX)
        running->told[running->told_count++] = pid;
    return false;
}

/* SIGCONT too: a process that is stopped would not end. */
static void end_child(void *data, pid_t pid)
{
    struct running *running = data;
    const bool with_group = running->group_told && getpgid(pid) == running->pid;
    if (running->sent == SIGTERM && (pid == running->pid || with_group || was_told(running, pid)))
        return;
    kill(pid, running->sent);
    kill(pid, SIGCONT);
}

/* The command and, with `children`, also those of what it has started that are admit's children by now. */
static void end_command(struct running *running)
{
    running->sent = running->sent == 0 ? SIGTERM : SIGKILL;
    /* From now on: this process may have been stopped when the time was over. */
    limit_to(running, GRACE_S * 1000000000ull);
    running->group_told |= running->how->own_group && !has_ended(running);
    bool ends = has_ended(running) || send(running, running->sent) == 0;
    if (ends && !has_ended(running))
        send(running, SIGCONT);
    if (ends && running->how->children)
        ends = for_each_child(end_child, running) || !has_ended(running);
    if (!ends) {
        fprintf(stderr, "admit run: cannot end the command%s: %s\n",
                has_ended(running) ? "'s children, which cannot be found" : "", strerror(errno));
        running->limited = false;
        running->sent = 0;
    }
}

static const struct timespec look_again = {.tv_nsec = 20000000};

/* Nanoseconds until there is too little time left for what is to be done next, unless there is more by then; INT64_MAX: there
 * is no such end, or nothing more to do. */
static int64_t until_too_late(const struct running *running)
{
    const struct how_it_runs *how = running->how;
    const bool cannot_end = running->too_late && running->sent == 0;
    if (how->time_left == NULL || running->sent == SIGKILL || cannot_end)
        return INT64_MAX;
    const int64_t left = how->time_left(how->data) - (running->too_late ? how->kill_ns : how->term_ns);
    return left > 0 ? left : 0;
}

/* How long this process may sleep for a signal; false: for ever. */
static bool may_sleep(const struct running *running, struct timespec *sleep)
{
    const int64_t left = until_too_late(running);
    const bool ends = left != INT64_MAX;
    *sleep = running->limited ? time_left(running) : (struct timespec){0};
    if (ends && (!running->limited || left / 1000000000 < sleep->tv_sec ||
                 (left / 1000000000 == sleep->tv_sec && left % 1000000000 < sleep->tv_nsec)))
        *sleep = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    return running->limited || ends;
}

/* The next signal that has come, or 0 when there is something to do without. Where it cannot be asked for them, this looks by
 * itself. */
static int next_signal(const sigset_t *set, const struct running *running, siginfo_t *info)
{
    for (;;) {
        struct timespec sleep;
        int signal = may_sleep(running, &sleep) ? sigtimedwait(set, info, &sleep) : sigwaitinfo(set, info);
        if (signal >= 0)
            return signal;
        if (errno == EAGAIN)
            return 0;
        if (errno != EINTR) {
            nanosleep(&look_again, NULL);
            return info->si_signo = SIGCHLD;
        }
    }
}

/* --- waiting for it ------------------------------------------------------------------------------------------------ */

static void send_on(struct running *running, const siginfo_t *info)
{
    note_keyboard(info);
    if (info->si_code == SI_USER && info->si_pid == getpid())
        return; /* its own, to the group */
    if (info->si_signo == SIGHUP && from_terminal(info) && leads_session() && !is_ignored(SIGHUP)) {
        pass_hangup_on(running->pid, has_ended(running));
    } else if (is_passed_on(info, running->pid)) {
        if (info->si_signo == SIGTERM && running->how->own_group) {
            if (running->sent == 0)
                end_command(running);
        } else if (has_ended(running)) {
            signal_children(info->si_signo);
        } else {
            send(running, info->si_signo);
        }
    }
}

/* By the older call, where the other is refused. */
static int wait_otherwise(pid_t pid, siginfo_t *info)
{
    int status;
    const pid_t found = waitpid(pid, &status, WUNTRACED | WNOHANG);
    *info = (siginfo_t){0};
    if (found <= 0)
        return (int)found;
    info->si_pid = found;
    info->si_code = WIFSTOPPED(status) ? CLD_STOPPED : WIFSIGNALED(status) ? CLD_KILLED : CLD_EXITED;
    info->si_status = WIFSTOPPED(status)    ? WSTOPSIG(status)
                      : WIFSIGNALED(status) ? WTERMSIG(status)
                                            : WEXITSTATUS(status);
    return 0;
}

/* Some child that has ended or stopped. Its signal may be the only one that comes: so what is refused is tried again. */
static int look_for_child(const struct running *running, siginfo_t *info)
{
    enum { TRIES = 50 };
    const bool any = running->how->children;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        *info = (siginfo_t){0};
        if (waitid(any ? P_ALL : P_PID, any ? 0 : (id_t)running->pid, info, WEXITED | WSTOPPED | WNOHANG) == 0 ||
            (errno != ECHILD && wait_otherwise(any ? -1 : running->pid, info) == 0))
            return 0;
        if (errno == ECHILD)
            return -1;
        nanosleep(&look_again, NULL);
    }
    errno = EAGAIN;
    return -1;
}

/* One SIGCHLD can stand for several children. Returns whether there is nothing left to wait for. */
static bool reap(struct running *running)
{
    const bool children = running->how->children;
    for (;;) {
        siginfo_t info;
        const int found = look_for_child(running, &info);
        if (found < 0 && errno == ECHILD)
            return true;
        if (found < 0 || info.si_pid == 0)
            return false;
        if (info.si_pid != running->pid)
            continue;
        if (info.si_code == CLD_EXITED)
            running->status = info.si_status;
        else if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
            running->status = 128 + info.si_status;
        else if (info.si_status == SIGTSTP || info.si_status == SIGTTIN || info.si_status == SIGTTOU)
            stop_too(running->how);
        if (has_ended(running) && !children)
            return true;
    }
}

/* What is left of the group of a command that was ended has the rest of the time that the command would have had. The group's
 * number is nobody else's as long as anybody is in it. */
static void end_rest_of_group(const struct running *running)
{
    for (;;) {
        const struct timespec left = time_left(running);
        const bool over = left.tv_sec == 0 && left.tv_nsec == 0;
        if (kill(-running->pid, over ? SIGKILL : 0) != 0 || over)
            return;
        nanosleep(&look_again, NULL);
    }
}

/* Of one signal. Returns whether there is nothing left to wait for. */
static bool take_signal(struct running *running, const siginfo_t *info)
{
    if (info->si_signo != SIGCHLD) {
        send_on(running, info);
        return false;
    }
    if (reap(running))
        return true;
    if (running->sent != 0 && running->how->children)
        for_each_child(end_child, running); /* those whose parent has just ended are admit's children only now */
    return false;
}

static void end_too_late(struct running *running)
{
    const struct how_it_runs *how = running->how;
    const bool at_once = how->time_left(how->data) <= how->kill_ns;
    if (!running->too_late && how->is_too_late != NULL)
        how->is_too_late(how->data);
    running->too_late = true;
    if (at_once)
        running->sent = SIGTERM; /* so that the next is SIGKILL */
    if (at_once || running->sent == 0)
        end_command(running);
}

/* What is to be done without a signal. */
static void act_in_time(struct running *running)
{
    if (until_too_late(running) == 0) {
        end_too_late(running);
        return;
    }
    const struct timespec left = running->limited ? time_left(running) : (struct timespec){.tv_sec = 1};
    if (left.tv_sec > 0 || left.tv_nsec > 0)
        return;
    if (running->sent == 0 && running->how->time_is_over != NULL)
        running->how->time_is_over(running->how->data);
    end_command(running);
}

int wait_for_command(pid_t pid, const struct how_it_runs *how)
{
    sigset_t set;
    held_signals(&set);
    struct running running = {.how = how, .pid = pid, .status = -1};
    if (how->limit_ns > 0)
        limit_to(&running, how->limit_ns);
    for (;;) {
        siginfo_t info;
        if (next_signal(&set, &running, &info) == 0)
            act_in_time(&running);
        else if (take_signal(&running, &info))
            break;
    }
    if (running.sent == SIGTERM && how->own_group)
        end_rest_of_group(&running);
    if (running.too_late)
        return EXIT_OWN_FAILURE;
    if (running.sent != 0)
        return 128 + running.sent;
    return has_ended(&running) ? running.status : EXIT_OWN_FAILURE;
}

int held_signals_descriptor(void)
{
    sigset_t set;
    held_signals(&set);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

bool take_held_signals(struct running *running)
{
    sigset_t set;
    siginfo_t info;
    held_signals(&set);
    while (sigtimedwait(&set, &info, &(struct timespec){0}) > 0)
        if (take_signal(running, &info))
            return true;
    return false;
}
