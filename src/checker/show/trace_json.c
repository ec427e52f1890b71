/* SPDX-License-Identifier: MIT
 *
 * trace_json.c - traces as files, written and read. What is read is never trusted: it may be of another version, or made
 * up. Whether its steps are possible is for execution.c to find out.
 */
#include "checker/show/trace.h"

#include "base/die.h"
#include "checker/model/catalogue.h"
#include "checker/model/fault_info.h"
#include "checker/model/way_info.h"
#include "checker/reduce/tickets.h"
#include "native/printable.h"

static const char *const reading_name[] = {
    [PLAIN] = "plain", [OLD_VALUE] = "old", [NEW_VALUE] = "new", [GARBLED] = "garbled"};

/* --- writing ------------------------------------------------------------------------------------------------------ */

static json_t *start_to_json(const struct trace *trace, unsigned registers)
{
    const struct trace_start *start = &trace->start;
    if (start->values == NULL)
        return json_null();
    json_t *values = json_array(), *processes = json_array();
    for (unsigned r = 0; r < registers; r++)
        json_array_append_new(values, json_integer((json_int_t)start->values[r]));
    for (unsigned i = 0; i < processes_of(&trace->setting); i++) {
        json_t *way = json_array();
        for (size_t s = 0; s < start->length[i]; s++)
            json_array_append_new(way,
                                  json_pack("[i, I]", start->way[i][s].choice, (json_int_t)start->way[i][s].value));
        json_array_append_new(processes, way);
    }
    return json_pack("{s:o, s:o}", "registers", values, "processes", processes);
}

json_t *ways_to_json(const struct setting *setting)
{
    json_t *ways = json_array();
    for (unsigned w = 0; w < WAYS; w++)
        if (setting->ways >> w & 1)
            json_array_append_new(ways, json_string(way_info[w].name));
    return ways;
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
                json_object_set_new(object, fault_info[f].name, json_true());
        if (step->choice > 0)
            json_object_set_new(object, "choice", json_integer(step->choice));
        if (step->reading != PLAIN)
            json_object_set_new(object, "reads", json_string(reading_name[step->reading]));
        if (step->reading == GARBLED)
            json_object_set_new(object, "value", json_integer((json_int_t)step->garbled));
        json_array_append_new(steps, object);
    }
    json_t *object = json_pack(
        "{s:s, s:s, s:i, s:i, s:s, s:i, s:i, s:i, s:b, s:b, s:i, s:b, s:b, s:o, s:o, s:i, s:s, s:s?, s:s, s:i, s:i, "
        "s:o, s:o, s:o, s:o}",
        "format", "admit-trace-1", "algorithm", setting->algorithm->about.id, "n", setting->n, "k", setting->k,
        "registers", register_kind_name[setting->registers], "crashes", setting->crashes, "shutdowns",
        setting->shutdowns, "failures", setting->failures, "aborts", setting->aborts, "transient", setting->transient,
        "recoveries", setting->recoveries, "undisturbed", setting->undisturbed, "any_order", setting->any_order, "with",
        ways_to_json(setting), "passages", passages, "ticket_gap", setting->ticket_gap, "property",
        property_info[trace->property].name, "model", property_info[trace->property].model, "what", trace->what, "i",
        trace->i, "j", trace->j, "loop", trace->loop == NO_LOOP ? json_null() : json_integer((json_int_t)trace->loop),
        "loop_end", trace->loop == NO_LOOP ? json_null() : json_integer((json_int_t)trace->loop_end), "start",
        start_to_json(trace, count_registers(setting)), "steps", steps);
    for (unsigned f = 0; f < FAULTS; f++)
        if (fault_info[f].at_store && setting->struck[f] > 0)
            json_object_set_new(object, fault_info[f].name, json_integer(setting->struck[f]));
    return object;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Each of these returns NULL, or what is wrong. */

static int index_in(const char *const *names, int count, const char *name)
{
    for (int at = 0; at < count; at++)
        if (strcmp(names[at], name) == 0)
            return at;
    return -1;
}

/* What a field is, if it is there. */
enum shape { FLAG, NUMBER, WORD, LIST, RECORD };

struct shaped {
    const char *name;
    enum shape shape;
};

static bool has_shape(const json_t *value, enum shape shape)
{
    switch (shape) {
    case FLAG:
        return json_is_boolean(value);
    case NUMBER:
        return json_is_integer(value);
    case WORD:
        return json_is_string(value);
    case LIST:
        return json_is_array(value);
    default:
        return json_is_object(value);
    }
}

/* One that is taken for absent because it cannot be read would leave another run than the one that was meant. null says
 * that there is none. */
static const char *check_shapes(const json_t *object, const struct shaped *fields, size_t count)
{
    static const char *const words[] = {[FLAG] = "true or false",
                                        [NUMBER] = "a whole number",
                                        [WORD] = "a string",
                                        [LIST] = "an array",
                                        [RECORD] = "an object"};
    static char wrong[80];
    for (size_t f = 0; f < count; f++) {
        const json_t *value = json_object_get(object, fields[f].name);
        if (value == NULL || json_is_null(value) || has_shape(value, fields[f].shape))
            continue;
        snprintf(wrong, sizeof wrong, "\"%s\" is not %s", fields[f].name, words[fields[f].shape]);
        return wrong;
    }
    return NULL;
}

static const char *passages_from_json(struct setting *setting, const json_t *passages)
{
    memset(setting->passages, UNBOUNDED_PASSAGES, sizeof setting->passages);
    if (passages == NULL || json_is_null(passages))
        return NULL;
    if (!json_is_array(passages) || json_array_size(passages) != setting->n)
        return "\"passages\" is not an array of n numbers";
    for (unsigned i = 0; i < setting->n; i++) {
        const json_t *number = json_array_get(passages, i);
        json_int_t value = json_integer_value(number);
        if (!json_is_integer(number) || value < 0 || value > UNBOUNDED_PASSAGES)
            return "a number in \"passages\" is none, or out of range";
        setting->passages[i] = (uint8_t)value;
    }
    return NULL;
}

/* Traces that know of no ways have none. */
static const char *ways_from_json(struct setting *setting, const json_t *ways)
{
    for (size_t w = 0; w < json_array_size(ways); w++) {
        const char *name = json_string_value(json_array_get(ways, w));
        unsigned way = name != NULL ? way_find(name) : 0;
        if ((way & setting->algorithm->about.ways) == 0)
            return "its algorithm has no such way as \"with\" names";
        setting->ways |= (uint16_t)way;
    }
    return NULL;
}

static const char *check_step_shapes(const json_t *step)
{
    static const struct shaped fields[] = {{"choice", NUMBER}, {"reads", WORD}, {"value", NUMBER}};
    const char *wrong = check_shapes(step, fields, sizeof fields / sizeof *fields);
    for (unsigned f = 0; f < STEPS_WITHOUT_TEXT && wrong == NULL; f++)
        wrong = check_shapes(step, &(struct shaped){fault_info[f].name, FLAG}, 1);
    return wrong;
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
            process >= (json_int_t)processes_of(&trace->setting))
            return "a step has no \"process\" from 0 to n-1";
        const char *wrong = check_step_shapes(object);
        if (wrong != NULL)
            return wrong;
        if (choice < 0 || choice > UINT8_MAX || reading < 0)
            return "a step's \"choice\" or \"reads\" makes no sense";
        unsigned fault = 0;
        for (unsigned f = 0; f < STEPS_WITHOUT_TEXT; f++)
            if (json_is_true(json_object_get(object, fault_info[f].name)))
                fault |= 1u << f;
        if ((fault & (fault - 1)) != 0)
            return "a step is two faults at once";
        trace->steps[s] =
            (struct trace_step){.process = (uint8_t)process,
                                .fault = (uint16_t)fault,
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
    json_int_t from = json_integer_value(loop),
               to = end != NULL && !json_is_null(end) ? json_integer_value(end) : (json_int_t)trace->count;
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
        const json_t *step = json_array_get(way, s), *fed[] = {json_array_get(step, 0), json_array_get(step, 1)};
        json_int_t choice = json_integer_value(fed[0]), value = json_integer_value(fed[1]);
        if (!json_is_integer(fed[0]) || !json_is_integer(fed[1]) || choice < 0 || choice > UINT8_MAX || value < 0)
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
        json_array_size(processes) != processes_of(&trace->setting))
        return "\"start\" does not fit the algorithm: it needs a value for each register and a way for each process";
    trace->start.values = must_allocate(registers * sizeof *trace->start.values);
    const char *error = NULL;
    for (unsigned r = 0; r < registers; r++) {
        const json_t *value = json_array_get(values, r);
        trace->start.values[r] = (uint64_t)json_integer_value(value);
        if (!json_is_integer(value))
            error = "a value in \"start\" is not a whole number";
    }
    for (unsigned i = 0; i < processes_of(&trace->setting) && error == NULL; i++)
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
    static const struct shaped fields[] = {{"aborts", FLAG}, {"transient", FLAG}, {"undisturbed", FLAG},
                                           {"model", WORD},  {"with", LIST},      {"start", RECORD},
                                           {"loop", NUMBER}, {"loop_end", NUMBER}};
    json_int_t n, k, crashes, ticket_gap, i, j;
    int any_order;
    json_t *steps;
    if (json_unpack((json_t *)json, "{s:s, s:s, s:I, s:I, s:s, s:I, s:b, s:I, s:s, s:s, s:I, s:I, s:o}", "format",
                    &format, "algorithm", &id, "n", &n, "k", &k, "registers", &registers, "crashes", &crashes,
                    "any_order", &any_order, "ticket_gap", &ticket_gap, "property", &property, "what", &what, "i", &i,
                    "j", &j, "steps", &steps) != 0)
        return "not a trace: a field is missing or of the wrong type";
    if (strcmp(format, "admit-trace-1") != 0)
        return "a trace of another format; this admit reads admit-trace-1";
    const char *error = check_shapes(json, fields, sizeof fields / sizeof *fields);
    if (error != NULL)
        return error;
    const struct entry *entry = catalogue_find(id);
    int kind = index_in(register_kind_name, REGISTER_KINDS, registers);
    trace->property = property_find(property, json_string_value(json_object_get(json, "model")));
    bool known = trace->property != PROPERTIES || strcmp(property, property_info[PROPERTIES].name) == 0;
    if (entry == NULL)
        return is_id_of_mutant(id) && !catalogue_has_mutants()
                   ? "its algorithm is a mutant, and this build has no mutants"
                   : "its algorithm is not in the catalogue";
    if (kind < 0 || !known)
        return "its registers or its property are not known";
    if (n < 1 || n > CHECKED_PROCESSES_MAX || k < 1 || k > n || crashes < 0 || crashes > n ||
        (ticket_gap != 0 && ticket_gap < TICKET_GAP_MIN) || ticket_gap > TICKET_GAP_MAX)
        return "n, k, crashes or ticket_gap is out of range";
    int shutdowns = small_number(json, "shutdowns", (unsigned)n),
        failures = small_number(json, "failures", (unsigned)n),
        recoveries = small_number(json, "recoveries", RECOVERIES_WITHOUT_END);
    if (shutdowns < 0 || failures < 0)
        return "shutdowns or failures is out of range";
    if (recoveries < 0)
        return "recoveries is out of range";
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
                                      .recoveries = (unsigned)recoveries,
                                      .undisturbed = json_is_true(json_object_get(json, "undisturbed")),
                                      .ticket_gap = (unsigned)ticket_gap};
    for (unsigned f = 0; f < FAULTS; f++) {
        int count = fault_info[f].at_store ? small_number(json, fault_info[f].name, (unsigned)n) : 0;
        if (count < 0)
            return "how many are struck by a fault is out of range";
        if (fault_info[f].at_store)
            trace->setting.struck[f] = (unsigned)count;
    }
    trace->i = (unsigned)i;
    trace->j = (unsigned)j;
    admit_printable(what, trace->what, sizeof trace->what); /* it will be printed on somebody's terminal */
    error = passages_from_json(&trace->setting, json_object_get(json, "passages"));
    if (error == NULL)
        error = ways_from_json(&trace->setting, json_object_get(json, "with"));
    json_int_t processes = processes_of(&trace->setting);
    if (error == NULL && (processes > CHECKED_PROCESSES_MAX || i < 0 || i >= processes || j < 0 || j >= processes))
        error = "n, i or j is out of range";
    if (error == NULL)
        error = start_from_json(trace, json_object_get(json, "start"));
    if (error == NULL)
        error = steps_from_json(trace, steps);
    return error == NULL ? loop_from_json(trace, json) : error;
}
