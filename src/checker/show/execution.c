/* SPDX-License-Identifier: MIT
 *
 * execution.c - a trace executed again: by the algorithm's text itself, with real registers and real tickets, and not by
 * the explorer's tables. So a mistake in these does not confirm itself.
 */
#include "checker/show/trace.h"

#include "base/die.h"
#include "checker/model/automaton.h"
#include "checker/model/faults.h"
#include "checker/reduce/normal_form.h"
#include "checker/reduce/tickets.h"

#include <stdlib.h>

/* --- one step ----------------------------------------------------------------------------------------------------- */

/* The write that a read of reg by process i would overlap, if any: who writes, and what. */
static bool overlapped(const struct instance *instance, const struct process *processes, unsigned i, unsigned reg,
                       uint64_t *value)
{
    int writer = instance->regs[reg].writer;
    unsigned open;
    return instance->setting.registers != ATOMIC && writer >= 0 && writer != (int)i &&
           process_open_write(instance, (unsigned)writer, &processes[writer], &open, value) && open == reg;
}

/* What the read or write at hand finds in its register, as values of the executed run or, with `state`, of the
 * model. */
static bool value_for(const struct instance *instance, const struct moment *moment, const struct trace_step *step,
                      unsigned reg, uint64_t *value)
{
    uint64_t open;
    bool overlaps = overlapped(instance, moment->process, step->process, reg, &open);
    *value = moment->values[reg];
    if (step->reading == PLAIN)
        return !overlaps;
    if (!overlaps || (step->reading == GARBLED &&
                      (instance->setting.registers != SAFE || step->garbled >= register_domain(instance, reg))))
        return false;
    *value = step->reading == NEW_VALUE ? open : step->reading == GARBLED ? step->garbled : *value;
    return true;
}

static unsigned faults_left_at(const struct instance *instance, const struct moment *moment)
{
    unsigned struck[FAULTS] = {0};
    for (unsigned i = 0; i < processes_of(&instance->setting); i++)
        faults_count(struck, faults_used(&moment->process[i]));
    return faults_within(&instance->setting, struck);
}

static void apply_kernel(const struct instance *instance, kernel_deed *deed, const struct trace_step *step,
                         struct moment *to)
{
    struct sleepers sleepers;
    unsigned n = instance->setting.n;
    uint64_t *sleep_words = to->values + kernel_sleep_words(instance), *lives = to->values + kernel_lives(instance);
    memcpy(sleepers.sleep_word, sleep_words, n * sizeof *sleep_words);
    memcpy(sleepers.life, lives, n * sizeof *lives);
    deed(&sleepers, n, step->process % n, step->choice);
    to->access.result = memcmp(sleepers.sleep_word, sleep_words, n * sizeof *sleep_words) != 0;
    memcpy(sleep_words, sleepers.sleep_word, n * sizeof *sleep_words);
    memcpy(lives, sleepers.life, n * sizeof *lives);
}

static const char *execute_step(const struct instance *instance, const struct moment *from,
                                const struct trace_step *step, struct moment *to)
{
    const struct process *process = &from->process[step->process];
    if (step->fault == TIMED_LOOK) {
        if (instance->setting.algorithm->more.watched == NULL || step->process >= instance->setting.n ||
            !is_asleep(from->values[kernel_sleep_words(instance) + step->process]))
            return "it is not asleep";
        if (process->crashed)
            return "it has crashed";
        if (instance->setting.undisturbed)
            return "nobody wakes by itself here";
        apply_kernel(instance, kernel_ends_sleep, step, to);
        return NULL;
    }
    if (step->fault) {
        if (!(faults_possible(instance, process) & faults_left_at(instance, from) & step->fault))
            return step->fault == CRASH ? "it cannot crash" : "no such fault can begin here";
        fault_begin(instance, step->process, process, (enum fault)step->fault, &to->process[step->process]);
        if (step->fault == RECOVERY)
            apply_kernel(instance, kernel_marks, step, to);
        return NULL;
    }
    if (!process_can_step(process))
        return "it cannot step";
    struct access access;
    process_peek(instance, step->process, process, 0, &access);
    if (step->choice >= access.choices)
        return "there is no such choice";
    process_peek(instance, step->process, process, step->choice, &access);
    uint64_t value;
    if (access.kind == READ ? !value_for(instance, from, step, access.reg, &value) : step->reading != PLAIN)
        return "the read cannot return this";
    if (access.kind != READ)
        value = from->values[access.reg];
    process_step(instance, step->process, process, step->choice, value, &to->process[step->process], &to->access);
    if (access.kind == KERNEL) {
        apply_kernel(instance, kernel_last_deed(&instance->setting, step->process), step, to);
        return NULL;
    }
    if (to->access.kind != READ)
        to->values[access.reg] = to->access.result;
    if (register_domain(instance, access.reg) == TICKET && to->access.result >= UINT16_MAX - 1)
        return "its tickets grow too large to be followed";
    return NULL;
}

/* --- and its shadow in the model ---------------------------------------------------------------------------------- */

/* Whether a loop closes is asked of states and not of registers, since tickets may have grown meanwhile without any
 * difference that a process could see. So the model goes along. */

/* The same step in the model, whose states are equal only if their futures are. Of an ambiguous step it takes the
 * outcome that stands for the executed one. */
static bool model_follows(struct model *model, const struct trace_step *step, const struct moment *from,
                          struct moment *to)
{
    struct step move = {.process = step->process, .fault = step->fault, .choice = step->choice};
    const struct local *local = local_of(model, from->identity, step->process);
    if (!step->fault && step->choice >= local->moves)
        return false;
    if (!step->fault) {
        const struct move *way = &model->automaton[step->process].moves[local->first_move + step->choice];
        int writer = model->instance.regs[way->reg].writer;
        move.value = field_get(from->identity, way->field);
        if (step->reading == NEW_VALUE)
            move.value = local_of(model, from->identity, (unsigned)writer)->open_value;
        else if (step->reading == GARBLED)
            move.value = step->garbled;
    }
    uint8_t events;
    enum applied applied = model_learn(model, from->identity, move, to->identity, &events);
    to->ambiguous = applied == AMBIGUOUS;
    if (to->ambiguous && !tickets_represent(model, to->identity, to->values, to->process)) {
        move.gap_is_gone = true;
        applied = model_learn(model, from->identity, move, to->identity, &events);
    }
    return applied != MISSING;
}

/* --- the whole run ------------------------------------------------------------------------------------------------ */

/* The first moment: as the algorithm starts, or as the trace says. */
static const char *execute_start(const struct trace *trace, struct model *model, struct moment *start)
{
    const struct instance *instance = &model->instance;
    const struct trace_start *given = &trace->start;
    memcpy(start->identity, model->initial, sizeof start->identity);
    for (unsigned r = 0; r < instance->reg_count; r++) {
        uint64_t declared = instance->regs[r].array->initial, domain = register_domain(instance, r);
        bool free = trace->setting.transient || declared == ANY_VALUE;
        start->values[r] = given->values != NULL ? given->values[r] : free ? 0 : declared;
        if (free ? start->values[r] >= domain : start->values[r] != declared)
            return "a register cannot start with this value";
        field_set(start->identity, model->register_field[r], start->values[r]);
    }
    for (unsigned i = 0; i < processes_of(&trace->setting); i++) {
        struct process *process = &start->process[i];
        process_start(instance, i, process);
        if (given->length[i] > 0 && !trace->setting.transient)
            return "a process starts elsewhere, but the start is not arbitrary";
        for (size_t s = 0; s < given->length[i]; s++) {
            struct access access;
            struct process next;
            process_peek(instance, i, process, 0, &access);
            if (!process_can_step(process) || given->way[i][s].choice >= access.choices)
                return "a process cannot have come to where it starts";
            process_peek(instance, i, process, given->way[i][s].choice, &access);
            if (given->way[i][s].value >= register_domain(instance, access.reg))
                return "a process cannot have read what it is said to have read";
            process_step(instance, i, process, given->way[i][s].choice, given->way[i][s].value, &next, &access);
            *process = next;
        }
        if (process->writing)
            return "a process starts in the middle of a write";
        uint32_t number = automaton_find(model, i, process);
        if (number == NOT_KNOWN_YET)
            return "the explorer knows no such process";
        field_set(start->identity, model->process_field[i], number);
    }
    return NULL;
}

bool trace_execute(const struct trace *trace, struct execution *execution)
{
    memset(execution, 0, sizeof *execution);
    open_reduced(&execution->model, &trace->setting);
    const struct instance *instance = &execution->model.instance;
    execution->moments = must_allocate((trace->count + 1) * sizeof *execution->moments);
    struct moment *start = &execution->moments[0];
    start->values = must_allocate(instance->reg_count * sizeof *start->values);
    const char *wrong = execute_start(trace, &execution->model, start);
    if (wrong != NULL) {
        free(start->values);
        snprintf(execution->error, sizeof execution->error, "at the start: %s", wrong);
        return false;
    }
    execution->count = 1;
    for (size_t s = 0; s < trace->count; s++) {
        const struct trace_step *step = &trace->steps[s];
        const struct moment *from = &execution->moments[s];
        struct moment *to = &execution->moments[s + 1];
        memcpy(to->process, from->process, sizeof to->process);
        to->access = (struct access){.kind = NO_ACCESS};
        to->values = must_allocate(instance->reg_count * sizeof *to->values);
        memcpy(to->values, from->values, instance->reg_count * sizeof *to->values);
        execution->count++;
        const char *error = execute_step(instance, from, step, to);
        if (error == NULL && !model_follows(&execution->model, step, from, to))
            error = execution->model.overflow != NULL ? execution->model.overflow : "the explorer knows no such step";
        if (error != NULL) {
            execution->count--;
            free(to->values);
            snprintf(execution->error, sizeof execution->error, "step %zu of process %u: %s", s + 1, step->process,
                     error);
            return false;
        }
    }
    return true;
}

void execution_close(struct execution *execution)
{
    for (size_t m = 0; m < execution->count; m++)
        free(execution->moments[m].values);
    free(execution->moments);
    model_close(&execution->model);
}
