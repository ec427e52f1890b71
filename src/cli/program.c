/* SPDX-License-Identifier: MIT */
#include "cli/program.h"

#include "cli/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At the end, however it comes: output that could not be written is no success. */
static void flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    perror("admit: cannot write the output");
    _exit(usage_exit_status);
}

/* Whoever calls us may have closed standard input, output or error. A file that is opened later must not take their
 * numbers: what is printed would go into it. So each that is closed is filled with one by which nothing can be read or
 * written (O_PATH: EBADF, as if it were closed), and which the command that is run does not inherit: it finds them
 * closed, as the caller wanted. Of the root directory, since that is there even where there is no /dev. */
static void fill_standard_descriptors(int failure)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/", O_PATH | O_CLOEXEC) != fd)
            _exit(failure);
}

/* What a sub-command exits with when it fails itself, before it could put that into usage_exit_status. */
int own_failure_of(const char *name)
{
    static const char *const by_status[] = {"run", "enter", "jobserver", "wait"};
    for (unsigned c = 0; c < sizeof by_status / sizeof by_status[0]; c++)
        if (strcmp(name, by_status[c]) == 0)
            return EXIT_OWN_FAILURE;
    return EXIT_USAGE;
}

void begin_program(int failure)
{
    fill_standard_descriptors(failure);
    atexit(flush_output);
}

const struct command *find_command(const struct command *commands, unsigned count, const char *name)
{
    for (unsigned c = 0; c < count; c++)
        if (strcmp(name, commands[c].name) == 0)
            return &commands[c];
    return NULL;
}
