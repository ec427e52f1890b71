/* SPDX-License-Identifier: MIT */
#include "checker/reduce/tickets.h"

#include "checker/model/automaton.h"

#include "checker/reduce/label_gaps.h"

enum {
    FAR = 1024, /* more than all narrow gaps of a state together */
    PRESENT_MAX = CHECKED_PROCESSES_MAX * (TICKET_LOCALS_MAX + 1) + 1 /* distinct tickets in a state */
};

struct renaming {
    unsigned count;
    bool gap_is_gone; /* in: how to read a gap of unknown width */
    bool ambiguous;   /* there is one */
    bool too_wide;    /* more wide gaps than fit a ticket's field */
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

static unsigned narrowed(struct renaming *renaming, unsigned gap, unsigned close)
{
    unsigned fars = gap / FAR, rest = gap % FAR;
    if (fars == 0)
        return rest < close ? rest : FAR + close;
    if (rest < 2) {
        renaming->ambiguous = true;
        return renaming->gap_is_gone ? rest : FAR + 2;
    }
    return FAR + (rest < close ? rest : close);
}

static uint16_t renamed(const struct renaming *renaming, uint16_t value)
{
    unsigned at = 0;
    while (renaming->old[at] != value)
        at++;
    return renaming->new[at];
}

/* Where process i keeps tickets: calls visit on each. A crashed one keeps only the value of a write that stays
 * open; a faulty one none. */
typedef void ticket_visitor(struct renaming *renaming, uint8_t *ticket);

static void visit_tickets(const struct model *model, struct process *process, struct renaming *renaming,
                          ticket_visitor *visit)
{
    if (process->mode != FOLLOWS_TEXT)
        return;
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

/* What process i becomes. Its copies of registers (own() in language.h) hold the registers' tickets, which the renaming
 * knows already. */
static struct process renamed_process(const struct model *model, const uint64_t *state, unsigned i,
                                      struct renaming *renaming)
{
    struct process process = model->automaton[i].processes[field_get(state, model->process_field[i])];
    visit_tickets(model, &process, renaming, rename_ticket);
    bool has_copies = model->instance.copies > 0 && process.mode == FOLLOWS_TEXT && !process.crashed;
    for (unsigned r = 0; has_copies && r < model->regs; r++) {
        int copy = model->instance.copy_number[i][r];
        if (copy >= 0 && register_domain(&model->instance, r) == TICKET)
            rename_ticket(renaming, process.locals + copies_at(&model->instance) + (size_t)copy * sizeof(uint64_t));
    }
    return process;
}

static struct renaming renaming_of(const struct model *model, const uint64_t *state, bool gap_is_gone)
{
    struct renaming renaming = {.count = 0, .gap_is_gone = gap_is_gone, .identity = true};
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
        unsigned gap = renaming.old[at] - renaming.old[at - 1];
        if (has_climbs(model))
            gap = climb_gap(model, state, renaming.old[at - 1], gap);
        else
            gap = narrowed(&renaming, gap, model->instance.setting.ticket_gap);
        unsigned new = renaming.new[at - 1] + gap;
        renaming.too_wide |= new >= UINT16_MAX;
        renaming.new[at] = (uint16_t) new;
        renaming.identity &= renaming.new[at] == renaming.old[at];
    }
    return renaming;
}

enum applied tickets_normalise(const struct model *model, uint64_t *state, bool gap_is_gone)
{
    struct renaming renaming = renaming_of(model, state, gap_is_gone);
    enum applied applied = renaming.ambiguous && !gap_is_gone ? AMBIGUOUS : APPLIED;
    if (renaming.too_wide)
        return MISSING;
    if (renaming.identity)
        return applied;
    uint64_t result[WORDS_MAX];
    memcpy(result, state, model->words * sizeof *state);
    for (unsigned i = 0; i < model->n; i++) {
        struct process process = renamed_process(model, state, i, &renaming);
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
    return applied;
}

void tickets_learn(struct model *model, const uint64_t *state, bool gap_is_gone)
{
    struct renaming renaming = renaming_of(model, state, gap_is_gone);
    if (renaming.too_wide) {
        model->overflow = "more tickets are far apart than the checker has room for";
        return;
    }
    for (unsigned i = 0; i < model->n; i++) {
        struct process process = renamed_process(model, state, i, &renaming);
        automaton_intern(model, i, &process);
    }
}

/* --- real tickets ------------------------------------------------------------------------------------------------- */

static void list_ticket(struct renaming *renaming, uint8_t *at)
{
    memcpy(&renaming->new[renaming->count++], at, sizeof renaming->new[0]);
}

bool tickets_represent(const struct model *model, const uint64_t *state, const uint64_t *values,
                       const struct process *processes)
{
    /* Pairs of a real ticket (in `real`) and the one it was renamed to, in the same order. */
    struct renaming real = {.count = 1}, kept = {.count = 1};
    for (unsigned r = 0; r < model->regs; r++) {
        if (register_domain(&model->instance, r) != TICKET)
            continue;
        real.new[real.count++] = (uint16_t)values[r];
        kept.new[kept.count++] = (uint16_t)field_get(state, model->register_field[r]);
    }
    for (unsigned i = 0; i < model->n; i++) {
        struct process process = processes[i];
        visit_tickets(model, &process, &real, list_ticket);
        process = model->automaton[i].processes[field_get(state, model->process_field[i])];
        visit_tickets(model, &process, &kept, list_ticket);
    }
    if (real.count != kept.count)
        return false;
    for (unsigned a = 0; a < kept.count; a++) {
        for (unsigned b = 0; b < kept.count; b++) {
            if (kept.new[a] > kept.new[b])
                continue;
            int gap = kept.new[b] - kept.new[a], width = real.new[b] - real.new[a];
            if (gap < FAR ? width != gap : width < gap % FAR)
                return false;
        }
    }
    return true;
}
