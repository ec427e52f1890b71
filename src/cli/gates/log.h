/* SPDX-License-Identifier: MIT
 *
 * log.h - what happens at gates, as lines of JSON in a file that many processes append to: --log FILE, or ADMIT_LOG.
 * Where neither is given, nothing here does anything. docs/man/admit.1 has the fields of a line; report.c reads them.
 *
 *     struct log_stay stay = {.gate = "gpu", .command = words};
 *     log_came(&stay);
 *     log_waits(&stay, gate, place);           as often as it is told: the first time is written
 *     log_entered(&stay, gate, &hold);         or log_gave_up
 *     log_left(&stay, gate, status);           before admit_gate_leave
 *     admit_gate_leave(gate, &hold);
 *
 * The exit is noted before the slot is given back, and the entry after the slot was had: so in the order of the lines,
 * and by their times, there are never more inside than there were.
 */
#ifndef ADMIT_CLI_GATES_LOG_H
#define ADMIT_CLI_GATES_LOG_H

#include <admit.h>
#include <stdbool.h>
#include <stdint.h>

/* One way through a gate, from when it is wanted until it is over; any number of them at a time. */
struct log_stay {
    const char *gate;     /* as it was named */
    char *const *command; /* its words; NULL: none is named */
    uint32_t job;         /* of `run -b`; 0: none */
    int64_t came, entered;
    bool waits;
    bool token;      /* one more job of a build that is inside already: nobody waits for it */
    const char *why; /* its command was ended: "limit"; NULL: it has ended itself */
    admit_hold hold;
};

/* The file is opened, and made if there is none; NULL: the one that ADMIT_LOG names, if it does. One that --log names and
 * that cannot be opened ends the process with a message, so call this before anything has begun; without ADMIT_LOG's
 * the process goes on, with a word about it, as it does with either when a line cannot be written later. */
void log_open(const char *command, const char *path);

void log_came(struct log_stay *stay);
void log_waits(struct log_stay *stay, const admit_gate *gate, unsigned place);
/* And if whoever had the slot before died inside, that too. */
void log_entered(struct log_stay *stay, const admit_gate *gate, const admit_hold *hold);
/* It was not let in: "timed_out", "no_slot", "signal" or "failed", or "ended", since it does not want to any more; and with
 * which status it ends. */
void log_gave_up(struct log_stay *stay, const admit_gate *gate, const char *why, int status);
/* status: of the command; -1: there is none. */
void log_left(struct log_stay *stay, const admit_gate *gate, int status);

#endif
