/* SPDX-License-Identifier: MIT */
#include "checker/trace.h"

#include "checker/catalogue.h"
#include "checker/die.h"
#include "checker/tickets.h"

#include <stdlib.h>

static const char *const reading_name[] = {
    [PLAIN] = "plain", [OLD_VALUE] = "old", [NEW_VALUE] = "new", [GARBLED] = "garbled"};

/* The write that a read of reg by process i would overlap, if any: who writes, and what. */
static bool overlapped(const struct instance *instance, const struct process *processes, unsigned i, unsigned reg,
                       uint64_t *value)
{
    int writer = instance->regs[reg].writer;
    unsigned open;
    return instance->setting.registers != ATOMIC && writer >= 0 && writer != (int)i &&
           process_open_write(instance, (unsigned)writer, &processes[writer], &open, value) && open == reg;
}

/* --- from what the explorer found --------------------------------------------------------------------------------- */

static struct trace_step trace_step_of(const struct model *model, const uint64_t *state, struct step step)
{
    struct trace_step result = {.process = step.process, .crash = step.crash, .choice = step.choice};
    if (step.crash)
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

void trace_of(struct trace *trace, const struct finding *finding, const struct model *model)
{
    const struct witness *witness = &finding->witness;
    *trace = (struct trace){.setting = model->instance.setting,
                            .property = finding->property,
                            .i = finding->i,
                            .j = finding->j,
                            .count = witness->count,
                            .loop = witness->loop,
                            .steps = must_allocate(witness->count * sizeof *trace->steps)};
    memcpy(trace->what, finding->what, sizeof trace->what);
    uint64_t state[WORDS_MAX], successor[WORDS_MAX];
    memcpy(state, model->initial, sizeof state);
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
    memset(trace, 0, sizeof *trace);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

json_t *trace_to_json(const struct trace *trace)
{
    const struct setting *setting = &trace->setting;
    json_t *passages = json_array(), *steps = json_array();
    bool limited = false;
    for (unsigned i = 0; i < setting->n; i++) {
        limited |= setting->passages[i] != UNBOUNDED_PASSAGES;
        json_array_append_new(passages, json_integer(setting->passages[i]));
    }
    if (!limited) {
        json_decref(passages);
        passages = json_null();
    }
    for (size_t s = 0; s < trace->count; s++) {
        const struct trace_step *step = &trace->steps[s];
        json_t *object = json_pack("{s:i}", "process", step->process);
        if (step->crash)
            json_object_set_new(object, "crash", json_true());
        if (step->choice > 0)
            json_object_set_new(object, "choice", json_integer(step->choice));
        if (step->reading != PLAIN)
            json_object_set_new(object, "reads", json_string(reading_name[step->reading]));
        if (step->reading == GARBLED)
            json_object_set_new(object, "value", json_integer((json_int_t)step->garbled));
        json_array_append_new(steps, object);
    }
    return json_pack("{s:s, s:s, s:i, s:i, s:s, s:i, s:b, s:o, s:i, s:s, s:s, s:i, s:i, s:o, s:o}", "format",
                     "admit-trace-1", "algorithm", setting->algorithm->about.id, "n", setting->n, "k", setting->k,
                     "registers", register_kind_name[setting->registers], "crashes", setting->crashes, "any_order",
                     setting->any_order, "passages", passages, "ticket_gap", setting->ticket_gap, "property",
                     property_info[trace->property].name, "what", trace->what, "i", trace->i, "j", trace->j, "loop",
                     trace->loop == NO_LOOP ? json_null() : json_integer((json_int_t)trace->loop), "steps", steps);
}

static int index_in(const char *const *names, int count, const char *name)
{
    for (int at = 0; at < count; at++)
        if (strcmp(names[at], name) == 0)
            return at;
    return -1;
}

static const char *passages_from_json(struct setting *setting, const json_t *passages)
{
    for (unsigned i = 0; i < STEPPED_PROCESSES_MAX; i++)
        setting->passages[i] = UNBOUNDED_PASSAGES;
    if (passages == NULL || json_is_null(passages))
        return NULL;
    if (!json_is_array(passages) || json_array_size(passages) != setting->n)
        return "\"passages\" is not an array of n numbers";
    for (unsigned i = 0; i < setting->n; i++) {
        json_int_t value = json_integer_value(json_array_get(passages, i));
        if (value < 0 || value > UNBOUNDED_PASSAGES)
            return "a number in \"passages\" is out of range";
        setting->passages[i] = (uint8_t)value;
    }
    return NULL;
}

static const char *steps_from_json(struct trace *trace, const json_t *steps)
{
    trace->count = json_array_size(steps);
    trace->steps = must_allocate(trace->count * sizeof *trace->steps);
    for (size_t s = 0; s < trace->count; s++) {
        const json_t *object = json_array_get(steps, s);
        json_int_t process = json_integer_value(json_object_get(object, "process"));
        json_int_t choice = json_integer_value(json_object_get(object, "choice"));
        const char *reads = json_string_value(json_object_get(object, "reads"));
        int reading = reads == NULL ? PLAIN : index_in(reading_name, GARBLED + 1, reads);
        if (!json_is_integer(json_object_get(object, "process")) || process < 0 ||
            process >= (json_int_t)trace->setting.n)
            return "a step has no \"process\" from 0 to n-1";
        if (choice < 0 || choice > UINT8_MAX || reading < 0)
            return "a step's \"choice\" or \"reads\" makes no sense";
        trace->steps[s] =
            (struct trace_step){.process = (uint8_t)process,
                                .crash = json_is_true(json_object_get(object, "crash")),
                                .choice = (uint8_t)choice,
                                .reading = (uint8_t)reading,
                                .garbled = (uint64_t)json_integer_value(json_object_get(object, "value"))};
    }
    return NULL;
}

const char *trace_from_json(struct trace *trace, const json_t *json)
{
    memset(trace, 0, sizeof *trace);
    const char *format, *id, *registers, *property, *what;
    int n, k, crashes, any_order, ticket_gap, i, j;
    json_t *steps;
    if (json_unpack((json_t *)json, "{s:s, s:s, s:i, s:i, s:s, s:i, s:b, s:i, s:s, s:s, s:i, s:i, s:o}", "format",
                    &format, "algorithm", &id, "n", &n, "k", &k, "registers", &registers, "crashes", &crashes,
                    "any_order", &any_order, "ticket_gap", &ticket_gap, "property", &property, "what", &what, "i", &i,
                    "j", &j, "steps", &steps) != 0)
        return "not a trace: a field is missing or of the wrong type";
    if (strcmp(format, "admit-trace-1") != 0)
        return "a trace of another format; this admit reads admit-trace-1";
    const struct entry *entry = catalogue_find(id);
    int kind = index_in(register_kind_name, REGISTER_KINDS, registers);
    trace->property = PROPERTIES;
    for (int p = 0; p < PROPERTIES; p++)
        if (strcmp(property_info[p].name, property) == 0)
            trace->property = (enum property)p;
    if (entry == NULL)
        return "its algorithm is not in the catalogue";
    if (kind < 0 || trace->property == PROPERTIES)
        return "its registers or its property are not known";
    if (n < 1 || n > STEPPED_PROCESSES_MAX || k < 1 || k > n || crashes < 0 || crashes > n ||
        (ticket_gap != 0 && ticket_gap < TICKET_GAP_MIN) || ticket_gap > TICKET_GAP_MAX || i < 0 || i >= n || j < 0 ||
        j >= n)
        return "n, k, crashes, ticket_gap, i or j is out of range";
    if (!json_is_array(steps))
        return "\"steps\" is not an array";
    trace->setting = (struct setting){.algorithm = entry->algorithm,
                                      .n = (unsigned)n,
                                      .k = (unsigned)k,
                                      .registers = (enum register_kind)kind,
                                      .any_order = any_order,
                                      .crashes = (unsigned)crashes,
                                      .ticket_gap = (unsigned)ticket_gap};
    trace->i = (unsigned)i;
    trace->j = (unsigned)j;
    snprintf(trace->what, sizeof trace->what, "%s", what);
    for (char *at = trace->what; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?'; /* it will be printed on somebody's terminal */
    const char *error = passages_from_json(&trace->setting, json_object_get(json, "passages"));
    if (error == NULL)
        error = steps_from_json(trace, steps);
    const json_t *loop = json_object_get(json, "loop");
    bool has_loop = loop != NULL && !json_is_null(loop);
    trace->loop = has_loop ? (size_t)json_integer_value(loop) : NO_LOOP;
    if (error == NULL && has_loop &&
        (!json_is_integer(loop) || json_integer_value(loop) < 0 || trace->loop >= trace->count))
        error = "\"loop\" is not the number of a step";
    return error;
}

/* --- execution ---------------------------------------------------------------------------------------------------- */

/* What the read or write at hand finds in its register, as values of the executed run or, with `state`, of the
 * model. */
static bool value_for(const struct instance *instance, const struct moment *moment, const struct trace_step *step,
                      unsigned reg, uint64_t *value)
{
    uint64_t open;
    bool overlaps = overlapped(instance, moment->process, step->process, reg, &open);
    *value = moment->values[reg];
    if (step->reading == PLAIN)
        return !overlaps;
    if (!overlaps || (step->reading == GARBLED &&
                      (instance->setting.registers != SAFE || step->garbled >= register_domain(instance, reg))))
        return false;
    *value = step->reading == NEW_VALUE ? open : step->reading == GARBLED ? step->garbled : *value;
    return true;
}

static const char *execute_step(const struct instance *instance, const struct moment *from,
                                const struct trace_step *step, struct moment *to)
{
    const struct process *process = &from->process[step->process];
    unsigned crashed = 0;
    for (unsigned i = 0; i < instance->setting.n; i++)
        crashed += from->process[i].crashed;
    if (step->crash) {
        if (!process_can_crash(process) || crashed >= instance->setting.crashes)
            return "it cannot crash";
        process_crash(instance, step->process, process, &to->process[step->process]);
        return NULL;
    }
    if (!process_can_step(process))
        return "it cannot step";
    struct access access;
    process_peek(instance, step->process, process, 0, &access);
    if (step->choice >= access.choices)
        return "there is no such choice";
    process_peek(instance, step->process, process, step->choice, &access);
    uint64_t value;
    if (access.kind == READ ? !value_for(instance, from, step, access.reg, &value) : step->reading != PLAIN)
        return "the read cannot return this";
    if (access.kind != READ)
        value = from->values[access.reg];
    process_step(instance, step->process, process, step->choice, value, &to->process[step->process], &to->access);
    if (to->access.kind != READ)
        to->values[access.reg] = to->access.result;
    if (register_domain(instance, access.reg) == TICKET && to->access.result >= UINT16_MAX - 1)
        return "its tickets grow too large to be followed";
    return NULL;
}

/* The same step in the model, whose states are equal only if their futures are. Of an ambiguous step it takes the
 * outcome that stands for the executed one. */
static bool model_follows(struct model *model, const struct trace_step *step, const struct moment *from,
                          struct moment *to)
{
    struct step move = {.process = step->process, .crash = step->crash, .choice = step->choice};
    const struct local *local = local_of(model, from->identity, step->process);
    if (!step->crash && step->choice >= local->moves)
        return false;
    if (!step->crash) {
        unsigned reg = model->automaton[step->process].moves[local->first_move + step->choice].reg;
        int writer = model->instance.regs[reg].writer;
        move.value = field_get(from->identity, model->register_field[reg]);
        if (step->reading == NEW_VALUE)
            move.value = local_of(model, from->identity, (unsigned)writer)->open_value;
        else if (step->reading == GARBLED)
            move.value = step->garbled;
    }
    uint8_t events;
    enum applied applied = model_learn(model, from->identity, move, to->identity, &events);
    to->ambiguous = applied == AMBIGUOUS;
    if (to->ambiguous && !tickets_represent(model, to->identity, to->values, to->process)) {
        move.gap_is_gone = true;
        applied = model_learn(model, from->identity, move, to->identity, &events);
    }
    return applied != MISSING;
}

bool trace_execute(const struct trace *trace, struct execution *execution)
{
    memset(execution, 0, sizeof *execution);
    model_open(&execution->model, &trace->setting);
    const struct instance *instance = &execution->model.instance;
    execution->moments = must_allocate((trace->count + 1) * sizeof *execution->moments);
    struct moment *start = &execution->moments[0];
    start->values = must_allocate(instance->reg_count * sizeof *start->values);
    for (unsigned r = 0; r < instance->reg_count; r++)
        start->values[r] = initial_value(instance->regs[r].array);
    for (unsigned i = 0; i < trace->setting.n; i++)
        process_start(instance, i, &start->process[i]);
    memcpy(start->identity, execution->model.initial, sizeof start->identity);
    execution->count = 1;
    for (size_t s = 0; s < trace->count; s++) {
        const struct trace_step *step = &trace->steps[s];
        const struct moment *from = &execution->moments[s];
        struct moment *to = &execution->moments[s + 1];
        memcpy(to->process, from->process, sizeof to->process);
        to->access = (struct access){.kind = NO_ACCESS};
        to->values = must_allocate(instance->reg_count * sizeof *to->values);
        memcpy(to->values, from->values, instance->reg_count * sizeof *to->values);
        execution->count++;
        const char *error = execute_step(instance, from, step, to);
        if (error == NULL && !model_follows(&execution->model, step, from, to))
            error = execution->model.overflow != NULL ? execution->model.overflow : "the explorer knows no such step";
        if (error != NULL) {
            execution->count--;
            free(to->values);
            snprintf(execution->error, sizeof execution->error, "step %zu of process %u: %s", s + 1, step->process,
                     error);
            return false;
        }
    }
    return true;
}

void execution_close(struct execution *execution)
{
    for (size_t m = 0; m < execution->count; m++)
        free(execution->moments[m].values);
    free(execution->moments);
    model_close(&execution->model);
}
