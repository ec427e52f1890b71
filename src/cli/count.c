/* SPDX-License-Identifier: MIT
 *
 * admit count - what an algorithm costs: steps, shared bits, shared values.
 */
#include "checker/explore.h"
#include "cli/cli.h"
#include "counter/run.h"
#include "counter/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: admit count ALGORITHM [-n N[,N...]] [-k K] [--max-states S] [--json]\n"
    "\n"
    "For each N (default 2,3,4): the steps of a passage under two schedules (a sample: the most and the mean, failed\n"
    "tests of waits included; starved: somebody did not get through), the shared bits that the declared registers\n"
    "take, and the shared values: how many different contents all registers together have in any reachable state,\n"
    "counted by exploring all of them.\n"
    "\n"
    "  --max-states S   do not explore more than S states for the shared values (default 20000000)\n"
    "\n"
    "exit status: 0 all counted, 2 bad usage, 3 the shared values of some N were not counted\n";

enum { SIZES_MAX = 16, PASSAGES_EACH = 200, STEPS_MAX = 2000000 };

struct count_request {
    const struct entry *entry;
    unsigned sizes[SIZES_MAX], size_count, k;
    uint64_t max_states;
    bool json;
};

/* Explores everything; UINT64_MAX if there is too much, or if tickets make the number infinite. */
static uint64_t explored_values(const struct count_request *request, const struct setting *setting)
{
    struct instance instance;
    instance_open(&instance, setting);
    bool unbounded = shared_bits(&instance) == UINT64_MAX;
    instance_close(&instance);
    if (unbounded)
        return UINT64_MAX;
    struct model model;
    struct exploration exploration;
    struct exploration_options options = {.max_states = request->max_states};
    explore(&exploration, &model, setting, &options);
    uint64_t values = exploration.stopped == NULL ? shared_values(&exploration) : UINT64_MAX;
    exploration_close(&exploration);
    return values;
}

static struct setting setting_for(const struct count_request *request, unsigned n)
{
    struct setting setting = {.algorithm = request->entry->algorithm, .n = n, .k = request->k};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    check_n_and_k("count", &request->entry->algorithm->about, n, &setting.k);
    return setting;
}

static json_t *number_or_null(uint64_t number)
{
    return number == UINT64_MAX ? json_null() : json_integer((json_int_t)number);
}

static void number_or_text(uint64_t number, const char *text, char *buffer, size_t size)
{
    if (number == UINT64_MAX)
        snprintf(buffer, size, "%s", text);
    else
        snprintf(buffer, size, "%llu", (unsigned long long)number);
}

static void read_sizes(struct count_request *request, const char *list)
{
    const char *at = list;
    request->size_count = 0;
    for (;;) {
        char *end;
        unsigned long n = strtoul(at, &end, 10);
        if (at[0] < '0' || at[0] > '9' || (*end != ',' && *end != '\0') || n < 1 || n > STEPPED_PROCESSES_MAX ||
            request->size_count == SIZES_MAX)
            usage_error("count", "-n takes numbers from 1 to %d with commas between, not '%s'", STEPPED_PROCESSES_MAX,
                        list);
        request->sizes[request->size_count++] = (unsigned)n;
        if (*end == '\0')
            return;
        at = end + 1;
    }
}

static void read_request(struct count_request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "count", .argc = argc, .argv = argv, .plain_max = 1};
    *request = (struct count_request){.sizes = {2, 3, 4}, .size_count = 3, .max_states = 20000000};
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (strcmp(option, "-n") == 0) {
            read_sizes(request, option_value(&arguments, option));
        } else if (strcmp(option, "-k") == 0) {
            request->k = (unsigned)option_number(&arguments, option, 1, STEPPED_PROCESSES_MAX);
        } else if (strcmp(option, "--max-states") == 0) {
            request->max_states = option_number(&arguments, option, 1, UINT64_MAX);
        } else if (strcmp(option, "--json") == 0) {
            request->json = true;
        } else {
            usage_error("count", "there is no option '%s'", option);
        }
    }
    request->entry = algorithm_argument("count", arguments.plain[0]);
    for (unsigned s = 0; s < request->size_count; s++)
        setting_for(request, request->sizes[s]);
}

int command_count(int argc, char **argv)
{
    struct count_request request;
    read_request(&request, argc, argv);
    const char *id = request.entry->algorithm->about.id;
    int width = strlen(id) > 16 ? (int)strlen(id) : 16;
    json_t *rows = json_array();
    bool complete = true;
    if (!request.json)
        printf("%-*s %3s %3s %-12s %10s %10s %12s %14s\n", width, "algorithm", "n", "k", "schedule", "steps max",
               "mean", "shared bits", "shared values");
    for (unsigned s = 0; s < request.size_count; s++) {
        struct setting setting = setting_for(&request, request.sizes[s]);
        struct instance instance;
        instance_open(&instance, &setting);
        uint64_t bits = shared_bits(&instance), values = explored_values(&request, &setting);
        complete &= values != UINT64_MAX || bits == UINT64_MAX;
        char bits_text[32], values_text[32];
        number_or_text(bits, "unbounded", bits_text, sizeof bits_text);
        number_or_text(values, bits == UINT64_MAX ? "unbounded" : "not counted", values_text, sizeof values_text);
        for (unsigned schedule = 0; schedule < SCHEDULES; schedule++) {
            struct tally tally;
            count_run(&tally, &instance, (enum schedule)schedule, PASSAGES_EACH, STEPS_MAX, 1);
            uint64_t steps_max = tally.starved ? UINT64_MAX : tally.steps_max;
            char steps_text[32];
            number_or_text(steps_max, "starved", steps_text, sizeof steps_text);
            if (request.json)
                json_array_append_new(rows, json_pack("{s:s, s:i, s:i, s:n, s:s, s:n, s:n, s:o, s:f, s:b, s:o, s:o}",
                                                      "algorithm", id, "n", setting.n, "k", setting.k, "model",
                                                      "schedule", schedule_name[schedule], "rmr_max", "rmr_mean",
                                                      "steps_max", number_or_null(steps_max), "steps_mean",
                                                      tally.steps_mean, "starved", tally.starved, "shared_bits",
                                                      number_or_null(bits), "shared_values", number_or_null(values)));
            else
                printf("%-*s %3u %3u %-12s %10s %10.1f %12s %14s\n", width, id, setting.n, setting.k,
                       schedule_name[schedule], steps_text, tally.steps_mean, bits_text, values_text);
        }
        instance_close(&instance);
    }
    if (request.json)
        print_json(rows);
    else
        json_decref(rows);
    return complete ? EXIT_OK : EXIT_UNDECIDED;
}
