/* SPDX-License-Identifier: MIT
 *
 * admit equivalent - are all processes in the same regions of two algorithms after every schedule?
 */
#include "checker/compare/equivalence.h"
#include "cli/laboratory/laboratory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit equivalent ALGORITHM ALGORITHM [OPTION...]\n"
    "\n"
    "Runs n processes of one algorithm and n of the other in lock step, under every schedule. They are equivalent if\n"
    "after every schedule each process is in the same region (remainder, trying, critical, exit) in both: Fischer,\n"
    "Lynch, Burns, Borodin 1989, section 3.2. If not, a shortest schedule that tells them apart is shown, executed in "
    "both.\n"
    "\n"
    "  -n N              processes (default 3)\n"
    "  -k K              how many may be inside (default: the algorithms' own, else 1)\n"
    "  --max-states S    stop at so many pairs of states, undecided\n"
    "  --memory SIZE     stop at so much memory, undecided: bytes, or with K, M, G (default: most of what is free)\n"
    "  --trace PREFIX    write the two runs to PREFIX-a.json and PREFIX-b.json, for 'admit replay'\n"
    "  --json            the result as one JSON object\n"
    "\n"
    "exit status: 0 equivalent, 1 told apart, 2 bad usage, 3 undecided (a limit was reached, or tickets leave it "
    "open)\n";

struct equivalent_request {
    struct setting setting[2];
    struct equivalence_limits limits;
    const char *prefix;
    bool json;
};

/* --- what is asked ------------------------------------------------------------------------------------------------ */

static void read_request(struct equivalent_request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "equivalent", .argc = argc, .argv = argv, .plain_max = 2};
    struct setting both = {.n = 3};
    memset(both.passages, UNBOUNDED_PASSAGES, sizeof both.passages);
    request->limits.count_states = true;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (strcmp(option, "-n") == 0) {
            both.n = (unsigned)option_number(&arguments, option, 1, CHECKED_PROCESSES_MAX);
        } else if (strcmp(option, "-k") == 0) {
            both.k = (unsigned)option_number(&arguments, option, 1, CHECKED_PROCESSES_MAX);
        } else if (strcmp(option, "--max-states") == 0) {
            request->limits.max_pairs = option_number(&arguments, option, 1, UINT64_MAX);
        } else if (strcmp(option, "--memory") == 0) {
            request->limits.memory_limit = option_size(&arguments, option);
        } else if (strcmp(option, "--trace") == 0) {
            request->prefix = option_value(&arguments, option);
        } else if (strcmp(option, "--json") == 0) {
            request->json = true;
        } else if (strcmp(option, "--order") == 0 || strcmp(option, "--registers") == 0 ||
                   strcmp(option, "--fault") == 0) {
            usage_error("equivalent",
                        "%s would leave it to more than the schedule what a step does; equivalence is "
                        "defined for atomic registers, for-all loops in the native order, and nobody faulty",
                        option);
        } else {
            no_such_option("equivalent", option, help_text);
        }
    }
    check_threads("equivalent");
    const struct about *about[2];
    for (unsigned system = 0; system < 2; system++) {
        if (system == 1 && arguments.plain_count == 1)
            usage_error("equivalent", "equivalent to what? It takes two algorithms");
        const struct entry *entry = algorithm_argument("equivalent", plain_argument(&arguments, system));
        request->setting[system] = both;
        request->setting[system].algorithm = entry->algorithm;
        about[system] = &entry->algorithm->about;
    }
    unsigned k = both.k > 0 ? both.k : about[0]->k > 0 ? about[0]->k : about[1]->k;
    for (unsigned system = 0; system < 2; system++) {
        request->setting[system].k = k;
        check_n_and_k("equivalent", about[system], both.n, &request->setting[system].k);
    }
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static json_t *regions_json(const struct equivalence *equivalence, unsigned system)
{
    json_t *regions = json_array();
    for (unsigned i = 0; i < equivalence->setting[0].n; i++)
        json_array_append_new(regions, json_string(region_letter[equivalence->regions[system][i]]));
    return regions;
}

static void print_equivalence_json(const struct equivalence *equivalence)
{
    bool differ = equivalence->outcome == SYSTEMS_DIFFER;
    const struct setting *a = &equivalence->setting[0], *b = &equivalence->setting[1];
    json_t *schedule = json_null(), *differs = json_null();
    if (differ) {
        unsigned i = equivalence->process;
        schedule = json_array();
        for (size_t s = 0; s < equivalence->length; s++)
            json_array_append_new(schedule, json_integer(equivalence->schedule[s]));
        differs = json_pack("{s:i, s:s, s:s}", "process", i, "region_a", region_letter[equivalence->regions[0][i]],
                            "region_b", region_letter[equivalence->regions[1][i]]);
    }
    print_json(json_pack("{s:s, s:s, s:i, s:i, s:s, s:I, s:I, s:I, s:I, s:i, s:f, s:I, s:o, s:o, s:o, s:o, s:o}", "a",
                         a->algorithm->about.id, "b", b->algorithm->about.id, "n", a->n, "k", a->k, "outcome",
                         equivalence_outcome_name[equivalence->outcome], "pairs", (json_int_t)equivalence->pairs,
                         "states_a", (json_int_t)equivalence->states[0], "states_b", (json_int_t)equivalence->states[1],
                         "ambiguous_steps", (json_int_t)equivalence->ambiguous, "depth", equivalence->depth, "seconds",
                         equivalence->seconds, "memory_bytes", (json_int_t)equivalence->bytes, "schedule", schedule,
                         "regions_a", differ ? regions_json(equivalence, 0) : json_null(), "regions_b",
                         differ ? regions_json(equivalence, 1) : json_null(), "differs", differs, "undecided",
                         equivalence->outcome == SYSTEMS_UNDECIDED ? json_string(equivalence->why) : json_null()));
}

/* --- for a person ------------------------------------------------------------------------------------------------- */

static void print_run(const struct equivalence *equivalence, unsigned system)
{
    struct trace trace;
    struct execution execution;
    printf("\n%s: the regions are at last", equivalence->setting[system].algorithm->about.id);
    for (unsigned i = 0; i < equivalence->setting[system].n; i++)
        printf(" %s", region_letter[equivalence->regions[system][i]]);
    printf("\n\n");
    equivalence_trace(equivalence, system, &trace);
    if (trace_execute(&trace, &execution))
        trace_print(&trace, &execution, stdout);
    else
        printf("internal error: %s\n", execution.error);
    execution_close(&execution);
    trace_close(&trace);
}

static void print_equivalence(const struct equivalence *equivalence)
{
    const struct setting *setting = equivalence->setting;
    const char *const id[2] = {setting[0].algorithm->about.id, setting[1].algorithm->about.id};
    char pairs[32], states[2][32];
    printf("%s and %s, n = %u, k = %u\n", id[0], id[1], setting[0].n, setting[0].k);
    printf("%s pairs of states, of %s states of the one and %s of the other, depth %u, %.2f s, %.1f MB%s\n\n",
           grouped(equivalence->pairs, pairs), grouped(equivalence->states[0], states[0]),
           grouped(equivalence->states[1], states[1]), equivalence->depth, equivalence->seconds,
           (double)equivalence->bytes / 1e6, equivalence->outcome == SYSTEMS_SAME ? "" : " (not all explored)");
    if (equivalence->outcome == SYSTEMS_UNDECIDED) {
        printf("UNDECIDED: %s\n", equivalence->why);
    } else if (equivalence->outcome == SYSTEMS_SAME) {
        printf("EQUIVALENT: after every schedule all processes are in the same regions of both.\n");
    } else {
        unsigned i = equivalence->process;
        printf("DIFFERENT: after a schedule of %zu step%s process %u is in its %s region (%s) in the one and in its "
               "%s region (%s)\nin the other. No shorter schedule tells them apart. Executed in both:\n",
               equivalence->length, equivalence->length == 1 ? "" : "s", i, region_name[equivalence->regions[0][i]],
               region_letter[equivalence->regions[0][i]], region_name[equivalence->regions[1][i]],
               region_letter[equivalence->regions[1][i]]);
        print_run(equivalence, 0);
        print_run(equivalence, 1);
    }
    if (equivalence->ambiguous > 0)
        printf("\nTickets: %s steps were ambiguous, and both outcomes were explored. Equivalent is equivalent; some of "
               "the pairs\nmay not exist.\n",
               grouped(equivalence->ambiguous, pairs));
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static void show_progress(const struct progress *progress)
{
    fprintf(stderr, "\r%.2f M pairs, %.2f M/s, frontier %.2f M, depth %u, %.0f MB \033[K",
            (double)progress->states / 1e6, (double)progress->states / progress->seconds / 1e6,
            (double)progress->frontier / 1e6, progress->depth, (double)progress->bytes / 1e6);
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    equivalence_interrupt();
}

static void write_run(const struct equivalence *equivalence, unsigned system, FILE *file, const char *name)
{
    struct trace trace = {.count = 0};
    bool differ = equivalence->outcome == SYSTEMS_DIFFER;
    if (differ)
        equivalence_trace(equivalence, system, &trace);
    write_trace_file("equivalent", file, name, differ ? &trace : NULL);
    trace_close(&trace);
}

int command_equivalent(int argc, char **argv)
{
    static const int status[] = {
        [SYSTEMS_SAME] = EXIT_OK, [SYSTEMS_DIFFER] = EXIT_VIOLATED, [SYSTEMS_UNDECIDED] = EXIT_UNDECIDED};
    struct equivalent_request request = {.json = false};
    read_request(&request, argc, argv);
    FILE *files[2] = {NULL, NULL};
    char names[2][4096];
    for (unsigned system = 0; system < 2 && request.prefix != NULL; system++) {
        int length = snprintf(names[system], sizeof names[0], "%s-%c.json", request.prefix, "ab"[system]);
        if (length >= (int)sizeof names[0])
            usage_error("equivalent", "the name after --trace is too long");
        files[system] = open_output_file("equivalent", names[system]);
    }

    struct equivalence equivalence;
    bool watched = isatty(STDERR_FILENO);
    request.limits.report = watched ? show_progress : NULL;
    signal(SIGINT, on_interrupt);
    equivalence_find(&equivalence, &request.setting[0], &request.setting[1], &request.limits);
    signal(SIGINT, SIG_DFL);
    if (watched)
        fputs("\r\033[K", stderr);

    if (equivalence.outcome == SYSTEMS_REFUSED)
        usage_error("equivalent", "%s", equivalence.why);
    if (request.json)
        print_equivalence_json(&equivalence);
    else
        print_equivalence(&equivalence);
    for (unsigned system = 0; system < 2 && request.prefix != NULL; system++)
        write_run(&equivalence, system, files[system], names[system]);
    equivalence_close(&equivalence);
    return status[equivalence.outcome];
}
