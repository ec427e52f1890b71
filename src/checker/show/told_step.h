/* SPDX-License-Identifier: MIT
 *
 * told_step.h - what a step of an executed run did, for whoever tells of it.
 */
#ifndef ADMIT_CHECKER_SHOW_TOLD_STEP_H
#define ADMIT_CHECKER_SHOW_TOLD_STEP_H

#include "checker/show/trace.h"

enum step_kind {
    STEP_READS,
    STEP_READS_AMID_WRITE, /* and so may have got something else than what was there */
    STEP_WRITES,
    STEP_BEGINS_WRITE,
    STEP_ENDS_WRITE,
    STEP_UPDATES,    /* reads and writes at once */
    STEP_OF_KERNEL,  /* on no register that the text names */
    STEP_GOES_WRONG, /* a fault */
    STEP_KINDS
};

struct told_step {
    enum step_kind kind;
    const char *label;
    unsigned reg;           /* not of the last two */
    uint64_t before, value; /* what it held; what was read, or is written now or in the end */
    bool changes;
};

struct told_step tell_step(const struct trace *trace, const struct execution *execution, size_t step);

/* Where process i is at a moment. */
char section_sign_at(const struct execution *execution, size_t moment, unsigned i);
const char *kind_of_process(const struct setting *setting, unsigned i);

#endif
