/* SPDX-License-Identifier: MIT
 *
 * trace.c - a finding of the explorer as a trace: the numbers of its tables become what can be said without them. A read
 * that overlaps a write is told by what it returned, a start by the values of the registers and by the way in which each
 * text can come to where it stands.
 */
#include "checker/show/trace.h"

#include "base/die.h"

#include <stdlib.h>

static struct trace_step trace_step_of(const struct model *model, const uint64_t *state, struct step step)
{
    struct trace_step result = {.process = step.process, .fault = step.fault, .choice = step.choice};
    if (step.fault)
        return result;
    const struct local *local = local_of(model, state, step.process);
    const struct move *move = &model->automaton[step.process].moves[local->first_move + step.choice];
    int writer = model->instance.regs[move->reg].writer;
    if (move->kind != READ || writer < 0 || writer == step.process)
        return result;
    const struct local *other = local_of(model, state, (unsigned)writer);
    if (other->open_register != move->reg)
        return result;
    result.reading = step.value == field_get(state, model->register_field[move->reg]) ? OLD_VALUE
                     : step.value == other->open_value                                ? NEW_VALUE
                                                                                      : GARBLED;
    result.garbled = result.reading == GARBLED ? step.value : 0;
    return result;
}

static void way_of(const struct automaton *automaton, uint32_t number, struct fed_step **way, size_t *length)
{
    *length = 0;
    for (uint32_t at = number; at != 0; at = automaton->origins[at].from)
        ++*length;
    *way = must_allocate(*length * sizeof **way);
    size_t place = *length;
    for (uint32_t at = number; at != 0; at = automaton->origins[at].from)
        (*way)[--place] = (struct fed_step){automaton->origins[at].choice, automaton->origins[at].value};
}

/* Only where there is more than one start need it be said which. */
static void start_of(struct trace_start *start, const struct model *model, const uint64_t *state)
{
    if (roots_count(model) <= 1)
        return;
    start->values = must_allocate(model->regs * sizeof *start->values);
    for (unsigned r = 0; r < model->regs; r++)
        start->values[r] = field_get(state, model->register_field[r]);
    for (unsigned i = 0; i < model->n && model->instance.setting.transient; i++)
        way_of(&model->automaton[i], (uint32_t)field_get(state, model->process_field[i]), &start->way[i],
               &start->length[i]);
}

void trace_of(struct trace *trace, const struct finding *finding, const struct model *model)
{
    const struct witness *witness = &finding->witness;
    *trace = (struct trace){.setting = model->instance.setting,
                            .property = finding->property,
                            .i = finding->i,
                            .j = finding->j,
                            .count = witness->count,
                            .loop = witness->loop,
                            .loop_end = witness->loop_end,
                            .steps = must_allocate(witness->count * sizeof *trace->steps)};
    memcpy(trace->what, finding->what, sizeof trace->what);
    uint64_t state[WORDS_MAX], successor[WORDS_MAX];
    start_of(&trace->start, model, witness->start);
    memcpy(state, witness->start, sizeof state);
    for (size_t s = 0; s < witness->count; s++) {
        uint8_t events;
        trace->steps[s] = trace_step_of(model, state, witness->steps[s]);
        model_apply(model, state, witness->steps[s], successor, &events);
        memcpy(state, successor, model->words * sizeof *state);
    }
}

void trace_close(struct trace *trace)
{
    free(trace->steps);
    free(trace->start.values);
    for (unsigned i = 0; i < CHECKED_PROCESSES_MAX; i++)
        free(trace->start.way[i]);
    memset(trace, 0, sizeof *trace);
}
