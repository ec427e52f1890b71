/* SPDX-License-Identifier: MIT
 *
 * model.c - all processes together: how a state is laid out, where to start, and how a local step of one process
 * (automaton.c) becomes a step from state to state.
 */
#include "checker/model/model.h"

#include "base/die.h"
#include "checker/model/automaton.h"
#include "checker/model/faults.h"

#include <stdlib.h>

enum { OPEN_WIDTH = 22 /* bits of a process's field where its local states could not be counted beforehand */ };

/* --- layout ------------------------------------------------------------------------------------------------------- */

/* A field never crosses a word, so that a step is at most two exclusive-ors. A register's field is as wide as its domain
 * asks for. How many local states a process has is not known in advance; but where all its registers have few values, all
 * steps that any values could lead to are few enough to be taken beforehand, and their number bounds it. So the automata
 * are opened twice: first to count, then, with the fields known, to be used. */

static unsigned bits_for(uint64_t values)
{
    unsigned bits = 1;
    while (bits < 64 && values > UINT64_C(1) << bits)
        bits++;
    return bits;
}

static struct field next_field(struct model *model, unsigned *used, unsigned width)
{
    if (*used % 64 + width > 64)
        *used += 64 - *used % 64;
    struct field field = {
        .word = (uint8_t)(*used / 64), .shift = (uint8_t)(*used % 64), .mask = UINT64_MAX >> (64 - width)};
    *used += width;
    model->words = field.word + 1u;
    if (model->words > WORDS_MAX)
        die("%s with n = %u needs states of more than %d bytes", model->instance.setting.algorithm->about.id, model->n,
            WORDS_MAX * 8);
    return field;
}

static void lay_out(struct model *model)
{
    unsigned used = 0;
    model->instance.tolerant = true;
    for (unsigned i = 0; i < model->n; i++) {
        uint32_t closure = automaton_complete(model, i);
        model->process_field[i] = next_field(model, &used, closure > 0 ? bits_for(closure) : OPEN_WIDTH);
    }
    model->instance.tolerant = false;
    for (unsigned r = 0; r < model->regs; r++) {
        uint64_t domain = register_domain(&model->instance, r);
        model->register_field[r] = next_field(model, &used, domain == TICKET ? TICKET_WIDTH : bits_for(domain));
    }
}

void model_open(struct model *model, const struct setting *setting)
{
    memset(model, 0, sizeof *model);
    instance_open(&model->instance, setting);
    if (setting->ticket_gap == 0)
        model->instance.setting.ticket_gap = setting->n + 2;
    model->faults = faults_allowed(setting);
    model->has_timed_looks = setting->algorithm->more.watched != NULL && !setting->undisturbed;
    model->n = processes_of(setting);
    model->regs = model->instance.reg_count;
    model->register_field = must_allocate(model->regs * sizeof *model->register_field);
    for (unsigned i = 0; i < model->n; i++)
        automaton_open(model, i);
    lay_out(model);
    for (unsigned i = 0; i < model->n; i++) {
        automaton_open(model, i); /* again, with the fields known; number 0 is the start */
        if (setting->transient && automaton_complete(model, i) == 0)
            die("%s has too many local states, or too large registers, to be started in all of them",
                setting->algorithm->about.id);
    }
    struct roots roots;
    roots_first(&roots, model);
    memcpy(model->initial, roots.state, sizeof model->initial);
}

void model_close(struct model *model)
{
    for (unsigned i = 0; i < model->n; i++)
        automaton_close(&model->automaton[i]);
    free(model->register_field);
    instance_close(&model->instance);
}

/* --- where to start ----------------------------------------------------------------------------------------------- */

/* Registers without a declared initial value start with each of their values; where the start is arbitrary, all registers
 * do, and processes start in every local state that is not in the middle of a write. */

static bool is_root(const struct model *model, unsigned i, uint32_t number)
{
    return number == 0 || (model->instance.setting.transient && !model->automaton[i].processes[number].writing);
}

static bool has_any_value(const struct model *model, unsigned r)
{
    return model->instance.setting.transient || model->instance.regs[r].array->initial == ANY_VALUE;
}

double roots_count(const struct model *model)
{
    double count = 1;
    for (unsigned i = 0; i < model->n; i++) {
        unsigned locals = 0;
        for (uint32_t number = 0; number < model->automaton[i].count; number++)
            locals += is_root(model, i, number);
        count *= locals;
    }
    for (unsigned r = 0; r < model->regs; r++)
        count *= has_any_value(model, r) ? (double)register_domain(&model->instance, r) : 1;
    return count;
}

void roots_first(struct roots *roots, const struct model *model)
{
    *roots = (struct roots){.model = model};
    for (unsigned r = 0; r < model->regs; r++)
        if (!has_any_value(model, r))
            field_set(roots->state, model->register_field[r], model->instance.regs[r].array->initial);
}

/* Like counting: registers are the low digits, processes the high ones. */
void roots_next(struct roots *roots)
{
    const struct model *model = roots->model;
    for (unsigned r = 0; r < model->regs; r++) {
        if (!has_any_value(model, r))
            continue;
        uint64_t value = field_get(roots->state, model->register_field[r]) + 1;
        bool carries = value == register_domain(&model->instance, r);
        field_set(roots->state, model->register_field[r], carries ? 0 : value);
        if (!carries)
            return;
    }
    for (unsigned i = 0; i < model->n; i++) {
        uint32_t number = roots->local[i] + 1;
        while (number < model->automaton[i].count && !is_root(model, i, number))
            number++;
        bool carries = !model->instance.setting.transient || number >= model->automaton[i].count;
        roots->local[i] = carries ? 0 : number;
        field_set(roots->state, model->process_field[i], roots->local[i]);
        if (!carries)
            return;
    }
    roots->done = true;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* model_apply only looks up, and so may be called by many threads at once; what it does not find, model_learn adds and
 * tries again. After a step the kernel may have its say (kernel.h), and then the state gives way to the one that stands
 * for it (struct normal_form). */

void model_kernel(const struct model *model, kernel_deed *deed, unsigned i, unsigned choice, uint64_t *state)
{
    struct sleepers sleepers;
    unsigned sleep_words = kernel_sleep_words(&model->instance), lives = kernel_lives(&model->instance);
    unsigned n = model->instance.setting.n;
    for (unsigned j = 0; j < n; j++) {
        sleepers.sleep_word[j] = field_get(state, model->register_field[sleep_words + j]);
        sleepers.life[j] = field_get(state, model->register_field[lives + j]);
    }
    deed(&sleepers, n, i % n, choice);
    for (unsigned j = 0; j < n; j++) {
        field_set(state, model->register_field[sleep_words + j], sleepers.sleep_word[j]);
        field_set(state, model->register_field[lives + j], sleepers.life[j]);
    }
}

bool may_wake_by_itself(const struct model *model, const uint64_t *state, unsigned i)
{
    return i < model->instance.setting.n &&
           is_asleep(field_get(state, model->register_field[kernel_sleep_words(&model->instance) + i]));
}

bool must_be_taken_over(const struct model *model, const uint64_t *state, unsigned i)
{
    const struct setting *setting = &model->instance.setting;
    return (setting->ways & RESIZE) != 0 && i < setting->n && local_of(model, state, i)->section == REMAINDER &&
           is_nobodys(field_get(state, model->register_field[kernel_lives(&model->instance) + i]));
}

unsigned faults_left(const struct model *model, const uint64_t *state)
{
    unsigned struck[FAULTS] = {0};
    for (unsigned i = 0; i < model->n; i++)
        faults_count(struck, local_of(model, state, i)->has_used);
    return faults_within(&model->instance.setting, struck);
}

enum applied model_apply(const struct model *model, const uint64_t *state, struct step step, uint64_t *successor,
                         uint8_t *events)
{
    unsigned i = step.process;
    const struct local *local = local_of(model, state, i);
    if (!step.fault)
        return apply_move(model, model->words, state, step, &model->automaton[i].moves[local->first_move + step.choice],
                          successor, events);
    uint32_t number = (uint32_t)(local - model->automaton[i].locals);
    uint32_t target = step.fault == TIMED_LOOK ? number : *automaton_fault_target(model, i, number, step.fault);
    if (target == NOT_KNOWN_YET)
        return MISSING;
    memcpy(successor, state, model->words * sizeof *state);
    field_set(successor, model->process_field[i], target);
    if (step.fault == RECOVERY)
        model_kernel(model, kernel_marks, i, 0, successor);
    else if (step.fault == TIMED_LOOK)
        model_kernel(model, kernel_ends_sleep, i, 0, successor);
    *events = 0;
    return model->normal_form != NULL ? model->normal_form->rename(model, successor, step.gap_is_gone) : APPLIED;
}

enum applied model_learn(struct model *model, const uint64_t *state, struct step step, uint64_t *successor,
                         uint8_t *events)
{
    uint32_t number = (uint32_t)field_get(state, model->process_field[step.process]);
    for (;;) {
        enum applied applied = model_apply(model, state, step, successor, events);
        if (applied != MISSING || model->overflow != NULL)
            return applied;
        if (step.fault) {
            if (step.fault != TIMED_LOOK &&
                *automaton_fault_target(model, step.process, number, step.fault) == NOT_KNOWN_YET)
                automaton_learn_fault(model, step.process, number, step.fault);
            else
                model->normal_form->learn(model, successor, step.gap_is_gone);
        } else {
            uint32_t move = model->automaton[step.process].locals[number].first_move + step.choice;
            if (!automaton_knows_step(&model->automaton[step.process], move, step.value))
                automaton_learn_step(model, step.process, number, step.choice, step.value);
            else
                model->normal_form->learn(model, successor, step.gap_is_gone);
        }
    }
}
