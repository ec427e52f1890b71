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
#include <sys/socket.h>
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
static size_t listen_to(int child_socket, int signals, pid_t child, char *text, size_t size)
{
    size_t length = 0;
    for (;;) {
        struct pollfd ready[2] = {{.fd = child_socket, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
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
        ssize_t more = read(child_socket, text + length, size - length);
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

/* Without stdio, whose buffer would be written at the end once more. One that is told EPIPE here is to say so. */
bool print_now(const char *text, size_t length)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    size_t written = 0;
    fflush(stdout);
    while (written < length) {
        ssize_t more = write(STDOUT_FILENO, text + written, length - written);
        if (more > 0)
            written += (size_t)more;
        else if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            break;
    }
    const int error = errno;
    signal(SIGPIPE, before);
    errno = error;
    return written == length;
}

static const char unprinted = 'n';

/* Nobody knows of it then: it is not to have happened. The child may not have waited for the word, if it took so long to fail. */
static _Noreturn void take_back(int child_socket, pid_t child, const struct background *background, const char *text,
                                size_t length)
{
    const int error = errno;
    const bool taken = send(child_socket, &unprinted, 1, MSG_NOSIGNAL) == 1;
    while (taken && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    fprintf(stderr, "admit %s: cannot print %s: %s; ", background->command, background->what, strerror(error));
    if (taken)
        fprintf(stderr, "%s\n", background->taken_back);
    else
        fprintf(stderr, "%s: %.*s", background->goes_on, (int)length, text);
    exit(taken ? usage_exit_status : background->goes_on_status);
}

static _Noreturn void be_parent(int child_socket, pid_t child, const struct background *background)
{
    char text[4096];
    sigset_t passed;
    hold_only_signals_that_end(&passed);
    size_t length = listen_to(child_socket, signalfd(-1, &passed, SFD_CLOEXEC), child, text, sizeof text);
    if (length == 0)
        end_as(child);
    if (!print_now(text, length))
        take_back(child_socket, child, background, text, length);
    exit(EXIT_OK);
}

/* --- the child ------------------------------------------------------------------------------------------------------ */

static void refuse_closed_output(const char *command, const char *what)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY)
        return;
    fprintf(stderr, "admit %s: standard output is closed: %s could not be printed\n", command, what);
    exit(usage_exit_status);
}

void background_begin(const struct background *background)
{
    int ends[2];
    pid_t parent = getpid();
    fflush(NULL);
    refuse_closed_output(background->command, background->what);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        refused(background->command, "make a pair of sockets");
    pid_t child = fork();
    if (child < 0)
        refused(background->command, "start a process");
    if (child > 0) {
        close(ends[1]);
        be_parent(ends[0], child, background);
    }
    close(ends[0]);
    to_parent = ends[1];
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* killed before it could be noticed */
        exit(usage_exit_status);
}

/* Where there is no memory for it just now there may be some a moment later. */
static bool tell(const char *text)
{
    enum { TRIES = 100, PAUSE_US = 10000 };
    size_t told = 0, length = strlen(text);
    for (unsigned tries = 0; told < length && tries < TRIES; tries++) {
        ssize_t more = send(to_parent, text + told, length - told, MSG_NOSIGNAL);
        if (more < 0 && errno == EPIPE)
            return false;
        told += more > 0 ? (size_t)more : 0;
        if (more < 0)
            usleep(PAUSE_US);
    }
    shutdown(to_parent, SHUT_WR);
    return told == length;
}

/* One that was killed may have printed it before. One that is stopped, or whose terminal is, is waited for only so long: this
 * process is in line, or inside. What comes later is not taken, and the sender learns that. */
static bool was_printed(void)
{
    enum { LONGEST_MS = 1000, TRIES = 100 };
    char word = 0;
    struct pollfd answer = {.fd = to_parent, .events = POLLIN};
    for (unsigned tries = 0; tries < TRIES && poll(&answer, 1, LONGEST_MS) < 0 && errno == EINTR;)
        tries++;
    shutdown(to_parent, SHUT_RD);
    return recv(to_parent, &word, 1, MSG_DONTWAIT) != 1 || word != unprinted;
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

static void exit_untold(void)
{
    fflush(NULL);
    _exit(usage_exit_status);
}

/* On what was standard error: this process ends by SIGTERM, and has not been sent one. */
static void end_untold(int caller)
{
    dprintf(caller, "admit: the process in the background cannot tell of itself, and ends: %s\n", strerror(errno));
    atexit(exit_untold);
}

bool background_go_on(int output, const char *text)
{
    signal(SIGHUP, SIG_IGN);
    setsid();
    fflush(NULL);
    const int caller = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
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
    const bool told = tell(text), known = told && was_printed();
    if (!told && errno != EPIPE)
        end_untold(caller);
    close(caller);
    close(to_parent);
    if (!known)
        raise(SIGTERM);
    return known;
}
