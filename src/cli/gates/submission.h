/* SPDX-License-Identifier: MIT
 *
 * submission.h - `run -b`: the visit of a job, which goes on in the background as soon as it has a place in line, and is
 * noted from then on.
 */
#ifndef ADMIT_CLI_GATES_SUBMISSION_H
#define ADMIT_CLI_GATES_SUBMISSION_H

#include "cli/gates/job.h"
#include "cli/gates/visit.h"

#include <admit.h>

struct submission {
    struct job job;
    int output;  /* the file of what the command prints */
    bool placed; /* it is a job that others see */
};

/* Before the visit, with the signals held (command.h): returns in the process that is to be the job. Its caller, which waits
 * until there is a place, prints the id and exits, or exits as this one does if that is before. output: of -o, or NULL. */
void submit(struct submission *submission, struct visit *visit, const char *output);

/* In the process that becomes the command, once that owns the slot. */
void submission_begins(struct submission *submission, const admit_hold *hold);
/* Before the slot is given back. */
void submission_ends(struct submission *submission, int status);

#endif
