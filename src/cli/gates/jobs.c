/* SPDX-License-Identifier: MIT
 *
 * admit jobs - what `run -b` has queued.
 */
#include "cli/gates/gates.h"
#include "cli/gates/job.h"
#include "cli/gates/job_end.h"
#include "cli/gates/json.h"
#include "cli/gates/table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: admit jobs [GATE | @ID...] [--state STATE[,STATE...]] [-q | --json]\n"
    "\n"
    "Lists your jobs, those that 'admit run -b' has put in the background, at GATE or at all gates, in the order of\n"
    "their ids: as long as they wait or run, and for a day after their end; or those whose ids are named.\n"
    "\n"
    "  waiting     in line, at this place; since it was submitted\n"
    "  running     inside, with this slot; since the command began\n"
    "  done        with this exit status: the command's, 128 + the signal that ended it, 124 if the time of -w was "
    "over\n"
    "              before its turn came; since the command began, and 'for' is how long it took\n"
    "  cancelled   by 'admit cancel': as above, or before it began, and then since it was submitted\n"
    "  orphan      the command runs, or nobody can tell; the admit that started it was killed\n"
    "  killed      the admit that waited, or that started the command, was killed, and there is no command any more:\n"
    "              its status is not known\n"
    "\n"
    "      --state STATE   only the jobs in one of these states; 'failed': those that are done with a status other\n"
    "                      than 0, or killed\n"
    "  -q, --ids           print their ids alone, one in each line\n"
    "      --json          print them as a JSON array\n"
    "\n"
    "The exit status is 2 if there is neither such a gate nor a job of it, no job of such an id, or if there may be\n"
    "jobs that cannot be looked at.\n"
    "\n"
    "  admit jobs --ids --state waiting photos | xargs -r admit cancel\n";

/* --- the place in line, of which the gate knows ----------------------------------------------------------------------- */

struct picture {
    struct picture *next;
    char *path;
    admit_view *view; /* NULL: there is no such gate, or it cannot be used */
};

struct showing {
    struct json_writer *json; /* NULL: for people */
    const char *path;         /* of the gate whose jobs are wanted; NULL: all are */
    unsigned shown;
    unsigned states; /* that are wanted: a bit for each condition, */
    bool failed;     /* and those that have failed, whatever their condition */
    bool ids;        /* alone */
    bool at_gate;    /* there is a job of that gate, wanted or not */
    struct table table;
    struct picture *pictures; /* of each gate one */
};

static const admit_view *view_of(struct showing *showing, const char *path)
{
    struct picture *picture = showing->pictures;
    while (picture != NULL && strcmp(picture->path, path) != 0)
        picture = picture->next;
    if (picture != NULL)
        return picture->view;
    picture = calloc(1, sizeof *picture);
    if (picture == NULL)
        return NULL;
    picture->path = strdup(path);
    if (picture->path == NULL) {
        free(picture);
        return NULL;
    }
    admit_gate *gate = admit_gate_open_with(path, &(admit_gate_options){.look_only = 1});
    picture->view = gate != NULL ? admit_gate_inspect(gate) : NULL;
    admit_gate_close(gate);
    picture->next = showing->pictures;
    showing->pictures = picture;
    return picture->view;
}

static void free_pictures(struct picture *picture)
{
    while (picture != NULL) {
        struct picture *next = picture->next;
        admit_view_free(picture->view);
        free(picture->path);
        free(picture);
        picture = next;
    }
}

/* As `status` counts: 0 if it has none any more, and is about to go in. */
static unsigned place_of(struct showing *showing, const struct job *job)
{
    const admit_view *view = view_of(showing, job->path);
    unsigned place = 1;
    for (unsigned w = 0; view != NULL && w < view->waiters; w++) {
        const admit_participant *waiter = &view->waiter[w];
        if (waiter->condition == ADMIT_DIED)
            continue;
        if (waiter->pid == job->facts.supervisor.pid)
            return place;
        place++;
    }
    return 0;
}

/* --- one job -------------------------------------------------------------------------------------------------------- */

/* Until now, of one that has not ended; -1: nobody knows. */
static int64_t time_taken(const struct job *job, enum job_condition condition)
{
    const struct job_facts *facts = &job->facts;
    const int64_t from = facts->began != 0 ? facts->began : facts->submitted;
    if (facts->state == JOB_DONE)
        return facts->ended - from;
    return condition == JOB_KILLED || condition == JOB_CANCELLED ? -1 : job_time() - from;
}

static void put_number_if(struct json_writer *json, const char *key, bool applies, int64_t number)
{
    if (applies)
        json_put_number(json, key, (uint64_t)number);
    else
        json_put_null(json, key);
}

static void write_job(struct showing *showing, const struct job *job, enum job_condition condition)
{
    struct json_writer *json = showing->json;
    const struct job_facts *facts = &job->facts;
    const bool begun = facts->began != 0, done = facts->state == JOB_DONE;
    char id[16], time[32], text[4096];
    unsigned place = condition == JOB_WAITING ? place_of(showing, job) : 0;
    int64_t pid = condition == JOB_WAITING                              ? facts->supervisor.pid
                  : condition == JOB_RUNNING || condition == JOB_ORPHAN ? facts->command.pid
                                                                        : 0;
    int64_t ns = begun ? time_taken(job, condition) : -1;
    snprintf(id, sizeof id, "@%u", job->id);
    json_begin_object(json, NULL);
    json_put_text(json, "id", id);
    json_put_text(json, "gate", job->gate);
    json_put_text(json, "path", job->path);
    json_put_text(json, "state", job_condition_name(condition));
    put_number_if(json, "place", place != 0, place);
    put_number_if(json, "slot", begun, (int64_t)facts->slot);
    put_number_if(json, "ticket", begun, (int64_t)facts->ticket);
    put_number_if(json, "pid", pid != 0, pid);
    put_number_if(json, "supervisor", job->supervised, facts->supervisor.pid);
    put_number_if(json, "status", done, facts->status);
    json_put_text(json, "submitted", time_for_programs(facts->submitted, time));
    json_put_text(json, "began", time_for_programs(facts->began, time));
    json_put_text(json, "ended", time_for_programs(facts->ended, time));
    if (ns >= 0)
        json_put_millionths(json, "seconds", ns / 1000);
    else
        json_put_null(json, "seconds");
    json_put_text(json, "output", job->output);
    json_put_text(json, "directory", job->where[0] != '\0' ? job->where : NULL);
    json_put_text(json, "command", shell_words(job->words, text, sizeof text));
    json_end_object(json);
}

/* Where it is, or how it ended. */
static void say_where(struct showing *showing, const struct job *job, enum job_condition condition, char text[32])
{
    unsigned place = condition == JOB_WAITING ? place_of(showing, job) : 0;
    strcpy(text, "-");
    if (job->facts.state == JOB_DONE)
        snprintf(text, 32, "status %lld", (long long)job->facts.status);
    else if (condition == JOB_RUNNING || condition == JOB_ORPHAN)
        snprintf(text, 32, "slot %llu", (unsigned long long)job->facts.slot);
    else if (place != 0)
        snprintf(text, 32, "place %u", place);
}

/* Where a gate is named, it is not said again in each row. Many commands begin alike: their ends are shown, too. */
static const char columns_with_gate[] = "><<<<~~", columns_of_gate[] = "><<<<~";

static void add_row(struct showing *showing, const char *const cells[7])
{
    const char *const without[] = {cells[0], cells[1], cells[2], cells[3], cells[4], cells[6]};
    table_row(&showing->table, showing->path == NULL ? cells : without);
}

static void print_job(struct showing *showing, const struct job *job, enum job_condition condition)
{
    static const char *const heading[] = {"job", "state", "at", "since", "for", "gate", "command"};
    char id[16], where[32], since[32], so_long[32] = "-", words[4096];
    const int64_t ns = time_taken(job, condition);
    snprintf(id, sizeof id, "@%u", job->id);
    if (showing->ids) {
        puts(id);
        return;
    }
    if (showing->table.rows == 0)
        add_row(showing, heading);
    say_where(showing, job, condition, where);
    if (ns >= 0)
        duration_for_people(ns / 1000000000, so_long);
    time_for_people(job->facts.began != 0 ? job->facts.began : job->facts.submitted, since);
    add_row(showing, (const char *const[]){id, job_condition_name(condition), where, since, so_long, job->gate,
                                           shell_words(job->words, words, sizeof words)});
}

/* --- which ---------------------------------------------------------------------------------------------------------- */

enum { CONDITIONS = JOB_KILLED + 1 };

static void want_state(struct showing *showing, const char *name, size_t length)
{
    unsigned c = 0;
    if (length == strlen("failed") && strncmp(name, "failed", length) == 0) {
        showing->failed = true;
        return;
    }
    while (c < CONDITIONS &&
           (strlen(job_condition_name(c)) != length || strncmp(job_condition_name(c), name, length) != 0))
        c++;
    if (c == CONDITIONS)
        usage_error("jobs", "--state takes waiting, running, done, failed, cancelled, orphan or killed, not '%.*s'",
                    (int)length, name);
    showing->states |= 1u << c;
}

static void want_states(struct showing *showing, const char *names)
{
    for (;; names++) {
        const size_t length = strcspn(names, ",");
        want_state(showing, names, length);
        names += length;
        if (*names == '\0')
            return;
    }
}

static bool has_failed(const struct job *job, enum job_condition condition)
{
    return condition == JOB_KILLED || (condition == JOB_ENDED && job->facts.status != 0);
}

static bool is_of_state(const struct showing *showing, const struct job *job, enum job_condition condition)
{
    if (showing->states == 0 && !showing->failed)
        return true;
    return (showing->states >> condition & 1) != 0 || (showing->failed && has_failed(job, condition));
}

static bool is_at_gate(const struct showing *showing, const struct job *job)
{
    static char wanted[PATH_MAX], has[PATH_MAX]; /* the stack may be small */
    if (showing->path == NULL || strcmp(showing->path, job->path) == 0)
        return true;
    return realpath(showing->path, wanted) != NULL && realpath(job->path, has) != NULL && strcmp(wanted, has) == 0;
}

static void show_job(void *data, struct job *job)
{
    struct showing *showing = data;
    const enum job_condition condition = job_condition(job);
    if (!is_at_gate(showing, job))
        return;
    showing->at_gate = true;
    if (!is_of_state(showing, job, condition))
        return;
    showing->shown++;
    if (showing->json != NULL)
        write_job(showing, job, condition);
    else
        print_job(showing, job, condition);
}

/* All are looked for before any is shown. */
static void show_ids(struct showing *showing, const struct arguments *arguments)
{
    char **ids;
    const int count = job_words(arguments->argv, arguments->plain_count, &ids);
    struct job *jobs = calloc((size_t)count, sizeof *jobs);
    if (ids == NULL || jobs == NULL)
        usage_error("jobs", "out of memory");
    for (int j = 0; j < count; j++)
        job_open_or_exit(&jobs[j], "jobs", ids[j]);
    for (int j = 0; j < count; j++) {
        show_job(showing, &jobs[j]);
        job_close(&jobs[j]);
    }
    free(jobs);
    free(ids);
}

/* On stderr, so that what reads the list finds it empty. */
static void say_there_are_none(const struct showing *showing, const char *gate)
{
    char name[ADMIT_COMMAND_SIZE];
    fprintf(stderr, "There is no %sjob%s%s%s%s\n", showing->at_gate ? "such " : "", gate != NULL ? " at '" : "",
            gate != NULL ? printable(gate, name) : "", gate != NULL ? "'" : "",
            showing->at_gate ? "." : "; 'admit run -b GATE -- COMMAND' makes one.");
}

/* One that has been removed, or of another name than was typed; of the jobs of the first there may be some. */
static bool is_no_gate(const char *gate)
{
    admit_gate *found = admit_gate_open_with(gate, &(admit_gate_options){.look_only = 1});
    const bool none = found == NULL && admit_last_error() == ADMIT_NO_GATE;
    admit_gate_close(found);
    return none;
}

/* Returns what to exit with. */
static int show_gate(struct showing *showing, const char *gate)
{
    char path[PATH_MAX];
    if (gate != NULL) {
        admit_error error = admit_gate_resolve(gate, path, sizeof path);
        if (error != ADMIT_OK)
            gate_error("jobs", gate, error);
        showing->path = path;
        showing->table.columns = columns_of_gate;
    }
    const bool all = job_list(show_job, showing, "jobs");
    table_print(&showing->table);
    showing->path = NULL;
    return all ? EXIT_OK : EXIT_USAGE;
}

static void parse(struct showing *showing, struct arguments *arguments, struct json_writer *writer)
{
    for (const char *option; (option = next_option(arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (is_option(option, NULL, "--json")) {
            showing->json = writer;
        } else if (is_option(option, "-q", "--ids")) {
            showing->ids = true;
        } else if (is_option(option, NULL, "--state")) {
            want_states(showing, option_value(arguments, option));
        } else {
            no_such_option("jobs", option, help_text);
        }
    }
    if (showing->ids && showing->json != NULL)
        usage_error("jobs", "--ids and --json: which one?");
}

static void refuse_several_gates(const struct arguments *arguments)
{
    if (arguments->plain_count > 1)
        usage_error("jobs", "'%s' is one argument too many", plain_argument(arguments, 1));
}

static _Noreturn void tell_no_gate(const char *gate)
{
    if (is_number(gate))
        usage_error("jobs", "there is no gate '%s'; did you mean @%s?", gate, gate);
    gate_error("jobs", gate, ADMIT_NO_GATE);
}

int command_jobs(int argc, char **argv)
{
    struct arguments arguments = {.command = "jobs", .argc = argc, .argv = argv, .plain_max = INT_MAX};
    struct json_writer writer;
    struct showing showing = {.table.columns = columns_with_gate};
    int status = EXIT_OK;
    parse(&showing, &arguments, &writer);
    const char *first = plain_argument(&arguments, 0);
    const bool by_id = first != NULL && first[0] == '@';
    if (showing.json != NULL) {
        json_writer_open(&writer);
        json_begin_list(&writer, NULL);
    }
    if (by_id) {
        show_ids(&showing, &arguments);
        table_print(&showing.table);
    } else {
        refuse_several_gates(&arguments);
        status = show_gate(&showing, first);
    }
    free_pictures(showing.pictures);
    if (showing.json != NULL) {
        json_end_list(&writer);
        json_writer_print(&writer);
    }
    if (status != EXIT_OK)
        return status;
    if (first != NULL && !by_id && !showing.at_gate && is_no_gate(first))
        tell_no_gate(first);
    if (showing.json == NULL && !showing.ids && showing.shown == 0)
        say_there_are_none(&showing, by_id ? NULL : first);
    return EXIT_OK;
}
