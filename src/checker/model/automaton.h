/* SPDX-License-Identifier: MIT
 *
 * automaton.h - one process of a model as a finite automaton: what model.c and reduce/ need to grow it.
 */
#ifndef ADMIT_CHECKER_MODEL_AUTOMATON_H
#define ADMIT_CHECKER_MODEL_AUTOMATON_H

#include "checker/model/model.h"

/* With the start as number 0. What was there before is closed. */
void automaton_open(struct model *model, unsigned i);
void automaton_close(struct automaton *automaton);

/* The number of a local state; NOT_KNOWN_YET if it has none. To intern it is to give it one, unless the model has no room
 * for it (model->overflow). */
uint32_t automaton_find(const struct model *model, unsigned i, const struct process *process);
uint32_t automaton_intern(struct model *model, unsigned i, const struct process *process);

/* Takes all steps that any values of the registers could lead to: more than are reachable, but few enough to be taken
 * beforehand. Returns how many local states there are; 0 if they are too many or a register has too many values. */
uint32_t automaton_complete(struct model *model, unsigned i);

/* Whether the step by this move on this value has been run; and to run it, from local state `number` by its move number
 * `choice`. False if the text refuses it, or there is no room. */
bool automaton_knows_step(const struct automaton *automaton, uint32_t move, uint64_t value);
bool automaton_learn_step(struct model *model, unsigned i, uint32_t number, unsigned choice, uint64_t value);

/* Where a fault that begins in a local state leads: NOT_KNOWN_YET until it is learnt. */
uint32_t *automaton_fault_target(const struct model *model, unsigned i, uint32_t number, unsigned fault);
void automaton_learn_fault(struct model *model, unsigned i, uint32_t number, unsigned fault);

#endif
