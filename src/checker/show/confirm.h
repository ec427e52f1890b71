/* SPDX-License-Identifier: MIT
 *
 * confirm.h - an executed run, and what can be looked up in it: shared by confirm.c, which needs nothing else, and
 * confirm_enabled.c, which also needs to know who is enabled.
 */
#ifndef ADMIT_CHECKER_SHOW_CONFIRM_H
#define ADMIT_CHECKER_SHOW_CONFIRM_H

#include "checker/show/trace.h"

struct run {
    const struct trace *trace;
    const struct model *model;
    const struct instance *instance;
    const struct moment *moments;
    size_t last; /* moment */
    unsigned n, k;
};

struct run run_of(const struct trace *trace, const struct execution *execution);

/* The moments of the loop are loop .. loop_end; the last of them is the first again. */
static inline size_t loop_of(const struct run *run)
{
    return run->trace->loop;
}

static inline size_t loop_end_of(const struct run *run)
{
    return run->trace->loop_end;
}

static inline enum section section_at(const struct run *run, size_t moment, unsigned i)
{
    return (enum section)run->moments[moment].process[i].section;
}

/* Sections as bits. */
enum { WAITS = 1u << WAITING_ROOM, TRIES = 1u << DOORWAY | 1u << WAITING_ROOM, LEAVES = 1u << EXIT };

bool loop_closes(const struct run *run);
bool steps_in_loop(const struct run *run, unsigned i);
/* The same, but for a sleeper that finds itself asleep still: it would wake by itself. */
bool steps_in_vain_in_loop(const struct run *run, unsigned i);
bool enters_in_loop(const struct run *run, unsigned i);
bool stays_in_loop(const struct run *run, unsigned i, enum section section);

/* At `moment`, the trace's i has been in these sections since a moment at which its j was in `origin`. */
bool has_waited_since(const struct run *run, size_t moment, unsigned sections, enum section origin);
/* Since that moment i has not come to `goal`, and it steps in the loop: it was not enabled to come there. */
bool shows_not_enabled(const struct run *run, size_t since, enum section goal);

/* Of a property that is shown_by_enabled, all that a run can show without knowing who is. */
bool shows_all_but_enabled(const struct run *run);

#endif
