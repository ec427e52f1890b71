/* SPDX-License-Identifier: MIT
 *
 * trace.h - a counterexample that stands on its own: what was explored, and the steps to take. It can be written as
 * JSON, read back, executed again by calling the algorithm's text directly (not through the explorer's tables), and
 * shown as a space-time diagram.
 */
#ifndef ADMIT_CHECKER_SHOW_TRACE_H
#define ADMIT_CHECKER_SHOW_TRACE_H

#include "checker/judge/properties.h"

#include <jansson.h>
#include <stdio.h>

/* What a read that overlaps a write returns. A plain read returns what is there. */
enum reading { PLAIN, OLD_VALUE, NEW_VALUE, GARBLED };

struct trace_step {
    uint16_t fault; /* the one that begins, if any */
    uint8_t process;
    uint8_t choice;
    uint8_t reading;
    uint64_t garbled;
};

/* Where a run begins, if that is not the algorithm's own start: the values of the registers, and for each process the
 * way in which its text can come to where it stands, reading whatever it takes. */
struct trace_start {
    uint64_t *values; /* NULL: the run begins as the algorithm does */
    struct fed_step {
        uint8_t choice;
        uint64_t value; /* what the accessed register is said to hold */
    } * way[CHECKED_PROCESSES_MAX];
    size_t length[CHECKED_PROCESSES_MAX];
};

struct trace {
    struct setting setting;
    enum property property; /* or PROPERTIES: only `what` says what it shows */
    char what[200];
    unsigned i, j;
    struct trace_start start;
    struct trace_step *steps;
    size_t count, loop, loop_end; /* as in struct witness */
    const char *before_last;      /* what a diagram says before the last step, or NULL; not part of the JSON */
};

/* Everything that is true at one moment of an execution. */
struct moment {
    struct process process[CHECKED_PROCESSES_MAX];
    uint64_t *values;
    struct access access;         /* of the step that led here */
    uint64_t identity[WORDS_MAX]; /* equal for moments that have the same futures, if no step between is ambiguous */
    bool ambiguous;               /* the step that led here (tickets.h) */
};

/* An execution of a trace: moments[0] is the start, moments[s + 1] comes after step s. */
struct execution {
    struct model model;
    struct moment *moments;
    size_t count;    /* moments that could be reached */
    char error[200]; /* why a step could not be taken, or empty */
};

void trace_of(struct trace *trace, const struct finding *finding, const struct model *model);
void trace_close(struct trace *trace);
json_t *trace_to_json(const struct trace *trace);
/* The names of the ways that processes may go (--with). */
json_t *ways_to_json(const struct setting *setting);
/* NULL, or what is wrong with it. The message is static. */
const char *trace_from_json(struct trace *trace, const json_t *json);

/* False if some step is not possible; execution->error says which and why. */
bool trace_execute(const struct trace *trace, struct execution *execution);
void execution_close(struct execution *execution);
/* Whether the executed run shows what the trace says. NEEDS_EXPLORATION: it does if somebody is enabled, or is not, which
 * is about all other runs. */
enum confirmation { CONFIRMED, NOT_CONFIRMED, NEEDS_EXPLORATION };
enum confirmation trace_confirm(const struct trace *trace, const struct execution *execution);

/* Of P8, P10, P11 and P12: whether the executed run shows what the trace says, by the enabled relation of its setting,
 * explored to the end and without ambiguous steps; with NULL for both, as far as that does not matter. If not, missing
 * says what the run lacks; it is empty for other properties. NEEDS_EXPLORATION: of every step, idle ones too (idle.h). */
enum { MISSING_SIZE = 300 };
enum confirmation trace_confirm_enabled(const struct trace *trace, const struct execution *execution,
                                        const struct exploration *exploration, const struct enabled *enabled,
                                        char *missing);

/* Where ambiguous steps were explored (tickets.h), not all that was found need be real: makes a finding undecided
 * unless it is certain. */
void finding_settle(struct finding *finding, const struct exploration *exploration);

void trace_print(const struct trace *trace, const struct execution *execution, FILE *out);

#endif
