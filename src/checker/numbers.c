/* SPDX-License-Identifier: MIT */
#include "checker/numbers.h"

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

static const struct process *standing(const struct model *model, const uint64_t *state, unsigned i)
{
    return &model->automaton[i].processes[field_get(state, model->process_field[i])];
}

enum applied numbers_normalise(const struct model *model, uint64_t *state)
{
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

void numbers_learn(struct model *model, const uint64_t *state)
{
    uint64_t word = field_get(state, word_field(model));
    struct process renumbered;
    for (unsigned i = 0; i < model->n; i++)
        if (renumber(model, word, standing(model, state, i), &renumbered))
            automaton_intern(model, i, &renumbered);
}
