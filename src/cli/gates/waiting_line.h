/* SPDX-License-Identifier: MIT
 *
 * waiting_line.h - one line on a terminal that says where in line one is, written over itself.
 */
#ifndef ADMIT_CLI_GATES_WAITING_LINE_H
#define ADMIT_CLI_GATES_WAITING_LINE_H

#include <stdbool.h>
#include <time.h>

struct waiting_line {
    const char *gate;
    time_t since;
    bool shown;
    unsigned place;
    long seconds; /* as shown */
};

/* Shows it, if stderr is a terminal and this is its foreground: nobody else's screen is written to. */
void waiting_line_show(struct waiting_line *line, unsigned place);
/* Takes it away, so that what comes next finds an empty line. */
void waiting_line_clear(struct waiting_line *line);

#endif
