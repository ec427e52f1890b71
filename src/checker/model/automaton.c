/* SPDX-License-Identifier: MIT
 *
 * automaton.c - one process of a model: its local states, numbered as they are met, and the local steps between them.
 */
#include "checker/model/automaton.h"

#include "base/die.h"
#include "base/hash.h"
#include "checker/model/faults.h"

#include <stdlib.h>

enum {
    FEW_VALUES = 24,       /* registers up to this size have a table of transitions per move */
    CLOSURE_MAX = 1 << 14, /* local states up to which the automata are completed beforehand */
    CHOICES_MAX = 254      /* what process.writing, move numbers and step.choice have room for */
};

/* A step on a register with many values. */
struct far_transition {
    uint64_t value;
    uint32_t move; /* +1; 0 is empty */
    struct transition transition;
};

/* --- local states ------------------------------------------------------------------------------------------------- */

/* A local state is all that a process is (struct process): where it stands in its text, its private variables, its mode.
 * It gets the next number when it is first met, and with it its moves: which register it is about to access and how,
 * once for each way in which a for_all may go on. What a move leads to is not known then: it depends on what the register
 * holds, and is found out when somebody asks (below). */

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

/* The place in the index where the process is, or where it would go. */
static uint32_t *index_place(const struct model *model, const struct automaton *automaton,
                             const struct process *process)
{
    uint32_t at = (uint32_t)process_hash(model, process) & (automaton->index_size - 1);
    while (automaton->index[at] != 0 &&
           memcmp(&automaton->processes[automaton->index[at] - 1], process, model->instance.process_size) != 0)
        at = (at + 1) & (automaton->index_size - 1);
    return &automaton->index[at];
}

uint32_t automaton_find(const struct model *model, unsigned i, const struct process *process)
{
    uint32_t number = *index_place(model, &model->automaton[i], process);
    return number == 0 ? NOT_KNOWN_YET : number - 1;
}

static void grow_index(struct model *model, struct automaton *automaton)
{
    free(automaton->index);
    automaton->index_size = automaton->index_size == 0 ? 256 : automaton->index_size * 2;
    automaton->index = must_allocate(automaton->index_size * sizeof *automaton->index);
    for (uint32_t number = 0; number < automaton->count; number++)
        *index_place(model, automaton, &automaton->processes[number]) = number + 1;
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
                            .compares = access.compares,
                            .compared = access.compared,
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
            automaton->fault_target = must_reallocate(automaton->fault_target, (size_t)automaton->capacity * FAULTS *
                                                                                   sizeof *automaton->fault_target);
        if (model->instance.setting.transient)
            automaton->origins = must_reallocate(automaton->origins, automaton->capacity * sizeof *automaton->origins);
    }
    for (unsigned f = 0; f < FAULTS && model->faults != 0; f++)
        automaton->fault_target[number * FAULTS + f] = NOT_KNOWN_YET;
    automaton->processes[number] = *process;
    automaton->count++;

    struct local local = {.section = process->section,
                          .crashed = process->crashed,
                          .can_begin = (uint16_t)(faults_possible(&model->instance, process) & model->faults),
                          .has_used = (uint16_t)faults_used(process),
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
        *index_place(model, automaton, process) = number + 1;
    return number;
}

/* --- local steps on registers with many values ---------------------------------------------------------------------- */

/* A move on a register with few values has a row of transitions, one for each value. Of a ticket or a packed word only
 * the values that occur are kept, in a hash table over move and value. */

static uint32_t far_place(const struct automaton *automaton, uint32_t move, uint64_t value)
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
    const struct far_transition *far = &automaton->far[far_place(automaton, move, value)];
    return far->move != 0 ? &far->transition : &unknown;
}

bool automaton_knows_step(const struct automaton *automaton, uint32_t move, uint64_t value)
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
                automaton->far[far_place(automaton, old[at].move - 1, old[at].value)] = old[at];
        free(old);
    }
    automaton->far[far_place(automaton, move, value)] =
        (struct far_transition){.value = value, .move = move + 1, .transition = transition};
    automaton->far_count++;
}

/* --- learning ------------------------------------------------------------------------------------------------------- */

/* Here the text is run, for each local step when it is first met. While threads explore, nobody learns: they note what is missing, and
 * one of them adds it afterwards in a fixed order, so that numbers do not depend on timing. */

/* Natively a variable keeps its value when its block ends, and here it is zero. So the same step is taken once more, with
 * garbage in all that does not live where the process stands: if that makes a difference, what is checked is not what
 * ships. */
static void insist_on_blocks(struct model *model, unsigned i, const struct process *from, unsigned choice,
                             uint64_t value, const struct process *to, const struct access *access)
{
    struct process spoiled;
    struct access other;
    if (model->instance.tolerant)
        return;
    model->instance.spoils = true;
    bool steps = process_step(&model->instance, i, from, choice, value, &spoiled, &other);
    model->instance.spoils = false;
    if (!steps || memcmp(&spoiled, to, model->instance.process_size) != 0 || other.kind != access->kind ||
        other.reg != access->reg || other.result != access->result || other.choices != access->choices)
        die("%s: after \"%s\" process %u uses a variable that does not live there: natively it has another value",
            model->instance.setting.algorithm->about.id, from->label, i);
}

/* Runs the algorithm's text for one local step and remembers it. What is remembered before the fields are laid out, with
 * all of them at bit 0, only serves to count local states: then the automaton is opened anew (model.c). */
bool automaton_learn_step(struct model *model, unsigned i, uint32_t number, unsigned choice, uint64_t value)
{
    struct automaton *automaton = &model->automaton[i];
    struct process to;
    struct access access;
    struct process from = automaton->processes[number];
    if (!process_step(&model->instance, i, &from, choice, value, &to, &access))
        return false;
    insist_on_blocks(model, i, &from, choice, value, &to, &access);
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
    if (from.section == REMAINDER && to.section != REMAINDER && to.section != FAULTY &&
        !is_beside((enum mode)from.mode))
        transition.events |= ENTERS_DOORWAY;
    if (to.section == CRITICAL)
        transition.events |= ENTERS_CRITICAL;
    if (access.only_so_often)
        transition.events |= ONLY_SO_OFTEN;
    uint32_t move = automaton->locals[number].first_move + choice;
    if (automaton->moves[move].few)
        automaton->transitions[automaton->moves[move].first + value] = transition;
    else
        add_far(automaton, move, value, transition);
    return true;
}

uint32_t *automaton_fault_target(const struct model *model, unsigned i, uint32_t number, unsigned fault)
{
    return &model->automaton[i].fault_target[number * FAULTS + (unsigned)FAULT_NUMBER(fault)];
}

void automaton_learn_fault(struct model *model, unsigned i, uint32_t number, unsigned fault)
{
    struct process to, from = model->automaton[i].processes[number];
    fault_begin(&model->instance, i, &from, (enum fault)fault, &to);
    uint32_t target = automaton_intern(model, i, &to);
    *automaton_fault_target(model, i, number, fault) = target;
}

uint32_t automaton_complete(struct model *model, unsigned i)
{
    struct automaton *automaton = &model->automaton[i];
    for (uint32_t number = 0; number < automaton->count && automaton->count <= CLOSURE_MAX; number++) {
        for (unsigned begin = automaton->locals[number].can_begin; begin != 0; begin &= begin - 1)
            automaton_learn_fault(model, i, number, begin & -begin);
        for (unsigned m = 0; m < automaton->locals[number].moves; m++) {
            struct move move = automaton->moves[automaton->locals[number].first_move + m];
            uint64_t domain = move.kind == KERNEL ? 1 : register_domain(&model->instance, move.reg);
            if (domain == TICKET || domain > FEW_VALUES)
                return 0;
            for (uint64_t value = 0; value < domain; value++)
                automaton_learn_step(model, i, number, m, value);
        }
    }
    return automaton->count <= CLOSURE_MAX ? automaton->count : 0;
}

void automaton_close(struct automaton *automaton)
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

void automaton_open(struct model *model, unsigned i)
{
    automaton_close(&model->automaton[i]);
    grow_index(model, &model->automaton[i]);
    struct process process;
    process_start(&model->instance, i, &process);
    automaton_intern(model, i, &process);
}
