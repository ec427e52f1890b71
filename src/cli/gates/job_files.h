/* SPDX-License-Identifier: MIT
 *
 * job_files.h - where the files of jobs are, and their numbers: in the directory "@jobs-UID" beside the user's gates (no
 * gate can have such a name), in which numbers count up from 1. A job has a file that is called by its number, and may
 * have another one, "NUMBER.out", with what its command has printed.
 */
#ifndef ADMIT_CLI_GATES_JOB_FILES_H
#define ADMIT_CLI_GATES_JOB_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directory, as a message names it, once it has been looked for. NULL: there is none, as admit_last_error_text says. */
const char *job_files_path(void);

/* A new file, with the next number, locked before anybody else can have seen it; the directory is made if it is needed.
 * -1 with errno; EPERM: the directory is not this user's alone. */
int job_file_make(uint32_t *id);
/* The path of the file for its output. */
void job_output_path(uint32_t id, char *path, size_t size);

/* -1 with errno; ENOENT: there is none. flags: as for open(2). */
int job_file_open(uint32_t id, int flags);
/* That and its output. */
void job_file_delete(uint32_t id);

/* Whether the process that has made it lives: it has it locked as long. */
bool job_file_is_locked(int fd);

/* All numbers, in their order; free() them. False with errno: they may not be all. */
bool job_file_numbers(uint32_t **numbers, size_t *count);

#endif
