/* SPDX-License-Identifier: MIT
 *
 * synopsis.h - what a help text says of a command line: its options, what these take, and what other words there are. The
 * help is the one place where they are listed; who completes command lines reads it as people do.
 *
 *     usage: admit output [-f] @ID                             options and arguments, up to an empty line
 *
 *       -o, --output FILE   append what it prints to FILE     an option on a line of its own, and what it is for
 *
 * A word in capitals, or with an @, says what stands there. "A | B" is one of them; "..." is any number.
 */
#ifndef ADMIT_CLI_SYNOPSIS_H
#define ADMIT_CLI_SYNOPSIS_H

#include <stdbool.h>

enum { SYNOPSIS_OPTIONS_MAX = 64, SYNOPSIS_ARGUMENTS_MAX = 8, SYNOPSIS_WORD_SIZE = 48, SYNOPSIS_BRIEF_SIZE = 96 };

struct synopsis_option {
    char name[SYNOPSIS_WORD_SIZE];
    char takes[SYNOPSIS_WORD_SIZE]; /* "": nothing */
    char brief[SYNOPSIS_BRIEF_SIZE];
};

struct synopsis {
    struct synopsis_option options[SYNOPSIS_OPTIONS_MAX];
    unsigned option_count;
    char arguments[SYNOPSIS_ARGUMENTS_MAX][SYNOPSIS_WORD_SIZE]; /* one of several: with blanks between, "GATE @ID" */
    unsigned argument_count;
    bool last_repeats;    /* the last argument */
    bool ends_in_command; /* "-- COMMAND" */
    /* What may follow the sub-command, as in "admit bound values", with blanks between; then only lines of usage with the one
     * that was asked for have been read. */
    char parts[SYNOPSIS_WORD_SIZE];
};

/* Reads the help of `admit COMMAND PART`; `part` may be NULL. */
void synopsis_read(struct synopsis *synopsis, const char *help, const char *part);
bool synopsis_has_part(const struct synopsis *synopsis, const char *part);
/* The option of this name; NULL if there is none. */
const struct synopsis_option *synopsis_option(const struct synopsis *synopsis, const char *name);

#endif
