/* SPDX-License-Identifier: MIT
 *
 * admit report - what a log tells: who entered how often, waits, use of slots.
 */
#include "cli/gates/report.h"

#include "cli/gates/gates.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: admit report FILE... [--gate GATE] [--svg FILE] [--json]\n"
    "\n"
    "Tells of each gate in the logs that --log FILE or ADMIT_LOG of 'admit run' and its kin wrote: how many entered "
    "and\n"
    "left, how long they waited and were inside (p50: half of them no longer than this), how many gave up, what was\n"
    "recovered after a death, how much of the slots was used, over time, and by which users and commands, and for how\n"
    "much of the time all slots were busy and somebody waited. Of 'nice', 'sh', 'python3' and the like the command is\n"
    "what they run.\n"
    "\n"
    "      --gate GATE   tell only of this gate, by its name or its path\n"
    "      --svg FILE    draw it: what was inside in each slot, and how long the line was; if 24 came at\n"
    "                    most, a lane for each\n"
    "      --json        print an object for programs; times are in seconds\n"
    "\n"
    "FILE is '-' for standard input. Give several if the log was rotated, in any order. A line that is torn, or no "
    "line\n"
    "of a log, is left out and counted. Only what was logged is known: a process that enters by the library, or "
    "without\n"
    "a log, is not seen, and the slot seems free meanwhile. A process that is killed writes no exit, which is counted\n"
    "too. The exit status is 2 if a file cannot be read or written, or no line is one of a log.\n"
    "\n"
    "  ADMIT_LOG=gpu.log admit run -k 4 gpu -- ./train\n"
    "  admit report --svg gpu.svg gpu.log\n";

struct request {
    const char *svg;
    bool json;
};

static void parse(struct request *request, struct log *log, struct arguments *arguments)
{
    for (const char *option; (option = next_option(arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (is_option(option, NULL, "--json")) {
            request->json = true;
        } else if (is_option(option, NULL, "--svg")) {
            request->svg = option_value(arguments, option);
        } else if (is_option(option, NULL, "--gate")) {
            log->wanted = option_value(arguments, option);
        } else {
            no_such_option("report", option, help_text);
        }
    }
    if (request->svg != NULL && strcmp(request->svg, "-") == 0)
        usage_error("report", "--svg takes a file: standard output has the text");
    if (arguments->plain_count == 0)
        usage_error("report", "which log? FILE is missing; '-' is standard input");
}

/* Why there is nothing to tell. */
static _Noreturn void refuse(const struct log *log)
{
    if (log->paths.count > 0) {
        fprintf(stderr, "admit report: there is nothing about gate '%s'; there is about", log->wanted);
        for (uint32_t g = 0; g < log->paths.count && g < 10; g++) {
            char text[ADMIT_COMMAND_SIZE];
            fprintf(stderr, "%s %s", g > 0 ? "," : "", printable(log->gate_names[g], text));
        }
        fputs(log->paths.count > 10 ? ", ...\n" : "\n", stderr);
    } else if (!log->unread || log->lines > 0) {
        fprintf(stderr, "admit report: %s\n",
                log->lines == 0 ? "the log is empty" : "no line is one of a log that admit wrote");
    }
    exit(EXIT_USAGE);
}

static void tell(const struct log *log, struct json_writer *json)
{
    struct reckoning reckoning;
    for (size_t at = 0, count; at < log->count; at += count) {
        count = events_of_gate(log, at);
        reckon(&reckoning, log, log->events + at, count);
        if (json != NULL)
            write_reckoning(json, &reckoning, log, log->events + at, count);
        else
            print_reckoning(&reckoning, log, log->events + at, count);
        if (json == NULL && at + count < log->count)
            putchar('\n');
        reckoning_free(&reckoning);
    }
}

static void tell_as_json(const struct log *log)
{
    struct json_writer json;
    json_writer_open(&json);
    json_begin_object(&json, NULL);
    json_begin_list(&json, "gates");
    tell(log, &json);
    json_end_list(&json);
    write_lines(&json, log);
    json_end_object(&json);
    json_writer_print(&json);
}

int command_report(int argc, char **argv)
{
    struct arguments arguments = {.command = "report", .argc = argc, .argv = argv, .plain_max = INT_MAX};
    struct request request = {0};
    struct log log = {0};
    parse(&request, &log, &arguments);
    for (int a = 0; a < arguments.plain_count; a++)
        log_read(&log, plain_argument(&arguments, a));
    if (log.count == 0)
        refuse(&log);
    log_order(&log);
    if (request.json) {
        tell_as_json(&log);
    } else {
        tell(&log, NULL);
        print_oddities(&log);
    }
    const bool drawn = request.svg == NULL || draw_log(&log, request.svg);
    const bool unread = log.unread;
    log_free(&log);
    return drawn && !unread ? EXIT_OK : EXIT_USAGE;
}
