/* SPDX-License-Identifier: MIT */
#include "cli/gates/waiting_line.h"

#include "cli/gates/gates.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool terminal_is_ours(void)
{
    return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* A line that is wider than the screen could not be written over. */
static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

void waiting_line_show(struct waiting_line *line, unsigned place)
{
    long seconds = (long)(time(NULL) - line->since);
    if ((line->shown && line->place == place && line->seconds == seconds) || !terminal_is_ours())
        return;
    char text[256], since[16], so_long[32];
    struct tm local;
    strftime(since, sizeof since, "%H:%M:%S", localtime_r(&line->since, &local));
    snprintf(text, sizeof text, "admit: waiting at %s, place %u, since %s (%s)", line->gate, place, since,
             duration_for_people(seconds, so_long));
    fprintf(stderr, "\r%.*s\033[K", columns(), text);
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
