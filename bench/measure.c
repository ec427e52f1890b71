/* SPDX-License-Identifier: MIT
 *
 * measure OUT COMMAND [ARG...] - runs a command with its output in OUT, and prints
 *
 *     WALL_SECONDS CPU_SECONDS PEAK_KIB STATUS
 *
 * Wall time ends when the command itself does; processor time is that of all its descendants, orphans included; peak
 * memory is that of the largest single process.
 */
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    exit(125);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void become(const char *out, char **command)
{
    int file = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0)
        fail(out);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
    execvp(command[0], command);
    fail(command[0]);
}

int main(int count, char **arguments)
{
    if (count < 3) {
        fprintf(stderr, "usage: measure OUT COMMAND [ARG...]\n");
        return 125;
    }
    if (prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) != 0)
        fail("prctl");

    double started = now(), ended = started;
    pid_t command = fork();
    if (command < 0)
        fail("fork");
    if (command == 0)
        become(arguments[1], arguments + 2);

    int status = 125;
    for (;;) {
        int how;
        pid_t gone = wait(&how);
        if (gone < 0 && errno == EINTR)
            continue;
        if (gone < 0)
            break;
        if (gone == command) {
            ended = now();
            status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        }
    }

    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    printf("%.3f %.3f %ld %d\n", ended - started, seconds_of(used.ru_utime) + seconds_of(used.ru_stime), used.ru_maxrss,
           status);
    return 0;
}
