/* SPDX-License-Identifier: MIT */
#include "checker/tickets.h"

enum {
    FAR = 1024, /* more than all narrow gaps of a state together */
    PRESENT_MAX = STEPPED_PROCESSES_MAX * (TICKET_LOCALS_MAX + 1) + 1 /* distinct tickets in a state */
};

struct renaming {
    unsigned count;
    bool exhausted; /* a gap of unknown width would have to be known */
    bool identity;
    uint16_t old[PRESENT_MAX], new[PRESENT_MAX];
};

static void add(struct renaming *renaming, uint16_t value)
{
    unsigned at = renaming->count;
    while (at > 0 && renaming->old[at - 1] >= value) {
        if (renaming->old[at - 1] == value)
            return;
        at--;
    }
    memmove(&renaming->old[at + 1], &renaming->old[at], (renaming->count - at) * sizeof renaming->old[0]);
    renaming->old[at] = value;
    renaming->count++;
}

static unsigned narrowed(unsigned gap, unsigned close, bool *exhausted)
{
    unsigned fars = gap / FAR, rest = gap % FAR;
    if (fars == 0)
        return rest < close ? rest : FAR + close;
    *exhausted |= rest == 0;
    return FAR + (rest < close ? rest : close);
}

static uint16_t renamed(const struct renaming *renaming, uint16_t value)
{
    unsigned at = 0;
    while (renaming->old[at] != value)
        at++;
    return renaming->new[at];
}

/* Where process i keeps tickets: calls visit on each. A crashed one keeps only the value of a write that stays open. */
typedef void ticket_visitor(struct renaming *renaming, uint8_t *ticket);

static void visit_tickets(const struct model *model, struct process *process, struct renaming *renaming,
                          ticket_visitor *visit)
{
    if (process->crashed) {
        uint16_t reg;
        memcpy(&reg, process->locals, sizeof reg);
        if (process->writing && register_domain(&model->instance, reg) == TICKET)
            visit(renaming, process->locals + sizeof reg);
        return;
    }
    const size_t *offsets = model->instance.setting.algorithm->about.ticket_locals;
    for (unsigned t = 0; t < TICKET_LOCALS_MAX && offsets[t] != 0; t++)
        visit(renaming, process->locals + offsets[t]);
}

static void collect_ticket(struct renaming *renaming, uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    add(renaming, value);
}

static void rename_ticket(struct renaming *renaming, uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    value = renamed(renaming, value);
    memcpy(at, &value, sizeof value);
}

static struct renaming renaming_of(const struct model *model, const uint64_t *state)
{
    struct renaming renaming = {.count = 0, .identity = true};
    add(&renaming, 0);
    for (unsigned r = 0; r < model->regs; r++)
        if (register_domain(&model->instance, r) == TICKET)
            add(&renaming, (uint16_t)field_get(state, model->register_field[r]));
    for (unsigned i = 0; i < model->n; i++) {
        const struct automaton *automaton = &model->automaton[i];
        visit_tickets(model, &automaton->processes[field_get(state, model->process_field[i])], &renaming,
                      collect_ticket);
    }
    renaming.new[0] = 0;
    for (unsigned at = 1; at < renaming.count; at++) {
        unsigned gap =
            narrowed(renaming.old[at] - renaming.old[at - 1], model->instance.setting.ticket_gap, &renaming.exhausted);
        renaming.new[at] = (uint16_t)(renaming.new[at - 1] + gap);
        renaming.identity &= renaming.new[at] == renaming.old[at];
    }
    return renaming;
}

enum applied tickets_normalise(const struct model *model, uint64_t *state)
{
    struct renaming renaming = renaming_of(model, state);
    if (renaming.exhausted)
        return MISSING;
    if (renaming.identity)
        return APPLIED;
    uint64_t result[WORDS_MAX];
    memcpy(result, state, model->words * sizeof *state);
    for (unsigned i = 0; i < model->n; i++) {
        struct process process = model->automaton[i].processes[field_get(state, model->process_field[i])];
        visit_tickets(model, &process, &renaming, rename_ticket);
        uint32_t number = automaton_find(model, i, &process);
        if (number == NOT_KNOWN_YET)
            return MISSING;
        field_set(result, model->process_field[i], number);
    }
    for (unsigned r = 0; r < model->regs; r++) {
        if (register_domain(&model->instance, r) == TICKET) {
            uint16_t value = renamed(&renaming, (uint16_t)field_get(state, model->register_field[r]));
            field_set(result, model->register_field[r], value);
        }
    }
    memcpy(state, result, model->words * sizeof *state);
    return APPLIED;
}

void tickets_learn(struct model *model, const uint64_t *state)
{
    struct renaming renaming = renaming_of(model, state);
    if (renaming.exhausted) {
        model->overflow = "the tickets drift apart without bound, so their states cannot be numbered; try --passages";
        model->gap_too_small = true;
        return;
    }
    for (unsigned i = 0; i < model->n; i++) {
        struct process process = model->automaton[i].processes[field_get(state, model->process_field[i])];
        visit_tickets(model, &process, &renaming, rename_ticket);
        automaton_intern(model, i, &process);
    }
}
