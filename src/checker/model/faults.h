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

#include "checker/model/process.h"

enum { STEPS_WITHOUT_TEXT = FAULTS + 1, FAULT_NAME_SIZE = 16 };

/* All that is known of a fault, apart from what it does to a process and to what is asked of it. */
struct fault_info {
    const char *name;       /* on the command line, in JSON, and of a step in a trace */
    const char *number;     /* of its definition in docs/properties.md */
    const char *step;       /* what a process does when it begins, in a diagram */
    const char *in_a_claim; /* how a row of admit claims speaks of it */
    bool counted;           /* it takes a COUNT: so many processes are struck, once each; otherwise everybody is */
    unsigned without_count; /* what the setting has if it is asked for without a COUNT */
    bool papers_mean_all;   /* where a paper does not say how many are struck, it means all, and not one */
    const char *infinitive; /* what processes cannot do if there are fewer than COUNT; NULL: it takes none */
    const char *why_uncounted;
    bool writes_own;       /* sets the registers that the process alone writes: they have one writer each */
    bool writes_anything;  /* and any values to them: they have finitely many */
    const char *why_alone; /* why it cannot be combined with another; NULL: it can, unless the other says why not */
    unsigned goes_with;    /* but with these it can */
};

/* The bit of fault_info[f] is 1 << f. The last is a timed look, of which there is a name, in traces only, and a step. */
extern const struct fault_info fault_info[STEPS_WITHOUT_TEXT];

/* The fault of this name, which is so long; or NULL. */
const struct fault_info *fault_find(const char *name, size_t length);
/* "crash, shutdown, failure, recovery (each with :COUNT), abort or transient" */
void known_faults(char *list, size_t size);
/* The faults that may happen in a setting, as the command line names them: crash:1, abort, ... Returns how many. */
unsigned fault_names(const struct setting *setting, char names[FAULTS][FAULT_NAME_SIZE]);

/* The faults of a setting; and those of them that begin with a step of a process. */
unsigned faults_in(const struct setting *setting);
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
