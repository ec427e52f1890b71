/* SPDX-License-Identifier: MIT
 *
 * admit replay - execute a trace again, by calling the algorithm's text step by step, and confirm what it shows.
 */
#include "checker/question.h"
#include "checker/show/trace.h"
#include "cli/laboratory/laboratory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char help_text[] =
    "usage: admit replay FILE [--svg FILE] [--html FILE]\n"
    "\n"
    "Executes the steps of a trace that 'admit check', 'admit equivalent', 'admit bound' or 'admit claims' wrote, "
    "shows\n"
    "them, and says whether they show the violation. What a single run cannot show (who is enabled at its moments,\n"
    "what can never happen again) is found out by exploring again.\n"
    "\n"
    "  --svg FILE            draw it: a lane a process, with what it reads and writes\n"
    "  --html FILE           write a page in which one goes through it step by step, with the registers and the text "
    "of\n"
    "                        the algorithm\n"
    "\n"
    "exit status: 0 confirmed, 1 not confirmed, 2 bad usage or not a trace, 3 undecided (a limit was reached)\n";

/* Explores the setting of the trace once more, and judges its run by who is enabled at its moments. */
static enum confirmation confirm_by_exploring(const struct trace *trace, const struct execution *execution,
                                              bool every_step, char *missing)
{
    struct question question = {.setting = trace->setting,
                                .keep_graph = true,
                                .keep_enabled = true,
                                .hurry_will_do = true,
                                .every_step = every_step};
    struct answer answer;
    question_answer(&question, &answer);
    const struct exploration *exploration = &answer.exploration;
    enum confirmation confirmation = NEEDS_EXPLORATION;
    bool again = false;
    if (exploration->stopped != NULL) {
        snprintf(missing, MISSING_SIZE, "not all could be explored: %s", exploration->stopped);
    } else if (exploration->ambiguous > 0) {
        snprintf(missing, MISSING_SIZE, "tickets are not kept exactly here, and so it is not known who is enabled");
    } else {
        confirmation = trace_confirm_enabled(trace, execution, exploration, &answer.enabled, missing);
        again = confirmation == NEEDS_EXPLORATION;
    }
    answer_close(&answer, &question);
    return again ? confirm_by_exploring(trace, execution, true, missing) : confirmation;
}

/* What is missing if it is not confirmed is said where that is known; NEEDS_EXPLORATION: exploring did not help. */
static enum confirmation confirm(const struct trace *trace, const struct execution *execution, char *missing)
{
    enum confirmation confirmation = trace_confirm(trace, execution);
    if (confirmation == NOT_CONFIRMED)
        trace_confirm_enabled(trace, execution, NULL, NULL, missing);
    if (confirmation != NEEDS_EXPLORATION)
        return confirmation;
    printf("\n%s is a statement about all runs; exploring again.\n",
           property_info[trace->property].needs_future ? "What can never happen again" : "Who is enabled");
    return confirm_by_exploring(trace, execution, false, missing);
}

static void describe_confirmation(enum confirmation confirmation, enum property property, const char *missing,
                                  char *words, size_t size)
{
    const char *name = property_title(property);
    if (confirmation == NEEDS_EXPLORATION)
        snprintf(words, size, "Undecided whether the run violates %s: %s.", name, missing);
    else if (confirmation == NOT_CONFIRMED)
        snprintf(words, size, "Not confirmed: the run is possible, but it does not violate %s%s%s.", name,
                 missing[0] != '\0' ? ": " : "", missing);
    else if (property == PROPERTIES)
        snprintf(words, size,
                 "Confirmed: the run is possible. Replay does not check what is said of it; see for yourself.");
    else
        snprintf(words, size, "Confirmed: executed again, the run violates %s.", name);
}

int command_replay(int argc, char **argv)
{
    struct arguments arguments = {.command = "replay", .argc = argc, .argv = argv, .plain_max = 1};
    struct picture_files pictures = {.svg = NULL};
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            return EXIT_OK;
        }
        if (!picture_option(&pictures, &arguments, option))
            no_such_option("replay", option, help_text);
    }
    const char *file = plain_argument(&arguments, 0);
    if (file == NULL)
        usage_error("replay", "which file?");
    check_threads("replay");
    struct stat status;
    if (stat(file, &status) == 0 && S_ISDIR(status.st_mode)) /* which can be opened, and reads as broken JSON */
        usage_error("replay", "%s is a directory, not a trace", file);
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
    check_size("replay", &trace.setting.algorithm->about, trace.setting.n, trace.setting.k);
    check_setting("replay", &trace.setting, &trace.property, 1);
    refuse_same_files(
        "replay", (const struct named_file[]){{"the trace", file}, {"--svg", pictures.svg}, {"--html", pictures.html}},
        3);
    check_picture_files("replay", &pictures);

    struct execution execution;
    bool possible = trace_execute(&trace, &execution);
    printf("%s, n = %u, k = %u, %s registers", trace.setting.algorithm->about.id, trace.setting.n, trace.setting.k,
           register_kind_name[trace.setting.registers]);
    print_faults_and_ways(&trace.setting);
    printf(": %s (%s), %s\n\n", property_title(trace.property), property_info[trace.property].number, trace.what);
    trace_print(&trace, &execution, stdout);
    enum confirmation confirmation = NOT_CONFIRMED;
    char missing[MISSING_SIZE] = "", words[2 * MISSING_SIZE];
    if (possible) {
        confirmation = confirm(&trace, &execution, missing);
        describe_confirmation(confirmation, trace.property, missing, words, sizeof words);
    } else {
        snprintf(words, sizeof words, "Not confirmed: this run is not possible (%s).", execution.error);
    }
    printf("\n%s\n", words);
    fflush(stdout);
    write_pictures("replay", &pictures,
                   &(struct picture_of){.setting = &trace.setting,
                                        .trace = &trace,
                                        .execution = &execution,
                                        .is_shown = confirmation == CONFIRMED,
                                        .remark = words});
    execution_close(&execution);
    trace_close(&trace);
    json_decref(json);
    return confirmation == CONFIRMED ? EXIT_OK : confirmation == NOT_CONFIRMED ? EXIT_VIOLATED : EXIT_UNDECIDED;
}
