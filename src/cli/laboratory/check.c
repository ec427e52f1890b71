/* SPDX-License-Identifier: MIT
 *
 * admit check - explore the shipped code of an algorithm.
 */
#include "cli/laboratory/check.h"

#include "base/spelling.h"
#include "checker/explore/explore.h"
#include "checker/model/fault_info.h"
#include "checker/model/way_info.h"
#include "checker/show/trace.h"
#include "cli/laboratory/laboratory.h"

#include <errno.h>
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
    "  --registers KIND      the kind of the registers: atomic (default), regular or safe\n"
    "  --fault FAULT         what may go wrong; may be repeated. Up to COUNT processes (default 1) are struck:\n"
    "      crash[:COUNT]       stop for ever, unannounced, anywhere outside the remainder\n"
    "      shutdown[:COUNT]    set their own registers to their initial values, then stop for ever\n"
    "      failure[:COUNT]     write anything to their own registers for a while, then return as if new; once each\n"
    "      abort               everybody may give up anywhere, any number of times: registers with a declared\n"
    "                          initial value are set back to it, if different, and the process is in its remainder;\n"
    "                          where the algorithm has a part for giving up, that is what happens, where it may begin\n"
    "      recovery[:COUNT]    everybody may be killed at any step, any number of times; the kernel marks the death,\n"
    "                          and newcomers take the numbers of the dead; with COUNT at most so many are killed,\n"
    "                          once each. For algorithms that have a part for newcomers\n"
    "      lease[:COUNT]       their lease ends: their deadline passes, and some time later the store removes their\n"
    "                          keys. This and the next three are for algorithms that are clients of a store\n"
    "      repeat[:COUNT]      get no answer to a request, and repeat it: the first is done at any time, or never\n"
    "      watch[:COUNT]       their watch ends: news of the time before they make another are lost\n"
    "      freeze[:COUNT]      stop until their lease has ended, then go on from where they were\n"
    "      transient           everybody starts anywhere, with any values in the registers: do exclusion and fcfs\n"
    "                          hold from some time on, and deadlock- and lockout-freedom at all?\n"
    "  --property PROPERTY   what to decide; may be repeated. Default: all that the catalogue claims for this setting, "
    "and\n"
    "                        exclusion if it claims nothing\n"
    "  --model MODEL         of memory, for local-spin: cc, cc-write-back or dsm (default: cc and dsm)\n"
    "  --passages P[,P...]   at most so many passages of each process, or of process 0, 1, ...\n"
    "  --order any|native    for-all loops in every order, or only in the native one (the default)\n"
    "  --with WAY            let processes of the gate also go this way; may be repeated. try: some go back unless\n"
    "                        there is a slot for them at once; alone: some come back, and go by what they left in\n"
    "                        the words when they were here last; resize: some keep back their slot when they leave;\n"
    "                        heir: some run a command inside, which may outlive them; removal: others remove the\n"
    "                        gate, if nobody is there\n"
    "  --every-step          take idle steps one by one, too: those that do nothing, whenever they are taken. By\n"
    "                        default, if the gate is asked with abort, recovery or both, they are taken at once;\n"
    "                        the verdicts are the same\n"
    "  --undisturbed         no process that sleeps wakes by itself. By default each may at any time, as it does\n"
    "                        natively. Deadlock-freedom, lockout-freedom and no-slot-idle never count on it; whether\n"
    "                        a process is enabled does\n"
    "  --schedule FILE       first take the steps that FILE says, then explore from there: process numbers, 2*14 for\n"
    "                        fourteen steps of process 2, # for a comment\n"
    "  --fingerprints        keep 64-bit hashes instead of states: more fit, at a stated risk of missing some\n"
    "  --max-states S        stop at so many states, undecided\n"
    "  --memory SIZE         stop at so much memory, undecided: bytes, or with K, M, G (default: most of what is "
    "free,\n"
    "                        or half of it where more than exclusion is asked)\n"
    "  --trace FILE          write the first counterexample as JSON, for 'admit replay'\n"
    "  --svg FILE            draw the first counterexample: a lane a process, with what it reads and writes\n"
    "  --html FILE           write a page in which one goes through it step by step, with the registers and the text "
    "of\n"
    "                        the algorithm\n"
    "  --json                the result as one JSON object\n"
    "\n"
    "properties: %s\n"
    "exit status: 0 all hold, 1 one is violated, 2 bad usage, 3 undecided (a limit was reached)\n";

/* --- what is asked ------------------------------------------------------------------------------------------------ */

static enum property property_named(const char *name)
{
    enum property property = property_find(name, NULL);
    if (property != PROPERTIES)
        return property;
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (strlen(name) >= 3 && strstr(property_info[p].name, name) != NULL)
            usage_error("check", "there is no property '%s'; did you mean %s?", name, property_info[p].name);
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (edit_distance(name, property_info[p].name) <= 3)
            usage_error("check", "there is no property '%s'; did you mean %s?", name, property_info[p].name);
    char list[512];
    known_properties(list, sizeof list);
    usage_error("check", "there is no property '%s'; there are %s", name, list);
}

static enum register_kind registers_named(const char *name)
{
    for (unsigned kind = 0; kind < REGISTER_KINDS; kind++)
        if (strcmp(register_kind_name[kind], name) == 0)
            return (enum register_kind)kind;
    no_such_value("check", "--registers", "atomic, regular or safe", name);
}

static void add_fault(struct setting *setting, const char *fault)
{
    size_t length = strcspn(fault, ":");
    const char *count = fault[length] == ':' ? fault + length + 1 : NULL;
    const struct fault_info *info = fault_find(fault, length);
    if (info == NULL) {
        char list[128];
        known_faults(list, sizeof list);
        no_such_value("check", "--fault", list, fault);
    }
    unsigned *struck = &setting->struck[info - fault_info];
    *struck = info->without_count;
    if (count == NULL)
        return;
    char *end = NULL;
    unsigned long number = *count >= '1' && *count <= '9' ? strtoul(count, &end, 10) : 0;
    if (end == NULL || *end != '\0' || number > CHECKED_PROCESSES_MAX)
        usage_error("check", "--fault takes %s:COUNT with a number from 1 to %d, not '%s'", info->name,
                    CHECKED_PROCESSES_MAX, count);
    if (!info->counted)
        usage_error("check", "--fault %s takes no COUNT: %s", info->name, info->why_uncounted);
    *struck = (unsigned)number;
}

static void read_passages(struct request *request, const char *list)
{
    unsigned count = 0;
    const char *at = list;
    do {
        char *end;
        unsigned long value = strtoul(at, &end, 10);
        if (end == at || value >= UNBOUNDED_PASSAGES || (*end != ',' && *end != '\0') || count == CHECKED_PROCESSES_MAX)
            usage_error("check", "--passages takes one number, or n of them with commas between, not '%s'", list);
        request->question.setting.passages[count++] = (uint8_t)value;
        at = end + (*end == ',');
        if (*end == '\0')
            break;
    } while (true);
    request->passages_limited = true;
    if (count == 1)
        memset(request->question.setting.passages, request->question.setting.passages[0],
               sizeof request->question.setting.passages);
    else if (count != request->question.setting.n)
        usage_error("check", "--passages names %u processes, but n = %u", count, request->question.setting.n);
}

static void read_schedule(struct request *request)
{
    struct schedule_file *schedule = &request->schedule;
    char message[120];
    FILE *file = fopen(schedule->name, "r");
    if (file == NULL)
        usage_error("check", "cannot read %s: %s", schedule->name, strerror(errno));
    if (!schedule_read(schedule, file, request->question.setting.n, message, sizeof message))
        usage_error("check", "%s, %s", schedule->name, message);
    fclose(file);
    if (request->question.setting.transient)
        usage_error("check", "--schedule begins where everybody begins, and with transient everybody begins anywhere");
    request->question.options.schedule = schedule;
}

/* What can still happen ends with the last passage, and is not what could have happened before a schedule. */
/* What ends what can still happen, if anything does: a gate that was removed is so for good. */
static const char *end_of_runs(const struct request *request)
{
    bool is_removed = (request->question.setting.ways & REMOVAL) != 0;
    return request->passages_limited        ? "--passages"
           : request->schedule.name != NULL ? "--schedule"
           : is_removed                     ? "--with removal"
                                            : NULL;
}

static bool can_be_asked(const struct request *request, enum property property)
{
    return !property_info[property].needs_future || end_of_runs(request) == NULL;
}

/* Nobody expects it where there are deaths and no sleeper wakes by itself. */
static bool lacks_looks(const struct request *request, enum property property)
{
    const struct setting *setting = &request->question.setting;
    return setting->undisturbed && setting->recoveries > 0 && property_info[property].counts_on_looks;
}

static void claimed_properties(struct request *request)
{
    const struct about *about = &request->entry->algorithm->about;
    /* Whose slot is kept back leaves it to others like one that gives up. */
    unsigned faults = faults_in(&request->question.setting) | (request->question.setting.ways & RESIZE ? ABORT : 0);
    for (unsigned c = 0; c < about->claim_count; c++)
        if (request->question.setting.registers <= about->claims[c].down_to &&
            (faults & ~about->claims[c].faults) == 0 && can_be_asked(request, about->claims[c].property) &&
            !lacks_looks(request, about->claims[c].property))
            question_add(&request->question, about->claims[c].property);
    request->nothing_claimed = request->question.property_count == 0;
    if (request->nothing_claimed)
        question_add(&request->question, EXCLUSION);
}

/* Asked for by its name alone, local-spin is asked of caches and of distributed memory. */
static void add_property(struct request *request, enum property named)
{
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (strcmp(property_info[p].name, property_info[named].name) == 0 && !property_info[p].only_if_model_said)
            question_add(&request->question, (enum property)p);
}

/* In one model instead, if --model says so. */
static void choose_model(struct question *question, enum memory_model model)
{
    if (model == MEMORY_MODELS)
        return;
    enum property chosen = property_find("local-spin", memory_model_name[model]);
    unsigned kept = 0;
    bool asked = false;
    for (unsigned p = 0; p < question->property_count; p++) {
        if (!is_local_spin(question->properties[p]))
            question->properties[kept++] = question->properties[p];
        asked |= is_local_spin(question->properties[p]);
    }
    if (!asked)
        usage_error("check", "--model is for local-spin, which is not asked for");
    question->property_count = kept;
    question_add(question, chosen);
}

static void check_local_spin(const struct question *question)
{
    for (unsigned p = 0; p < question->property_count; p++) {
        if (!is_local_spin(question->properties[p]))
            continue;
        if (question->options.fingerprints)
            usage_error("check", "local-spin looks at every state again, which --fingerprints does not keep");
        if (question->setting.algorithm->about.forgets_whose)
            usage_error("check", "local-spin: the states of %s do not tell whose register each step refers to",
                        question->setting.algorithm->about.id);
    }
}

static unsigned way_named(const char *name)
{
    unsigned way = way_find(name);
    char list[256] = "";
    for (unsigned w = 0; w < WAYS; w++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 w == 0         ? ""
                 : w + 1 < WAYS ? ", "
                                : " or ",
                 way_info[w].name);
    if (way == 0)
        no_such_value("check", "--with", list, name);
    return way;
}

static void check_ways(const struct setting *setting)
{
    for (unsigned w = 0; w < WAYS; w++)
        if ((setting->ways & ~setting->algorithm->about.ways) >> w & 1)
            usage_error("check", "the text of %s has no way '%s'", setting->algorithm->about.id, way_info[w].name);
    unsigned most = (CHECKED_PROCESSES_MAX - removers_of(setting)) / (setting->ways & BEQUEST ? 2 : 1);
    if (processes_of(setting) > CHECKED_PROCESSES_MAX)
        usage_error("check", "with %s, n is at most %u",
                    setting->ways & BEQUEST ? "a command of each" : "those that remove", most);
}

static void read_request(struct request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "check", .argc = argc, .argv = argv, .plain_max = 1};
    const char *passages = NULL;
    enum memory_model model = MEMORY_MODELS;
    memset(request->question.setting.passages, UNBOUNDED_PASSAGES, sizeof request->question.setting.passages);
    request->question.setting.n = 3;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            char list[512];
            known_properties(list, sizeof list);
            printf(help_text, list);
            exit(EXIT_OK);
        } else if (strcmp(option, "-n") == 0) {
            request->question.setting.n = (unsigned)option_number(&arguments, option, 1, CHECKED_PROCESSES_MAX);
        } else if (strcmp(option, "-k") == 0) {
            request->question.setting.k = (unsigned)option_number(&arguments, option, 1, CHECKED_PROCESSES_MAX);
        } else if (strcmp(option, "--registers") == 0) {
            request->question.setting.registers = registers_named(option_value(&arguments, option));
        } else if (strcmp(option, "--fault") == 0) {
            add_fault(&request->question.setting, option_value(&arguments, option));
        } else if (strcmp(option, "--property") == 0) {
            add_property(request, property_named(option_value(&arguments, option)));
        } else if (strcmp(option, "--model") == 0) {
            model = memory_model_named("check", option_value(&arguments, option));
        } else if (strcmp(option, "--passages") == 0) {
            passages = option_value(&arguments, option);
        } else if (strcmp(option, "--order") == 0) {
            const char *order = option_value(&arguments, option);
            request->question.setting.any_order = strcmp(order, "any") == 0;
            if (!request->question.setting.any_order && strcmp(order, "native") != 0)
                no_such_value("check", "--order", "any or native", order);
        } else if (strcmp(option, "--with") == 0) {
            request->question.setting.ways |= (uint16_t)way_named(option_value(&arguments, option));
        } else if (strcmp(option, "--every-step") == 0) {
            request->question.every_step = true;
        } else if (strcmp(option, "--undisturbed") == 0) {
            request->question.setting.undisturbed = true;
        } else if (strcmp(option, "--schedule") == 0) {
            request->schedule.name = option_value(&arguments, option);
        } else if (strcmp(option, "--fingerprints") == 0) {
            request->question.options.fingerprints = true;
        } else if (strcmp(option, "--max-states") == 0) {
            request->question.options.max_states = option_number(&arguments, option, 1, UINT64_MAX);
        } else if (strcmp(option, "--memory") == 0) {
            request->question.options.memory_limit = option_size(&arguments, option);
        } else if (strcmp(option, "--trace") == 0) {
            request->trace_file = option_value(&arguments, option);
        } else if (strcmp(option, "--json") == 0) {
            request->json = true;
        } else if (!picture_option(&request->pictures, &arguments, option)) {
            no_such_option("check", option, help_text);
        }
    }
    check_threads("check");
    request->entry = algorithm_argument("check", plain_argument(&arguments, 0));
    request->question.setting.algorithm = request->entry->algorithm;
    check_n_and_k("check", &request->entry->algorithm->about, request->question.setting.n,
                  &request->question.setting.k);
    if (request->question.setting.undisturbed && request->entry->algorithm->more.watched == NULL)
        usage_error("check", "--undisturbed is about sleep, and nobody sleeps in %s",
                    request->entry->algorithm->about.id);
    check_ways(&request->question.setting);
    if (passages != NULL)
        read_passages(request, passages);
    if (request->question.property_count == 0)
        claimed_properties(request);
    choose_model(&request->question, model);
    check_local_spin(&request->question);
    if (request->schedule.name != NULL)
        read_schedule(request);
    for (unsigned p = 0; p < request->question.property_count; p++)
        if (!can_be_asked(request, request->question.properties[p]))
            usage_error("check", "%s is about what can still happen, which %s ends",
                        property_info[request->question.properties[p]].name, end_of_runs(request));
    check_setting("check", &request->question.setting, request->question.properties, request->question.property_count);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

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

/* The first counterexample goes to the files that were asked for. */
static void write_first_trace(const struct request *request, FILE *trace_file, const struct answer *answer)
{
    const struct finding *findings = answer->findings;
    const unsigned count = request->question.property_count;
    unsigned p = 0;
    while (p < count && !findings[p].has_witness)
        p++;
    struct trace trace = {.count = 0};
    if (p < count)
        trace_of(&trace, &findings[p], &answer->model);
    if (trace_file != NULL)
        write_trace_file("check", trace_file, request->trace_file, p < count ? &trace : NULL);
    if (request->pictures.svg != NULL || request->pictures.html != NULL) {
        struct execution execution = {.count = 0};
        struct picture_of picture = {.setting = &request->question.setting,
                                     .is_shown = true,
                                     .remark = exit_status(findings, count) == EXIT_UNDECIDED
                                                   ? "Nothing was found to be violated, and not all is decided."
                                                   : "Nothing was violated, so there is no run to draw."};
        if (p < count) {
            picture.trace = &trace;
            picture.execution = &execution;
            picture.is_shown = trace_execute(&trace, &execution);
            picture.remark = picture.is_shown ? NULL : execution.error;
        }
        write_pictures("check", &request->pictures, &picture);
        if (p < count)
            execution_close(&execution);
    }
    trace_close(&trace);
}

static void show_progress(const struct progress *progress)
{
    fprintf(stderr, "\r%.2f M states, %.2f M/s, frontier %.2f M, depth %u, %.0f MB \033[K",
            (double)progress->states / 1e6, (double)progress->states / progress->seconds / 1e6,
            (double)progress->frontier / 1e6, progress->depth, (double)progress->bytes / 1e6);
}

static void show_judging(const struct exploration *exploration, enum property asked)
{
    fprintf(stderr, "\r%.2f M states explored; asking for %s \033[K", (double)exploration->states / 1e6,
            property_title(asked));
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    explore_interrupt();
}

int command_check(int argc, char **argv)
{
    struct request request = {.json = false};
    read_request(&request, argc, argv);
    refuse_same_files("check",
                      (const struct named_file[]){{"--schedule", request.schedule.name},
                                                  {"--trace", request.trace_file},
                                                  {"--svg", request.pictures.svg},
                                                  {"--html", request.pictures.html}},
                      4);
    check_picture_files("check", &request.pictures);
    FILE *trace_file = open_output_file("check", request.trace_file);

    struct question *question = &request.question;
    bool watched = isatty(STDERR_FILENO);
    question->options.report = watched ? show_progress : NULL;
    question->judging = watched ? show_judging : NULL;
    struct answer answer;
    signal(SIGINT, on_interrupt);
    question_answer(question, &answer);
    signal(SIGINT, SIG_DFL);
    if (watched)
        fputs("\r\033[K", stderr);

    if (request.json)
        print_result_json(&request, &answer);
    else
        print_result(&request, &answer);
    write_first_trace(&request, trace_file, &answer);
    int status = exit_status(answer.findings, question->property_count);
    answer_close(&answer, question);
    schedule_close(&request.schedule);
    return status;
}
