/* SPDX-License-Identifier: MIT
 *
 * json.h - JSON as the commands about gates print it. The half of `admit run` loads no library for it: lists of
 * objects are all there is to write; what is read, the lines of a log, report_line.h reads.
 *
 * A writer keeps what it is told, so that nothing is printed of what an error ends. Inside an object each value has a
 * key; inside a list it is NULL.
 */
#ifndef ADMIT_CLI_GATES_JSON_H
#define ADMIT_CLI_GATES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer {
    FILE *out; /* to memory: */
    char *text;
    size_t size;
    unsigned depth;
    bool empty;       /* nothing stands yet between the innermost brackets */
    bool on_one_line; /* all of it, for a reader that takes a line at a time */
};

void json_writer_open(struct json_writer *json);
/* Prints all that was written and a newline on stdout, and ends the writer. */
void json_writer_print(struct json_writer *json);

void json_begin_list(struct json_writer *json, const char *key);
void json_end_list(struct json_writer *json);
void json_begin_object(struct json_writer *json, const char *key);
void json_end_object(struct json_writer *json);

void json_put_null(struct json_writer *json, const char *key);
void json_put_number(struct json_writer *json, const char *key, uint64_t number);
/* As a number with a point. */
void json_put_millionths(struct json_writer *json, const char *key, int64_t millionths);
/* NULL is null. Bytes that are no UTF-8 become U+FFFD. */
void json_put_text(struct json_writer *json, const char *key, const char *text);

#endif
