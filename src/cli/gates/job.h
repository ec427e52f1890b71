/* SPDX-License-Identifier: MIT
 *
 * job.h - what is kept of the commands that `run -b` has queued. There is no daemon: a job is a process of its own, its
 * supervisor, which waits in line, runs the command, and notes in a file what happened. The file outlives it by a day.
 *
 * A job's file has a fixed part, which its supervisor alone changes, in place and without need of room on the disk; behind
 * it the time at which it was cancelled, which `admit cancel` alone writes; and texts that never change. As long as the
 * supervisor lives it has a lock on the file; so whether it lives is asked of the kernel, and not of a number of a process.
 * Until it has drawn its place in line, nobody sees that there is a job.
 */
#ifndef ADMIT_CLI_GATES_JOB_H
#define ADMIT_CLI_GATES_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum job_state { JOB_WAITS, JOB_RUNS, JOB_DONE };

/* A process's number, and when it started (process.h), so that its number is not taken for a later process's. */
struct job_process {
    int64_t pid; /* 0: none */
    uint64_t started;
};

/* Times are in nanoseconds of CLOCK_REALTIME, 0: has not happened. */
struct job_facts {
    char magic[8];
    uint64_t checksum; /* of the facts after it */
    uint64_t state;
    int64_t submitted, began, ended;
    int64_t status; /* what the command exited with, or admit itself, when it is done */
    uint64_t slot, ticket;
    struct job_process supervisor, command;
    uint64_t boot, pid_namespace; /* in which these are numbers, */
    uint64_t time_namespace;      /* and by whose clock they started */
    uint64_t output_from;         /* what is its own in the file of its output, which may have been there before, */
    uint64_t output_to;           /* and may go on afterwards; when it is done */
    uint64_t text_size;
};

struct job {
    uint32_t id;
    int fd;
    bool supervised; /* its supervisor lives */
    int64_t cancelled;
    struct job_facts facts;
    char *
        text; /* in which the next four are: as the gate was named, its file, the working directory, the output's file */
    const char *gate, *path, *where, *output;
    char **words; /* the command */
};

/* "@17". 0: it is none. */
uint32_t job_id(const char *text);
bool is_number(const char *text);
/* The arguments, with those that are several ids, as of a variable with a line for each, cut into them. Returns how many there
 * are; *words is NULL if there is no memory. */
int job_words(char **arguments, int count, char ***words);

/* Makes a new one, which this process will supervise. `output`: where its output goes, in which %j is its number and %% a
 * percent sign; NULL: a file beside its own. Opens that: *output_fd. Ends with a message if it cannot be done. */
void job_make(struct job *job, const char *gate, char *const *words, const char *output, int *output_fd);
/* As if it had never been. */
void job_forget(struct job *job);
/* By the supervisor: what has been changed in job->facts is what others read from now on. False with errno: it could not be
 * written, also not after a second of tries. */
bool job_note(struct job *job);

/* False: there is none of this number, or none any more; or with errno other than ENOENT, it cannot be read. */
bool job_open(struct job *job, uint32_t id);
/* The same; says why not, and exits. */
void job_open_or_exit(struct job *job, const char *command, const char *id);
/* On stderr, with what `error`, an errno, says of it. */
void job_tell_unreadable(const char *command, const char *what, int error);
/* As it is now. */
bool job_look(struct job *job);
void job_close(struct job *job);
/* That it is to be cancelled, or is not after all; false with errno. */
bool job_note_cancelled(struct job *job, bool cancelled);

/* Calls one for each job there is, in the order of their numbers. Those that ended more than a day ago are deleted.
 * False: there are or may be others, which cannot be looked at, as is told on stderr; unless `command` is NULL. */
bool job_list(void (*one)(void *data, struct job *job), void *data, const char *command);

/* In nanoseconds of CLOCK_REALTIME. */
int64_t job_time(void);

#endif
