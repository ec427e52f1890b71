/* SPDX-License-Identifier: MIT
 *
 * Whether an executed run really shows what its trace says: looked up in the run itself, without the explorer.
 */
#include "checker/show/confirm.h"
#include "base/die.h"
#include "checker/model/faults.h"
#include "checker/model/references.h"

#include <stdlib.h>

struct run run_of(const struct trace *trace, const struct execution *execution)
{
    return (struct run){.trace = trace,
                        .model = &execution->model,
                        .instance = &execution->model.instance,
                        .moments = execution->moments,
                        .last = execution->count - 1,
                        .n = processes_of(&trace->setting),
                        .k = trace->setting.k};
}

static bool crashed_at(const struct run *run, size_t moment, unsigned i)
{
    return run->moments[moment].process[i].crashed;
}

static bool is_trying(enum section section)
{
    return section == DOORWAY || section == WAITING_ROOM;
}

bool loop_closes(const struct run *run)
{
    if (loop_of(run) == NO_LOOP)
        return false;
    for (size_t m = loop_of(run) + 1; m <= loop_end_of(run); m++)
        if (run->moments[m].ambiguous)
            return false;
    return memcmp(run->moments[loop_of(run)].identity, run->moments[loop_end_of(run)].identity,
                  sizeof run->moments[0].identity) == 0;
}

bool steps_in_loop(const struct run *run, unsigned i)
{
    for (size_t s = loop_of(run); s < loop_end_of(run); s++)
        if (run->trace->steps[s].process == i && !run->trace->steps[s].fault)
            return true;
    return false;
}

/* The process finds that it is still asleep. That can go on only until it wakes by itself. */
static bool only_sleeps_at(const struct run *run, size_t s, unsigned i)
{
    const struct setting *setting = &run->trace->setting;
    return setting->algorithm->more.watched != NULL && !setting->undisturbed && i < setting->n &&
           is_asleep(run->moments[s].values[kernel_sleep_words(run->instance) + i]);
}

bool steps_in_vain_in_loop(const struct run *run, unsigned i)
{
    for (size_t s = loop_of(run); s < loop_end_of(run); s++)
        if (run->trace->steps[s].process == i && !run->trace->steps[s].fault && !only_sleeps_at(run, s, i))
            return true;
    return false;
}

bool enters_in_loop(const struct run *run, unsigned i)
{
    for (size_t m = loop_of(run); m < loop_end_of(run); m++)
        if (section_at(run, m, i) != CRITICAL && section_at(run, m + 1, i) == CRITICAL)
            return true;
    return false;
}

bool stays_in_loop(const struct run *run, unsigned i, enum section section)
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
    if (process->section == CRITICAL && run->trace->property == NO_SLOT_IDLE)
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

static unsigned count_inside(const struct run *run, size_t moment)
{
    unsigned inside = 0;
    for (unsigned i = 0; i < run->n; i++)
        inside += section_at(run, moment, i) == CRITICAL;
    return inside;
}

static bool shows_exclusion_broken(const struct run *run)
{
    return count_inside(run, run->last) > run->k;
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

/* Nobody enters in the loop, so that there are never more inside than when it begins. Who crashed on its way counts too. */
static bool shows_idle_slot(const struct run *run)
{
    unsigned keeping = count_inside(run, loop_of(run)) + count_crashed(run, false) - count_crashed(run, true);
    return shows_deadlock(run) && keeping < run->k;
}

static bool shows_lockout(const struct run *run)
{
    return is_under_way_throughout_loop(run, run->trace->i) && loop_is_fair(run) && count_crashed(run, false) < run->k;
}

bool has_waited_since(const struct run *run, size_t moment, unsigned sections, enum section origin)
{
    for (size_t m = moment + 1; m-- > 0;) {
        if (!(sections >> section_at(run, m, run->trace->i) & 1))
            return false;
        if (section_at(run, m, run->trace->j) == origin)
            return true;
    }
    return false;
}

/* At `moment`, j is inside, and i is still where it was before j came: in the waiting room, say, and so overtaken. */
static bool is_entered_past_at(const struct run *run, size_t moment, unsigned sections)
{
    return section_at(run, moment, run->trace->j) == CRITICAL && has_waited_since(run, moment, sections, REMAINDER);
}

bool shows_not_enabled(const struct run *run, size_t since, enum section goal)
{
    for (size_t m = since; m <= run->last; m++)
        if (section_at(run, m, run->trace->i) == goal)
            return false;
    return steps_in_vain_in_loop(run, run->trace->i);
}

/* Who is inside is enabled, and who steps for ever in vain was not: then the run says it all. */
static bool shows_entered_past(const struct run *run, unsigned sections)
{
    for (size_t m = 0; m <= loop_of(run); m++)
        if (is_entered_past_at(run, m, sections) && shows_not_enabled(run, m, CRITICAL))
            return true;
    return false;
}

/* The same of overtaking: that i is not enabled is shown by its own steps, if it takes any in the loop. */
static bool shows_overtaken_while_stepping(const struct run *run)
{
    return shows_all_but_enabled(run) && steps_in_vain_in_loop(run, run->trace->i);
}

/* What i has in its cache after so many steps, and in *references how many it has made in them. */
static uint8_t *copies_after(const struct run *run, enum memory_model model, size_t steps, unsigned *references)
{
    uint8_t *copies = must_allocate(run->instance->reg_count);
    *references = 0;
    for (size_t s = 0; s < steps; s++) {
        const struct access *access = &run->moments[s + 1].access;
        if (access->kind == NO_ACCESS)
            continue;
        enum copy copy = (enum copy)copies[access->reg];
        struct effect effect = effect_of(access->kind, access->value, access->result);
        if (run->trace->steps[s].process != run->trace->i)
            copy = copy_after_other(model, effect, copy);
        else
            *references += is_remote(model, run->instance->regs[access->reg].home == run->trace->i, effect, &copy);
        copies[access->reg] = (uint8_t)copy;
    }
    return copies;
}

/* The cache is at the end of the loop what it was at its start, and there were references in between. */
static bool shows_references_for_ever(const struct run *run)
{
    enum memory_model model = property_model(run->trace->property);
    unsigned before, after;
    uint8_t *first = copies_after(run, model, loop_of(run), &before);
    uint8_t *last = copies_after(run, model, loop_end_of(run), &after);
    bool same = model == DSM || memcmp(first, last, run->instance->reg_count) == 0;
    free(first);
    free(last);
    return same && after > before && is_under_way_throughout_loop(run, run->trace->i);
}

enum confirmation trace_confirm(const struct trace *trace, const struct execution *execution)
{
    struct run run = run_of(trace, execution);
    bool confirmed = false;
    const struct property_info *info = &property_info[trace->property];
    if ((!info->shown_without_loop || (trace->property == PROPERTIES && trace->loop != NO_LOOP)) && !loop_closes(&run))
        return NOT_CONFIRMED;
    switch (trace->property) {
    case EXCLUSION:
        confirmed = shows_exclusion_broken(&run) && is_stabilized(&run);
        break;
    case FCFS:
        confirmed = is_entered_past_at(&run, run.last, WAITS) && is_stabilized(&run) &&
                    (!trace->setting.transient ||
                     (enters_doorway_after_loop(&run, trace->i) && enters_doorway_after_loop(&run, trace->j)));
        break;
    case SERVED_BEFORE:
        confirmed = is_entered_past_at(&run, run.last, WAITS | 1u << CRITICAL);
        break;
    case DEADLOCK_FREEDOM:
        confirmed = shows_deadlock(&run);
        break;
    case NO_SLOT_IDLE:
        confirmed = shows_idle_slot(&run);
        break;
    case LOCKOUT_FREEDOM:
        confirmed = shows_lockout(&run);
        break;
    case BOUNDED_DOORWAY:
        confirmed = stays_in_loop(&run, trace->i, DOORWAY) && steps_in_vain_in_loop(&run, trace->i);
        break;
    case BOUNDED_EXIT:
        confirmed = stays_in_loop(&run, trace->i, EXIT) && steps_in_vain_in_loop(&run, trace->i);
        break;
    case BOUNDED_WAITING:
        confirmed = stays_in_loop(&run, trace->i, WAITING_ROOM) && enters_in_loop(&run, trace->j);
        break;
    case LOCAL_SPIN_CC:
    case LOCAL_SPIN_DSM:
    case LOCAL_SPIN_WRITE_BACK:
        confirmed = shows_references_for_ever(&run);
        break;
    case FIFE:
        confirmed = shows_entered_past(&run, WAITS);
        break;
    case STRONG_FIFE:
    case FIFO_ENABLING:
        confirmed = shows_entered_past(&run, trace->property == STRONG_FIFE ? WAITS : TRIES);
        break;
    case OVERTAKING:
        confirmed = shows_overtaken_while_stepping(&run);
        break;
    case K_DEADLOCK_AVOIDANCE:
        break;
    case NO_SLOT_LOST: /* what can never happen again, one run does not show */
        return NEEDS_EXPLORATION;
    case DISTINCT_SLOTS:
        confirmed = shows_shared_slot(&run);
        break;
    case PROPERTIES: /* that it is possible is all that can be looked up */
        confirmed = true;
        break;
    }
    if (!confirmed && info->shown_by_enabled && shows_all_but_enabled(&run))
        return NEEDS_EXPLORATION;
    return confirmed ? CONFIRMED : NOT_CONFIRMED;
}

void finding_settle(struct finding *finding, const struct exploration *exploration)
{
    if (exploration->ambiguous == 0 || finding->verdict == UNDECIDED)
        return;
    bool certain = !property_info[finding->property].shown_by_enabled;
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
