/* SPDX-License-Identifier: MIT
 *
 * usage.h - what all sub-commands share: how options are read, how bad usage is told, what they exit with.
 *
 * The command line has two halves, which know nothing of each other: gates/ needs libadmit alone; laboratory/ is the
 * front of the checker.
 */
#ifndef ADMIT_CLI_USAGE_H
#define ADMIT_CLI_USAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { EXIT_OK = 0, EXIT_VIOLATED = 1, EXIT_USAGE = 2, EXIT_UNDECIDED = 3 };

/* What `admit run` exits with where it is not the command's own status. */
enum { EXIT_TRY_AGAIN = 75, EXIT_TIMED_OUT = 124, EXIT_OWN_FAILURE = 125, EXIT_NOT_RUN = 126, EXIT_NOT_FOUND = 127 };

/* What bad usage exits with: EXIT_USAGE, but for those whose status 1 to 124 is a command's or a job's own: `admit run`,
 * `enter`, `jobserver`, `wait`. */
extern int usage_exit_status;

/* Prints "admit COMMAND: ..." on stderr and exits with usage_exit_status. */
_Noreturn void usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* That there is no such one; and which may be meant, of those in the sub-command's help. */
_Noreturn void no_such_option(const char *command, const char *option, const char *help);

/* That an option takes what `known` lists, and not this; and which of its words may be meant. */
_Noreturn void no_such_value(const char *command, const char *option, const char *known, const char *value);

/* Options are cut out of argv one after the other: returns the next option's name ("-n", "--json"), or NULL at the end.
 * Its value may be the next word, or stand in the same one: "-k2", "-k=2", "--wait=3s". Short options that take none may
 * stand in one word: "-bq". Arguments that are no options are collected in order. */
struct arguments {
    const char *command;
    int argc, at;
    char **argv;
    int plain_count, plain_max;
    bool dashes_end_options; /* after "--" all words are arguments; otherwise it is returned, as an option */
    char option[64];         /* the name that was returned last, if its word has more than that in it */
    const char *rest;        /* what is left of that word; NULL: nothing */
};

/* The plain argument of this number; NULL if there are not so many. They are kept in argv, where words have been read. */
const char *plain_argument(const struct arguments *arguments, int number);
const char *next_option(struct arguments *arguments);
/* Whether the option just returned is this one, by its short or its long name; NULL: it has none. */
bool is_option(const char *option, const char *short_name, const char *long_name);
/* The value of the option just returned; an error if there is none. */
const char *option_value(struct arguments *arguments, const char *option);
/* `what` must be a whole number; an error if it is none, or out of range. */
uint64_t number_argument(const char *command, const char *what, const char *text, uint64_t least, uint64_t most);
uint64_t option_number(struct arguments *arguments, const char *option, uint64_t least, uint64_t most);
/* In bytes, or with K, M, G. */
uint64_t option_size(struct arguments *arguments, const char *option);

#endif
