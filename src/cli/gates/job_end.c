/* SPDX-License-Identifier: MIT */
#include "cli/gates/job_end.h"

#include "cli/gates/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* --- its processes -------------------------------------------------------------------------------------------------- */

static bool sees_its_numbers(const struct job *job)
{
    return namespace_number("pid") == job->facts.pid_namespace;
}

/* In another time namespace all have started at other times. */
static bool sees_its_times(const struct job *job)
{
    return namespace_number("time") == job->facts.time_namespace;
}

/* Then nothing of it runs, wherever that was. */
static bool is_of_earlier_boot(const struct job *job)
{
    uint64_t boot = boot_number();
    return boot != 0 && job->facts.boot != 0 && boot != job->facts.boot;
}

static bool is_ready(int pidfd)
{
    return poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, 0) > 0;
}

/* Whether it runs, as far as anybody can tell: another process of its number has another start, where that can be seen. */
static bool runs(const struct job *job, const struct job_process *process, int *pidfd)
{
    *pidfd = (int)syscall(SYS_pidfd_open, (pid_t)process->pid, 0);
    bool lives =
        *pidfd >= 0 ? !is_ready(*pidfd) : errno != ESRCH && (kill((pid_t)process->pid, 0) == 0 || errno != ESRCH);
    uint64_t start = process_start_time((long)process->pid);
    return lives && (start == 0 || start == process->started || !sees_its_times(job));
}

bool job_is_orphan(const struct job *job, int *end)
{
    int pidfd = -1;
    if (end != NULL)
        *end = -1;
    if (job->supervised || job->facts.state != JOB_RUNS || is_of_earlier_boot(job))
        return false;
    bool lives = !sees_its_numbers(job) || runs(job, &job->facts.command, &pidfd);
    if (end != NULL && lives)
        *end = pidfd;
    else if (pidfd >= 0)
        close(pidfd);
    return lives;
}

/* --- how it stands -------------------------------------------------------------------------------------------------- */

/* One that was about to end by itself has the status that it ended with. */
static bool was_cancelled(const struct job *job)
{
    const bool done = job->facts.state == JOB_DONE;
    return job->cancelled != 0 && (!done || job->facts.status == 128 + SIGTERM || job->facts.status == 128 + SIGKILL);
}

enum job_condition job_condition(const struct job *job)
{
    if (job->facts.state == JOB_DONE)
        return was_cancelled(job) ? JOB_CANCELLED : JOB_ENDED;
    if (job->supervised)
        return job->facts.state == JOB_WAITS ? JOB_WAITING : JOB_RUNNING;
    return job_is_orphan(job, NULL) ? JOB_ORPHAN : was_cancelled(job) ? JOB_CANCELLED : JOB_KILLED;
}

const char *job_condition_name(enum job_condition condition)
{
    static const char *const names[] = {
        [JOB_WAITING] = "waiting",     [JOB_RUNNING] = "running", [JOB_ENDED] = "done",
        [JOB_CANCELLED] = "cancelled", [JOB_ORPHAN] = "orphan",   [JOB_KILLED] = "killed"};
    return names[condition];
}

int job_status(const struct job *job)
{
    return job->facts.state == JOB_DONE ? (int)job->facts.status : 128 + SIGKILL;
}

bool job_is_above(const struct job *job)
{
    const struct job_process *command = &job->facts.command;
    bool above = false;
    if (job->facts.state != JOB_RUNS || is_of_earlier_boot(job) || !sees_its_numbers(job))
        return false;
    for (long pid = getpid(); pid > 1 && !above; pid = process_starter(pid))
        above = pid == command->pid && (process_start_time(pid) == command->started || !sees_its_times(job));
    return above;
}

/* --- to wait for its end -------------------------------------------------------------------------------------------- */

enum { LOOK_AGAIN_MS = 100 };

static void interrupted(int signal)
{
    (void)signal;
}

/* What is left until then, in ms, at least 0 and at most what poll takes; -1: for ever. */
static int left_until(const struct timespec *until)
{
    struct timespec time;
    if (until == NULL)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t left = (until->tv_sec - time.tv_sec) * INT64_C(1000) + (until->tv_nsec - time.tv_nsec + 999999) / 1000000;
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

static void set_alarm(const struct timespec *until)
{
    struct sigaction action = {.sa_handler = interrupted};
    sigset_t alarm;
    int left = left_until(until);
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarm, NULL);
    struct itimerval timer = {.it_interval.tv_usec = LOOK_AGAIN_MS * 1000};
    timer.it_value = (struct timeval){.tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 + 1};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* The kernel wakes us when the supervisor's lock goes. An alarm that came just before we sleep comes again. */
static bool await_supervisor(struct job *job, const struct timespec *until)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    bool gone = fcntl(job->fd, F_OFD_SETLK, &lock) == 0;
    if (!gone && until != NULL)
        set_alarm(until);
    while (!gone && left_until(until) != 0)
        gone = fcntl(job->fd, F_OFD_SETLKW, &lock) == 0;
    if (until != NULL)
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    lock.l_type = F_UNLCK;
    if (gone)
        fcntl(job->fd, F_OFD_SETLK, &lock);
    return gone;
}

static bool await_orphan(struct job *job, const struct timespec *until)
{
    for (int end; job_is_orphan(job, &end);) {
        int left = left_until(until);
        bool looks = end < 0 && (left < 0 || left > LOOK_AGAIN_MS);
        if (left != 0)
            poll(&(struct pollfd){.fd = end, .events = POLLIN}, end >= 0, looks ? LOOK_AGAIN_MS : left);
        if (end >= 0)
            close(end);
        if (left == 0)
            return false;
    }
    return true;
}

bool job_await(struct job *job, const struct timespec *until)
{
    return await_supervisor(job, until) && job_look(job) && await_orphan(job, until);
}

/* --- to end it ------------------------------------------------------------------------------------------------------ */

#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1u << 2)
#endif

/* That process and no other: -1 with errno, ESRCH if it has ended. A start that cannot be seen proves nothing. */
static int open_process(const struct job *job, const struct job_process *process)
{
    int pidfd = (int)syscall(SYS_pidfd_open, (pid_t)process->pid, 0);
    if (pidfd < 0)
        return -1;
    errno = 0;
    const uint64_t start = sees_its_times(job) ? process_start_time((long)process->pid) : 0;
    const int why = errno == EMFILE || errno == ENFILE || errno == ENOMEM ? errno : EACCES;
    const bool gone = is_ready(pidfd) || (start != 0 && start != process->started);
    if (start != 0 && !gone)
        return pidfd;
    close(pidfd);
    errno = gone ? ESRCH : why;
    return -1;
}

static bool send_to(int pidfd, int signal)
{
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0;
}

/* The command leads its group. Before Linux 6.9 the group is told by its number, which is nobody else's as long as the command
 * is there, or any of its group. */
static bool send_to_group(int pidfd, pid_t command, int signal)
{
    if (syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, PIDFD_SIGNAL_PROCESS_GROUP) == 0)
        return true;
    return errno != ESRCH && !is_ready(pidfd) && kill(-command, signal) == 0;
}

static bool end_orphan(const struct job *job, int signal)
{
    if (!job_is_orphan(job, NULL))
        return true;
    int pidfd = open_process(job, &job->facts.command);
    if (pidfd < 0)
        return errno == ESRCH;
    bool sent = send_to_group(pidfd, (pid_t)job->facts.command.pid, signal) || errno == ESRCH;
    if (sent)
        send_to_group(pidfd, (pid_t)job->facts.command.pid, SIGCONT);
    close(pidfd);
    return sent;
}

bool job_end(struct job *job)
{
    if (!sees_its_numbers(job)) {
        errno = EACCES;
        return false;
    }
    if (!job->supervised)
        return end_orphan(job, SIGTERM);
    int pidfd = open_process(job, &job->facts.supervisor);
    if (pidfd < 0)
        return errno == ESRCH && job_look(job) && end_orphan(job, SIGTERM); /* it was killed just now */
    bool sent = send_to(pidfd, SIGTERM) || errno == ESRCH;
    if (sent)
        send_to(pidfd, SIGCONT);
    close(pidfd);
    return sent;
}

void job_end_by_force(struct job *job)
{
    if (job_look(job))
        end_orphan(job, SIGKILL);
}
