/* SPDX-License-Identifier: MIT
 *
 * Processes that are known by their number: whether one has ended. A number is given to others later, so that beside
 * it stands which of them it was: the inode of its pidfd, where the kernel numbers those (Linux 6.9), else the time at
 * which it started. That is told differently in each time namespace.
 *
 * Only "no such process" is death: not a call that was refused, a table that is full, or a /proc that hides others.
 */
#include "gate/life/life.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { IDENTITY_BITS = 40, PID_MAX = 0x400000, PIDFS = 0x50494446 };
#define BY_INODE (UINT64_C(1) << (IDENTITY_BITS - 1))

static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* A field of /proc/PID/stat from the third on; NULL: it cannot be read. No stdio: for a child of vfork. */
static const char *field_of_stat(const char *path, char *text, size_t size, unsigned which)
{
    if (!read_text(path, text, size))
        return NULL;
    char *at = strrchr(text, ')'); /* the name before it can hold anything */
    for (unsigned field = 2; at != NULL && field < which; field++)
        at = strchr(at + 1, ' ');
    return at == NULL ? NULL : at + 1;
}

/* In clock ticks since boot, as this time namespace tells it. */
static uint64_t start_time(const char *stat_path)
{
    char text[1024];
    const char *start = field_of_stat(stat_path, text, sizeof text, 22);
    return start == NULL ? 0 : strtoull(start, NULL, 10) & (BY_INODE - 1);
}

/* 0: this kernel does not number them. */
static uint64_t inode_of(int pidfd)
{
    struct stat status;
    struct statfs system;
    if (fstatfs(pidfd, &system) != 0 || system.f_type != PIDFS || fstat(pidfd, &status) != 0)
        return 0;
    return BY_INODE | ((uint64_t)status.st_ino & (BY_INODE - 1));
}

uint64_t admit_process_identity(bool same_time)
{
    int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    uint64_t inode = pidfd >= 0 ? inode_of(pidfd) : 0;
    if (pidfd >= 0)
        close(pidfd);
    return inode != 0 ? inode : same_time ? start_time("/proc/self/stat") : 0;
}

/* Of this process. Where there is no /proc, the kernel tells it of a pidfd, since Linux 6.11: numbers of
 * <linux/pidfd.h>. */
enum { OF_PIDS = 5, OF_TIMES = 7 };

static uint32_t namespace(const char *path, unsigned which)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return (uint32_t)status.st_ino;
    int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    int fd = pidfd >= 0 ? ioctl(pidfd, _IO(0xff, which), 0) : -1;
    uint32_t found = fd >= 0 && fstat(fd, &status) == 0 ? (uint32_t)status.st_ino : 0;
    if (fd >= 0)
        close(fd);
    if (pidfd >= 0)
        close(pidfd);
    return found;
}

uint32_t admit_pid_namespace(void)
{
    return namespace("/proc/thread-self/ns/pid", OF_PIDS);
}

uint32_t admit_time_namespace(void)
{
    return namespace("/proc/thread-self/ns/time", OF_TIMES);
}

static bool proc_is_ours(void)
{
    char text[24];
    ssize_t length = readlink("/proc/self", text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    return strtol(text, NULL, 10) == getpid();
}

uint32_t admit_namespace_in_sight(void)
{
    return proc_is_ours() ? admit_pid_namespace() : 0;
}

/* /proc may be that of another pid namespace than ours: `unshare --pid --fork` leaves the outer one in place. There the
 * process that we call `pid` has another number, which the kernel tells of a pidfd. 0: none, or it cannot be told. */
static unsigned number_in_proc(unsigned pid, int pidfd)
{
    char path[48], text[1024];
    if (pidfd < 0)
        return proc_is_ours() ? pid : 0;
    snprintf(path, sizeof path, "/proc/thread-self/fdinfo/%d", pidfd);
    if (!read_text(path, text, sizeof text))
        return 0;
    const char *at = strstr(text, "\nPid:");
    long number = at == NULL ? 0 : strtol(at + 5, NULL, 10);
    return number > 0 && number <= PID_MAX ? (unsigned)number : 0;
}

static uint64_t start_time_of(unsigned pid, int pidfd)
{
    char path[40];
    unsigned number = number_in_proc(pid, pidfd);
    snprintf(path, sizeof path, "/proc/%u/stat", number);
    return number == 0 ? 0 : start_time(path);
}

/* Of one that lives: whether it is the one that is meant. */
static enum heir_state same_process(unsigned pid, int pidfd, uint64_t identity, bool same_time)
{
    uint64_t found = 0;
    if ((identity & BY_INODE) != 0)
        found = pidfd >= 0 ? inode_of(pidfd) : 0;
    else if (same_time)
        found = start_time_of(pid, pidfd);
    if (identity == 0 || found == 0)
        return HEIR_UNKNOWN;
    return found == identity ? HEIR_LIVES : HEIR_NONE;
}

/* Whether only a thread of another process has this number: then no process has. */
static bool is_thread(unsigned pid)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%u/status", pid);
    if (!proc_is_ours() || !read_text(path, text, sizeof text))
        return false;
    const char *at = strstr(text, "\nTgid:");
    return at != NULL && strtoul(at + 6, NULL, 10) != pid;
}

/* False: there is none of this number. Else a pidfd, or -1 if none is to be had. */
static bool open_process(unsigned pid, int *pidfd)
{
    *pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (*pidfd >= 0)
        return true;
    return errno != ESRCH && (kill((pid_t)pid, 0) == 0 || errno != ESRCH) && !is_thread(pid);
}

/* Closes it. A pidfd is ready when the last thread has ended, reaped or not. It keeps the process from being mistaken for
 * a later one: if it is not ready after the identity was read, that was the identity of the one it stands for. */
static bool has_ended(int pidfd)
{
    bool ended = pidfd >= 0 && poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, 0) > 0;
    if (pidfd >= 0)
        close(pidfd);
    return ended;
}

enum heir_state admit_process_state(unsigned pid, uint64_t identity, bool same_time)
{
    int pidfd;
    if (!open_process(pid, &pidfd))
        return HEIR_NONE;
    enum heir_state state = same_process(pid, pidfd, identity, same_time);
    return has_ended(pidfd) ? HEIR_NONE : state;
}

bool admit_process_identified(unsigned pid, bool same_time, uint64_t *identity)
{
    int pidfd;
    if (!open_process(pid, &pidfd))
        return false;
    *identity = pidfd >= 0 ? inode_of(pidfd) : 0;
    if (*identity == 0 && same_time)
        *identity = start_time_of(pid, pidfd);
    return !has_ended(pidfd);
}

bool admit_process_has_thread(unsigned pid, unsigned thread)
{
    return syscall(SYS_tgkill, (pid_t)pid, (pid_t)thread, 0) == 0 || errno != ESRCH;
}

bool admit_process_is_stopped(long pid)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const char *state = field_of_stat(path, text, sizeof text, 3);
    return state != NULL && (*state == 'T' || *state == 't');
}

void admit_introduce_process(struct person *person)
{
    atomic_store(&person->pid, (uint32_t)getpid());
    atomic_store(&person->pid_namespace, admit_pid_namespace());
    atomic_store(&person->time_namespace, admit_time_namespace());
    atomic_store(&person->identity, admit_process_identity(true));
}
