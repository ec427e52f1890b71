/* SPDX-License-Identifier: MIT
 *
 * change_text.h - what has happened at a gate, as a line and as JSON.
 */
#ifndef ADMIT_CLI_GATES_CHANGE_TEXT_H
#define ADMIT_CLI_GATES_CHANGE_TEXT_H

#include "cli/gates/changes.h"
#include "cli/gates/json.h"

#include <stddef.h>

enum { CHANGE_LINE = 1024 };

/* "19:28:14  gpu  entered    slot 0    25903 ada  (after 12 s) ./train 1"; at: CLOCK_REALTIME in ns. gate_columns: how
 * wide the gates' names are; 0: there is one gate, which is not named. The end is the command's, so that the line can be cut. */
void change_line(const struct change *change, int64_t at, const char *gate, unsigned gate_columns,
                 char line[CHANGE_LINE]);

/* It has come to harm: died, was recovered, cannot be used. */
bool change_is_harm(const struct change *change);

/* An object. */
void change_write(struct json_writer *json, const struct change *change);

#endif
