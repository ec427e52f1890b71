/* SPDX-License-Identifier: MIT
 *
 * admit jobs - what `run -b` has queued.
 */
#include "cli/gates/gates.h"
#include "cli/gates/job.h"
#include "cli/gates/job_end.h"
#include "cli/gates/json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: admit jobs [GATE] [--json]\n"
    "\n"
    "Lists your jobs, those that 'admit run -b' has put in the background, at GATE or at all gates, in the order of "
    "their\n"
    "ids: as long as they wait or run, and for a day after their end. The exit status is 2 if there is neither such a "
    "gate\n"
    "nor a job of it.\n"
    "\n"
    "  waiting     in line, at this place; since it was submitted\n"
    "  running     inside, with this slot; since the command began\n"
    "  done        with this exit status: the command's, 128 + the signal that ended it, 124 if the time of -w was "
    "over\n"
    "              before its turn came; 'for' is how long the command took\n"
    "  cancelled   by 'admit cancel': as above, or before it began\n"
    "  orphan      the command runs, or nobody can tell; the admit that started it was killed\n"
    "  killed      the admit that waited, or that started the command, was killed, and there is no command any more: "
    "its\n"
    "              status is not known\n"
    "\n"
    "The exit status is 2 if there may be jobs that cannot be looked at.\n";

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
    json_put_text(json, "directory", job->where);
    json_put_text(json, "command", shell_words(job->words, text, sizeof text));
    json_end_object(json);
}

static const char line_format[] = "%6s  %-9s  %-10s  %-11s  %-10s  %-10s  ";
enum { COMMAND_COLUMN = 68 };

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

static void print_job(struct showing *showing, const struct job *job, enum job_condition condition)
{
    char id[16], where[32], since[32], so_long[32] = "-", words[ADMIT_COMMAND_SIZE + 1], text[ADMIT_COMMAND_SIZE];
    char gate[ADMIT_COMMAND_SIZE];
    const int64_t ns = time_taken(job, condition);
    if (showing->shown == 0) {
        printf(line_format, "job", "state", "at", "since", "for", "gate");
        puts("command");
    }
    snprintf(id, sizeof id, "@%u", job->id);
    say_where(showing, job, condition, where);
    if (ns >= 0)
        duration_for_people(ns / 1000000000, so_long);
    printf(line_format, id, job_condition_name(condition), where,
           time_for_people(job->facts.began != 0 ? job->facts.began : job->facts.submitted, since), so_long,
           printable(job->gate, gate));
    printable(shell_words(job->words, words, sizeof words), text);
    cut_for_terminal(text, COMMAND_COLUMN);
    puts(text);
}

static bool is_wanted(const struct showing *showing, const struct job *job)
{
    char wanted[PATH_MAX], has[PATH_MAX];
    if (showing->path == NULL || strcmp(showing->path, job->path) == 0)
        return true;
    return realpath(showing->path, wanted) != NULL && realpath(job->path, has) != NULL && strcmp(wanted, has) == 0;
}

static void show_job(void *data, struct job *job)
{
    struct showing *showing = data;
    if (!is_wanted(showing, job))
        return;
    if (showing->json != NULL)
        write_job(showing, job, job_condition(job));
    else
        print_job(showing, job, job_condition(job));
    showing->shown++;
}

/* On stderr, so that what reads the list finds it empty. */
static void say_there_are_none(const char *gate)
{
    char name[ADMIT_COMMAND_SIZE];
    fprintf(stderr, "There is no job%s%s%s; 'admit run -b GATE -- COMMAND' makes one.\n", gate != NULL ? " at '" : "",
            gate != NULL ? printable(gate, name) : "", gate != NULL ? "'" : "");
}

/* One that has been removed, or of another name than was typed; of the jobs of the first there may be some. */
static bool is_no_gate(const char *gate)
{
    admit_gate *found = admit_gate_open_with(gate, &(admit_gate_options){.look_only = 1});
    const bool none = found == NULL && admit_last_error() == ADMIT_NO_GATE;
    admit_gate_close(found);
    return none;
}

int command_jobs(int argc, char **argv)
{
    struct arguments arguments = {.command = "jobs", .argc = argc, .argv = argv, .plain_max = 1};
    struct json_writer writer;
    struct showing showing = {0};
    char path[PATH_MAX];
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (is_option(option, NULL, "--json")) {
            showing.json = &writer;
        } else {
            no_such_option("jobs", option, help_text);
        }
    }
    const char *gate = plain_argument(&arguments, 0);
    if (gate != NULL) {
        admit_error error = admit_gate_resolve(gate, path, sizeof path);
        if (error != ADMIT_OK)
            gate_error("jobs", gate, error);
        showing.path = path;
    }
    if (showing.json != NULL) {
        json_writer_open(&writer);
        json_begin_list(&writer, NULL);
    }
    const bool all = job_list(show_job, &showing);
    const int error = errno;
    free_pictures(showing.pictures);
    if (showing.json != NULL) {
        json_end_list(&writer);
        json_writer_print(&writer);
    }
    if (!all) {
        job_tell_unreadable("jobs", "the jobs", error);
        return EXIT_USAGE;
    }
    if (gate != NULL && showing.shown == 0 && is_no_gate(gate))
        gate_error("jobs", gate, ADMIT_NO_GATE);
    if (showing.json == NULL && showing.shown == 0)
        say_there_are_none(gate);
    return EXIT_OK;
}
