/* SPDX-License-Identifier: MIT
 *
 * report_log.h - all lines of one or several logs, in order: by gate, and of a gate by time. A line takes 56 bytes of
 * memory, whatever stands in it, so that of a log of ten million lines there is room.
 */
#ifndef ADMIT_CLI_GATES_REPORT_LOG_H
#define ADMIT_CLI_GATES_REPORT_LOG_H

#include "cli/gates/report_line.h"

/* Texts, each once; a number stands for it. */
struct names {
    char **text;
    uint32_t *table; /* number + 1 by hash; 0: nothing */
    uint32_t count, table_size;
};

enum { NO_NAME = 0xffff };

struct event {
    int64_t time, span; /* microseconds */
    uint64_t ticket;
    uint32_t number; /* of the line: two of the same time stay in order */
    uint32_t gate, pid, job;
    uint16_t user, program, command; /* NO_NAME: there are too many to tell them apart */
    uint16_t k, slot;
    int16_t status;
    uint8_t event, why;
    bool owner_died, token;
};

struct log {
    struct event *events;
    size_t count, room;
    struct names paths, users, programs;
    struct names commands; /* a program with its arguments, or the beginning of that */
    char **gate_names;     /* by path: as somebody named it, best without a slash */
    const char *wanted;    /* a gate's name or path: lines of others are passed over; NULL: all are wanted */
    uint64_t lines, kinds[LINE_KINDS], too_long, repeated;
    int64_t back; /* by how much, at most, a line is older than one above it in its file, if that is over a second */
    bool unread;  /* a file, or some of it; why has been said */
};

/* Says on stderr what cannot be read; "-" is standard input. */
void log_read(struct log *log, const char *file);
/* After the last file. */
void log_order(struct log *log);
/* How many events, from this one on, are of its gate. */
size_t events_of_gate(const struct log *log, size_t from);
void log_free(struct log *log);

/* The name of this number; NULL of NO_NAME. */
const char *name_of(const struct names *names, uint32_t number);

#endif
