/* SPDX-License-Identifier: MIT
 *
 * What admit check found, for a person and as JSON.
 */
#include "base/hash.h"
#include "checker/model/fault_info.h"
#include "checker/model/way_info.h"
#include "checker/show/trace.h"
#include "cli/laboratory/check.h"
#include "cli/laboratory/laboratory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The probability that two states share a fingerprint, at most. */
static double omission_probability(const struct exploration *exploration)
{
    double states = (double)exploration->states;
    return hash_is_exact(exploration->model->words) ? 0 : states * states / ldexp(1.0, 65);
}

static json_t *bounds_json(const struct request *request, const struct exploration *exploration)
{
    json_t *bounds = json_object();
    if (request->passages_limited) {
        json_t *passages = json_array();
        for (unsigned i = 0; i < request->question.setting.n; i++)
            json_array_append_new(passages, json_integer(request->question.setting.passages[i]));
        json_object_set_new(bounds, "passages", passages);
    }
    if (exploration->scheduled)
        json_object_set_new(
            bounds, "schedule",
            json_pack("{s:s, s:I}", "file", request->schedule.name, "steps", (json_int_t)exploration->beginning.count));
    if (request->question.options.fingerprints)
        json_object_set_new(
            bounds, "fingerprints",
            json_pack("{s:i, s:f}", "bits", 64, "omission_probability", omission_probability(exploration)));
    if (request->question.setting.undisturbed)
        json_object_set_new(bounds, "sleep", json_string("undisturbed"));
    if (exploration->model->hurries)
        json_object_set_new(bounds, "idle_steps", json_string("at once"));
    if (exploration->ambiguous > 0)
        json_object_set_new(bounds, "ambiguous_steps", json_integer((json_int_t)exploration->ambiguous));
    if (exploration->stopped != NULL)
        json_object_set_new(bounds, "stopped", json_string(exploration->stopped));
    return bounds;
}

static json_t *finding_json(const struct finding *finding, const struct model *model)
{
    json_t *counterexample = json_null();
    if (finding->has_witness) {
        struct trace trace;
        trace_of(&trace, finding, model);
        counterexample = trace_to_json(&trace);
        trace_close(&trace);
    }
    return json_pack("{s:s, s:s, s:s?, s:s, s:I, s:o, s:o}", "name", property_info[finding->property].name, "number",
                     property_info[finding->property].number, "model", property_info[finding->property].model,
                     "verdict", verdict_name[finding->verdict], "fired", (json_int_t)finding->fired, "bound",
                     finding->has_bound && finding->verdict == HOLDS ? json_integer((json_int_t)finding->bound)
                                                                     : json_null(),
                     "counterexample", counterexample);
}

void print_result_json(const struct request *request, const struct answer *answer)
{
    const struct exploration *exploration = &answer->exploration;
    const struct setting *setting = &request->question.setting;
    json_t *properties = json_array(), *faults = json_array();
    char names[FAULTS][FAULT_NAME_SIZE];
    for (unsigned p = 0; p < request->question.property_count; p++)
        json_array_append_new(properties, finding_json(&answer->findings[p], exploration->model));
    for (unsigned f = 0, count = fault_names(setting, names); f < count; f++)
        json_array_append_new(faults, json_string(names[f]));
    print_json(json_pack("{s:s, s:i, s:i, s:s, s:s, s:o, s:o, s:I, s:I, s:i, s:f, s:I, s:b, s:o, s:o}", "algorithm",
                         request->entry->algorithm->about.id, "n", setting->n, "k", setting->k, "registers",
                         register_kind_name[setting->registers], "order", setting->any_order ? "any" : "native",
                         "faults", faults, "with", ways_to_json(setting), "states", (json_int_t)exploration->states,
                         "transitions", (json_int_t)exploration->transitions, "depth", exploration->depth, "seconds",
                         answer->seconds, "memory_bytes", (json_int_t)exploration->bytes, "exhaustive",
                         exploration->stopped == NULL && !request->passages_limited && !exploration->scheduled &&
                             !setting->undisturbed && !request->question.options.fingerprints &&
                             exploration->expanded == exploration->states,
                         "bounds", bounds_json(request, exploration), "properties", properties));
}

/* " up to 2 passages each" and the like; empty if nothing limits what was found. */
static void limits_text(const struct request *request, const struct exploration *exploration, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (exploration->scheduled)
        used += (size_t)snprintf(text, size, " after the schedule");
    if (request->passages_limited) {
        const uint8_t *passages = request->question.setting.passages;
        bool same = true;
        for (unsigned i = 1; i < request->question.setting.n; i++)
            same &= passages[i] == passages[0];
        used += (size_t)snprintf(text + used, size - used, " up to ");
        for (unsigned i = 0; i < (same ? 1 : request->question.setting.n) && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, "%s%u", i > 0 ? "," : "", passages[i]);
        used += (size_t)snprintf(text + used, size - used, " passage%s%s", same && passages[0] == 1 ? "" : "s",
                                 same ? " each" : "");
    }
    if (request->question.options.fingerprints && used < size) {
        if (hash_is_exact(exploration->model->words))
            snprintf(text + used, size - used, " up to fingerprints (which are exact for states as small as these)");
        else
            snprintf(text + used, size - used, " up to fingerprints (a state is missed with probability at most %.1e)",
                     omission_probability(exploration));
    }
}

static void print_finding(const struct request *request, const struct exploration *exploration,
                          const struct finding *finding)
{
    const struct property_info *info = &property_info[finding->property];
    char number[32], limits[160];
    limits_text(request, exploration, limits, sizeof limits);
    printf("  %-20s %-4s ", property_title(finding->property), info->number);
    switch (finding->verdict) {
    case HOLDS:
        printf("holds%s", limits);
        if (finding->has_bound)
            printf(", at most %llu %s", (unsigned long long)finding->bound,
                   finding->bound == 1 ? info->bound : info->bounds);
        printf("  (%s: %s)\n", info->premise, grouped(finding->fired, number));
        break;
    case VACUOUS:
        printf("vacuous%s: its premise never came true  (%s: 0)\n", limits, info->premise);
        break;
    case UNDECIDED:
        printf("UNDECIDED: %s\n", exploration->stopped != NULL ? exploration->stopped : finding->what);
        break;
    case VIOLATED:
        printf("VIOLATED: %s\n", finding->what);
        break;
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_counterexample(const struct finding *finding, const struct exploration *exploration)
{
    const struct model *model = exploration->model;
    struct trace trace;
    struct execution execution;
    trace_of(&trace, finding, model);
    printf("\n%s (%s) is violated: %s.\n", property_title(finding->property), property_info[finding->property].number,
           finding->what);
    if (exploration->scheduled)
        printf("The first %zu step%s are the schedule's.\n", exploration->beginning.count,
               plural(exploration->beginning.count));
    if (trace.loop == NO_LOOP && exploration->scheduled)
        printf("A shortest counterexample from there, %zu step%s in all:\n\n", trace.count, plural(trace.count));
    else if (trace.loop == NO_LOOP)
        printf("A shortest counterexample, %zu step%s:\n\n", trace.count, plural(trace.count));
    else
        printf("%zu step%s, then a loop of %zu step%s that can be repeated %s:\n\n", trace.loop, plural(trace.loop),
               trace.loop_end - trace.loop, plural(trace.loop_end - trace.loop),
               trace.loop_end == trace.count ? "for ever" : "any number of times, and then it happens");
    if (trace_execute(&trace, &execution))
        trace_print(&trace, &execution, stdout);
    else
        printf("internal error: %s\n", execution.error);
    execution_close(&execution);
    trace_close(&trace);
}

void print_result(const struct request *request, const struct answer *answer)
{
    const struct exploration *exploration = &answer->exploration;
    const struct finding *findings = answer->findings;
    const struct setting *setting = &request->question.setting;
    char states[32], transitions[32];
    printf("%s, n = %u, k = %u, %s registers%s", request->entry->algorithm->about.id, setting->n, setting->k,
           register_kind_name[setting->registers], setting->any_order ? ", for-all in any order" : "");
    print_faults_and_ways(setting);
    if (answer->by_contents)
        printf("\n%s contents of the registers, %.2f s\n\n"
               "Nobody writes while waiting, so only the contents of the registers had to be gone through.\n\n",
               grouped(exploration->states, states), answer->seconds);
    else
        printf("\n%s states, %s transitions, depth %u, %.2f s, %.1f MB%s\n\n", grouped(exploration->states, states),
               grouped(exploration->transitions, transitions), exploration->depth, answer->seconds,
               (double)exploration->bytes / 1e6, exploration->stopped != NULL ? " (not all explored)" : "");
    if (setting->undisturbed)
        printf("No process that sleeps wakes by itself here, although real ones do.\n\n");
    if (exploration->model->hurries)
        printf("Steps that do nothing, whenever they are taken, were taken at once, and are not counted.\n\n");
    if (exploration->scheduled)
        printf("Explored from where the %zu steps of %s lead to.\n\n", exploration->beginning.count,
               request->schedule.name);
    if (request->nothing_claimed)
        printf("The catalogue claims nothing for this setting; exclusion is asked.\n\n");
    for (unsigned p = 0; p < request->question.property_count; p++)
        print_finding(request, exploration, &findings[p]);
    if (exploration->ambiguous > 0)
        printf("\nTickets: %s steps were ambiguous, and both outcomes were explored. What holds, holds; some of the "
               "states may\n"
               "not exist.\n",
               grouped(exploration->ambiguous, states));
    for (unsigned p = 0; p < request->question.property_count; p++)
        if (request->question.properties[p] == LOCKOUT_FREEDOM && setting->crashes >= setting->k)
            printf("\nWith %u crash%s and k = %u, only runs with fewer than %u faulty processes are within "
                   "lockout-freedom.\n",
                   setting->crashes, setting->crashes > 1 ? "es" : "", setting->k, setting->k);
    for (unsigned p = 0; p < request->question.property_count; p++)
        if (findings[p].has_witness)
            print_counterexample(&findings[p], exploration);
}
