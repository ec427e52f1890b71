/* SPDX-License-Identifier: MIT
 *
 * watch.h - what happens at gates, line by line: `admit status --watch`, and `admit top` where there is no screen.
 */
#ifndef ADMIT_CLI_GATES_WATCH_H
#define ADMIT_CLI_GATES_WATCH_H

#include "cli/gates/watched.h"

/* Opens them and looks at them for the first time; if one that is named cannot be used, it says so and exits. */
void watch_begin(struct watch *watch, const char *command, char *const *names, unsigned count);

/* Prints who is there, and then a line for each change; with JSON a line with all of a gate whenever something is otherwise.
 * Until a signal, until nobody reads it any more, or until none of the gates is there that are named. Returns what to exit
 * with. */
int watch_in_lines(struct watch *watch, bool as_json);

#endif
