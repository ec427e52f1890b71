/* SPDX-License-Identifier: MIT */
#include "checker/reduce/idle.h"

#include "checker/model/fault_info.h"

bool has_idle_steps(const struct model *model)
{
    const struct setting *setting = &model->instance.setting;
    unsigned foreseen = ABORT | RECOVERY; /* by the text; other faults write what it does not reckon with */
    return setting->algorithm->about.is_idle != NULL && setting->registers == ATOMIC && !setting->any_order &&
           model->faults != 0 && (faults_in(setting) & ~foreseen) == 0;
}

struct view {
    uint64_t registers[WORDS_MAX * 64]; /* each has a bit of a state at least */
    struct stand stands[CHECKED_PROCESSES_MAX];
};

static void look_at(const struct model *model, const uint64_t *state, struct view *view)
{
    for (unsigned r = 0; r < model->regs; r++)
        view->registers[r] = field_get(state, model->register_field[r]);
    for (unsigned i = 0; i < model->n; i++) {
        struct process *process = &model->automaton[i].processes[field_get(state, model->process_field[i])];
        view->stands[i] = (struct stand){process->label, process->locals, process->mode == IS_REMOVER};
    }
}

/* A comparison of a register that takes no value twice with one that is behind it. */
static bool fails_for_good(const struct model *model, const struct move *move, uint64_t value)
{
    value_order *grows = move->compares ? model->instance.regs[move->reg].array->grows : NULL;
    return grows != NULL && value != move->compared && !grows(value, move->compared);
}

static bool is_idle_in(const struct model *model, const uint64_t *state, const struct view *view, unsigned i,
                       struct step *step)
{
    const struct setting *setting = &model->instance.setting;
    const struct local *local = local_of(model, state, i);
    if (local->moves != 1)
        return false;
    const struct move *move = &model->automaton[i].moves[local->first_move];
    *step = (struct step){.process = (uint8_t)i, .value = field_get(state, move->field)};
    return fails_for_good(model, move, step->value) ||
           setting->algorithm->about.is_idle(setting->n, setting->k, view->registers, view->stands, i);
}

bool idle_step_of(const struct model *model, const uint64_t *state, unsigned i, struct step *step)
{
    struct view view;
    look_at(model, state, &view);
    return is_idle_in(model, state, &view, i, step);
}

bool next_idle_step(const struct model *model, const uint64_t *state, struct step *step)
{
    struct view view;
    look_at(model, state, &view);
    for (unsigned i = 0; i < model->n; i++)
        if (is_idle_in(model, state, &view, i, step))
            return true;
    return false;
}

/* A step that is known does what no idle one may: it changes a register, or leads to another section but the remainder. */
static bool breaks_its_word(const struct model *model, const uint64_t *state, struct step step,
                            const uint64_t *successor)
{
    const struct automaton *automaton = &model->automaton[step.process];
    const struct local *local = local_of(model, state, step.process);
    uint32_t move = local->first_move;
    const struct transition *transition = automaton->moves[move].few
                                              ? &automaton->transitions[automaton->moves[move].first + step.value]
                                              : far_transition(automaton, move, step.value);
    unsigned section = local_of(model, successor, step.process)->section;
    return transition->register_xor != 0 || (section != local->section && section != REMAINDER);
}

enum applied take_idle_steps(const struct model *model, uint64_t *state)
{
    struct step step;
    while (next_idle_step(model, state, &step)) {
        uint64_t successor[WORDS_MAX];
        uint8_t events;
        if (model_apply(model, state, step, successor, &events) == MISSING ||
            breaks_its_word(model, state, step, successor))
            return MISSING;
        memcpy(state, successor, model->words * sizeof *state);
    }
    return APPLIED;
}

enum applied learn_idle_steps(struct model *model, uint64_t *state)
{
    struct step step;
    while (next_idle_step(model, state, &step)) {
        uint64_t successor[WORDS_MAX];
        uint8_t events;
        if (model_learn(model, state, step, successor, &events) == MISSING)
            return MISSING;
        if (breaks_its_word(model, state, step, successor)) {
            model->overflow = "a step that was taken for idle is not";
            return MISSING;
        }
        memcpy(state, successor, model->words * sizeof *state);
    }
    return APPLIED;
}
