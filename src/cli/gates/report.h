/* SPDX-License-Identifier: MIT
 *
 * report.h - the forms in which `admit report` tells what a log's lines come to: text, JSON, a picture.
 */
#ifndef ADMIT_CLI_GATES_REPORT_H
#define ADMIT_CLI_GATES_REPORT_H

#include "cli/gates/json.h"
#include "cli/gates/reckoning.h"

/* `events`: those of the gate. */
void print_reckoning(const struct reckoning *reckoning, const struct log *log, const struct event *events,
                     size_t count);
/* A table: who entered, used the slots, waited. */
void print_shares(const struct reckoning *reckoning, const struct log *log, const struct event *events, size_t count,
                  bool by_user);
/* As a chart of characters, as wide as the terminal, or sixty columns; nothing if all lines are of one moment. */
void print_over_time(const struct reckoning *reckoning);
/* If few came, a lane of such characters for each of them; false: they are too many, or all lines are of one moment. */
bool print_visits(const struct reckoning *reckoning, const struct log *log, const struct event *events, size_t count);
/* Which lines were left out, and why; nothing if none was. */
void print_oddities(const struct log *log);

void write_reckoning(struct json_writer *json, const struct reckoning *reckoning, const struct log *log,
                     const struct event *events, size_t count);
void write_lines(struct json_writer *json, const struct log *log);

/* All gates of the log, one below the other, over the same time. Why the file cannot be written is said on stderr. */
bool draw_log(const struct log *log, const char *file);

/* A date and a time, in the local zone. */
const char *date_for_people(int64_t us, char buffer[32]);

#endif
