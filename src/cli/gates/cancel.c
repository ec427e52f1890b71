/* SPDX-License-Identifier: MIT
 *
 * admit cancel - takes jobs out of the line, or ends their commands.
 */
#include "cli/gates/gates.h"
#include "cli/gates/job.h"
#include "cli/gates/job_end.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_NOT_CANCELLED = 1, GRACE_S = 5 };

static const char help_text[] =
    "usage: admit cancel @ID...\n"
    "\n"
    "A job that waits gives its place up, and the others keep theirs. The command of a job that runs, with all of its\n"
    "process group, is sent SIGTERM, and SIGKILL five seconds later. Returns when the jobs have ended; 'admit jobs' "
    "has\n"
    "them as cancelled, and 'admit wait' exits with 143, or 137, for them. One word may be several ids, with blanks "
    "or\n"
    "ends of lines between.\n"
    "\n"
    "Exit status: 0, also if a job ends by itself meanwhile; 1 if one had ended before, or cannot be ended, which is\n"
    "said; 2 there is no such job. The others are cancelled in any case, unless one is unknown.\n";

static bool has_ended(const struct job *job)
{
    enum job_condition condition = job_condition(job);
    return condition != JOB_WAITING && condition != JOB_RUNNING && condition != JOB_ORPHAN;
}

/* False: nothing was to be done for it, or can be; why has been said. */
static bool begin_to_cancel(struct job *job)
{
    if (has_ended(job)) {
        fprintf(stderr, "admit cancel: @%u has ended already\n", job->id);
        return false;
    }
    if (job_note_cancelled(job, true) && job_end(job))
        return true;
    fprintf(stderr, "admit cancel: cannot end @%u: %s\n", job->id,
            errno == EACCES
                ? "its processes cannot be seen from here, in another pid or time namespace or without /proc"
                : strerror(errno));
    job_note_cancelled(job, false);
    return false;
}

/* Those whose supervisor was killed have nobody else who sees to it. */
static void end_orphan(struct job *job, const struct timespec *until)
{
    while (!job_await(job, until) && job_look(job) && !job->supervised) {
        const struct timespec later = in_future(100000000);
        job_end_by_force(job);
        if (job_await(job, &later))
            return;
    }
}

int command_cancel(int argc, char **argv)
{
    struct arguments arguments = {.command = "cancel", .argc = argc, .argv = argv, .plain_max = INT_MAX};
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        }
        no_such_option("cancel", option, help_text);
    }
    if (arguments.plain_count == 0)
        usage_error("cancel", "which job? Such as @17; 'admit jobs' names them");
    char **ids;
    const int count = job_words(arguments.argv, arguments.plain_count, &ids);
    struct job *jobs = calloc((size_t)count, sizeof *jobs);
    bool *ends = calloc((size_t)count, sizeof *ends);
    if (ids == NULL || jobs == NULL || ends == NULL)
        usage_error("cancel", "out of memory");
    for (int j = 0; j < count; j++)
        job_open_or_exit(&jobs[j], "cancel", ids[j]);
    const struct timespec until = in_future(GRACE_S * UINT64_C(1000000000));
    int status = EXIT_OK;
    for (int j = 0; j < count; j++) {
        ends[j] = begin_to_cancel(&jobs[j]);
        if (!ends[j])
            status = EXIT_NOT_CANCELLED;
    }
    for (int j = 0; j < count; j++) {
        if (ends[j]) {
            end_orphan(&jobs[j], &until);
            job_await(&jobs[j], NULL);
        }
        job_close(&jobs[j]);
    }
    free(jobs);
    free(ids);
    free(ends);
    return status;
}
