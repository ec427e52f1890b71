/* SPDX-License-Identifier: MIT
 *
 * fault_info.h - the table of faults: what each is called and where it makes sense. The command line, JSON, diagrams and
 * the rows of claims go by it; what a fault does to a process is in faults.h.
 *
 * CONTRIBUTING.md says how to add one.
 */
#ifndef ADMIT_CHECKER_MODEL_FAULT_INFO_H
#define ADMIT_CHECKER_MODEL_FAULT_INFO_H

#include "checker/model/process.h"

enum { STEPS_WITHOUT_TEXT = FAULTS + 1, FAULT_NAME_SIZE = 16 };

/* All that is known of a fault, apart from what it does to a process, and which properties are defined under it. */
struct fault_info {
    const char *name;   /* on the command line, in JSON, and of a step in a trace */
    const char *number; /* of its definition in docs/properties.md */
    const char *words;  /* how a row of admit claims speaks of it */
    const char *step;   /* what a process does when it begins, in a diagram */

    bool counted;              /* it takes a COUNT: so many processes are struck, once each; otherwise all are */
    const char *infinitive;    /* if so: what more processes than there are cannot do */
    const char *why_uncounted; /* if not: why not */
    unsigned without_count;    /* what the setting has if it is asked for without a COUNT */
    bool papers_mean_all;      /* where a paper does not say how many are struck, all are; otherwise without_count */

    bool writes_own;      /* sets the registers that a process alone writes: they must have one writer each */
    bool writes_anything; /* sets them to any values: there must be finitely many */

    bool at_store; /* about clients of a store (registers/store.h) */

    const char *why_alone; /* why it cannot be combined with another; NULL: it can, unless the other says why not */
    unsigned goes_with;    /* but with these it can */
};

/* By FAULT_NUMBER. The last is a timed look, which has only a name, in traces, a definition and a step. */
extern const struct fault_info fault_info[STEPS_WITHOUT_TEXT];

/* The fault of this name, which is so long; or NULL. */
const struct fault_info *fault_find(const char *name, size_t length);
/* "crash, shutdown, failure, recovery, lease, ... (each with :COUNT), abort or transient" */
void known_faults(char *list, size_t size);
/* The faults that may happen in a setting, as the command line names them: crash:1, abort, ... Returns how many. */
unsigned fault_names(const struct setting *setting, char names[FAULTS][FAULT_NAME_SIZE]);

/* The same as bits. */
unsigned faults_in(const struct setting *setting);

#endif
