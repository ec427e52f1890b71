/* SPDX-License-Identifier: MIT
 *
 * faults.h - what a process does that does not follow its text (docs/properties.md, faults): it crashes, shuts down,
 * aborts, or fails and returns; and, where the start is arbitrary, it resets its registers in the noncritical section.
 *
 * All but the crash are short programs of writes to the process's own registers. A fault begins between two operations
 * of the process, with a step that touches no register; its writes are steps like any other, two each on registers that
 * are not atomic.
 */
#ifndef ADMIT_CHECKER_MODEL_FAULTS_H
#define ADMIT_CHECKER_MODEL_FAULTS_H

#include "checker/model/fault_info.h"

/* The faults of a setting that begin with a step of a process. */
unsigned faults_allowed(const struct setting *setting);
/* Counts each of the faults that a process has used up one of. */
void faults_count(unsigned struck[FAULTS], unsigned used);
/* Those that may still begin when so many processes have been struck. */
unsigned faults_within(const struct setting *setting, const unsigned struck[FAULTS]);
/* The faults that can begin where the process stands, if the setting allows them and enough are left. */
unsigned faults_possible(const struct instance *instance, const struct process *process);
/* The faults that this process has used up one of. */
unsigned faults_used(const struct process *process);
void fault_begin(const struct instance *instance, unsigned i, const struct process *from, enum fault fault,
                 struct process *to);

/* Whether the step with this choice is one of the writes described above; then *act is its number among them. */
bool is_fault_write(const struct instance *instance, unsigned i, const struct process *process, unsigned choice,
                    unsigned *act);
void fault_peek(const struct instance *instance, unsigned i, const struct process *process, unsigned act,
                struct access *access);
void fault_step(const struct instance *instance, unsigned i, const struct process *from, unsigned choice, unsigned act,
                uint64_t value, struct process *to, struct access *access);

/* Whether an own register of process i that has a declared initial value holds another: where the start is arbitrary,
 * the process does not rest then. */
bool has_registers_to_reset(const struct instance *instance, unsigned i, const uint64_t *values);
/* Writes that a process in its remainder can make beside its first access: where the start is arbitrary, one for each
 * own register with a declared initial value. */
unsigned reset_choices(const struct instance *instance, unsigned i, const struct process *process);

#endif
