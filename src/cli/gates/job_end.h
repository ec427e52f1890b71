/* SPDX-License-Identifier: MIT
 *
 * job_end.h - how a job stands, its end, and to bring that about.
 */
#ifndef ADMIT_CLI_GATES_JOB_END_H
#define ADMIT_CLI_GATES_JOB_END_H

#include "cli/gates/job.h"

#include <stdbool.h>
#include <time.h>

enum job_condition {
    JOB_WAITING,
    JOB_RUNNING,
    JOB_ENDED,     /* with a status */
    JOB_CANCELLED, /* by `admit cancel`; it may have a status */
    JOB_ORPHAN,    /* its supervisor was killed, and the command runs still, or nobody can tell */
    JOB_KILLED,    /* its supervisor was killed; what became of the command is not known, if it had begun */
};

enum job_condition job_condition(const struct job *job);
/* "waiting", "running", "done", "cancelled", "orphan", "killed". */
const char *job_condition_name(enum job_condition condition);

/* Of one whose supervisor was killed: whether its command runs still, or nobody can tell. *end is then a descriptor that
 * can be read when it has ended, or -1 if there is none to be had; NULL: it is not wanted. */
bool job_is_orphan(const struct job *job, int *end);

/* Whether this process is one of those that its command has started, or is the command: then it cannot wait for its end. */
bool job_is_above(const struct job *job);

/* Returns when it has ended, and what is known of it is in job->facts; false if a moment of CLOCK_MONOTONIC came before,
 * NULL: however long it takes. */
bool job_await(struct job *job, const struct timespec *until);
/* The command's exit status; that of one whose supervisor was killed is not known, and counts as if it had been killed. */
int job_status(const struct job *job);

/* Asks it to end: one in line gives its place up, a command is sent SIGTERM. Its supervisor sees to the rest, if it has
 * one. False with errno: this process may not, or it cannot be told for certain which process it is. */
bool job_end(struct job *job);
/* The rest, of one that has none. */
void job_end_by_force(struct job *job);

#endif
