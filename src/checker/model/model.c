/* SPDX-License-Identifier: MIT */
#include "checker/model/model.h"

#include "base/die.h"
#include "base/hash.h"
#include "checker/model/faults.h"

#include <stdlib.h>

enum {
    FEW_VALUES = 24,       /* registers up to this size have a table of transitions per move */
    CLOSURE_MAX = 1 << 14, /* local states up to which the automata are completed beforehand */
    OPEN_WIDTH = 22,       /* bits of a process's field where they could not be */
    CHOICES_MAX = 254      /* what process.writing, move numbers and step.choice have room for */
};

/* A step on a register with many values. */
struct far_transition {
    uint64_t value;
    uint32_t move; /* +1; 0 is empty */
    struct transition transition;
};

/* --- automata ----------------------------------------------------------------------------------------------------- */

static void *grown(void *array, uint32_t *capacity, uint32_t needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    while (*capacity < needed)
        *capacity = *capacity == 0 ? 64 : *capacity + *capacity / 2;
    return must_reallocate(array, *capacity * size);
}

static uint64_t process_hash(const struct model *model, const struct process *process)
{
    return hash_bytes(process, model->instance.process_size);
}

/* The slot in the index where the process is, or where it would go. */
static uint32_t *index_slot(const struct model *model, const struct automaton *automaton, const struct process *process)
{
    uint32_t at = (uint32_t)process_hash(model, process) & (automaton->index_size - 1);
    while (automaton->index[at] != 0 &&
           memcmp(&automaton->processes[automaton->index[at] - 1], process, model->instance.process_size) != 0)
        at = (at + 1) & (automaton->index_size - 1);
    return &automaton->index[at];
}

uint32_t automaton_find(const struct model *model, unsigned i, const struct process *process)
{
    uint32_t number = *index_slot(model, &model->automaton[i], process);
    return number == 0 ? NOT_KNOWN_YET : number - 1;
}

static void grow_index(struct model *model, struct automaton *automaton)
{
    free(automaton->index);
    automaton->index_size = automaton->index_size == 0 ? 256 : automaton->index_size * 2;
    automaton->index = must_allocate(automaton->index_size * sizeof *automaton->index);
    for (uint32_t number = 0; number < automaton->count; number++)
        *index_slot(model, automaton, &automaton->processes[number]) = number + 1;
}

static void add_moves(struct model *model, unsigned i, struct local *local, const struct process *process)
{
    struct automaton *automaton = &model->automaton[i];
    local->first_move = automaton->move_count;
    if (!process_can_step(process))
        return;
    struct access access = {.choices = 1};
    for (unsigned choice = 0; choice < access.choices; choice++) {
        if (!process_peek(&model->instance, i, process, choice, &access))
            return; /* only values that never occur lead here */
        if (access.choices > CHOICES_MAX)
            die("process %u of %s can go on in %u ways; the checker takes up to %d", i,
                model->instance.setting.algorithm->about.id, access.choices, CHOICES_MAX);
        bool kernel = access.kind == KERNEL;
        uint64_t domain = kernel ? 1 : register_domain(&model->instance, access.reg);
        struct move move = {.field = kernel ? (struct field){0} : model->register_field[access.reg],
                            .reg = (uint16_t)access.reg,
                            .kind = (uint8_t)access.kind,
                            .few = domain != TICKET && domain <= FEW_VALUES,
                            .first = automaton->transition_count};
        automaton->moves =
            grown(automaton->moves, &automaton->move_capacity, automaton->move_count + 1, sizeof *automaton->moves);
        automaton->moves[automaton->move_count++] = move;
        local->moves++;
        if (!move.few)
            continue;
        automaton->transitions = grown(automaton->transitions, &automaton->transition_capacity,
                                       automaton->transition_count + (uint32_t)domain, sizeof *automaton->transitions);
        for (uint64_t value = 0; value < domain; value++)
            automaton->transitions[automaton->transition_count++] = (struct transition){.events = UNKNOWN};
    }
}

uint32_t automaton_intern(struct model *model, unsigned i, const struct process *process)
{
    struct automaton *automaton = &model->automaton[i];
    uint32_t number = automaton_find(model, i, process);
    if (number != NOT_KNOWN_YET)
        return number;
    number = automaton->count;
    if (model->process_field[i].mask != 0 && number > model->process_field[i].mask) {
        model->overflow = "a process has more local states than the checker has room for";
        return NOT_KNOWN_YET;
    }
    if (automaton->count + 1 > automaton->capacity) {
        automaton->processes =
            grown(automaton->processes, &automaton->capacity, automaton->count + 1, sizeof *automaton->processes);
        automaton->locals = must_reallocate(automaton->locals, automaton->capacity * sizeof *automaton->locals);
        if (model->faults != 0)
            automaton->fault_target =
                must_reallocate(automaton->fault_target,
                                (size_t)automaton->capacity * BEGINNING_FAULTS * sizeof *automaton->fault_target);
        if (model->instance.setting.transient)
            automaton->origins = must_reallocate(automaton->origins, automaton->capacity * sizeof *automaton->origins);
    }
    for (unsigned f = 0; f < BEGINNING_FAULTS && model->faults != 0; f++)
        automaton->fault_target[number * BEGINNING_FAULTS + f] = NOT_KNOWN_YET;
    automaton->processes[number] = *process;
    automaton->count++;

    struct local local = {.section = process->section,
                          .crashed = process->crashed,
                          .can_begin = (uint8_t)(faults_possible(&model->instance, process) & model->faults),
                          .has_used = (uint8_t)faults_used(process),
                          .must_not_stay =
                              process->mode == MALFUNCTIONING || (process->section == REMAINDER && process->writing),
                          .open_register = -1};
    unsigned reg;
    if (process_open_write(&model->instance, i, process, &reg, &local.open_value))
        local.open_register = (int32_t)reg;
    add_moves(model, i, &local, process);
    automaton->locals[number] = local;

    if (automaton->count * 2 > automaton->index_size)
        grow_index(model, automaton);
    else
        *index_slot(model, automaton, process) = number + 1;
    return number;
}

static uint32_t far_slot(const struct automaton *automaton, uint32_t move, uint64_t value)
{
    uint64_t key[2] = {move, value};
    uint32_t at = (uint32_t)hash_words(key, 2) & (automaton->far_size - 1);
    while (automaton->far[at].move != 0 && !(automaton->far[at].move == move + 1 && automaton->far[at].value == value))
        at = (at + 1) & (automaton->far_size - 1);
    return at;
}

const struct transition *far_transition(const struct automaton *automaton, uint32_t move, uint64_t value)
{
    static const struct transition unknown = {.events = UNKNOWN};
    if (automaton->far_size == 0)
        return &unknown;
    const struct far_transition *far = &automaton->far[far_slot(automaton, move, value)];
    return far->move != 0 ? &far->transition : &unknown;
}

static bool is_known(const struct automaton *automaton, uint32_t move, uint64_t value)
{
    const struct transition *transition = automaton->moves[move].few
                                              ? &automaton->transitions[automaton->moves[move].first + value]
                                              : far_transition(automaton, move, value);
    return !(transition->events & UNKNOWN);
}

static void add_far(struct automaton *automaton, uint32_t move, uint64_t value, struct transition transition)
{
    if (automaton->far_count * 2 >= automaton->far_size) {
        struct far_transition *old = automaton->far;
        uint32_t old_size = automaton->far_size;
        automaton->far_size = old_size == 0 ? 256 : old_size * 2;
        automaton->far = must_allocate(automaton->far_size * sizeof *automaton->far);
        for (uint32_t at = 0; at < old_size; at++)
            if (old[at].move != 0)
                automaton->far[far_slot(automaton, old[at].move - 1, old[at].value)] = old[at];
        free(old);
    }
    automaton->far[far_slot(automaton, move, value)] =
        (struct far_transition){.value = value, .move = move + 1, .transition = transition};
    automaton->far_count++;
}

/* Runs the algorithm's text for one local step and remembers it. The process's number is in the transition's low bits
 * until fields are laid out; see shift_into_place. */
static bool learn_transition(struct model *model, unsigned i, uint32_t number, unsigned choice, uint64_t value)
{
    struct automaton *automaton = &model->automaton[i];
    struct process to;
    struct access access;
    struct process from = automaton->processes[number];
    if (!process_step(&model->instance, i, &from, choice, value, &to, &access))
        return false;
    uint32_t known = automaton->count, next = automaton_intern(model, i, &to);
    if (next == NOT_KNOWN_YET)
        return false;
    if (next == known && automaton->origins != NULL)
        automaton->origins[next] = (struct origin){number, (uint8_t)choice, value};
    struct transition transition = {.process_xor = (uint64_t)(number ^ next) << model->process_field[i].shift,
                                    .register_xor = (value ^ access.result) << model->register_field[access.reg].shift};
    /* A read sees a value that the register need not hold (an overlapping write): it never changes it. */
    if (access.kind == READ || access.kind == KERNEL || access.begins)
        transition.register_xor = 0;
    if (from.section == REMAINDER && to.section != REMAINDER && to.section != FAULTY)
        transition.events |= ENTERS_DOORWAY;
    if (to.section == CRITICAL)
        transition.events |= ENTERS_CRITICAL;
    uint32_t move = automaton->locals[number].first_move + choice;
    if (automaton->moves[move].few)
        automaton->transitions[automaton->moves[move].first + value] = transition;
    else
        add_far(automaton, move, value, transition);
    return true;
}

static uint32_t *fault_target(const struct model *model, unsigned i, uint32_t number, unsigned fault)
{
    return &model->automaton[i].fault_target[number * BEGINNING_FAULTS + (unsigned)__builtin_ctz(fault)];
}

static void learn_fault(struct model *model, unsigned i, uint32_t number, unsigned fault)
{
    struct process to, from = model->automaton[i].processes[number];
    fault_begin(&model->instance, i, &from, (enum fault)fault, &to);
    uint32_t target = automaton_intern(model, i, &to);
    *fault_target(model, i, number, fault) = target;
}

/* --- layout ------------------------------------------------------------------------------------------------------- */

static unsigned bits_for(uint64_t values)
{
    unsigned bits = 1;
    while (bits < 64 && values > UINT64_C(1) << bits)
        bits++;
    return bits;
}

/* Counts the local states of process i that any values of the registers could lead to: more than are reachable, but a
 * bound on them. 0 if there are too many or a register has too many values. Uses a scratch copy of the automaton. */
static uint32_t closure_size(struct model *model, unsigned i)
{
    struct automaton *automaton = &model->automaton[i];
    for (uint32_t number = 0; number < automaton->count && automaton->count <= CLOSURE_MAX; number++) {
        for (unsigned begin = automaton->locals[number].can_begin; begin != 0; begin &= begin - 1)
            learn_fault(model, i, number, begin & -begin);
        for (unsigned m = 0; m < automaton->locals[number].moves; m++) {
            struct move move = automaton->moves[automaton->locals[number].first_move + m];
            uint64_t domain = move.kind == KERNEL ? 1 : register_domain(&model->instance, move.reg);
            if (domain == TICKET || domain > FEW_VALUES)
                return 0;
            for (uint64_t value = 0; value < domain; value++)
                learn_transition(model, i, number, m, value);
        }
    }
    return automaton->count <= CLOSURE_MAX ? automaton->count : 0;
}

static void close_automaton(struct automaton *automaton)
{
    free(automaton->locals);
    free(automaton->processes);
    free(automaton->fault_target);
    free(automaton->origins);
    free(automaton->index);
    free(automaton->moves);
    free(automaton->transitions);
    free(automaton->far);
    memset(automaton, 0, sizeof *automaton);
}

static void open_automaton(struct model *model, unsigned i)
{
    close_automaton(&model->automaton[i]);
    grow_index(model, &model->automaton[i]);
    struct process process;
    process_start(&model->instance, i, &process);
    automaton_intern(model, i, &process);
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
        uint32_t closure = closure_size(model, i);
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
    model->n = setting->n;
    model->regs = model->instance.reg_count;
    model->register_field = must_allocate(model->regs * sizeof *model->register_field);
    for (unsigned i = 0; i < model->n; i++)
        open_automaton(model, i);
    lay_out(model);
    for (unsigned i = 0; i < model->n; i++) {
        open_automaton(model, i); /* again, with the fields known; number 0 is the start */
        if (setting->transient && closure_size(model, i) == 0)
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
        close_automaton(&model->automaton[i]);
    free(model->register_field);
    instance_close(&model->instance);
}

/* --- where to start ----------------------------------------------------------------------------------------------- */

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

void model_kernel(const struct model *model, kernel_deed *deed, unsigned i, unsigned choice, uint64_t *state)
{
    struct sleepers sleepers;
    unsigned beds = kernel_beds(&model->instance), lives = kernel_lives(&model->instance);
    for (unsigned j = 0; j < model->n; j++) {
        sleepers.bed[j] = field_get(state, model->register_field[beds + j]);
        sleepers.life[j] = field_get(state, model->register_field[lives + j]);
    }
    deed(&sleepers, model->n, i, choice);
    for (unsigned j = 0; j < model->n; j++) {
        field_set(state, model->register_field[beds + j], sleepers.bed[j]);
        field_set(state, model->register_field[lives + j], sleepers.life[j]);
    }
}

bool may_wake_by_itself(const struct model *model, const uint64_t *state, unsigned i)
{
    return is_asleep(field_get(state, model->register_field[kernel_beds(&model->instance) + i]));
}

unsigned faults_left(const struct model *model, const uint64_t *state)
{
    const struct setting *setting = &model->instance.setting;
    unsigned crashes = 0, shutdowns = 0, failures = 0, killed = 0;
    for (unsigned i = 0; i < model->n; i++) {
        unsigned used = local_of(model, state, i)->has_used;
        crashes += (used & CRASH) != 0;
        shutdowns += (used & SHUTDOWN) != 0;
        failures += (used & FAILURE) != 0;
        killed += (used & RECOVERY) != 0;
    }
    return faults_within(setting, crashes, shutdowns, failures, killed);
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
    uint32_t target = step.fault == TIMED_LOOK ? number : *fault_target(model, i, number, step.fault);
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
            if (step.fault != TIMED_LOOK && *fault_target(model, step.process, number, step.fault) == NOT_KNOWN_YET)
                learn_fault(model, step.process, number, step.fault);
            else
                model->normal_form->learn(model, successor, step.gap_is_gone);
        } else {
            uint32_t move = model->automaton[step.process].locals[number].first_move + step.choice;
            if (!is_known(&model->automaton[step.process], move, step.value))
                learn_transition(model, step.process, number, step.choice, step.value);
            else
                model->normal_form->learn(model, successor, step.gap_is_gone);
        }
    }
}
