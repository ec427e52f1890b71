/* SPDX-License-Identifier: MIT
 *
 * report_line.h - a line of a log (log.h), read. Whatever stands there: a line that is not one of a log's is told from
 * those that are, and nothing else happens. A field or an event that a later version adds is no error.
 */
#ifndef ADMIT_CLI_GATES_REPORT_LINE_H
#define ADMIT_CLI_GATES_REPORT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_event { LOG_WAIT, LOG_ENTER, LOG_EXIT, LOG_GIVE_UP, LOG_RECOVER, LOG_EVENTS };
/* WHY_ENDED: a build that asked for one more job has ended; nobody waited in vain. */
enum log_why { WHY_TIMED_OUT, WHY_NO_SLOT, WHY_SIGNAL, WHY_OTHER, LOG_WHYS, WHY_ENDED = LOG_WHYS };

/* LINE_TORN: it begins as a log's line does and does not end as one. LINE_FOREIGN: something else, or without a field
 * that its event must have. LINE_UNKNOWN_EVENT: all is well with it but that. LINE_MISDATED: before the year 2000 or
 * after tomorrow; a clock was not set. */
enum line_kind { LINE_GOOD, LINE_TORN, LINE_FOREIGN, LINE_UNKNOWN_EVENT, LINE_MISDATED, LINE_KINDS };

struct log_line {
    int64_t time;    /* microseconds since 1970 */
    int64_t span;    /* microseconds: waited, of LOG_ENTER and LOG_GIVE_UP; inside, of LOG_EXIT */
    uint64_t ticket; /* of LOG_WAIT the place in line */
    const char *gate, *path, *user, *command; /* never NULL */
    uint32_t pid, job;                        /* job 0: none */
    uint16_t k, slot;
    int16_t status; /* -1: none */
    enum log_event event;
    enum log_why why;
    bool owner_died;
    bool token; /* of a build that is inside already */
};

/* `now`: in microseconds since 1970. The texts of `line` lie in `room`, which is as long as the line and one more. */
enum line_kind read_log_line(const char *text, size_t length, int64_t now, char *room, struct log_line *line);

/* Where a whole line may begin behind a torn one that has no end: "{"time":"..{"time":"...}"; NULL: nowhere. */
const char *line_behind_torn(const char *text, size_t length);

#endif
