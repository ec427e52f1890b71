/* SPDX-License-Identifier: MIT
 *
 * cli.h - what the sub-commands share.
 */
#ifndef ADMIT_CLI_H
#define ADMIT_CLI_H

#include "checker/catalogue.h"
#include "checker/process.h"
#include "checker/properties.h"
#include "checker/references.h"
#include "checker/trace.h"

#include <jansson.h>
#include <stdio.h>

enum { EXIT_OK = 0, EXIT_VIOLATED = 1, EXIT_USAGE = 2, EXIT_UNDECIDED = 3 };

/* What bad usage exits with: EXIT_USAGE, but for `admit run`, where 1 to 124 are the command's own. */
extern int usage_exit_status;

int command_check(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_algorithms(int argc, char **argv);
int command_count(int argc, char **argv);
int command_bound(int argc, char **argv);
int command_claims(int argc, char **argv);
int command_equivalent(int argc, char **argv);
int command_run(int argc, char **argv);
int command_status(int argc, char **argv);
int command_list(int argc, char **argv);
int command_resize(int argc, char **argv);
int command_remove(int argc, char **argv);

/* Prints "admit COMMAND: ..." on stderr and exits with usage_exit_status. */
_Noreturn void usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Options are cut out of argv one after the other: returns the next option's name ("-n", "--json"), or NULL at the end.
 * Arguments that are no options are collected in order. */
struct arguments {
    const char *command;
    int argc, at;
    char **argv;
    const char *plain[4];
    int plain_count, plain_max;
};

const char *next_option(struct arguments *arguments);
/* The value of the option just returned; an error if there is none. */
const char *option_value(struct arguments *arguments, const char *option);
/* `what` must be a whole number; an error if it is none, or out of range. */
uint64_t number_argument(const char *command, const char *what, const char *text, uint64_t least, uint64_t most);
uint64_t option_number(struct arguments *arguments, const char *option, uint64_t least, uint64_t most);
/* In bytes, or with K, M, G. */
uint64_t option_size(struct arguments *arguments, const char *option);

/* The named algorithm, or an error that names the nearest. */
const struct entry *algorithm_argument(const char *command, const char *id);
/* cc, dsm or cc-write-back. */
enum memory_model memory_model_named(const char *command, const char *name);
/* Checks n and k against the algorithm and sets k to its own if it was not given (0). */
void check_n_and_k(const char *command, const struct about *about, unsigned n, unsigned *k);
/* Refuses a setting that makes no sense for its algorithm, or a property that makes none. */
void check_setting(const char *command, const struct setting *setting, const enum property *properties, unsigned count);
/* "exclusion, deadlock-freedom, ..." */
void known_properties(char *list, size_t size);

/* Writes JSON and a newline on stdout, and frees it. */
void print_json(json_t *json);
/* The file that an option names, or NULL if it names none; an error if it cannot be written. */
FILE *open_output_file(const char *command, const char *name);
/* Writes the trace, if there is one, for `admit replay`, and closes the file. */
void write_trace_file(const char *command, FILE *file, const char *name, const struct trace *trace);
/* 12,345,678 */
const char *grouped(uint64_t number, char buffer[32]);

#endif
