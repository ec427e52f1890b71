/* SPDX-License-Identifier: MIT
 *
 * admit replay - execute a trace again, by calling the algorithm's text step by step, and confirm what it shows.
 */
#include "checker/faults.h"
#include "checker/question.h"
#include "checker/trace.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const char help_text[] =
    "usage: admit replay FILE\n"
    "\n"
    "Executes the steps of a trace that 'admit check', 'admit equivalent', 'admit bound' or 'admit claims' wrote, "
    "shows\n"
    "them, and says whether they show the violation. What a single run cannot show (that somebody is enabled) is\n"
    "explored again.\n"
    "\n"
    "exit status: 0 confirmed, 1 not confirmed, 2 bad usage or not a trace\n";

/* Explores the setting of the trace once more: is its property violated? */
static bool explored_again(const struct trace *trace)
{
    struct question question = {.setting = trace->setting};
    struct answer answer;
    question_add(&question, trace->property);
    question_answer(&question, &answer);
    if (answer.exploration.stopped != NULL)
        printf("Not all could be explored: %s.\n", answer.exploration.stopped);
    bool violated = answer.findings[0].verdict == VIOLATED;
    answer_close(&answer, &question);
    return violated;
}

static bool confirmed(const struct trace *trace, const struct execution *execution)
{
    enum confirmation confirmation = trace_confirm(trace, execution);
    if (confirmation != NEEDS_EXPLORATION)
        return confirmation == CONFIRMED;
    printf("\nThat somebody else is enabled is a statement about all runs; exploring again.\n");
    return explored_again(trace);
}

int command_replay(int argc, char **argv)
{
    struct arguments arguments = {.command = "replay", .argc = argc, .argv = argv, .plain_max = 1};
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            return EXIT_OK;
        }
        usage_error("replay", "there is no option '%s'", option);
    }
    const char *file = arguments.plain[0];
    if (file == NULL)
        usage_error("replay", "which file?");
    json_error_t error;
    json_t *json = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL && error.line < 1)
        usage_error("replay", "%s", error.text);
    if (json == NULL)
        usage_error("replay", "%s: line %d: %s", file, error.line, error.text);
    struct trace trace;
    const char *wrong = trace_from_json(&trace, json);
    if (wrong != NULL)
        usage_error("replay", "%s: %s", file, wrong);
    check_n_and_k("replay", &trace.setting.algorithm->about, trace.setting.n, &trace.setting.k);
    check_setting("replay", &trace.setting, &trace.property, 1);

    struct execution execution;
    bool possible = trace_execute(&trace, &execution);
    printf("%s, n = %u, k = %u, %s registers", trace.setting.algorithm->about.id, trace.setting.n, trace.setting.k,
           register_kind_name[trace.setting.registers]);
    char names[FAULT_KINDS][FAULT_NAME_SIZE];
    for (unsigned f = 0, count = fault_names(&trace.setting, names); f < count; f++)
        printf("%s %s", f > 0 ? "," : ", with", names[f]);
    printf(": %s (%s), %s\n\n", property_title(trace.property), property_info[trace.property].number, trace.what);
    trace_print(&trace, &execution, stdout);
    bool shown = possible && confirmed(&trace, &execution);
    if (!possible)
        printf("\nNot confirmed: this run is not possible (%s).\n", execution.error);
    else if (shown && trace.property == PROPERTIES)
        printf("\nConfirmed: the run is possible. That it shows what is said of it, nobody but the reader sees.\n");
    else if (shown)
        printf("\nConfirmed: executed again, the run violates %s.\n", property_title(trace.property));
    else
        printf("\nNot confirmed: the run is possible, but it does not violate %s.\n", property_title(trace.property));
    execution_close(&execution);
    trace_close(&trace);
    json_decref(json);
    return shown ? EXIT_OK : EXIT_VIOLATED;
}
