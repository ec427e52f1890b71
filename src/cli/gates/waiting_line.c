/* SPDX-License-Identifier: MIT */
#include "cli/gates/waiting_line.h"

#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "native/printable.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool terminal_is_ours(void)
{
    return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static const char begin[] = "admit: waiting at ";

void waiting_line_show(struct waiting_line *line, unsigned place)
{
    long seconds = (long)(time(NULL) - line->since);
    if ((line->shown && line->place == place && line->seconds == seconds) || !terminal_is_ours())
        return;
    enum { LEAST_ROOM = 8 };
    const unsigned columns = columns_of_terminal(STDERR_FILENO), room = columns > 0 ? columns - 1 : 79;
    char text[512], gate[256], where[96], since[16], so_long[32];
    struct tm local;
    strftime(since, sizeof since, "%H:%M:%S", localtime_r(&line->since, &local));
    snprintf(where, sizeof where, ", place %u, since %s (%s)", place, since, duration_for_people(seconds, so_long));
    /* A long path gives way to the place; and what is wider than the screen could not be written over. */
    const unsigned others = (unsigned)(strlen(begin) + strlen(where));
    admit_printable(line->gate, gate, sizeof gate);
    cut_to_columns(gate, room > others + LEAST_ROOM ? room - others : LEAST_ROOM);
    snprintf(text, sizeof text, "%s%s%s", begin, gate, where);
    cut_to_columns(text, room);
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
