/* SPDX-License-Identifier: MIT
 *
 * gates.h - what the sub-commands that use gates share.
 */
#ifndef ADMIT_CLI_GATES_GATES_H
#define ADMIT_CLI_GATES_GATES_H

#include "cli/commands.h"
#include "cli/usage.h"

#include <admit.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* Seconds, or numbers with the units d, h, m, s and ms in this order, such as "90", "1.5h" or "1m30s"; in nanoseconds. */
uint64_t option_time(struct arguments *arguments, const char *option);
/* That long from now, as a moment of CLOCK_MONOTONIC. */
struct timespec in_future(uint64_t ns);
/* A number of slots, or "cores". */
unsigned slots_argument(const char *command, const char *what, const char *text);
unsigned option_slots(struct arguments *arguments, const char *option);
/* Permissions in octal that let somebody use the gate. */
unsigned option_mode(struct arguments *arguments, const char *option);

/* Whole seconds that a lease lasts. */
unsigned option_ttl(struct arguments *arguments, const char *option);

/* The number of a process. */
long option_process(struct arguments *arguments, const char *option);

/* Says on stderr why the last call on a gate failed, with what helps. */
void tell_gate_error(const char *command, const char *name, admit_error error);
/* And exits as after bad usage. */
_Noreturn void gate_error(const char *command, const char *name, admit_error error);

/* A word in quotes, for a shell to read. */
void print_quoted(FILE *out, const char *word);
/* Words as a shell would read them, as long as there is room; what is cut ends in "...". Returns the text. */
const char *shell_words(char *const *words, char *text, size_t size);
/* What `admit status` shows. */
void describe(admit_gate *gate, char *const *words);

/* A user's name, or number if there is none; NULL of a negative one: not recorded. */
const char *user_name(int64_t user, char buffer[64]);

/* How many of these live. A process that has died is in the picture until another comes and notices; what it had is as
 * good as free, so that it is not shown. */
unsigned living(const admit_participant *participants, unsigned count);
/* ", 3 outside", or nothing if nobody waits there. */
const char *those_outside(const admit_view *view, char buffer[32]);

/* On stderr, so that what reads the list finds it empty. */
void say_there_are_no_gates(void);

/* Of one in the list of gates: somebody has removed it since. That is no error of whoever looks at all of them. */
bool is_gone(admit_error error);

/* "2 h 3 min": how long it takes, or has been. */
const char *duration_for_people(int64_t seconds, char buffer[32]);
/* The same of microseconds, as fine as it matters: "350 ms", "1.2 s", "2 h 3 min". */
const char *span_for_people(int64_t us, char buffer[32]);
/* A time as people read it (with the date, if it was on another day), or as 2026-11-15T15:56:24Z. */
const char *time_for_people(int64_t since_ns, char buffer[32]);
const char *time_for_programs(int64_t since_ns, char buffer[32]);

/* What anybody wrote into a gate, without what would disturb a terminal or is no UTF-8: such bytes become '?'. */
const char *printable(const char *text, char buffer[ADMIT_COMMAND_SIZE]);
/* 0: standard output is no terminal. */
unsigned width_of_terminal(void);
/* So that it ends at the right edge, if standard output is a terminal; it begins in this column, from 0 on. */
void cut_for_terminal(char *text, unsigned column);
/* The same, and its end is seen. */
void shorten_for_terminal(char *text, unsigned column);

#endif
