/* SPDX-License-Identifier: MIT */
#include "cli/gates/waiting_line.h"

#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "native/printable.h"

#include <stdio.h>
#include <unistd.h>

static bool terminal_is_ours(void)
{
    return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void waiting_line_show(struct waiting_line *line, unsigned place)
{
    long seconds = (long)(time(NULL) - line->since);
    if ((line->shown && line->place == place && line->seconds == seconds) || !terminal_is_ours())
        return;
    char text[256], gate[160], since[16], so_long[32];
    const unsigned width = columns_of_terminal(STDERR_FILENO);
    struct tm local;
    strftime(since, sizeof since, "%H:%M:%S", localtime_r(&line->since, &local));
    admit_printable(line->gate, gate, sizeof gate);
    snprintf(text, sizeof text, "admit: waiting at %s, place %u, since %s (%s)", gate, place, since,
             duration_for_people(seconds, so_long));
    cut_to_columns(text, width > 1 ? width - 1 : 79); /* what is wider than the screen could not be written over */
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    line->shown = true;
    line->place = place;
    line->seconds = seconds;
}

void waiting_line_clear(struct waiting_line *line)
{
    if (line->shown && terminal_is_ours())
        fputs("\r\033[K", stderr);
    line->shown = false;
}
