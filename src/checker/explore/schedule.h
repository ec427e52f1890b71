/* SPDX-License-Identifier: MIT
 *
 * schedule.h - steps that are taken before an exploration begins: where it is too far to go from the start, one can be
 * led to the place and look around from there.
 *
 * A schedule is a text of process numbers, in the order in which they step; 2*14 is fourteen steps of process 2. White
 * space separates, and what follows a # up to the end of the line is a comment. Where a step can have several outcomes
 * (the order of a for_all, what an overlapping read returns, the start), it is the first of them.
 */
#ifndef ADMIT_CHECKER_EXPLORE_SCHEDULE_H
#define ADMIT_CHECKER_EXPLORE_SCHEDULE_H

#include "checker/model/model.h"

#include <stdio.h>

struct scheduled {
    uint8_t process;
    unsigned line;
};

struct schedule_file {
    const char *name; /* of the file */
    struct scheduled *steps;
    size_t count, room;
};

/* Reads a schedule for n processes. If it makes no sense, the message says so, with the line. */
bool schedule_read(struct schedule_file *schedule, FILE *file, unsigned n, char *message, size_t size);
void schedule_close(struct schedule_file *schedule);

/* A run by a schedule: its steps from model->initial, and the state that they lead to. */
struct beginning {
    struct step *steps;
    size_t count;
    uint64_t state[WORDS_MAX];
    uint64_t ambiguous; /* steps with two outcomes, of which the first was taken (tickets.h) */
};

/* Takes the scheduled steps, but not one by which more than k come to be inside, nor any after it: whoever explores from
 * there finds it again. Ends the program if a process cannot step. */
void schedule_follow(const struct schedule_file *schedule, struct model *model, struct beginning *beginning);
void beginning_close(struct beginning *beginning);

#endif
