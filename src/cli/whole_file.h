/* SPDX-License-Identifier: MIT
 *
 * whole_file.h - a file that is written whole or not at all.
 */
#ifndef ADMIT_CLI_WHOLE_FILE_H
#define ADMIT_CLI_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether these are two names of one file, be it there or not. A device or a pipe can be written twice, and is none. */
bool is_same_file(const char *file, const char *other);
/* Whether it seems so, before long work; nothing is changed. If not, errno says why. */
bool can_write_whole_file(const char *file);
/* One that is there stays as it was until the new one takes its place; a device or a pipe is written to. Says on stderr,
 * for this sub-command, why it cannot be done. */
bool write_whole_file(const char *command, const char *file, const char *text, size_t size);

#endif
