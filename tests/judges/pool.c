/* SPDX-License-Identifier: MIT
 *
 * pool K COMMAND [ARG...]: runs a command with an ordinary pool of jobs, as make's own: a pipe with K-1 bytes in it. What
 * `admit jobserver` is compared with. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int high(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD, 100); /* scripts use 3 to 9 */

    close(descriptor);
    return copy;
}

int main(int argc, char **argv)
{
    int ends[2], status;
    char flags[4096];
    const char *inherited = getenv("MAKEFLAGS");

    if (argc < 3 || pipe(ends) != 0)
        return 125;
    int from = high(ends[0]), to = high(ends[1]);
    for (int job = 1; job < atoi(argv[1]); job++)
        if (write(to, "+", 1) != 1)
            return 125;
    snprintf(flags, sizeof flags, "%s -j --jobserver-auth=%d,%d", inherited != NULL ? inherited : "", from, to);
    setenv("MAKEFLAGS", flags, 1);

    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    signal(SIGINT, SIG_IGN);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 125;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
