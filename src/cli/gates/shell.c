/* SPDX-License-Identifier: MIT */
#include "cli/gates/shell.h"

#include "cli/gates/process.h"
#include "cli/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- whether it lives ---------------------------------------------------------------------------------------------- */

static bool can_be_read(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) > 0;
}

bool shell_lives(const struct shell *shell)
{
    if (shell->end >= 0)
        return !can_be_read(shell->end);
    if (kill((pid_t)shell->pid, 0) != 0 && errno == ESRCH)
        return false;
    const uint64_t started = shell->started != 0 ? process_start_time(shell->pid) : 0;
    return (started == 0 || started == shell->started) && (started == 0 || process_state(shell->pid) != 'Z');
}

enum { LOOK_AGAIN_MS = 100 };

bool shell_await(const struct shell *shell, int other)
{
    struct pollfd either[] = {{.fd = other, .events = POLLIN}, {.fd = shell->end, .events = POLLIN}};
    while (shell_lives(shell))
        if (poll(either, 2, shell->end >= 0 ? -1 : LOOK_AGAIN_MS) > 0 && either[0].revents != 0)
            return shell_lives(shell);
    return false;
}

/* --- which it is --------------------------------------------------------------------------------------------------- */

long process_above(long pid)
{
    if (pid == getpid())
        return getppid();
    return process_numbers_are_ours() ? process_starter(pid) : 0;
}

/* A subshell, as of $(...), may end at any moment, and its shell goes on with what it has printed. */
static long caller(const char *command)
{
    long pid = getppid();
    bool known = process_numbers_are_ours();
    while (known && pid > 1 && process_is_only_forked(pid, &known))
        pid = process_parent(pid);
    if (!known || pid < 1)
        usage_error(command, "which process is to have the slot? That cannot be seen here: say --pid $$");
    return pid;
}

/* Where it cannot be seen, it is not claimed. */
static bool is_in_another_namespace(long pid)
{
    char path[40];
    struct stat its, ours;
    snprintf(path, sizeof path, "/proc/%ld/ns/pid", pid);
    return process_numbers_are_ours() && stat(path, &its) == 0 && stat("/proc/self/ns/pid", &ours) == 0 &&
           its.st_ino != ours.st_ino;
}

static void refuse_what_cannot_hold(const char *command, long pid)
{
    if (pid == getpid())
        usage_error(command, "--pid %ld: that is admit itself, which is about to end", pid);
    if (pid == 1)
        usage_error(command, "process 1 cannot have the slot: when it ends all others end with it, and nobody is left "
                             "to give it back; let another process call");
    if (kill((pid_t)pid, 0) != 0)
        usage_error(command, errno == EPERM ? "process %ld is somebody else's" : "there is no process %ld", pid);
    if (is_in_another_namespace(pid))
        usage_error(command, "process %ld is in another pid namespace: admit is to be called there", pid);
}

/* What the shell was started as. Of a process that shows none, its number. */
static void read_words(struct shell *shell)
{
    char path[40];
    size_t words = 0;
    snprintf(path, sizeof path, "/proc/%ld/cmdline", shell->pid);
    int fd = process_numbers_are_ours() ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t length = fd >= 0 ? read(fd, shell->text, sizeof shell->text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        length = snprintf(shell->text, sizeof shell->text, "process %ld", shell->pid);
    shell->text[length] = '\0';
    for (char *at = shell->text; at < shell->text + length && words < SHELL_WORDS_MAX; at += strlen(at) + 1)
        shell->words[words++] = at;
    shell->words[words] = NULL;
}

void shell_find(struct shell *shell, const char *command, long pid)
{
    *shell = (struct shell){.pid = pid != 0 ? pid : caller(command), .end = -1};
    refuse_what_cannot_hold(command, shell->pid);
    shell->end = (int)syscall(SYS_pidfd_open, (pid_t)shell->pid, 0);
    if (shell->end < 0 && errno == ESRCH)
        usage_error(command, "there is no process %ld", shell->pid);
    if (shell->end < 0 && (errno == EINVAL || errno == ENOENT))
        usage_error(command, "%ld is a thread, and not a process", shell->pid);
    shell->started = process_numbers_are_ours() ? process_start_time(shell->pid) : 0;
    if (!shell_lives(shell))
        usage_error(command, "process %ld has ended", shell->pid);
    read_words(shell);
}
