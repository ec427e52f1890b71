/* SPDX-License-Identifier: MIT */
#include "checker/reduce/numbers.h"

#include "checker/model/automaton.h"

enum { REGISTERS_MAX = WORDS_MAX * 64 }; /* each has a bit of a state at least */

static const struct process *standing(const struct model *model, const uint64_t *state, unsigned i)
{
    return &model->automaton[i].processes[field_get(state, model->process_field[i])];
}

/* The one word that has them. */
static struct field word_field(const struct model *model)
{
    unsigned reg = 0;
    while (!model->instance.regs[reg].array->unbounded)
        reg++;
    return model->register_field[reg];
}

/* Renames what process i, standing as in the state, holds beside the word. False if it holds nothing, or the same. */
static bool renumber(const struct model *model, uint64_t word, const struct process *from, struct process *to)
{
    const struct number_renaming *renumbering = &model->instance.setting.algorithm->about.renumbering;
    _Alignas(16) uint8_t ticket[LOCALS_MAX];
    if (from->mode != FOLLOWS_TEXT || from->crashed || from->section == REMAINDER)
        return false;
    memcpy(ticket, from->locals + renumbering->at, renumbering->size);
    renumbering->ticket(word, ticket);
    if (memcmp(ticket, from->locals + renumbering->at, renumbering->size) == 0)
        return false;
    *to = *from;
    memcpy(to->locals + renumbering->at, ticket, renumbering->size);
    return true;
}

/* The same where the algorithm sees everything at once. False if it refuses the state (states_alike). */
static bool sees_everything(const struct model *model)
{
    return model->instance.setting.algorithm->about.rename_all != NULL || has_alike(model);
}

struct everything {
    uint64_t registers[REGISTERS_MAX];
    struct process processes[STEPPED_PROCESSES_MAX];
};

static bool rename_everything(const struct model *model, const uint64_t *state, struct everything *all)
{
    const struct about *about = &model->instance.setting.algorithm->about;
    struct stand stands[STEPPED_PROCESSES_MAX + 1];
    bool right = true;
    enum { ALIGNMENT = 16 };
    _Alignas(ALIGNMENT) uint8_t locals[STEPPED_PROCESSES_MAX][(LOCALS_MAX + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT];
    for (unsigned r = 0; r < model->regs; r++)
        all->registers[r] = field_get(state, model->register_field[r]);
    for (unsigned i = 0; i < model->n; i++) {
        all->processes[i] = *standing(model, state, i);
        memcpy(locals[i], all->processes[i].locals, LOCALS_MAX);
        stands[i] = (struct stand){all->processes[i].label, locals[i], all->processes[i].mode == IS_REMOVER};
        if (has_alike(model) && all->processes[i].crashed)
            stands[i] = (struct stand){0};
    }
    stands[model->n] = (struct stand){0};
    if (has_alike(model))
        right = about->alike(model->n, model->instance.setting.k, all->registers, stands);
    else
        about->rename_all(model->instance.setting.n, model->instance.setting.k, model->instance.setting.ways,
                          all->registers, stands);
    for (unsigned i = 0; i < model->n; i++)
        memcpy(all->processes[i].locals, locals[i], LOCALS_MAX);
    return right;
}

static enum applied normalise_everything(const struct model *model, uint64_t *state)
{
    struct everything all;
    uint64_t result[WORDS_MAX];
    if (!rename_everything(model, state, &all))
        return MISSING;
    memcpy(result, state, model->words * sizeof *state);
    for (unsigned r = 0; r < model->regs; r++)
        field_set(result, model->register_field[r], all.registers[r]);
    for (unsigned i = 0; i < model->n; i++) {
        const struct process *from = standing(model, state, i);
        if (memcmp(from, &all.processes[i], model->instance.process_size) == 0)
            continue;
        uint32_t number = automaton_find(model, i, &all.processes[i]);
        if (number == NOT_KNOWN_YET)
            return MISSING;
        field_set(result, model->process_field[i], number);
    }
    memcpy(state, result, model->words * sizeof *state);
    return APPLIED;
}

enum applied numbers_normalise(const struct model *model, uint64_t *state, bool gap_is_gone)
{
    (void)gap_is_gone;
    if (sees_everything(model))
        return normalise_everything(model, state);
    struct field field = word_field(model);
    uint64_t word = field_get(state, field), result[WORDS_MAX];
    struct process renumbered;
    memcpy(result, state, model->words * sizeof *state);
    for (unsigned i = 0; i < model->n; i++) {
        if (!renumber(model, word, standing(model, state, i), &renumbered))
            continue;
        uint32_t number = automaton_find(model, i, &renumbered);
        if (number == NOT_KNOWN_YET)
            return MISSING;
        field_set(result, model->process_field[i], number);
    }
    field_set(result, field, model->instance.setting.algorithm->about.renumbering.word(word));
    memcpy(state, result, model->words * sizeof *state);
    return APPLIED;
}

void numbers_learn(struct model *model, const uint64_t *state, bool gap_is_gone)
{
    (void)gap_is_gone;
    if (sees_everything(model)) {
        struct everything all;
        if (!rename_everything(model, state, &all))
            model->overflow = "states that were taken for alike are not";
        for (unsigned i = 0; i < model->n; i++)
            automaton_intern(model, i, &all.processes[i]);
        return;
    }
    uint64_t word = field_get(state, word_field(model));
    struct process renumbered;
    for (unsigned i = 0; i < model->n; i++)
        if (renumber(model, word, standing(model, state, i), &renumbered))
            automaton_intern(model, i, &renumbered);
}
