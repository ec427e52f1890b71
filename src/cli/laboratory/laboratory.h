/* SPDX-License-Identifier: MIT
 *
 * laboratory.h - what the sub-commands about algorithms share.
 */
#ifndef ADMIT_CLI_LABORATORY_LABORATORY_H
#define ADMIT_CLI_LABORATORY_LABORATORY_H

#include "checker/judge/properties.h"
#include "checker/model/catalogue.h"
#include "checker/model/process.h"
#include "checker/model/references.h"
#include "checker/picture/picture.h"
#include "checker/show/trace.h"
#include "cli/commands.h"
#include "cli/usage.h"

#include <jansson.h>
#include <stdio.h>

/* The named algorithm, or an error that names the nearest. */
const struct entry *algorithm_argument(const char *command, const char *id);
/* cc, dsm or cc-write-back. */
enum memory_model memory_model_named(const char *command, const char *name);
/* Checks n and k against the algorithm and sets k to its own if it was not given (0). */
void check_n_and_k(const char *command, const struct about *about, unsigned n, unsigned *k);
/* Of these, only that the registers can be made: a run may ask of an algorithm for k = 1 what it does where two may be
 * inside. */
void check_size(const char *command, const struct about *about, unsigned n, unsigned k);
/* Refuses a setting that makes no sense for its algorithm, or a property that makes none. */
void check_setting(const char *command, const struct setting *setting, const enum property *properties, unsigned count);

/* Refuses an ADMIT_THREADS that is no number of threads. */
void check_threads(const char *command);

/* ", with recovery, alone": the faults and the ways of the setting, if there are any, on stdout. */
void print_faults_and_ways(const struct setting *setting);
/* Writes JSON and a newline on stdout, and frees it. */
void print_json(json_t *json);
/* Elsewhere "-" is standard input or output; here it would be a file of that name, which nobody means. */
void refuse_dash(const char *command, const char *name);
/* The file that an option names, or NULL if it names none; an error if it cannot be written. */
FILE *open_output_file(const char *command, const char *name);
/* Writes the trace, if there is one, for `admit replay`, and closes the file. */
void write_trace_file(const char *command, FILE *file, const char *name, const struct trace *trace);
/* The files that --svg and --html name, or NULL. */
struct picture_files {
    const char *svg, *html;
};
/* The option is one of these, and has been read. */
bool picture_option(struct picture_files *files, struct arguments *arguments, const char *option);
/* What an option names, or NULL. */
struct named_file {
    const char *option, *name;
};
/* An error if two of them, which the command reads or writes, are the same file. */
void refuse_same_files(const char *command, const struct named_file *files, unsigned count);
/* An error if one of them cannot be written; nothing is written yet. */
void check_picture_files(const char *command, const struct picture_files *files);
/* Each whole or not at all; if one cannot be, the program ends. */
void write_pictures(const char *command, const struct picture_files *files, const struct picture_of *picture);
/* 12,345,678 */
const char *grouped(uint64_t number, char buffer[32]);

#endif
