/* SPDX-License-Identifier: MIT */
#include "checker/show/trace.h"

#include "base/die.h"
#include "checker/model/catalogue.h"
#include "checker/model/faults.h"
#include "checker/reduce/normal_form.h"
#include "checker/reduce/tickets.h"

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

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static json_t *start_to_json(const struct trace *trace, unsigned registers)
{
    const struct trace_start *start = &trace->start;
    if (start->values == NULL)
        return json_null();
    json_t *values = json_array(), *processes = json_array();
    for (unsigned r = 0; r < registers; r++)
        json_array_append_new(values, json_integer((json_int_t)start->values[r]));
    for (unsigned i = 0; i < trace->setting.n; i++) {
        json_t *way = json_array();
        for (size_t s = 0; s < start->length[i]; s++)
            json_array_append_new(way,
                                  json_pack("[i, I]", start->way[i][s].choice, (json_int_t)start->way[i][s].value));
        json_array_append_new(processes, way);
    }
    return json_pack("{s:o, s:o}", "registers", values, "processes", processes);
}

static unsigned count_registers(const struct setting *setting)
{
    struct instance instance;
    instance_open(&instance, setting);
    unsigned count = instance.reg_count;
    instance_close(&instance);
    return count;
}

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
        for (unsigned f = 0; f < STEPS_WITHOUT_TEXT; f++)
            if (step->fault == 1u << f)
                json_object_set_new(object, fault_name[f], json_true());
        if (step->choice > 0)
            json_object_set_new(object, "choice", json_integer(step->choice));
        if (step->reading != PLAIN)
            json_object_set_new(object, "reads", json_string(reading_name[step->reading]));
        if (step->reading == GARBLED)
            json_object_set_new(object, "value", json_integer((json_int_t)step->garbled));
        json_array_append_new(steps, object);
    }
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:s, s:i, s:i, s:i, s:b, s:b, s:i, s:b, s:b, s:o, s:i, s:s, s:s?, s:s, s:i, s:i, s:o, "
        "s:o, s:o, s:o}",
        "format", "admit-trace-1", "algorithm", setting->algorithm->about.id, "n", setting->n, "k", setting->k,
        "registers", register_kind_name[setting->registers], "crashes", setting->crashes, "shutdowns",
        setting->shutdowns, "failures", setting->failures, "aborts", setting->aborts, "transient", setting->transient,
        "recoveries", setting->recoveries, "undisturbed", setting->undisturbed, "any_order", setting->any_order,
        "passages", passages, "ticket_gap", setting->ticket_gap, "property", property_info[trace->property].name,
        "model", property_info[trace->property].model, "what", trace->what, "i", trace->i, "j", trace->j, "loop",
        trace->loop == NO_LOOP ? json_null() : json_integer((json_int_t)trace->loop), "loop_end",
        trace->loop == NO_LOOP ? json_null() : json_integer((json_int_t)trace->loop_end), "start",
        start_to_json(trace, count_registers(setting)), "steps", steps);
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
    for (unsigned i = 0; i < CHECKED_PROCESSES_MAX; i++)
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
        unsigned fault = 0;
        for (unsigned f = 0; f < STEPS_WITHOUT_TEXT; f++)
            if (json_is_true(json_object_get(object, fault_name[f])))
                fault |= 1u << f;
        if ((fault & (fault - 1)) != 0)
            return "a step is two faults at once";
        trace->steps[s] =
            (struct trace_step){.process = (uint8_t)process,
                                .fault = (uint8_t)fault,
                                .choice = (uint8_t)choice,
                                .reading = (uint8_t)reading,
                                .garbled = (uint64_t)json_integer_value(json_object_get(object, "value"))};
    }
    return NULL;
}

static const char *loop_from_json(struct trace *trace, const json_t *json)
{
    const json_t *loop = json_object_get(json, "loop"), *end = json_object_get(json, "loop_end");
    bool has_loop = loop != NULL && !json_is_null(loop);
    trace->loop = trace->loop_end = NO_LOOP;
    if (!has_loop)
        return NULL;
    json_int_t from = json_integer_value(loop), to = end != NULL ? json_integer_value(end) : (json_int_t)trace->count;
    if (!json_is_integer(loop) || from < 0 || from > to || to > (json_int_t)trace->count)
        return "\"loop\" and \"loop_end\" are not the numbers of steps";
    trace->loop = (size_t)from;
    trace->loop_end = (size_t)to;
    return NULL;
}

static const char *way_from_json(struct trace *trace, unsigned i, const json_t *way)
{
    if (!json_is_array(way))
        return "\"processes\" in \"start\" is not an array of n ways";
    trace->start.length[i] = json_array_size(way);
    trace->start.way[i] = must_allocate(trace->start.length[i] * sizeof *trace->start.way[i]);
    for (size_t s = 0; s < trace->start.length[i]; s++) {
        json_t *step = json_array_get(way, s);
        json_int_t choice = json_integer_value(json_array_get(step, 0)),
                   value = json_integer_value(json_array_get(step, 1));
        if (choice < 0 || choice > UINT8_MAX || value < 0)
            return "a step in \"start\" is not a choice and a value";
        trace->start.way[i][s] = (struct fed_step){(uint8_t)choice, (uint64_t)value};
    }
    return NULL;
}

static const char *start_from_json(struct trace *trace, const json_t *start)
{
    if (start == NULL || json_is_null(start))
        return NULL;
    const json_t *values = json_object_get(start, "registers"), *processes = json_object_get(start, "processes");
    unsigned registers = count_registers(&trace->setting);
    if (!json_is_array(values) || json_array_size(values) != registers || !json_is_array(processes) ||
        json_array_size(processes) != trace->setting.n)
        return "\"start\" does not fit the algorithm: it needs a value for each register and a way for each process";
    trace->start.values = must_allocate(registers * sizeof *trace->start.values);
    for (unsigned r = 0; r < registers; r++)
        trace->start.values[r] = (uint64_t)json_integer_value(json_array_get(values, r));
    const char *error = NULL;
    for (unsigned i = 0; i < trace->setting.n && error == NULL; i++)
        error = way_from_json(trace, i, json_array_get(processes, i));
    return error;
}

/* The number, or 0 if there is none, as in traces that know of no such fault; -1 if it makes no sense. */
static int small_number(const json_t *json, const char *name, unsigned most)
{
    const json_t *number = json_object_get(json, name);
    json_int_t value = json_integer_value(number);
    if (number == NULL)
        return 0;
    return json_is_integer(number) && value >= 0 && value <= (json_int_t)most ? (int)value : -1;
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
    trace->property = property_find(property, json_string_value(json_object_get(json, "model")));
    bool known = trace->property != PROPERTIES || strcmp(property, property_info[PROPERTIES].name) == 0;
    if (entry == NULL)
        return "its algorithm is not in the catalogue";
    if (kind < 0 || !known)
        return "its registers or its property are not known";
    if (n < 1 || n > CHECKED_PROCESSES_MAX || k < 1 || k > n || crashes < 0 || crashes > n ||
        (ticket_gap != 0 && ticket_gap < TICKET_GAP_MIN) || ticket_gap > TICKET_GAP_MAX || i < 0 || i >= n || j < 0 ||
        j >= n)
        return "n, k, crashes, ticket_gap, i or j is out of range";
    int shutdowns = small_number(json, "shutdowns", (unsigned)n),
        failures = small_number(json, "failures", (unsigned)n);
    if (shutdowns < 0 || failures < 0)
        return "shutdowns or failures is out of range";
    if (!json_is_array(steps))
        return "\"steps\" is not an array";
    trace->setting = (struct setting){.algorithm = entry->algorithm,
                                      .n = (unsigned)n,
                                      .k = (unsigned)k,
                                      .registers = (enum register_kind)kind,
                                      .any_order = any_order,
                                      .crashes = (unsigned)crashes,
                                      .shutdowns = (unsigned)shutdowns,
                                      .failures = (unsigned)failures,
                                      .aborts = json_is_true(json_object_get(json, "aborts")),
                                      .transient = json_is_true(json_object_get(json, "transient")),
                                      .recoveries = (unsigned)json_integer_value(json_object_get(json, "recoveries")),
                                      .undisturbed = json_is_true(json_object_get(json, "undisturbed")),
                                      .ticket_gap = (unsigned)ticket_gap};
    trace->i = (unsigned)i;
    trace->j = (unsigned)j;
    snprintf(trace->what, sizeof trace->what, "%s", what);
    for (char *at = trace->what; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '?'; /* it will be printed on somebody's terminal */
    const char *error = passages_from_json(&trace->setting, json_object_get(json, "passages"));
    if (error == NULL)
        error = start_from_json(trace, json_object_get(json, "start"));
    if (error == NULL)
        error = steps_from_json(trace, steps);
    return error == NULL ? loop_from_json(trace, json) : error;
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

static unsigned faults_left_at(const struct instance *instance, const struct moment *moment)
{
    unsigned crashes = 0, shutdowns = 0, failures = 0, killed = 0;
    for (unsigned i = 0; i < instance->setting.n; i++) {
        unsigned used = faults_used(&moment->process[i]);
        crashes += (used & CRASH) != 0;
        shutdowns += (used & SHUTDOWN) != 0;
        failures += (used & FAILURE) != 0;
        killed += (used & RECOVERY) != 0;
    }
    return faults_within(&instance->setting, crashes, shutdowns, failures, killed);
}

static void apply_kernel(const struct instance *instance, kernel_deed *deed, const struct trace_step *step,
                         struct moment *to)
{
    struct sleepers sleepers;
    unsigned n = instance->setting.n;
    uint64_t *beds = to->values + kernel_beds(instance), *lives = to->values + kernel_lives(instance);
    memcpy(sleepers.bed, beds, n * sizeof *beds);
    memcpy(sleepers.life, lives, n * sizeof *lives);
    deed(&sleepers, n, step->process, step->choice);
    to->access.result = memcmp(sleepers.bed, beds, n * sizeof *beds) != 0;
    memcpy(beds, sleepers.bed, n * sizeof *beds);
    memcpy(lives, sleepers.life, n * sizeof *lives);
}

static const char *execute_step(const struct instance *instance, const struct moment *from,
                                const struct trace_step *step, struct moment *to)
{
    const struct process *process = &from->process[step->process];
    if (step->fault == TIMED_LOOK) {
        if (instance->setting.algorithm->more.watched == NULL ||
            !is_asleep(from->values[kernel_beds(instance) + step->process]))
            return "it is not asleep";
        if (process->crashed)
            return "it has crashed";
        if (instance->setting.undisturbed)
            return "nobody wakes by itself here";
        apply_kernel(instance, kernel_ends_sleep, step, to);
        return NULL;
    }
    if (step->fault) {
        if (!(faults_possible(instance, process) & faults_left_at(instance, from) & step->fault))
            return step->fault == CRASH ? "it cannot crash" : "no such fault can begin here";
        fault_begin(instance, step->process, process, (enum fault)step->fault, &to->process[step->process]);
        if (step->fault == RECOVERY)
            apply_kernel(instance, kernel_marks, step, to);
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
    if (access.kind == KERNEL) {
        apply_kernel(instance, kernel_wakes_one, step, to);
        return NULL;
    }
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
    struct step move = {.process = step->process, .fault = step->fault, .choice = step->choice};
    const struct local *local = local_of(model, from->identity, step->process);
    if (!step->fault && step->choice >= local->moves)
        return false;
    if (!step->fault) {
        const struct move *way = &model->automaton[step->process].moves[local->first_move + step->choice];
        int writer = model->instance.regs[way->reg].writer;
        move.value = field_get(from->identity, way->field);
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

/* The first moment: as the algorithm starts, or as the trace says. */
static const char *execute_start(const struct trace *trace, struct model *model, struct moment *start)
{
    const struct instance *instance = &model->instance;
    const struct trace_start *given = &trace->start;
    memcpy(start->identity, model->initial, sizeof start->identity);
    for (unsigned r = 0; r < instance->reg_count; r++) {
        uint64_t declared = instance->regs[r].array->initial, domain = register_domain(instance, r);
        bool free = trace->setting.transient || declared == ANY_VALUE;
        start->values[r] = given->values != NULL ? given->values[r] : free ? 0 : declared;
        if (free ? start->values[r] >= domain : start->values[r] != declared)
            return "a register cannot start with this value";
        field_set(start->identity, model->register_field[r], start->values[r]);
    }
    for (unsigned i = 0; i < trace->setting.n; i++) {
        struct process *process = &start->process[i];
        process_start(instance, i, process);
        if (given->length[i] > 0 && !trace->setting.transient)
            return "a process starts elsewhere, but the start is not arbitrary";
        for (size_t s = 0; s < given->length[i]; s++) {
            struct access access;
            struct process next;
            process_peek(instance, i, process, 0, &access);
            if (!process_can_step(process) || given->way[i][s].choice >= access.choices)
                return "a process cannot have come to where it starts";
            process_peek(instance, i, process, given->way[i][s].choice, &access);
            if (given->way[i][s].value >= register_domain(instance, access.reg))
                return "a process cannot have read what it is said to have read";
            process_step(instance, i, process, given->way[i][s].choice, given->way[i][s].value, &next, &access);
            *process = next;
        }
        if (process->writing)
            return "a process starts in the middle of a write";
        uint32_t number = automaton_find(model, i, process);
        if (number == NOT_KNOWN_YET)
            return "the explorer knows no such process";
        field_set(start->identity, model->process_field[i], number);
    }
    return NULL;
}

bool trace_execute(const struct trace *trace, struct execution *execution)
{
    memset(execution, 0, sizeof *execution);
    open_reduced(&execution->model, &trace->setting);
    const struct instance *instance = &execution->model.instance;
    execution->moments = must_allocate((trace->count + 1) * sizeof *execution->moments);
    struct moment *start = &execution->moments[0];
    start->values = must_allocate(instance->reg_count * sizeof *start->values);
    const char *wrong = execute_start(trace, &execution->model, start);
    if (wrong != NULL) {
        free(start->values);
        snprintf(execution->error, sizeof execution->error, "at the start: %s", wrong);
        return false;
    }
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
