/* SPDX-License-Identifier: MIT */
#include "cli/gates/background.h"

#include "cli/gates/command.h"
#include "cli/usage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_parent = -1;

static _Noreturn void refused(const char *command, const char *what)
{
    fprintf(stderr, "admit %s: cannot %s: %s\n", command, what, strerror(errno));
    exit(usage_exit_status);
}

/* --- the parent ---------------------------------------------------------------------------------------------------- */

static void pass_on(int signals, pid_t child)
{
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != sizeof info)
        return;
    siginfo_t same = {.si_signo = (int)info.ssi_signo, .si_code = info.ssi_code};
    same.si_pid = (pid_t)info.ssi_pid;
    pass_signal_on(&same, child);
}

/* What the child has told, whole, and how long it is; 0: it has ended before. The text is longer than nothing. */
static size_t listen_to(int pipe, int signals, pid_t child, char *text, size_t size)
{
    size_t length = 0;
    for (;;) {
        struct pollfd ready[2] = {{.fd = pipe, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        if (poll(ready, signals >= 0 ? 2 : 1, -1) < 0) {
            if (errno == EINTR)
                continue;
            ready[0].revents = POLLIN; /* it cannot wait for both: signals have to wait, then */
            ready[1].revents = 0;
        }
        if (ready[1].revents != 0)
            pass_on(signals, child);
        if (ready[0].revents == 0)
            continue;
        ssize_t more = read(pipe, text + length, size - length);
        if (more > 0)
            length += (size_t)more;
        else if (more == 0 || errno != EINTR)
            return length;
    }
}

static _Noreturn void end_as(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            exit(usage_exit_status);
    if (WIFEXITED(status))
        exit(WEXITSTATUS(status));
    signal_held(); /* it may have come from the keyboard, to both */
    exit_for_signal(WTERMSIG(status));
}

static _Noreturn void be_parent(int pipe, pid_t child, void (*failed)(void *data), void *data)
{
    char text[4096];
    sigset_t passed;
    hold_only_signals_that_end(&passed);
    size_t length = listen_to(pipe, signalfd(-1, &passed, SFD_CLOEXEC), child, text, sizeof text);
    if (length == 0) {
        if (failed != NULL)
            failed(data);
        end_as(child);
    }
    if (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0)
        fprintf(stderr, "admit: it goes on in the background, but this could not be printed: %.*s", (int)length, text);
    exit(EXIT_OK); /* or as the failure to print wants it */
}

/* --- the child ------------------------------------------------------------------------------------------------------ */

void background_begin(const char *command, void (*failed)(void *data), void *data)
{
    int ends[2];
    pid_t parent = getpid();
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        refused(command, "make a pipe");
    pid_t child = fork();
    if (child < 0)
        refused(command, "start a process");
    if (child > 0) {
        close(ends[1]);
        be_parent(ends[0], child, failed, data);
    }
    close(ends[0]);
    to_parent = ends[1];
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* killed before it could be noticed */
        exit(usage_exit_status);
}

/* What the caller left open for anybody whom it starts, such as the pipe whose end somebody waits for. Our own are closed by
 * exec, which these have survived. Where there is no list of them, all numbers are tried that are likely. */
static void close_if_inherited(int fd)
{
    int flags = fd > STDERR_FILENO ? fcntl(fd, F_GETFD) : -1;
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0)
        close(fd);
}

static void close_inherited(void)
{
    enum { LIKELY = 1 << 16 }; /* not the limit: it may have been lower since they were opened */
    DIR *descriptors = opendir("/proc/self/fd");
    for (const struct dirent *entry; descriptors != NULL && (entry = readdir(descriptors)) != NULL;)
        close_if_inherited(atoi(entry->d_name));
    for (int fd = 0; descriptors == NULL && fd < LIKELY; fd++)
        close_if_inherited(fd);
    if (descriptors != NULL)
        closedir(descriptors);
}

bool background_go_on(int output, const char *text)
{
    signal(SIGHUP, SIG_IGN);
    setsid();
    fflush(NULL);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) {
        close(STDIN_FILENO); /* there may be no number left, and then whoever reads what comes of us would wait */
        nothing = open("/", O_PATH | O_CLOEXEC); /* as good as closed */
    }
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(output >= 0 ? output : nothing, STDOUT_FILENO);
        dup2(output >= 0 ? output : nothing, STDERR_FILENO);
        if (nothing > STDERR_FILENO)
            close(nothing);
    }
    close_inherited();
    prctl(PR_SET_PDEATHSIG, 0);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    ssize_t told = write(to_parent, text, strlen(text));
    signal(SIGPIPE, before);
    close(to_parent);
    if (told < 0)
        raise(SIGTERM);
    return told >= 0;
}
