/* SPDX-License-Identifier: MIT
 *
 * admit check - explore the shipped code of an algorithm.
 */
#include "checker/explore.h"
#include "checker/parallel.h"
#include "checker/trace.h"
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit check ALGORITHM [OPTION...]\n"
    "\n"
    "Explores every interleaving of n processes that run the shipped code of ALGORITHM, and says for each property "
    "whether\n"
    "it holds. A violated one comes with a shortest counterexample, or with a loop that can be repeated for ever.\n"
    "\n"
    "  -n N                  processes (default 3)\n"
    "  -k K                  how many may be inside (default: the algorithm's own, else 1)\n"
    "  --registers KIND      atomic (default), regular or safe\n"
    "  --fault crash[:COUNT] up to COUNT processes (default 1) stop for ever, anywhere outside the remainder\n"
    "  --property P          may be repeated; default: all that the catalogue claims for this setting\n"
    "  --passages P[,P...]   how often each process (or process 0, 1, ...) goes through at most\n"
    "  --order any           for-all loops in every order, not only in the native one\n"
    "  --fingerprints        keep 64-bit hashes instead of states: more fit, at a stated risk of missing some\n"
    "  --max-states S        stop there, undecided\n"
    "  --memory SIZE         stop there, undecided: bytes, or with K, M, G (default: most of what is free)\n"
    "  --trace FILE          write the first counterexample as JSON, for 'admit replay'\n"
    "  --json                the result as one JSON object\n"
    "\n"
    "properties: %s\n"
    "exit status: 0 all hold, 1 one is violated, 2 bad usage, 3 undecided (a limit was reached)\n";

struct request {
    const struct entry *entry;
    struct setting setting;
    bool passages_limited;
    enum property properties[PROPERTIES];
    unsigned property_count;
    struct exploration_options options;
    const char *trace_file;
    bool json;
};

/* --- what is asked -------------------------------------------------------------------------------------------------- */

static enum property property_named(const char *name)
{
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (strcmp(property_info[p].name, name) == 0)
            return (enum property)p;
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (edit_distance(name, property_info[p].name) <= 3)
            usage_error("check", "there is no property '%s'; did you mean %s?", name, property_info[p].name);
    char list[512];
    known_properties(list, sizeof list);
    usage_error("check", "there is no property '%s'; there are %s", name, list);
}

static void add_property(struct request *request, enum property property)
{
    for (unsigned p = 0; p < request->property_count; p++)
        if (request->properties[p] == property)
            return;
    request->properties[request->property_count++] = property;
}

static enum register_kind registers_named(const char *name)
{
    for (unsigned kind = 0; kind < REGISTER_KINDS; kind++)
        if (strcmp(register_kind_name[kind], name) == 0)
            return (enum register_kind)kind;
    usage_error("check", "--registers takes atomic, regular or safe, not '%s'", name);
}

static unsigned crashes_in(const char *fault)
{
    if (strcmp(fault, "crash") == 0)
        return 1;
    char *end;
    if (strncmp(fault, "crash:", 6) == 0 && fault[6] >= '1' && fault[6] <= '9') {
        unsigned long count = strtoul(fault + 6, &end, 10);
        if (*end == '\0' && count <= STEPPED_PROCESSES_MAX)
            return (unsigned)count;
    }
    usage_error("check", "--fault takes crash or crash:COUNT (1 to %d), not '%s'", STEPPED_PROCESSES_MAX, fault);
}

static void read_passages(struct request *request, const char *list)
{
    unsigned count = 0;
    const char *at = list;
    do {
        char *end;
        unsigned long value = strtoul(at, &end, 10);
        if (end == at || value >= UNBOUNDED_PASSAGES || (*end != ',' && *end != '\0') || count == STEPPED_PROCESSES_MAX)
            usage_error("check", "--passages takes one number, or n of them with commas between, not '%s'", list);
        request->setting.passages[count++] = (uint8_t)value;
        at = end + (*end == ',');
        if (*end == '\0')
            break;
    } while (true);
    request->passages_limited = true;
    if (count == 1)
        memset(request->setting.passages, request->setting.passages[0], sizeof request->setting.passages);
    else if (count != request->setting.n)
        usage_error("check", "--passages names %u processes, but n = %u", count, request->setting.n);
}

static uint64_t size_value(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    uint64_t unit = 1;
    if (*end == 'K' || *end == 'M' || *end == 'G')
        unit = *end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 : 1 << 30, end++;
    if (end == text || *end != '\0' || !(value > 0) || value * (double)unit > 1e18)
        usage_error("check", "--memory takes a size such as 500M or 16G, not '%s'", text);
    return (uint64_t)(value * (double)unit);
}

/* Most of what is free now; 0 (no limit) where that cannot be told. */
static uint64_t free_memory(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned long long kilobytes = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kilobytes * 1024 / 100 * 85;
}

static void claimed_properties(struct request *request)
{
    const struct about *about = &request->entry->algorithm->about;
    unsigned faults = request->setting.crashes > 0 ? CRASH : 0;
    for (unsigned c = 0; c < about->claim_count; c++)
        if (request->setting.registers <= about->claims[c].down_to && (faults & ~about->claims[c].faults) == 0)
            add_property(request, about->claims[c].property);
    if (request->property_count == 0)
        add_property(request, EXCLUSION);
}

static void check_setting(const struct request *request)
{
    const struct about *about = &request->entry->algorithm->about;
    for (unsigned p = 0; p < request->property_count; p++)
        if (property_info[request->properties[p]].needs_doorway && !about->doorway)
            usage_error("check", "%s speaks of the doorway, and %s has none",
                        property_info[request->properties[p]].name, about->id);
    if (request->setting.crashes > request->setting.n)
        usage_error("check", "%u processes cannot crash when there are %u", request->setting.crashes,
                    request->setting.n);
    struct instance instance;
    instance_open(&instance, &request->setting);
    for (unsigned r = 0; r < instance.reg_count && request->setting.registers != ATOMIC; r++) {
        if (instance.regs[r].writer < 0)
            usage_error("check", "%s registers are defined for one writer each, and %s[%u] of %s has several",
                        register_kind_name[request->setting.registers], instance.regs[r].array->name,
                        instance.regs[r].element, about->id);
        if (request->setting.registers == SAFE && register_domain(&instance, r) == TICKET)
            usage_error("check",
                        "%s[%u] of %s is unbounded: a safe read of it could return infinitely many values; "
                        "try --registers regular",
                        instance.regs[r].array->name, instance.regs[r].element, about->id);
    }
    instance_close(&instance);
}

static void read_request(struct request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "check", .argc = argc, .argv = argv, .plain_max = 1};
    const char *passages = NULL;
    memset(request->setting.passages, UNBOUNDED_PASSAGES, sizeof request->setting.passages);
    request->setting.n = 3;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            char list[512];
            known_properties(list, sizeof list);
            printf(help_text, list);
            exit(EXIT_OK);
        } else if (strcmp(option, "-n") == 0) {
            request->setting.n = (unsigned)option_number(&arguments, option, 1, STEPPED_PROCESSES_MAX);
        } else if (strcmp(option, "-k") == 0) {
            request->setting.k = (unsigned)option_number(&arguments, option, 1, STEPPED_PROCESSES_MAX);
        } else if (strcmp(option, "--registers") == 0) {
            request->setting.registers = registers_named(option_value(&arguments, option));
        } else if (strcmp(option, "--fault") == 0) {
            request->setting.crashes = crashes_in(option_value(&arguments, option));
        } else if (strcmp(option, "--property") == 0) {
            add_property(request, property_named(option_value(&arguments, option)));
        } else if (strcmp(option, "--passages") == 0) {
            passages = option_value(&arguments, option);
        } else if (strcmp(option, "--order") == 0) {
            const char *order = option_value(&arguments, option);
            if (strcmp(order, "any") != 0)
                usage_error("check", "--order takes 'any', not '%s'", order);
            request->setting.any_order = true;
        } else if (strcmp(option, "--fingerprints") == 0) {
            request->options.fingerprints = true;
        } else if (strcmp(option, "--max-states") == 0) {
            request->options.max_states = option_number(&arguments, option, 1, UINT64_MAX);
        } else if (strcmp(option, "--memory") == 0) {
            request->options.memory_limit = size_value(option_value(&arguments, option));
        } else if (strcmp(option, "--trace") == 0) {
            request->trace_file = option_value(&arguments, option);
        } else if (strcmp(option, "--json") == 0) {
            request->json = true;
        } else {
            usage_error("check", "there is no option '%s'", option);
        }
    }
    request->entry = algorithm_argument("check", arguments.plain[0]);
    request->setting.algorithm = request->entry->algorithm;
    check_n_and_k("check", &request->entry->algorithm->about, request->setting.n, &request->setting.k);
    if (passages != NULL)
        read_passages(request, passages);
    if (request->property_count == 0)
        claimed_properties(request);
    check_setting(request);
}

/* --- what was found ------------------------------------------------------------------------------------------------- */

/* The probability that two of this many states share a fingerprint, at most. */
static double omission_probability(uint64_t states)
{
    return (double)states * (double)states / ldexp(1.0, 65);
}

static json_t *bounds_json(const struct request *request, const struct exploration *exploration)
{
    json_t *bounds = json_object();
    if (request->passages_limited) {
        json_t *passages = json_array();
        for (unsigned i = 0; i < request->setting.n; i++)
            json_array_append_new(passages, json_integer(request->setting.passages[i]));
        json_object_set_new(bounds, "passages", passages);
    }
    if (request->options.fingerprints)
        json_object_set_new(
            bounds, "fingerprints",
            json_pack("{s:i, s:f}", "bits", 64, "omission_probability", omission_probability(exploration->states)));
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
    return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o}", "name", property_info[finding->property].name, "number",
                     property_info[finding->property].number, "verdict", verdict_name[finding->verdict], "fired",
                     (json_int_t)finding->fired, "bound",
                     finding->has_bound && finding->verdict == HOLDS ? json_integer((json_int_t)finding->bound)
                                                                     : json_null(),
                     "counterexample", counterexample);
}

static void print_result_json(const struct request *request, const struct exploration *exploration,
                              const struct finding *findings, double seconds)
{
    json_t *properties = json_array(), *faults = json_array();
    for (unsigned p = 0; p < request->property_count; p++)
        json_array_append_new(properties, finding_json(&findings[p], exploration->model));
    if (request->setting.crashes > 0)
        json_array_append_new(faults, json_sprintf("crash:%u", request->setting.crashes));
    print_json(json_pack("{s:s, s:i, s:i, s:s, s:s, s:o, s:I, s:I, s:i, s:f, s:I, s:b, s:o, s:o}", "algorithm",
                         request->entry->algorithm->about.id, "n", request->setting.n, "k", request->setting.k,
                         "registers", register_kind_name[request->setting.registers], "order",
                         request->setting.any_order ? "any" : "native", "faults", faults, "states",
                         (json_int_t)exploration->states, "transitions", (json_int_t)exploration->transitions, "depth",
                         exploration->depth, "seconds", seconds, "memory_bytes", (json_int_t)exploration->bytes,
                         "exhaustive",
                         exploration->stopped == NULL && !request->passages_limited && !request->options.fingerprints &&
                             exploration->expanded == exploration->states,
                         "bounds", bounds_json(request, exploration), "properties", properties));
}

/* " up to 2 passages each" and the like; empty if nothing limits what was found. */
static void limits_text(const struct request *request, const struct exploration *exploration, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (request->passages_limited) {
        used += (size_t)snprintf(text, size, " up to ");
        for (unsigned i = 0; i < request->setting.n && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, "%s%u", i > 0 ? "," : "", request->setting.passages[i]);
        used += (size_t)snprintf(text + used, size - used, " passages");
    }
    if (request->options.fingerprints && used < size)
        snprintf(text + used, size - used, " up to fingerprints (a state is missed with probability at most %.1e)",
                 omission_probability(exploration->states));
}

static void print_finding(const struct request *request, const struct exploration *exploration,
                          const struct finding *finding)
{
    const struct property_info *info = &property_info[finding->property];
    char number[32], limits[160];
    limits_text(request, exploration, limits, sizeof limits);
    printf("  %-20s %-4s ", info->name, info->number);
    switch (finding->verdict) {
    case HOLDS:
        printf("holds%s", limits);
        if (finding->has_bound)
            printf(", at most %llu %s", (unsigned long long)finding->bound, info->bound);
        printf("  (%s: %s)\n", info->premise, grouped(finding->fired, number));
        break;
    case VACUOUS:
        printf("vacuous%s: its premise never came true  (%s: 0)\n", limits, info->premise);
        break;
    case UNDECIDED:
        printf("UNDECIDED: %s\n", exploration->stopped);
        break;
    case VIOLATED:
        printf("VIOLATED: %s\n", finding->what);
        break;
    }
}

static void print_counterexample(const struct finding *finding, const struct model *model)
{
    struct trace trace;
    struct execution execution;
    trace_of(&trace, finding, model);
    printf("\n%s (%s) is violated: %s.\n", property_info[finding->property].name,
           property_info[finding->property].number, finding->what);
    if (trace.loop == NO_LOOP)
        printf("A shortest counterexample, %zu steps:\n\n", trace.count);
    else
        printf("%zu steps, then a loop of %zu steps that can be repeated for ever:\n\n", trace.loop,
               trace.count - trace.loop);
    if (trace_execute(&trace, &execution))
        trace_print(&trace, &execution, stdout);
    else
        printf("internal error: %s\n", execution.error);
    execution_close(&execution);
    trace_close(&trace);
}

static void print_result(const struct request *request, const struct exploration *exploration,
                         const struct finding *findings, double seconds)
{
    const struct setting *setting = &request->setting;
    char states[32], transitions[32];
    printf("%s, n = %u, k = %u, %s registers%s", request->entry->algorithm->about.id, setting->n, setting->k,
           register_kind_name[setting->registers], setting->any_order ? ", for-all in any order" : "");
    if (setting->crashes > 0)
        printf(", up to %u crash%s", setting->crashes, setting->crashes > 1 ? "es" : "");
    printf("\n%s states, %s transitions, depth %u, %.2f s, %.1f MB%s\n\n", grouped(exploration->states, states),
           grouped(exploration->transitions, transitions), exploration->depth, seconds,
           (double)exploration->bytes / 1e6, exploration->stopped != NULL ? " (not all explored)" : "");
    for (unsigned p = 0; p < request->property_count; p++)
        print_finding(request, exploration, &findings[p]);
    for (unsigned p = 0; p < request->property_count; p++)
        if (request->properties[p] == LOCKOUT_FREEDOM && setting->crashes >= setting->k)
            printf("\nWith %u crash%s and k = %u, only runs with fewer than %u faulty processes are within "
                   "lockout-freedom.\n",
                   setting->crashes, setting->crashes > 1 ? "es" : "", setting->k, setting->k);
    for (unsigned p = 0; p < request->property_count; p++)
        if (findings[p].has_witness)
            print_counterexample(&findings[p], exploration->model);
}

static void write_trace(FILE *file, const char *name, const struct finding *findings, unsigned count,
                        const struct model *model)
{
    bool failed = false;
    unsigned p = 0;
    while (p < count && !findings[p].has_witness)
        p++;
    if (p < count) {
        struct trace trace;
        trace_of(&trace, &findings[p], model);
        json_t *json = trace_to_json(&trace);
        if (json_dumpf(json, file, JSON_INDENT(1)) != 0)
            failed = true;
        fputc('\n', file);
        json_decref(json);
        trace_close(&trace);
    }
    failed |= ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        fprintf(stderr, "admit check: cannot write %s: %s\n", name, strerror(errno));
        exit(EXIT_USAGE);
    }
    if (p == count)
        fprintf(stderr, "admit check: nothing was violated, so there is no trace; %s is empty\n", name);
}

/* --- the command ---------------------------------------------------------------------------------------------------- */

static void show_progress(const struct progress *progress)
{
    fprintf(stderr, "\r%.2f M states, %.2f M/s, frontier %.2f M, depth %u, %.0f MB \033[K",
            (double)progress->states / 1e6, (double)progress->states / progress->seconds / 1e6,
            (double)progress->frontier / 1e6, progress->depth, (double)progress->bytes / 1e6);
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    explore_interrupt();
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int exit_status(const struct finding *findings, unsigned count)
{
    int status = EXIT_OK;
    for (unsigned p = 0; p < count; p++) {
        if (findings[p].verdict == VIOLATED)
            return EXIT_VIOLATED;
        if (findings[p].verdict == UNDECIDED)
            status = EXIT_UNDECIDED;
    }
    return status;
}

int command_check(int argc, char **argv)
{
    struct request request = {.json = false};
    read_request(&request, argc, argv);
    FILE *trace_file = NULL;
    if (request.trace_file != NULL && (trace_file = fopen(request.trace_file, "w")) == NULL)
        usage_error("check", "cannot write %s: %s", request.trace_file, strerror(errno));

    bool needs_enabled = false;
    request.options.stop_at_violation = true;
    for (unsigned p = 0; p < request.property_count; p++) {
        request.options.want_graph |= property_info[request.properties[p]].needs_graph;
        needs_enabled |= property_info[request.properties[p]].needs_enabled;
    }
    request.options.stop_at_violation = !request.options.want_graph;
    if (request.options.memory_limit == 0)
        /* The questions asked of a graph need as much again as the graph. */
        request.options.memory_limit = free_memory() / (request.options.want_graph ? 2 : 1);
    if (isatty(STDERR_FILENO))
        request.options.report = show_progress;
    signal(SIGINT, on_interrupt);

    struct model model;
    struct exploration exploration;
    struct finding findings[PROPERTIES];
    struct enabled enabled = {0};
    double start = seconds_now();
    explore(&exploration, &model, &request.setting, &request.options);
    signal(SIGINT, SIG_DFL);
    if (needs_enabled && exploration.stopped == NULL)
        enabled_find(&enabled, &exploration.graph, core_count());
    for (unsigned p = 0; p < request.property_count; p++)
        judge(&findings[p], &exploration, &enabled, request.properties[p]);
    double seconds = seconds_now() - start;
    if (request.options.report != NULL)
        fputs("\r\033[K", stderr);

    if (request.json)
        print_result_json(&request, &exploration, findings, seconds);
    else
        print_result(&request, &exploration, findings, seconds);
    if (trace_file != NULL)
        write_trace(trace_file, request.trace_file, findings, request.property_count, &model);
    int status = exit_status(findings, request.property_count);
    for (unsigned p = 0; p < request.property_count; p++)
        finding_close(&findings[p]);
    enabled_close(&enabled);
    exploration_close(&exploration);
    return status;
}
