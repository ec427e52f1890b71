/* SPDX-License-Identifier: MIT */
#include "cli/gates/submission.h"

#include "cli/gates/background.h"
#include "cli/gates/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much has been printed so far, if that can be told. */
static void note_output(const struct submission *submission, uint64_t *size)
{
    struct stat status;
    if (fstat(submission->output, &status) == 0 && S_ISREG(status.st_mode))
        *size = (uint64_t)status.st_size;
}

static void become_job(void *data)
{
    struct submission *submission = data;
    struct job *job = &submission->job;
    char text[32];
    job->facts.supervisor = (struct job_process){.pid = getpid(), .started = process_start_time(getpid())};
    job_note(job);
    snprintf(text, sizeof text, "@%u\n", job->id);
    /* Of what nobody was told there is no job. */
    submission->placed = background_go_on(submission->output, text);
}

void submission_ends(struct submission *submission, int status)
{
    struct job *job = &submission->job;
    job->facts.state = JOB_DONE;
    job->facts.status = status;
    job->facts.ended = job_time();
    fflush(NULL); /* what admit itself has to say is part of the output */
    note_output(submission, &job->facts.output_to);
    if (!job_note(job))
        dprintf(submission->output, "admit run: cannot note that @%u has ended with status %d: %s\n", job->id, status,
                strerror(errno));
}

static void not_let_in(void *data, int status)
{
    struct submission *submission = data;
    if (submission->placed)
        submission_ends(submission, status);
    else
        job_forget(&submission->job);
}

void submit(struct submission *submission, struct visit *visit, const char *output)
{
    background_begin(&(struct background){.command = visit->command,
                                          .what = "the job's id",
                                          .taken_back = "the job is not run",
                                          .goes_on = "it goes on",
                                          .goes_on_status = EXIT_SUCCESS});
    signal(SIGTERM, SIG_DFL); /* `admit cancel` sends it, whether the caller ignores it or not */
    job_make(&submission->job, visit->gate, visit->for_whom, output, &submission->output);
    visit->placed = become_job;
    visit->not_let_in = not_let_in;
    visit->data = submission;
    visit->stay.job = submission->job.id;
}

/* No stdio: this may be a child of vfork. */
void submission_begins(struct submission *submission, const admit_hold *hold)
{
    struct job *job = &submission->job;
    setpgid(0, 0);
    job->facts.state = JOB_RUNS;
    job->facts.began = job_time();
    job->facts.slot = hold->slot;
    job->facts.ticket = hold->ticket;
    job->facts.command = (struct job_process){.pid = getpid(), .started = process_start_time(getpid())};
    note_output(submission, &job->facts.output_from);
    job_note(job);
}
