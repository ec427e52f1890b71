/* SPDX-License-Identifier: MIT
 *
 * background.h - a process that goes on in the background once something has happened: a place in line was drawn, a slot
 * was had. Until then it is as much part of its caller's job as if nobody had forked: the caller waits, Ctrl-C reaches
 * both, and if one of them is killed the other ends.
 */
#ifndef ADMIT_CLI_GATES_BACKGROUND_H
#define ADMIT_CLI_GATES_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>

/* What is said if the parent cannot print. */
struct background {
    const char *command;
    const char *what;       /* is to be printed */
    const char *taken_back; /* "...": so it is if that cannot be */
    const char *goes_on;    /* if that is known only later; the text stands behind it */
    int goes_on_status;
};

/* Forks, with the signals held (command.h). Returns in the child. The parent waits for what the child tells, prints that,
 * and exits with 0; or the child ends first: then the parent exits as the child has. Where nothing can be printed, since
 * standard output is closed, it is refused beforehand. */
void background_begin(const struct background *background);

/* In the child: it leaves the terminal, for a session of its own, in which a hang-up is ignored, as nohup does. Standard
 * input is empty, what is printed goes to `output`, or nowhere if that is -1, and what else the caller has left open is
 * closed. Then the parent prints `text`, and is let go. If it cannot print it, or is gone already, this process is sent
 * SIGTERM, as it would have been if that had happened before: then this returns false. */
bool background_go_on(int output, const char *text);

/* On standard output, all of it; false with errno, EPIPE too. */
bool print_now(const char *text, size_t length);

#endif
