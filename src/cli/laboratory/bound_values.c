/* SPDX-License-Identifier: MIT
 *
 * admit bound values - the lower bound on the values of shared memory, played against an algorithm.
 */
#include "bounds/values.h"
#include "cli/laboratory/bound.h"
#include "cli/laboratory/laboratory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: admit bound values ALGORITHM [-n N] [-k K] [--json] [--trace FILE]\n"
    "\n"
    "values: n processes that share k slots with k-exclusion, without k-deadlock and with FIFO enabling need\n"
    "k C(n-k-1, 2) + n-k-1 values of shared memory (Fischer, Lynch, Burns, Borodin 1989, Theorem 5.8). The proof is\n"
    "played against ALGORITHM. Either it reaches so many configurations with different values, which are listed, or "
    "it\n"
    "finds a run that breaks one of the three. The run is executed again and verified.\n"
    "\n"
    "  -n N            processes, at least k + 2 (default k + 3)\n"
    "  -k K            slots (default: the algorithm's own, or 1)\n"
    "  --trace FILE    write the violation as JSON, for 'admit replay'\n"
    "  --json          the result as one JSON object\n"
    "\n"
    "exit status: 0 the values were reached, 1 a violation was found, 2 bad usage, 3 undecided (a limit was reached)\n";

struct values_request {
    struct setting setting;
    const char *trace_file;
    bool json;
};

static void read_request(struct values_request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "bound", .argc = argc, .argv = argv, .plain_max = 1};
    *request = (struct values_request){.setting = {.k = 0}};
    memset(request->setting.passages, UNBOUNDED_PASSAGES, sizeof request->setting.passages);
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (strcmp(option, "-n") == 0) {
            request->setting.n = (unsigned)option_number(&arguments, option, 1, CHECKED_PROCESSES_MAX);
        } else if (strcmp(option, "-k") == 0) {
            request->setting.k = (unsigned)option_number(&arguments, option, 1, CHECKED_PROCESSES_MAX);
        } else if (strcmp(option, "--trace") == 0) {
            request->trace_file = option_value(&arguments, option);
        } else if (strcmp(option, "--json") == 0) {
            request->json = true;
        } else {
            no_such_option("bound", option, help_text);
        }
    }
    struct setting *setting = &request->setting;
    check_threads("bound");
    setting->algorithm = algorithm_argument("bound", plain_argument(&arguments, 0))->algorithm;
    const unsigned own = setting->algorithm->about.k;
    const unsigned k = setting->k > 0 ? setting->k : own > 0 ? own : 1;
    if (setting->n == 0)
        setting->n = k + 3 <= CHECKED_PROCESSES_MAX ? k + 3 : CHECKED_PROCESSES_MAX;
    if (setting->n < k + 2)
        usage_error("bound", "the theorem is about n >= k + 2 processes, and %u is less than %u + 2", setting->n, k);
    check_n_and_k("bound", &setting->algorithm->about, setting->n, &setting->k);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static json_t *value_json(const struct values_bound *bound, const struct shared_value *value)
{
    json_t *registers = json_object();
    for (unsigned r = 0; r < bound->instance.reg_count; r++) {
        const struct setting *setting = &bound->instance.setting;
        word_printer *shown = bound->instance.regs[r].array->shown;
        char name[64], text[256] = "";
        register_name(&bound->instance, r, name, sizeof name);
        if (shown != NULL)
            shown(text, sizeof text, setting->n, setting->k, value->walk.now.values[r]);
        json_object_set_new(registers, name,
                            shown != NULL ? json_string(text) : json_integer((json_int_t)value->walk.now.values[r]));
    }
    return json_pack("{s:i, s:i, s:b, s:I, s:o}", "i", value->i, "j", value->j, "counts", value->counts, "steps",
                     (json_int_t)value->walk.history.count, "value", registers);
}

static json_t *levels_json(const struct values_bound *bound)
{
    json_t *levels = json_array();
    for (unsigned l = 0; l < bound->level_count; l++) {
        const struct values_level *level = &bound->levels[l];
        json_t *values = json_array();
        for (unsigned v = 0; v < level->count; v++)
            json_array_append_new(values, value_json(bound, &level->values[v]));
        json_array_append_new(levels, json_pack("{s:i, s:i, s:I, s:i, s:o}", "n", level->n, "k", level->k, "lemma",
                                                (json_int_t)values_of_lemma(level->n, level->k), "counted",
                                                level->counted, "values", values));
    }
    return levels;
}

static void print_values_json(const struct values_bound *bound)
{
    static const char *const outcomes[] = {
        [VALUES_CONFIRMED] = "confirmed", [VALUES_VIOLATED] = "violated", [VALUES_UNDECIDED] = "undecided"};
    const struct setting *setting = &bound->instance.setting;
    const bool confirmed = bound->outcome == VALUES_CONFIRMED;
    json_t *violation = json_null();
    if (bound->outcome == VALUES_VIOLATED)
        violation = json_pack("{s:s, s:s, s:s, s:o}", "property", property_info[bound->violation.property].name, "what",
                              bound->violation.what, "how", bound->why, "trace", trace_to_json(&bound->violation));
    print_json(json_pack("{s:s, s:s, s:i, s:i, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "bound", "values", "algorithm",
                         setting->algorithm->about.id, "n", setting->n, "k", setting->k, "outcome",
                         outcomes[bound->outcome], "needed", (json_int_t)values_needed(setting->n, setting->k), "lemma",
                         (json_int_t)values_of_lemma(setting->n, setting->k), "distinct",
                         confirmed ? json_integer((json_int_t)bound->distinct) : json_null(), "distinct_all",
                         confirmed ? json_integer((json_int_t)bound->distinct_all) : json_null(), "levels",
                         levels_json(bound), "violation", violation, "undecided",
                         bound->outcome == VALUES_UNDECIDED ? json_string(bound->why) : json_null()));
}

/* --- for a person ------------------------------------------------------------------------------------------------- */

static void print_value(const struct values_bound *bound, const struct shared_value *value)
{
    printf("  %4u %3u  %c ", value->i, value->j, value->counts ? '*' : ' ');
    for (unsigned r = 0; r < bound->instance.reg_count; r++) {
        const struct setting *setting = &bound->instance.setting;
        word_printer *shown = bound->instance.regs[r].array->shown;
        char text[256] = "";
        if (shown != NULL) {
            shown(text, sizeof text, setting->n, setting->k, value->walk.now.values[r]);
            printf(" %s", text);
        } else {
            register_name(&bound->instance, r, text, sizeof text);
            printf(" %s=%llu", text, (unsigned long long)value->walk.now.values[r]);
        }
    }
    putchar('\n');
}

static void print_levels(const struct values_bound *bound)
{
    for (unsigned l = 0; l < bound->level_count; l++) {
        const struct values_level *level = &bound->levels[l];
        printf("  k = %u, processes 0 to %u", level->k, level->n - 1);
        for (unsigned p = level->n; p < bound->instance.setting.n; p++)
            printf("%s%u", p > level->n ? ", " : "; enabled and standing still: ", p);
        printf("\n  %4s %3s     shared memory in q(i, j)\n", "i", "j");
        for (unsigned v = 0; v < level->count; v++)
            print_value(bound, &level->values[v]);
        const unsigned long long lemma = values_of_lemma(level->n, level->k);
        if (level->count == lemma)
            printf("  Lemma 5.7: %llu = C(%u, 2) values, all different; %u of them (*) count\n\n", lemma,
                   level->n - level->k, level->counted);
        else
            printf("  not all of C(%u, 2) = %llu could be reached\n\n", level->n - level->k, lemma);
    }
}

static void print_violation(const struct values_bound *bound)
{
    const struct trace *trace = &bound->violation;
    const struct property_info *info = &property_info[trace->property];
    struct execution execution;
    printf("VIOLATED: %s (%s): %s.\nHow: %s.\n\n", info->name, info->number, trace->what, bound->why);
    if (trace->loop == NO_LOOP)
        printf("%zu steps from the initial configuration:\n\n", trace->count);
    else
        printf("%zu steps, then a loop of %zu that can be repeated for ever:\n\n", trace->loop,
               trace->count - trace->loop);
    trace_execute(trace, &execution);
    trace_print(trace, &execution, stdout);
    if (trace_confirm(trace, &execution) == CONFIRMED)
        printf("\nConfirmed: executed again, the run violates %s.\n", info->name);
    else
        printf("\nExecuted again, the run goes on for ever without progress. That so few others can be enabled was\n"
               "found by letting each of them go alone; 'admit replay' explores all runs instead.\n");
    execution_close(&execution);
}

static void print_values(const struct values_bound *bound)
{
    const struct setting *setting = &bound->instance.setting;
    const unsigned n = setting->n, k = setting->k;
    const unsigned long long needed = values_needed(n, k);
    printf("%s, n = %u, k = %u\n", setting->algorithm->about.id, n, k);
    printf("Fischer, Lynch, Burns, Borodin 1989, Theorem 5.8: at least %u C(%u, 2) + %u = %llu value%s of shared "
           "memory\n\n",
           k, n - k - 1, n - k - 1, needed, needed == 1 ? "" : "s");
    print_levels(bound);
    if (bound->outcome == VALUES_CONFIRMED)
        printf("CONFIRMED: %llu different value%s, as many as the theorem counts%s.\n"
               "All q(i, j) together have %llu. Whether the algorithm is right is another question ('admit check').\n",
               (unsigned long long)bound->distinct, bound->distinct == 1 ? "" : "s",
               k > 1 ? "; those of each k differ from those below" : "", (unsigned long long)bound->distinct_all);
    else if (bound->outcome == VALUES_VIOLATED)
        print_violation(bound);
    else
        printf("UNDECIDED: %s\n", bound->why);
}

int command_bound_values(int argc, char **argv)
{
    static const int status[] = {
        [VALUES_CONFIRMED] = EXIT_OK, [VALUES_VIOLATED] = EXIT_VIOLATED, [VALUES_UNDECIDED] = EXIT_UNDECIDED};
    struct values_request request;
    read_request(&request, argc, argv);
    FILE *trace_file = open_output_file("bound", request.trace_file);
    struct values_bound bound;
    bound_values(&bound, &request.setting);
    if (request.json)
        print_values_json(&bound);
    else
        print_values(&bound);
    if (trace_file != NULL)
        write_trace_file("bound", trace_file, request.trace_file,
                         bound.outcome == VALUES_VIOLATED ? &bound.violation : NULL);
    enum values_outcome outcome = bound.outcome;
    values_bound_close(&bound);
    return status[outcome];
}
