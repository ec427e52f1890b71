/* SPDX-License-Identifier: MIT */
#include "checker/reduce/label_gaps.h"

/* The processes whose register holds hi or more. */
static unsigned holders_from(const struct model *model, const uint64_t *state, unsigned hi)
{
    unsigned holders = 0;
    for (unsigned r = 0; r < model->regs; r++)
        if (register_domain(&model->instance, r) == TICKET && field_get(state, model->register_field[r]) >= hi)
            holders |= 1u << model->instance.regs[r].writer;
    return holders;
}

/* Whether this process may yet write a label above lo that is made without a look at the holders' labels. */
static bool may_climb(const struct model *model, const struct process *process, uint16_t lo, unsigned holders)
{
    const struct climb *climb = &model->instance.setting.algorithm->about.climb;
    flag under_way;
    ticket largest;
    procset todo;
    if (process->mode != FOLLOWS_TEXT || process->crashed)
        return false;
    memcpy(&under_way, process->locals + climb->under_way, sizeof under_way);
    memcpy(&largest, process->locals + climb->largest, sizeof largest);
    memcpy(&todo, process->locals + climb->todo, sizeof todo);
    return under_way && largest <= lo && (todo & holders) == 0;
}

unsigned climb_gap(const struct model *model, const uint64_t *state, uint16_t lo, unsigned gap)
{
    if (gap == 1)
        return 1;
    unsigned holders = holders_from(model, state, lo + gap), climbers = 0;
    for (unsigned i = 0; i < model->n; i++) {
        const struct process *process = &model->automaton[i].processes[field_get(state, model->process_field[i])];
        climbers += may_climb(model, process, lo, holders);
    }
    return gap <= climbers ? gap : climbers + 1;
}
