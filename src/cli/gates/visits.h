/* SPDX-License-Identifier: MIT
 *
 * visits.h - each way through a gate, from coming to leaving, of a log in which there are few: one can be looked at then.
 */
#ifndef ADMIT_CLI_GATES_VISITS_H
#define ADMIT_CLI_GATES_VISITS_H

#include "cli/gates/reckoning.h"

enum { VISITS_MAX = 24 };

enum visit_end {
    VISIT_LEFT,
    VISIT_KILLED,        /* inside: the next in its slot was told so */
    VISIT_EXIT_NOT_TOLD, /* it was inside no longer than until then */
    VISIT_STILL_INSIDE,  /* at the end of the log */
    VISIT_GAVE_UP,
    VISIT_KILLED_IN_LINE, /* some time before `end`, when one that came later went in */
    VISIT_STILL_WAITING,
};

struct visit {
    int64_t came, entered, end; /* microseconds; entered is `end` if it never was inside */
    uint64_t ticket;
    uint32_t pid, job; /* job 0: none */
    uint16_t user, program, command, slot;
    int16_t status; /* -1: none */
    enum visit_end how;
    uint8_t why; /* of VISIT_GAVE_UP: enum log_why */
    bool was_inside;
};

/* Of events of one gate, in the order in which they came; returns how many: 0 if there are more than VISITS_MAX, or a
 * build took tokens, which come and go with no line. */
size_t find_visits(const struct log *log, const struct event *events, size_t count, struct visit visits[VISITS_MAX]);

/* The one that has the slot of this one, which was killed inside, from its end on; NULL: none. */
const struct visit *heir_of(const struct visit *killed, const struct visit *visits, size_t count);

/* Its command, by which it is told from others of the same program. */
const char *name_of_visit(const struct log *log, const struct visit *visit);
/* Its job, such as @17, or else the process that came. */
const char *number_of_visit(const struct visit *visit, char buffer[16]);

/* What they come to. */
struct visits_sum {
    unsigned killed, killed_in_line;
    unsigned most_inside; /* at once */
    bool in_order;        /* nobody went in before one that had drawn its place earlier and went in, too */
};

struct visits_sum sum_of_visits(const struct visit *visits, size_t count);

#endif
