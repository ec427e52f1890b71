/* SPDX-License-Identifier: MIT
 *
 * admit output - what a job's command has printed.
 */
#include "cli/gates/gates.h"
#include "cli/gates/job.h"
#include "cli/gates/job_end.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_NO_OUTPUT = 1, LOOK_AGAIN_MS = 200 };

static const char help_text[] =
    "usage: admit output [-f] @ID\n"
    "\n"
    "Prints what the command of a job, which 'admit run -b' has named so, has written to standard output and standard\n"
    "error so far, and what admit itself had to say of it. With 'run -o FILE' it is read from FILE: what stands there\n"
    "since the command began, until it has ended. So give each job a file of its own (%j), or what runs at the same\n"
    "time is mixed.\n"
    "\n"
    "  -f, --follow   go on until the job has ended\n"
    "\n"
    "Exit status: 0; 1 if there is no such file any more; 2 there is no such job.\n";

static int open_output(const struct job *job)
{
    struct stat status;
    int fd = open(job->output, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        fprintf(stderr, "admit output: cannot read the output of @%u, '%s': %s\n", job->id, job->output,
                strerror(errno));
        exit(EXIT_NO_OUTPUT);
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        fprintf(stderr, "admit output: the output of @%u went to '%s', which is no file and keeps nothing\n", job->id,
                job->output);
        exit(EXIT_NO_OUTPUT);
    }
    return fd;
}

/* From *at up to what there is now. */
static void print_more(const struct job *job, int fd, uint64_t *at)
{
    const uint64_t end = job->facts.state == JOB_DONE ? job->facts.output_to : UINT64_MAX;
    static char bytes[65536]; /* the stack may be small */
    for (;;) {
        const uint64_t left = *at < end ? end - *at : 0;
        ssize_t more = pread(fd, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes, (off_t)*at);
        if (more < 0) {
            fprintf(stderr, "admit output: cannot read '%s': %s\n", job->output, strerror(errno));
            exit(EXIT_NO_OUTPUT);
        }
        if (more == 0)
            break;
        if (fwrite(bytes, 1, (size_t)more, stdout) != (size_t)more)
            exit(EXIT_NO_OUTPUT);
        *at += (uint64_t)more;
    }
    if (fflush(stdout) != 0)
        exit(EXIT_NO_OUTPUT);
}

/* A job that has not begun may yet find that others have written into its file. */
static void follow(struct job *job, int fd, uint64_t *at)
{
    for (bool ended = false; !ended;) {
        const struct timespec soon = in_future(LOOK_AGAIN_MS * UINT64_C(1000000));
        ended = job_await(job, &soon) || !job_look(job);
        if (*at < job->facts.output_from)
            *at = job->facts.output_from;
        if (ended || job->facts.state != JOB_WAITS)
            print_more(job, fd, at);
    }
}

/* Nothing is what a command has printed that never ran, and what one that runs has printed so far: which of them it is. */
static void tell_why_nothing(const struct job *job)
{
    static const char *const why[] = {[JOB_WAITING] = "waits, and has not begun yet",
                                      [JOB_ENDED] = "ended before it could begin",
                                      [JOB_CANCELLED] = "was cancelled before it began",
                                      [JOB_KILLED] = "was killed before it began"};
    const enum job_condition condition = job_condition(job);
    if (job->facts.began == 0 && condition != JOB_RUNNING && condition != JOB_ORPHAN)
        fprintf(stderr, "admit output: @%u %s\n", job->id, why[condition]);
}

int command_output(int argc, char **argv)
{
    struct arguments arguments = {.command = "output", .argc = argc, .argv = argv, .plain_max = 2};
    bool follows = false;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (is_option(option, "-f", "--follow")) {
            follows = true;
        } else {
            no_such_option("output", option, help_text);
        }
    }
    const char *id = plain_argument(&arguments, 0);
    struct job job;
    if (id == NULL)
        usage_error("output", "of which job? Such as @17; 'admit jobs' names them");
    if (plain_argument(&arguments, 1) != NULL)
        usage_error("output", "'%s' is one job too many: it prints what one of them has printed",
                    plain_argument(&arguments, 1));
    job_open_or_exit(&job, "output", id);
    int fd = open_output(&job);
    uint64_t at = job.facts.output_from, from = at;
    if (follows && job_is_above(&job))
        usage_error("output", "-f: this is part of %s itself, which would print for ever what it prints", id);
    if (follows)
        follow(&job, fd, &at);
    else
        print_more(&job, fd, &at);
    if (at == from)
        tell_why_nothing(&job);
    close(fd);
    job_close(&job);
    return EXIT_OK;
}
