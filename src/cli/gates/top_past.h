/* SPDX-License-Identifier: MIT
 *
 * top_past.h - what has happened lately, line by line.
 */
#ifndef ADMIT_CLI_GATES_TOP_PAST_H
#define ADMIT_CLI_GATES_TOP_PAST_H

#include "cli/gates/watched.h"

enum { PAST_LINES = 200 };

struct past_lines {
    struct past {
        char *gate, *line;
        bool is_harm;
    } past[PAST_LINES]; /* a ring */
    unsigned count;     /* so far */
};

/* Keeps it as a line. */
void past_note(struct past_lines *lines, const struct watch *watch, const struct watched *watched,
               const struct change *change, int64_t at);

/* The last `most` of this gate, or of all: NULL; the newest first. Returns how many there are. */
unsigned past_last(const struct past_lines *lines, const char *gate, const struct past **found, unsigned most);

void past_close(struct past_lines *lines);

#endif
