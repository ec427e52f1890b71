/* SPDX-License-Identifier: MIT
 *
 * idle.h - steps that might as well be taken at once.
 *
 * A step of a process is idle if it changes no register, now or whenever else it may be taken, and leads to the same place: a
 * compare-and-swap that has become certain to fail, a note of what has been noted, a look at what stays as it is. Such a
 * step commutes with all that others do, so that in any run it may be moved to the front: nothing is lost if the explorer
 * takes it at once, together with the step that made it idle. A process that is killed before it is no different from
 * one that is killed after it. An idle step leads to no other section but the remainder, and none can follow
 * another for ever; so that who is inside, who is enabled and who steps for ever is the same with them and without.
 * Their number is not: where steps are counted, they are not hurried.
 *
 * Some of them are known from what the text declares of its registers: where a register takes no value twice (.grows in
 * language.h, on which process.c insists), a step that only compares it (changes and is_still in sleeping.h) with a value
 * that it has left behind fails whenever it is taken. Which others are idle the algorithm's file says (is_idle in about.h),
 * and why. In an execution (trace.h) and in a counterexample they are steps like any other.
 */
#ifndef ADMIT_CHECKER_REDUCE_IDLE_H
#define ADMIT_CHECKER_REDUCE_IDLE_H

#include "checker/model/model.h"

bool has_idle_steps(const struct model *model);

/* The next step of process i, if it is idle. */
bool idle_step_of(const struct model *model, const uint64_t *state, unsigned i, struct step *step);
/* That of the first process that has one. */
bool next_idle_step(const struct model *model, const uint64_t *state, struct step *step);

/* Takes all of them. MISSING as in model_apply and model_learn; also if a step does what no idle step may. */
enum applied take_idle_steps(const struct model *model, uint64_t *state);
enum applied learn_idle_steps(struct model *model, uint64_t *state);

#endif
