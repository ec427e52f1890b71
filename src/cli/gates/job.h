/* SPDX-License-Identifier: MIT
 *
 * job.h - what is kept of the commands that `run -b` has queued. There is no daemon: a job is a process of its own, its
 * supervisor, which waits in line, runs the command, and notes in a file what happened. The file outlives it by a day.
 *
 * The files are in the directory "@jobs-UID" beside the user's gates (no gate can have such a name), and numbers count up
 * from 1 in each such directory. A job's file has a fixed part, which its supervisor alone changes, in place and without
 * need of room on the disk, and behind it texts that never change. As long as the supervisor lives it has a lock on the
 * file; so whether it lives is asked of the kernel, and not of a number of a process.
 */
#ifndef ADMIT_CLI_GATES_JOB_H
#define ADMIT_CLI_GATES_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum job_state { JOB_WAITS, JOB_RUNS, JOB_DONE };

/* Times are in nanoseconds of CLOCK_REALTIME, 0: has not happened. */
struct job_facts {
    char magic[8];
    uint64_t checksum; /* of the facts after it */
    uint64_t state;
    int64_t submitted, began, ended;
    int64_t status; /* what the command exited with, or admit itself, when it is done */
    uint64_t slot, ticket;
    int64_t supervisor, command; /* processes; of the command 0: none */
    uint64_t started;            /* of the command: so that its number is not taken for a later process's */
    uint64_t pid_namespace;      /* in which these are numbers */
    uint64_t text_size;
};

struct job {
    uint32_t id;
    int fd;
    bool supervised; /* its supervisor lives */
    struct job_facts facts;
    char *text; /* in which the next four are: */
    const char *gate, *path, *where,
        *output;  /* as it was named; its file; the working directory; the file of its output */
    char **words; /* the command */
};

/* "@17". 0: it is none. */
uint32_t job_id(const char *text);

/* Makes a new one, locked, for this process and the child that becomes its supervisor. `output`: where its output goes,
 * in which %j is its number and %% a percent sign; NULL: a file beside its own. Opens that: *output_fd. Ends with a
 * message if it cannot be done. */
void job_make(struct job *job, const char *gate, char *const *words, const char *output, int *output_fd);
/* As if it had never been. */
void job_forget(struct job *job);
/* By the supervisor: what has been changed in job->facts is what others read from now on. */
void job_note(struct job *job);

/* False: there is none of this number, or none any more; or with errno other than ENOENT, it cannot be read. */
bool job_open(struct job *job, uint32_t id);
/* As it is now. */
bool job_look(struct job *job);
void job_close(struct job *job);
/* Calls one for each job there is, in the order of their numbers. Those that ended more than a day ago are deleted. */
void job_list(void (*one)(void *data, struct job *job), void *data);

/* Of one whose supervisor was killed: whether its command runs still, or nobody can tell. *end is then a descriptor that
 * can be read when it has ended, or -1 if there is none to be had; NULL: it is not wanted. */
bool job_is_orphan(const struct job *job, int *end);

/* Returns when it has ended, and what is known of it is in job->facts; false if a moment of CLOCK_MONOTONIC came before,
 * NULL: however long it takes. */
struct timespec;
bool job_await(struct job *job, const struct timespec *until);
/* The command's exit status; that of one whose supervisor was killed is not known, and counts as if it had been killed. */
int job_status(const struct job *job);

#endif
