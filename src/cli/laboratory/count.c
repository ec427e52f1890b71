/* SPDX-License-Identifier: MIT
 *
 * admit count - what an algorithm costs: remote references, steps, shared bits, shared values.
 */
#include "base/die.h"
#include "checker/explore/explore.h"
#include "cli/laboratory/laboratory.h"
#include "counter/growth.h"
#include "counter/passage_costs.h"
#include "counter/values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: admit count ALGORITHM [-n N[,N...]] [-k K] [--model MODEL] [--seed S] [--max-states S] [--svg FILE] "
    "[--json]\n"
    "\n"
    "For each N (default 2,3,4; up to 64), model of memory and schedule:\n"
    "  the remote references of a passage, the most and the mean, in a sample run;\n"
    "  the steps of a passage, failed tests of waits included (starved: one did not get through);\n"
    "  the shared bits that the declared registers take;\n"
    "  the shared values: how many different contents all registers together have in any reachable state, counted by\n"
    "  exploring all of them.\n"
    "Samples show no bound: 'admit check --property local-spin' does, for small n. A passage whose references an\n"
    "adversarial schedule can drive up for ever has no most; then it is said how many there were when it was given "
    "up.\n"
    "\n"
    "  --model MODEL    cc (caches, write-through), cc-write-back, or dsm (distributed memory); default: cc and dsm\n"
    "  --seed S         of the random and the adversarial schedule (default 1); the same seed gives the same numbers\n"
    "  --max-states S   do not explore more than S states for the shared values (default 1000000)\n"
    "  --svg FILE       draw the references over n\n"
    "  --json           the result as a JSON array\n"
    "\n"
    "exit status: 0 all counted, 2 bad usage, 3 there are more than the --max-states that were asked for\n";

enum { DEFAULT_MAX_STATES = 1000000, MEMORY_FOR_VALUES = 1 << 30 };

struct count_request {
    const struct entry *entry;
    unsigned sizes[POINTS_MAX], size_count, k;
    unsigned models; /* as bits */
    uint64_t max_states, seed;
    bool max_states_given, json;
    const char *svg;
};

/* --- what is asked ------------------------------------------------------------------------------------------------ */

static struct setting setting_for(const struct count_request *request, unsigned n)
{
    struct setting setting = {.algorithm = request->entry->algorithm, .n = n, .k = request->k};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    check_n_and_k("count", &request->entry->algorithm->about, n, &setting.k);
    return setting;
}

static void read_sizes(struct count_request *request, const char *list)
{
    const char *at = list;
    request->size_count = 0;
    for (;;) {
        char *end;
        unsigned long n = strtoul(at, &end, 10);
        if (at[0] < '0' || at[0] > '9' || (*end != ',' && *end != '\0') || n < 1 || n > STEPPED_PROCESSES_MAX)
            usage_error("count", "-n takes numbers from 1 to %d with commas between, not '%s'", STEPPED_PROCESSES_MAX,
                        list);
        if (request->size_count == POINTS_MAX)
            usage_error("count", "-n takes up to %d numbers, and '%s' are more", POINTS_MAX, list);
        request->sizes[request->size_count++] = (unsigned)n;
        if (*end == '\0')
            return;
        at = end + 1;
    }
}

static void read_request(struct count_request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "count", .argc = argc, .argv = argv, .plain_max = 1};
    *request = (struct count_request){.sizes = {2, 3, 4},
                                      .size_count = 3,
                                      .models = 1u << CC | 1u << DSM,
                                      .max_states = DEFAULT_MAX_STATES,
                                      .seed = 1};
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (strcmp(option, "-n") == 0) {
            read_sizes(request, option_value(&arguments, option));
        } else if (strcmp(option, "-k") == 0) {
            request->k = (unsigned)option_number(&arguments, option, 1, STEPPED_PROCESSES_MAX);
        } else if (strcmp(option, "--model") == 0) {
            request->models = 1u << memory_model_named("count", option_value(&arguments, option));
        } else if (strcmp(option, "--seed") == 0) {
            request->seed = option_number(&arguments, option, 1, UINT32_MAX);
        } else if (strcmp(option, "--max-states") == 0) {
            request->max_states = option_number(&arguments, option, 1, UINT64_MAX);
            request->max_states_given = true;
        } else if (strcmp(option, "--svg") == 0) {
            request->svg = option_value(&arguments, option);
        } else if (strcmp(option, "--json") == 0) {
            request->json = true;
        } else {
            no_such_option("count", option, help_text);
        }
    }
    check_threads("count");
    request->entry = algorithm_argument("count", plain_argument(&arguments, 0));
    for (unsigned s = 0; s < request->size_count; s++)
        setting_for(request, request->sizes[s]);
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* What does not depend on model and schedule. */
struct space {
    uint64_t bits, values; /* UINT64_MAX: unbounded, or not counted */
};

/* Whether a state surely fits into the explorer's words, whose fields do not cross from one to the next. */
static bool can_be_explored(const struct instance *instance)
{
    enum { PROCESS_BITS = 22 };
    unsigned used = 0;
    for (unsigned f = 0; f < instance->setting.n + instance->reg_count; f++) {
        unsigned width = 1;
        if (f < instance->setting.n)
            width = PROCESS_BITS;
        else
            while (width < 64 && register_domain(instance, f - instance->setting.n) > UINT64_C(1) << width)
                width++;
        used += used % 64 + width > 64 ? 64 - used % 64 + width : width;
    }
    return instance->setting.n <= CHECKED_PROCESSES_MAX && used <= 64 * WORDS_MAX;
}

static struct space space_of(const struct count_request *request, const struct setting *setting, bool too_many_before)
{
    struct instance instance;
    instance_open(&instance, setting);
    struct space space = {.bits = shared_bits(&instance), .values = UINT64_MAX};
    bool explorable = can_be_explored(&instance);
    instance_close(&instance);
    if (space.bits == UINT64_MAX || too_many_before || !explorable)
        return space;
    struct model model;
    struct exploration exploration;
    struct exploration_options options = {.max_states = request->max_states, .memory_limit = MEMORY_FOR_VALUES};
    explore(&exploration, &model, setting, &options);
    space.values = exploration.stopped == NULL ? shared_values(&exploration) : UINT64_MAX;
    exploration_close(&exploration);
    return space;
}

/* One line of the table. */
struct row {
    struct setting setting;
    enum memory_model model;
    enum schedule schedule;
    struct tally tally;
    struct space space;
};

static bool has_most(const struct tally *tally)
{
    return !tally->starved && tally->waiting == ENDS;
}

/* Why there is no most, or the empty string. */
static void note_of(const struct tally *tally, char *note, size_t size)
{
    note[0] = '\0';
    if (tally->starved)
        snprintf(note, size, "starved: somebody did not get through in %d steps of all", STEPS_MAX);
    else if (tally->waiting == REPEATS && tally->wait_steps == 1)
        snprintf(note, size, "unbounded: grows with the wait, by 1 in every step");
    else if (tally->waiting == REPEATS)
        snprintf(note, size, "unbounded: grows with the wait, by %llu in every %llu steps",
                 (unsigned long long)tally->wait_references, (unsigned long long)tally->wait_steps);
    else if (tally->waiting == GROWS)
        snprintf(note, size, "still growing when the run was cut off: %llu references in %llu steps of one passage",
                 (unsigned long long)tally->wait_references, (unsigned long long)tally->wait_steps);
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static json_t *number_or_null(uint64_t number)
{
    return number == UINT64_MAX ? json_null() : json_integer((json_int_t)number);
}

static const char *number_or_text(uint64_t number, const char *text, char buffer[32])
{
    if (number == UINT64_MAX)
        snprintf(buffer, 32, "%s", text);
    else
        snprintf(buffer, 32, "%llu", (unsigned long long)number);
    return buffer;
}

static void print_heading(int width)
{
    printf("%-*s %3s %3s %-13s %-12s %10s %10s %10s %10s %12s %14s\n", width, "algorithm", "n", "k", "model",
           "schedule", "rmr max", "mean", "steps max", "mean", "shared bits", "shared values");
}

static void print_row(const struct row *row, int width)
{
    const struct tally *tally = &row->tally;
    char most[32], mean[32], steps[32], steps_mean[32], bits[32], values[32], note[160];
    note_of(tally, note, sizeof note);
    snprintf(mean, sizeof mean, has_most(tally) ? "%.1f" : "-", tally->references_mean);
    snprintf(steps_mean, sizeof steps_mean, row->schedule != ADVERSARIAL ? "%.1f" : "-", tally->steps_mean);
    printf("%-*s %3u %3u %-13s %-12s %10s %10s %10s %10s %12s %14s%s%s\n", width, row->setting.algorithm->about.id,
           row->setting.n, row->setting.k, memory_model_name[row->model], schedule_name[row->schedule],
           number_or_text(has_most(tally) ? tally->references_max : UINT64_MAX,
                          tally->starved              ? "starved"
                          : tally->waiting == REPEATS ? "unbounded"
                                                      : "growing",
                          most),
           mean,
           number_or_text(row->schedule == ADVERSARIAL || tally->starved ? UINT64_MAX : tally->steps_max,
                          tally->starved ? "starved" : "-", steps),
           steps_mean, number_or_text(row->space.bits, "unbounded", bits),
           number_or_text(row->space.values, row->space.bits == UINT64_MAX ? "unbounded" : "not counted", values),
           note[0] != '\0' ? "  " : "", note);
}

static json_t *row_json(const struct row *row, const struct growth *growth, uint64_t seed)
{
    const struct tally *tally = &row->tally;
    char note[160];
    note_of(tally, note, sizeof note);
    bool has_steps = !tally->starved && row->schedule != ADVERSARIAL;
    json_t *fitted = growth->known ? json_pack("{s:f, s:f, s:f, s:f, s:f, s:s}", "exponent", growth->exponent,
                                               "last_exponent", growth->last_exponent, "slope", growth->slope, "offset",
                                               growth->offset, "line_error", growth->line_error, "words",
                                               is_linear(growth) ? "linear" : growth_words(growth->exponent))
                                   : json_null();
    return json_pack("{s:s, s:i, s:i, s:s, s:s, s:o, s:o, s:b, s:o, s:o, s:b, s:o, s:o, s:I, s:o, s:o}", "algorithm",
                     row->setting.algorithm->about.id, "n", row->setting.n, "k", row->setting.k, "model",
                     memory_model_name[row->model], "schedule", schedule_name[row->schedule], "rmr_max",
                     has_most(tally) ? json_integer((json_int_t)tally->references_max) : json_null(), "rmr_mean",
                     has_most(tally) ? json_real(tally->references_mean) : json_null(), "unbounded",
                     tally->waiting == REPEATS, "steps_max",
                     has_steps ? json_integer((json_int_t)tally->steps_max) : json_null(), "steps_mean",
                     has_steps ? json_real(tally->steps_mean) : json_null(), "starved", tally->starved, "shared_bits",
                     number_or_null(row->space.bits), "shared_values", number_or_null(row->space.values), "seed",
                     (json_int_t)seed, "note", note[0] != '\0' ? json_string(note) : json_null(), "growth", fitted);
}

static void print_growth(const struct series *series, const struct growth *growth)
{
    printf("  %-13s %-12s ", memory_model_name[series->model], schedule_name[series->schedule]);
    if (is_linear(growth))
        printf("%.1f n %c %.1f within %.0f%%: linear, for n = %u to %u (as a power, n^%.2f; n^%.2f between the last "
               "two)\n",
               growth->slope, growth->offset < 0 ? '-' : '+', fabs(growth->offset), ceil(100 * growth->line_error),
               growth->from, growth->to, growth->exponent, growth->last_exponent);
    else if (growth->known)
        printf("n^%.2f, %s, for n = %u to %u; n^%.2f between the last two\n", growth->exponent,
               growth_words(growth->exponent), growth->from, growth->to, growth->last_exponent);
    else
        printf("not fitted: %s\n",
               series->count < 3 ? "fewer than three n" : "not a number for each n, in ascending order");
}

static void write_svg(const struct count_request *request, FILE *file, const struct series *series, unsigned count)
{
    char title[160];
    if (file == NULL)
        return;
    snprintf(title, sizeof title, request->k > 0 ? "%s, k = %u" : "%s", request->entry->algorithm->about.id,
             request->k);
    growth_plot(file, title, series, count);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        die("cannot write '%s': %s", request->svg, strerror(errno));
}

int command_count(int argc, char **argv)
{
    enum { SERIES_MAX = MEMORY_MODELS * SCHEDULES };
    struct count_request request;
    read_request(&request, argc, argv);
    FILE *svg = open_output_file("count", request.svg);
    struct row *rows = must_allocate(POINTS_MAX * SERIES_MAX * sizeof *rows);
    struct series series[SERIES_MAX] = {0};
    unsigned series_count = 0, row_count = 0;
    bool too_many = false;
    int id_width = (int)strlen(request.entry->algorithm->about.id), width = id_width > 16 ? id_width : 16;
    if (!request.json)
        print_heading(width);
    for (unsigned s = 0; s < request.size_count; s++) {
        struct setting setting = setting_for(&request, request.sizes[s]);
        struct space space = space_of(&request, &setting, too_many && !request.max_states_given);
        too_many |= space.values == UINT64_MAX && space.bits != UINT64_MAX;
        struct instance instance;
        instance_open(&instance, &setting);
        series_count = 0;
        for (unsigned model = 0; model < MEMORY_MODELS; model++)
            for (unsigned schedule = 0; schedule < SCHEDULES && request.models >> model & 1; schedule++) {
                struct row *row = &rows[row_count++];
                struct series *curve = &series[series_count++];
                *row = (struct row){setting, (enum memory_model)model, (enum schedule)schedule, {0}, space};
                count_run(&row->tally, &instance, row->model, row->schedule, request.seed);
                curve->model = row->model;
                curve->schedule = row->schedule;
                curve->points[curve->count].n = setting.n;
                curve->points[curve->count++].most = has_most(&row->tally) ? row->tally.references_max : UINT64_MAX;
                if (!request.json)
                    print_row(row, width);
            }
        instance_close(&instance);
    }
    json_t *array = json_array();
    if (!request.json)
        printf("\nThe most remote references of a passage grow like (a fit to these samples, seed %llu):\n",
               (unsigned long long)request.seed);
    struct growth growth[SERIES_MAX];
    for (unsigned c = 0; c < series_count; c++) {
        growth_fit(&growth[c], &series[c]);
        if (!request.json)
            print_growth(&series[c], &growth[c]);
    }
    for (unsigned r = 0; r < row_count && request.json; r++)
        json_array_append_new(array, row_json(&rows[r], &growth[r % series_count], request.seed));
    if (request.json)
        print_json(array);
    else
        json_decref(array);
    write_svg(&request, svg, series, series_count);
    free(rows);
    return too_many && request.max_states_given ? EXIT_UNDECIDED : EXIT_OK;
}
