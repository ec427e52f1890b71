/* SPDX-License-Identifier: MIT
 *
 * admit bound - a lower bound's proof, played against an algorithm.
 */
#include "cli/laboratory/bound.h"
#include "base/die.h"
#include "bounds/variables.h"
#include "cli/laboratory/laboratory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: admit bound variables ALGORITHM [-n N] [--max-steps S] [--json] [--trace FILE]\n"
    "       admit bound values ALGORITHM [-n N] [-k K] [--json] [--trace FILE] (see admit bound values --help)\n"
    "\n"
    "variables: n processes that exclude each other by reads and writes need n variables (Burns, Lynch 1993, Theorem\n"
    "5.1). The adversary of the proof plays against ALGORITHM. Either it finds a history after which n distinct\n"
    "variables are nullified: each is about to be written by a process that nobody has noticed. Or it finds a history\n"
    "that violates exclusion, or a fair run in which nobody makes progress. Both are executed again and verified.\n"
    "\n"
    "  -n N            processes, at least 2 (default 3)\n"
    "  --max-steps S   stop, undecided, at histories of so many steps (default %d)\n"
    "  --trace FILE    write the violation as JSON, for 'admit replay'\n"
    "  --json          the result as one JSON object\n"
    "\n"
    "exit status: 0 n variables are nullified, 1 a violation was found, 2 bad usage or not a read/write algorithm,\n"
    "3 undecided (a limit was reached)\n";

struct bound_request {
    struct setting setting;
    size_t max_steps;
    const char *trace_file;
    bool json;
};

/* --- what is asked ------------------------------------------------------------------------------------------------ */

static void read_request(struct bound_request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "bound", .argc = argc, .argv = argv, .plain_max = 1};
    *request = (struct bound_request){.setting = {.n = 3, .k = 1}, .max_steps = BOUND_STEPS_MAX};
    memset(request->setting.passages, UNBOUNDED_PASSAGES, sizeof request->setting.passages);
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            printf(help_text, BOUND_STEPS_MAX);
            exit(EXIT_OK);
        } else if (strcmp(option, "-n") == 0) {
            request->setting.n = (unsigned)option_number(&arguments, option, 2, CHECKED_PROCESSES_MAX);
        } else if (strcmp(option, "--max-steps") == 0) {
            request->max_steps = option_number(&arguments, option, 1, SIZE_MAX / 2);
        } else if (strcmp(option, "--trace") == 0) {
            request->trace_file = option_value(&arguments, option);
        } else if (strcmp(option, "--json") == 0) {
            request->json = true;
        } else {
            no_such_option("bound", option, help_text);
        }
    }
    check_threads("bound");
    request->setting.algorithm = algorithm_argument("bound", plain_argument(&arguments, 0))->algorithm;
    check_n_and_k("bound", &request->setting.algorithm->about, request->setting.n, &request->setting.k);
}

/* --- histories ---------------------------------------------------------------------------------------------------- */

/* Calls write with "0*3", "1", ... for every run of steps of one process. */
static void for_each_run(const struct history *history, void (*write)(void *context, const char *text), void *context)
{
    for (size_t s = 0, end; s < history->count; s = end) {
        char text[40];
        for (end = s; end < history->count && history->steps[end] == history->steps[s]; end++)
            ;
        if (end - s == 1)
            snprintf(text, sizeof text, "%u", history->steps[s]);
        else
            snprintf(text, sizeof text, "%u*%zu", history->steps[s], end - s);
        write(context, text);
    }
}

struct lines {
    unsigned column, line;
};

enum { LINES_MAX = 40, COLUMNS = 116 };

static void write_wrapped(void *context, const char *text)
{
    struct lines *lines = context;
    unsigned length = (unsigned)strlen(text);
    if (lines->line > LINES_MAX)
        return;
    if (lines->column + 1 + length > COLUMNS) {
        lines->line++;
        lines->column = 0;
        fputs(lines->line > LINES_MAX ? "\n   ... (all of it: --json)" : "\n", stdout);
    }
    if (lines->line > LINES_MAX)
        return;
    printf("%s%s", lines->column == 0 ? "    " : " ", text);
    lines->column += (lines->column == 0 ? 4 : 1) + length;
}

struct growing {
    char *text;
    size_t used, size;
};

static void write_growing(void *context, const char *text)
{
    struct growing *growing = context;
    size_t length = strlen(text);
    if (growing->used + length + 2 > growing->size) {
        growing->size = 2 * (growing->size + length) + 64;
        growing->text = must_reallocate(growing->text, growing->size);
    }
    growing->used += (size_t)sprintf(growing->text + growing->used, "%s%s", growing->used > 0 ? " " : "", text);
}

/* The paper's regions. */
static const char *const region_name[SECTIONS] = {[REMAINDER] = "remainder",
                                                  [DOORWAY] = "trying",
                                                  [WAITING_ROOM] = "trying",
                                                  [CRITICAL] = "critical",
                                                  [EXIT] = "exit"};

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static json_t *nullified_json(const struct variables_bound *bound)
{
    json_t *nullified = json_array();
    for (unsigned i = 0; i < bound->instance.setting.n; i++) {
        char name[64];
        register_name(&bound->instance, bound->covered[i], name, sizeof name);
        json_array_append_new(nullified,
                              json_pack("{s:i, s:s, s:s, s:s}", "process", i, "variable", name, "region",
                                        region_name[bound->stands[i].section], "label", bound->stands[i].label));
    }
    return nullified;
}

static json_t *levels_json(const struct variables_bound *bound)
{
    json_t *levels = json_array();
    for (unsigned count = 1; count <= bound->instance.setting.n; count++) {
        const struct bound_level *level = &bound->levels[count];
        if (level->times > 0)
            json_array_append_new(levels,
                                  json_pack("{s:i, s:I, s:i, s:I}", "variables", count, "times",
                                            (json_int_t)level->times, "side_branches_most", level->side_branches_most,
                                            "steps_most", (json_int_t)level->steps_most));
    }
    return levels;
}

static void print_bound_json(const struct variables_bound *bound)
{
    static const char *const outcomes[] = {
        [BOUND_NULLIFIED] = "nullified", [BOUND_VIOLATED] = "violated", [BOUND_UNDECIDED] = "undecided"};
    const struct setting *setting = &bound->instance.setting;
    bool nullified = bound->outcome == BOUND_NULLIFIED;
    json_t *history = json_null(), *violation = json_null(), *verified = json_array();
    if (nullified) {
        struct growing growing = {.text = NULL};
        write_growing(&growing, "");
        for_each_run(&bound->history, write_growing, &growing);
        history = json_pack("{s:I, s:s}", "steps", (json_int_t)bound->history.count, "schedule", growing.text);
        free(growing.text);
        json_array_append_new(verified, json_string("each process covers a variable of its own"));
        json_array_append_new(verified, json_string("each process is hidden (Definition 5.3)"));
        json_array_append_new(verified, json_string("without the hidden steps of any one process it rests, and the "
                                                    "configuration looks the same to all others (Lemma 5.3)"));
        json_array_append_new(verified, json_string("without the hidden steps of all, all rest, and the variables are "
                                                    "the same (Lemma 5.3)"));
    } else if (bound->outcome == BOUND_VIOLATED) {
        violation = json_pack("{s:s, s:s, s:s, s:o}", "property", property_info[bound->violation.property].name, "what",
                              bound->violation.what, "how", bound->why, "trace", trace_to_json(&bound->violation));
        json_array_append_new(verified, json_string("executed again from the initial configuration, the history "
                                                    "violates the property"));
    }
    print_json(
        json_pack("{s:s, s:s, s:i, s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "bound", "variables", "algorithm",
                  setting->algorithm->about.id, "n", setting->n, "variables", bound->instance.reg_count, "outcome",
                  outcomes[bound->outcome], "nullified", nullified ? nullified_json(bound) : json_array(), "history",
                  history, "levels", levels_json(bound), "violation", violation, "undecided",
                  bound->outcome == BOUND_UNDECIDED ? json_string(bound->why) : json_null(), "verified", verified));
}

/* --- for a person ------------------------------------------------------------------------------------------------- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_levels(const struct variables_bound *bound)
{
    for (unsigned count = 2; count <= bound->instance.setting.n && bound->levels[count].times > 0; count++) {
        const struct bound_level *level = &bound->levels[count];
        printf("  %u variables were nullified %zu time%s, with %u side branches and %zu steps at most\n", count,
               level->times, plural(level->times), level->side_branches_most, level->steps_most);
    }
}

static void print_nullified(const struct variables_bound *bound)
{
    const struct setting *setting = &bound->instance.setting;
    size_t steps = bound->history.count;
    printf(
        "NULLIFIED: after a history of %zu step%s each of the %u processes is about to write a variable of its own,\n"
        "and to the others each looks as if it rested in its remainder.\n\n",
        steps, plural(steps), setting->n);
    for (unsigned i = 0; i < setting->n; i++) {
        char name[64];
        register_name(&bound->instance, bound->covered[i], name, sizeof name);
        printf("  p_%u covers %s, %s before \"%s\"\n", i, name,
               bound->stands[i].section == REMAINDER ? "resting" : "trying", bound->stands[i].label);
    }
    putchar('\n');
    print_levels(bound);
    struct lines lines = {.column = 0};
    printf("\n  the history:\n");
    for_each_run(&bound->history, write_wrapped, &lines);
    printf(
        "\n\nVerified by executing it from the initial configuration: every process covers a variable of its own and "
        "is\n"
        "hidden (Definition 5.3); without the hidden steps of any one, or of all, nobody else sees a difference, and\n"
        "those left out are in their remainders (Lemma 5.3). So there are enough variables; whether the algorithm is\n"
        "right is another question ('admit check').\n");
}

static void print_violation(const struct variables_bound *bound)
{
    const struct trace *trace = &bound->violation;
    const struct property_info *info = &property_info[trace->property];
    struct execution execution;
    printf("VIOLATED: %s (%s): %s.\n", info->name, info->number, trace->what);
    printf("How: %s.\n\n", bound->why);
    print_levels(bound);
    if (bound->levels[2].times > 0)
        putchar('\n');
    if (trace->loop == NO_LOOP)
        printf("%zu step%s from the initial configuration:\n\n", trace->count, plural(trace->count));
    else
        printf("%zu step%s, then a loop of %zu step%s that can be repeated for ever:\n\n", trace->loop,
               plural(trace->loop), trace->count - trace->loop, plural(trace->count - trace->loop));
    trace_execute(trace, &execution);
    trace_print(trace, &execution, stdout);
    execution_close(&execution);
    printf("\nConfirmed: executed again, the run violates %s.\n", info->name);
}

static void print_bound(const struct variables_bound *bound)
{
    const struct setting *setting = &bound->instance.setting;
    unsigned variables = bound->instance.reg_count;
    printf("%s, n = %u, %u variable%s\n", setting->algorithm->about.id, setting->n, variables, plural(variables));
    printf("Burns, Lynch 1993, Theorem 5.1: n processes need n variables%s\n\n",
           variables < setting->n ? "; these are too few" : "");
    if (bound->outcome == BOUND_NULLIFIED)
        print_nullified(bound);
    else if (bound->outcome == BOUND_VIOLATED)
        print_violation(bound);
    else
        printf("UNDECIDED: %s\n", bound->why);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static int command_bound_variables(int argc, char **argv)
{
    static const int status[] = {
        [BOUND_NULLIFIED] = EXIT_OK, [BOUND_VIOLATED] = EXIT_VIOLATED, [BOUND_UNDECIDED] = EXIT_UNDECIDED};
    struct bound_request request;
    read_request(&request, argc, argv);
    FILE *trace_file = open_output_file("bound", request.trace_file);
    struct variables_bound bound;
    bound_variables(&bound, &request.setting, request.max_steps);
    if (bound.outcome == BOUND_REFUSED)
        usage_error("bound", "%s is no read/write algorithm: %s", request.setting.algorithm->about.id, bound.why);
    if (request.json)
        print_bound_json(&bound);
    else
        print_bound(&bound);
    if (trace_file != NULL)
        write_trace_file("bound", trace_file, request.trace_file,
                         bound.outcome == BOUND_VIOLATED ? &bound.violation : NULL);
    variables_bound_close(&bound);
    return status[bound.outcome];
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} bounds[] = {{"variables", command_bound_variables}, {"values", command_bound_values}};
enum { BOUNDS = sizeof bounds / sizeof bounds[0] };

int command_bound(int argc, char **argv)
{
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        printf(help_text, BOUND_STEPS_MAX);
        return EXIT_OK;
    }
    for (unsigned b = 0; argc > 0 && b < BOUNDS; b++)
        if (strcmp(argv[0], bounds[b].name) == 0)
            return bounds[b].run(argc - 1, argv + 1);
    if (argc == 0)
        usage_error("bound", "which bound? There are 'variables' and 'values'");
    usage_error("bound", "there is no bound '%s'; there are 'variables' and 'values'", argv[0]);
}
