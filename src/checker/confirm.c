/* SPDX-License-Identifier: MIT
 *
 * Whether an executed run really shows what its trace says: looked up in the run itself, without the explorer.
 */
#include "checker/faults.h"
#include "checker/trace.h"

struct run {
    const struct trace *trace;
    const struct instance *instance;
    const struct moment *moments;
    size_t last; /* moment */
    unsigned n, k;
};

/* The moments of the loop are loop .. loop_end; the last of them is the first again. */
static size_t loop_of(const struct run *run)
{
    return run->trace->loop;
}

static size_t loop_end_of(const struct run *run)
{
    return run->trace->loop_end;
}

static enum section section_at(const struct run *run, size_t moment, unsigned i)
{
    return (enum section)run->moments[moment].process[i].section;
}

static bool crashed_at(const struct run *run, size_t moment, unsigned i)
{
    return run->moments[moment].process[i].crashed;
}

static bool is_trying(enum section section)
{
    return section == DOORWAY || section == WAITING_ROOM;
}

static bool loop_closes(const struct run *run)
{
    if (loop_of(run) == NO_LOOP)
        return false;
    for (size_t m = loop_of(run) + 1; m <= loop_end_of(run); m++)
        if (run->moments[m].ambiguous)
            return false;
    return memcmp(run->moments[loop_of(run)].identity, run->moments[loop_end_of(run)].identity,
                  sizeof run->moments[0].identity) == 0;
}

static bool steps_in_loop(const struct run *run, unsigned i)
{
    for (size_t s = loop_of(run); s < loop_end_of(run); s++)
        if (run->trace->steps[s].process == i && !run->trace->steps[s].fault)
            return true;
    return false;
}

static bool enters_in_loop(const struct run *run, unsigned i)
{
    for (size_t m = loop_of(run); m < loop_end_of(run); m++)
        if (section_at(run, m, i) != CRITICAL && section_at(run, m + 1, i) == CRITICAL)
            return true;
    return false;
}

static bool stays_in_loop(const struct run *run, unsigned i, enum section section)
{
    for (size_t m = loop_of(run); m <= loop_end_of(run); m++)
        if (section_at(run, m, i) != section)
            return false;
    return true;
}

static bool is_under_way_throughout_loop(const struct run *run, unsigned i)
{
    for (size_t m = loop_of(run); m <= loop_end_of(run); m++)
        if (section_at(run, m, i) == REMAINDER || crashed_at(run, m, i))
            return false;
    return true;
}

/* May do nothing any more. */
static bool rests_at(const struct run *run, size_t moment, unsigned i)
{
    const struct process *process = &run->moments[moment].process[i];
    if (process->crashed)
        return true;
    return process->section == REMAINDER && !process->writing &&
           !(run->trace->setting.transient && has_registers_to_reset(run->instance, i, run->moments[moment].values));
}

static bool rests_in_loop(const struct run *run, unsigned i)
{
    for (size_t m = loop_of(run); m <= loop_end_of(run); m++)
        if (rests_at(run, m, i))
            return true;
    return false;
}

/* Everybody steps who does not rest, and no malfunction goes on for ever. */
static bool loop_is_fair(const struct run *run)
{
    for (unsigned i = 0; i < run->n; i++)
        if ((!rests_in_loop(run, i) && !steps_in_loop(run, i)) ||
            (run->moments[loop_of(run)].process[i].mode == MALFUNCTIONING && !crashed_at(run, loop_of(run), i)))
            return false;
    return true;
}

static bool tries_throughout_loop(const struct run *run, unsigned i)
{
    for (size_t m = loop_of(run); m <= loop_end_of(run); m++)
        if (!is_trying(section_at(run, m, i)) || crashed_at(run, m, i))
            return false;
    return true;
}

static unsigned count_crashed(const struct run *run, bool inside_only)
{
    unsigned count = 0;
    for (unsigned i = 0; i < run->n; i++)
        count += crashed_at(run, run->last, i) && section_at(run, run->last, i) != REMAINDER &&
                 (!inside_only || section_at(run, run->last, i) == CRITICAL);
    return count;
}

static bool shows_exclusion_broken(const struct run *run)
{
    unsigned inside = 0;
    for (unsigned i = 0; i < run->n; i++)
        inside += section_at(run, run->last, i) == CRITICAL;
    return inside > run->k;
}

/* The run has been round a loop in which everybody steps: so long after the start that what follows counts. */
static bool is_stabilized(const struct run *run)
{
    return !run->trace->setting.transient || (loop_closes(run) && loop_is_fair(run));
}

static bool enters_doorway_after_loop(const struct run *run, unsigned i)
{
    for (size_t m = loop_end_of(run); m < run->last; m++)
        if (section_at(run, m, i) == REMAINDER && section_at(run, m + 1, i) != REMAINDER)
            return true;
    return false;
}

static bool shows_shared_slot(const struct run *run)
{
    size_t at = run->instance->setting.algorithm->about.slot_at;
    const struct process *process = run->moments[run->last].process;
    return section_at(run, run->last, run->trace->i) == CRITICAL &&
           section_at(run, run->last, run->trace->j) == CRITICAL &&
           process[run->trace->i].locals[at] == process[run->trace->j].locals[at];
}

static bool shows_deadlock(const struct run *run)
{
    bool somebody_tries = false;
    for (unsigned i = 0; i < run->n; i++) {
        if (enters_in_loop(run, i))
            return false;
        somebody_tries |= tries_throughout_loop(run, i);
    }
    return somebody_tries && loop_is_fair(run) && count_crashed(run, true) < run->k;
}

static bool shows_lockout(const struct run *run)
{
    return is_under_way_throughout_loop(run, run->trace->i) && loop_is_fair(run) && count_crashed(run, false) < run->k;
}

/* At `moment`, j is inside, and i still waits although it left the doorway before j entered it. */
static bool is_overtaken_at(const struct run *run, size_t moment)
{
    unsigned i = run->trace->i, j = run->trace->j;
    if (section_at(run, moment, i) != WAITING_ROOM || section_at(run, moment, j) != CRITICAL)
        return false;
    size_t m = moment;
    while (m > 0 && section_at(run, m, j) != REMAINDER && section_at(run, m, i) == WAITING_ROOM)
        m--;
    return section_at(run, m, j) == REMAINDER && section_at(run, m, i) == WAITING_ROOM;
}

/* i steps in the loop and never gets inside: it was not enabled at any moment from which the run goes on without it. */
static bool shows_not_enabled(const struct run *run, size_t since)
{
    for (size_t m = since; m <= run->last; m++)
        if (section_at(run, m, run->trace->i) == CRITICAL)
            return false;
    return steps_in_loop(run, run->trace->i);
}

static bool shows_fife_broken(const struct run *run)
{
    for (size_t m = 0; m <= loop_of(run); m++)
        if (is_overtaken_at(run, m) && shows_not_enabled(run, m))
            return true;
    return false;
}

/* At `moment`, j is inside, and i, which tries, already did when j was in its remainder. */
static bool is_passed_at(const struct run *run, size_t moment)
{
    unsigned i = run->trace->i, j = run->trace->j;
    size_t m = moment;
    if (section_at(run, moment, j) != CRITICAL)
        return false;
    while (m > 0 && section_at(run, m, j) != REMAINDER && is_trying(section_at(run, m, i)))
        m--;
    return section_at(run, m, j) == REMAINDER && is_trying(section_at(run, m, i));
}

/* Who is inside is enabled, and who steps for ever in vain never was since it last came to try: then the run says it
 * all. */
static bool shows_fifo_enabling_broken(const struct run *run)
{
    for (size_t m = 0; m <= loop_of(run); m++)
        if (is_passed_at(run, m) && shows_not_enabled(run, m))
            return true;
    return false;
}

static bool no_section_changes_in_loop(const struct run *run)
{
    for (size_t m = loop_of(run); m < loop_end_of(run); m++)
        for (unsigned i = 0; i < run->n; i++)
            if (section_at(run, m, i) != section_at(run, m + 1, i))
                return false;
    return true;
}

/* i steps in vain for ever: trying, or on its way out. */
static bool steps_in_vain(const struct run *run)
{
    unsigned i = run->trace->i;
    return steps_in_loop(run, i) &&
           (is_trying(section_at(run, run->last, i)) || section_at(run, run->last, i) == EXIT) &&
           stays_in_loop(run, i, section_at(run, run->last, i));
}

static bool somebody_enters_past(const struct run *run)
{
    bool enters = false;
    for (unsigned j = 0; j < run->n; j++)
        enters |= j != run->trace->i && enters_in_loop(run, j);
    return enters && stays_in_loop(run, run->trace->i, WAITING_ROOM);
}

enum confirmation trace_confirm(const struct trace *trace, const struct execution *execution)
{
    struct run run = {.trace = trace,
                      .instance = &execution->model.instance,
                      .moments = execution->moments,
                      .last = execution->count - 1,
                      .n = trace->setting.n,
                      .k = trace->setting.k};
    bool confirmed = false;
    bool may_be_finite = trace->property == EXCLUSION || trace->property == FCFS || trace->property == NO_SLOT_LOST ||
                         trace->property == DISTINCT_SLOTS || trace->property == PROPERTIES;
    if ((!may_be_finite || (trace->property == PROPERTIES && trace->loop != NO_LOOP)) && !loop_closes(&run))
        return NOT_CONFIRMED;
    switch (trace->property) {
    case EXCLUSION:
        confirmed = shows_exclusion_broken(&run) && is_stabilized(&run);
        break;
    case FCFS:
        confirmed = is_overtaken_at(&run, run.last) && is_stabilized(&run) &&
                    (!trace->setting.transient ||
                     (enters_doorway_after_loop(&run, trace->i) && enters_doorway_after_loop(&run, trace->j)));
        break;
    case DEADLOCK_FREEDOM:
        confirmed = shows_deadlock(&run);
        break;
    case LOCKOUT_FREEDOM:
        confirmed = shows_lockout(&run);
        break;
    case BOUNDED_DOORWAY:
        confirmed = stays_in_loop(&run, trace->i, DOORWAY) && steps_in_loop(&run, trace->i);
        break;
    case BOUNDED_EXIT:
        confirmed = stays_in_loop(&run, trace->i, EXIT) && steps_in_loop(&run, trace->i);
        break;
    case BOUNDED_WAITING:
        confirmed = stays_in_loop(&run, trace->i, WAITING_ROOM) && enters_in_loop(&run, trace->j);
        break;
    case FIFE:
        confirmed = shows_fife_broken(&run);
        break;
    case FIFO_ENABLING:
        if (shows_fifo_enabling_broken(&run))
            return CONFIRMED;
        return steps_in_vain(&run) ? NEEDS_EXPLORATION : NOT_CONFIRMED;
    case STRONG_FIFE:
        return steps_in_vain(&run) ? NEEDS_EXPLORATION : NOT_CONFIRMED;
    case OVERTAKING:
        return somebody_enters_past(&run) ? NEEDS_EXPLORATION : NOT_CONFIRMED;
    case K_DEADLOCK_AVOIDANCE:
        return no_section_changes_in_loop(&run) ? NEEDS_EXPLORATION : NOT_CONFIRMED;
    case NO_SLOT_LOST: /* what can never happen again, one run does not show */
        return NEEDS_EXPLORATION;
    case DISTINCT_SLOTS:
        confirmed = shows_shared_slot(&run);
        break;
    case PROPERTIES: /* that it is possible is all that can be looked up */
        confirmed = true;
        break;
    }
    return confirmed ? CONFIRMED : NOT_CONFIRMED;
}

/* These rely on somebody's being enabled, which is a statement about all real runs and no others. */
static bool relies_on_enabled(enum property property)
{
    return property == STRONG_FIFE || property == OVERTAKING || property == FIFO_ENABLING ||
           property == K_DEADLOCK_AVOIDANCE;
}

void finding_settle(struct finding *finding, const struct exploration *exploration)
{
    if (exploration->ambiguous == 0 || finding->verdict == UNDECIDED)
        return;
    bool certain = !relies_on_enabled(finding->property);
    if (certain && finding->verdict == VIOLATED) {
        struct trace trace;
        struct execution execution;
        trace_of(&trace, finding, exploration->model);
        certain = trace_execute(&trace, &execution) && trace_confirm(&trace, &execution) == CONFIRMED;
        execution_close(&execution);
        trace_close(&trace);
    }
    if (certain)
        return;
    finding_close(finding);
    finding->has_witness = false;
    finding->verdict = UNDECIDED;
    snprintf(finding->what, sizeof finding->what,
             "tickets are not kept exactly here, and what was found may not be real; try --passages");
}
