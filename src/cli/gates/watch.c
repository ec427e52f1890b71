/* SPDX-License-Identifier: MIT */
#include "cli/gates/watch.h"

#include "cli/gates/change_text.h"
#include "cli/gates/columns.h"
#include "cli/gates/elsewhere.h"
#include "cli/gates/gates.h"
#include "cli/gates/view.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note_nothing(void *context, const struct watched *watched, const struct change *change, int64_t at)
{
    (void)context, (void)watched, (void)change, (void)at;
}

static void look_for_nothing(void *context, const struct watched *watched, bool is_other, int64_t at)
{
    (void)context, (void)watched, (void)is_other, (void)at;
}

/* The last error was that of one of several: so it is opened once more, where that does not take another ten seconds. */
static void tell_unusable(const char *command, const struct watched *watched)
{
    if (is_elsewhere(watched->name)) {
        fprintf(stderr, "admit %s: %s\n", command, watched->error);
        return;
    }
    admit_gate *gate = admit_gate_open_with(watched->name, &(admit_gate_options){.look_only = 1});
    if (gate == NULL)
        tell_gate_error(command, watched->name, admit_last_error());
    else
        fprintf(stderr, "admit %s: %s\n", command, watched->error);
    admit_gate_close(gate);
}

void watch_begin(struct watch *watch, const char *command, char *const *names, unsigned count)
{
    bool is_unusable = false;
    *watch = (struct watch){.note = note_nothing, .looked = look_for_nothing};
    watch_open(watch, names, count);
    if (watch->has_all && admit_gate_directory() == NULL)
        gate_error(command, "", admit_last_error());
    watch_look(watch);
    for (unsigned g = 0; g < watch->count && !watch->has_all; g++)
        if (watch->gate[g]->view == NULL) {
            is_unusable = true;
            tell_unusable(command, watch->gate[g]);
        }
    if (is_unusable)
        exit(usage_exit_status);
}

struct lines {
    unsigned gate_columns; /* 0: there is one gate, which is not named */
    char date[32];         /* of the last line */
    struct json_writer events;
    bool has_events;
};

/* A reader that has gone away wants no more: that is no error, but there is no reason to go on either. */
static void flush_or_end(void)
{
    if (fflush(stdout) != 0 && errno == EPIPE)
        _exit(EXIT_OK);
    if (ferror(stdout))
        exit(usage_exit_status);
}

/* --- for people ------------------------------------------------------------------------------------------------------- */

static void print_date(struct lines *lines, int64_t at)
{
    const time_t seconds = at / 1000000000;
    char date[32];
    struct tm local;
    strftime(date, sizeof date, "%Y-%m-%d", localtime_r(&seconds, &local));
    if (strcmp(date, lines->date) != 0)
        puts(date);
    strcpy(lines->date, date);
}

static void print_change(void *context, const struct watched *watched, const struct change *change, int64_t at)
{
    struct lines *lines = context;
    char line[CHANGE_LINE];
    print_date(lines, at);
    change_line(change, at, watched->name, lines->gate_columns, line);
    cut_for_terminal(line, 0);
    puts(line);
}

static void print_first(struct watch *watch, struct lines *lines)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    print_date(lines, now.tv_sec * INT64_C(1000000000));
    for (unsigned g = 0; g < watch->count; g++)
        if (watch->gate[g]->view != NULL)
            view_print(watch->gate[g]->name, watch->gate[g]->view);
        else
            print_change(lines, watch->gate[g],
                         &(struct change){.kind = CHANGE_UNUSABLE, .text = watch->gate[g]->error},
                         now.tv_sec * INT64_C(1000000000));
    if (watch->count == 0)
        say_there_are_no_gates();
}

/* --- for programs ------------------------------------------------------------------------------------------------------- */

static void open_line(struct json_writer *json)
{
    json_writer_open(json);
    json->on_one_line = true;
    json_begin_object(json, NULL);
}

static void begin_line(struct lines *lines, int64_t at)
{
    char when[32];
    struct json_writer *json = &lines->events;
    open_line(json);
    json_put_text(json, "time", time_for_programs(at, when));
    json_begin_list(json, "events");
    lines->has_events = true;
}

static void write_change(void *context, const struct watched *watched, const struct change *change, int64_t at)
{
    struct lines *lines = context;
    (void)watched;
    if (!lines->has_events)
        begin_line(lines, at);
    change_write(&lines->events, change);
}

static void write_gate(void *context, const struct watched *watched, bool is_other, int64_t at)
{
    struct lines *lines = context;
    if (!is_other && !lines->has_events)
        return;
    if (!lines->has_events)
        begin_line(lines, at);
    json_end_list(&lines->events);
    if (watched->view != NULL)
        view_write(&lines->events, watched->name, watched->view);
    else
        view_write_unusable(&lines->events, watched->name, watched->error);
    json_end_object(&lines->events);
    json_writer_print(&lines->events);
    lines->has_events = false;
}

static void write_first(struct watch *watch, struct lines *lines)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (unsigned g = 0; g < watch->count; g++)
        write_gate(lines, watch->gate[g], true, now.tv_sec * INT64_C(1000000000));
}

/* --- until it ends ------------------------------------------------------------------------------------------------------ */

/* The end of a pipe tells that nobody reads any more, also when there is nothing to write. */
static void pause_or_end(const struct watch *watch)
{
    struct pollfd reader = {.fd = STDOUT_FILENO};
    if (poll(&reader, 1, watch_pause(watch)) > 0 && (reader.revents & (POLLERR | POLLHUP)) != 0)
        _exit(EXIT_OK);
    if ((reader.revents & POLLNVAL) != 0)
        poll(NULL, 0, watch_pause(watch));
}

int watch_in_lines(struct watch *watch, bool as_json)
{
    struct lines lines = {.gate_columns = watch_gate_columns(watch)};
    signal(SIGPIPE, SIG_IGN); /* so that EPIPE tells */
    watch->context = &lines;
    if (as_json) {
        watch->note = write_change;
        watch->looked = write_gate;
        write_first(watch, &lines);
    } else {
        watch->note = print_change;
        print_first(watch, &lines);
    }
    flush_or_end();
    while (!watch_is_over(watch)) {
        pause_or_end(watch);
        watch_look(watch);
        flush_or_end();
    }
    watch_close(watch);
    return EXIT_OK;
}
