/* SPDX-License-Identifier: MIT
 *
 * configuration.h - section 2 of J. E. Burns, N. A. Lynch, Bounds on Shared Memory for Mutual Exclusion, Information
 * and Computation 107, 1993: configurations, steps, histories, and when two configurations look alike.
 *
 * The transition function is the algorithm's own text (checker/model/process.h), on atomic registers, with every for_all in
 * its native order, so that it is a function: a history, a sequence of process numbers, says all there is to say.
 *
 * Lamport's *:=* (put_if_different) depends on what the register holds, so that strictly it is not a write. Where the
 * process is the register's only writer it could remember that value, and so it is taken for what it does: a write when
 * it writes, otherwise a read. A *:=* of a register that others write too, and update(), make a system that is no
 * read/write system, and nothing is said about it.
 */
#ifndef ADMIT_BOUNDS_CONFIGURATION_H
#define ADMIT_BOUNDS_CONFIGURATION_H

#include "checker/model/process.h"

/* A set of processes, as bits. */
static inline procset the_one(unsigned i)
{
    return (procset)(1u << i);
}

/* p_0, ..., p_{count-1} */
static inline procset first_of(unsigned count)
{
    return (procset)((1u << count) - 1);
}

struct configuration {
    const struct instance *instance;
    struct process process[CHECKED_PROCESSES_MAX]; /* X_i */
    uint64_t *values;                              /* V_j */
    bool tickets_too_large;                        /* the last step wrote one that cannot be followed */
};

enum deed { READS, WRITES, DOES_BOTH };

/* What a process is about to do to which variable. */
struct action {
    uint8_t deed; /* enum deed; DOES_BOTH has no place in a read/write system */
    uint16_t variable;
};

/* q_0. Like a copy, it must be closed. */
void configuration_start(struct configuration *q, const struct instance *instance);
void configuration_open_copy(struct configuration *q, const struct configuration *from);
void configuration_copy(struct configuration *q, const struct configuration *from);
void configuration_close(struct configuration *q);

struct action about_to(const struct configuration *q, unsigned i);
/* q := the configuration after a step of p_i. Returns what the step did. */
struct action take_step(struct configuration *q, unsigned i);

/* p_i is about to write this variable (Definition 5.4). */
bool covers(const struct configuration *q, unsigned i, unsigned variable);
/* Definition 5.1, for every process of the set. An empty set still asks for equal variables. */
bool look_alike(const struct configuration *q, const struct configuration *r, procset processes);
bool same_configuration(const struct configuration *q, const struct configuration *r);

/* The processes that are in this section. */
procset those_in(const struct configuration *q, enum section section);

struct history {
    uint8_t *steps;
    size_t count, room;
};

void history_add(struct history *h, unsigned i);
void history_append(struct history *h, const uint8_t *steps, size_t count);
void history_insert(struct history *h, size_t at, const struct history *part);
void history_close(struct history *h);

#endif
