/* SPDX-License-Identifier: MIT
 *
 * admit status - who is inside a gate, who waits there, and how often what happened.
 */
#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "cli/gates/json.h"
#include "native/printable.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char help_text[] =
    "usage: admit status [GATE]... [--json]\n"
    "\n"
    "Shows who is inside GATE (slot, process, user, since when and for how long, condition, command), who waits "
    "there,\n"
    "in line, and how often anybody entered, was recovered after a death, or gave a place up. Without GATE: all gates\n"
    "that 'admit list' names. The exit status is 2 if one of them cannot be used. 'Outside' wait those for which a\n"
    "full gate has no place in line yet.\n"
    "\n"
    "The process is the command's own. While it waits, and of a build, which may wait for one more job while it is\n"
    "inside, it is that of admit. Slot '-': its turn has come, and it has yet to take its slot. Before the command,\n"
    "which is cut at the edge of a terminal, stands in parentheses what is not well:\n"
    "\n"
    "  stopped   by a signal, at the terminal or by a debugger; what it has is its own until it goes on or dies\n"
    "  orphan    the admit that started it has been killed; the command holds on\n"
    "  unknown   as orphan, in another pid namespace, from where its end cannot be seen: 'admit remove --force' if it "
    "has\n"
    "            ended; with 'run --children' a lock tells\n"
    "  died      inside or in line; nobody has come since. What it had goes to the next that comes, so that it is not\n"
    "            counted; with --json these are not among holders and waiters, but listed as 'dead'\n";

static const char *condition_name(enum admit_condition condition)
{
    static const char *const names[] = {[ADMIT_LIVES] = "lives",
                                        [ADMIT_DIED] = "died",
                                        [ADMIT_ORPHAN] = "orphan",
                                        [ADMIT_UNKNOWN] = "unknown",
                                        [ADMIT_STOPPED] = "stopped"};
    return names[condition];
}

/* What is shown of the participants in three lists: those inside, those in line, and the dead of either. */
typedef void show_participant(void *context, const char *role, int number, const admit_participant *participant);

/* number: -1 where there is none. */
static void show_inside(const admit_view *view, bool dead, show_participant *show, void *context)
{
    for (unsigned h = 0; h < view->holders; h++)
        if ((view->holder[h].condition == ADMIT_DIED) == dead)
            show(context, "slot", view->holder[h].slot < view->most_k ? (int)view->holder[h].slot : -1,
                 &view->holder[h]);
}

static void show_waiting(const admit_view *view, show_participant *show, void *context)
{
    int place = 1;
    for (unsigned w = 0; w < view->waiters; w++)
        if (view->waiter[w].condition != ADMIT_DIED)
            show(context, "place", place++, &view->waiter[w]);
}

static void show_dead(const admit_view *view, show_participant *show, void *context)
{
    show_inside(view, true, show, context);
    for (unsigned w = 0; w < view->waiters; w++)
        if (view->waiter[w].condition == ADMIT_DIED)
            show(context, "slot", -1, &view->waiter[w]);
}

/* By the name that it has there, if it is on another machine. */
static const char *user_of(const admit_participant *participant, char buffer[64])
{
    if (participant->user_name[0] == '\0')
        return user_name(participant->user, buffer);
    admit_printable(participant->user_name, buffer, 64);
    return buffer;
}

/* --- JSON: what is not recorded is null --------------------------------------------------------------------------- */

static void write_participant(void *context, const char *role, int number, const admit_participant *participant)
{
    struct json_writer *json = context;
    char since[32], command[ADMIT_COMMAND_SIZE], host[ADMIT_COMMAND_SIZE], user[64];
    json_begin_object(json, NULL);
    if (number >= 0)
        json_put_number(json, role, (unsigned)number);
    else
        json_put_null(json, role);
    if (participant->pid > 0)
        json_put_number(json, "pid", (uint64_t)participant->pid);
    else
        json_put_null(json, "pid");
    json_put_text(json, "user", user_of(participant, user));
    json_put_text(json, "host", participant->host[0] != '\0' ? printable(participant->host, host) : NULL);
    json_put_text(json, "command", participant->command[0] != '\0' ? printable(participant->command, command) : NULL);
    json_put_text(json, "since", time_for_programs(participant->since, since));
    json_put_text(json, "condition", condition_name(participant->condition));
    json_end_object(json);
}

/* As `list` does: of one that cannot be used only why is known. */
static void write_unusable(struct json_writer *json, const char *name)
{
    static const char *const unknown[] = {"k",       "capacity", "declared_k", "holders",   "waiters",
                                          "outside", "dead",     "entered",    "recovered", "abandoned"};
    json_begin_object(json, NULL);
    json_put_text(json, "gate", name);
    for (unsigned u = 0; u < sizeof unknown / sizeof unknown[0]; u++)
        json_put_null(json, unknown[u]);
    json_put_text(json, "error", admit_last_error_text());
    json_end_object(json);
}

static void put_count(struct json_writer *json, const char *key, uint64_t count)
{
    if (count != ADMIT_NOT_COUNTED)
        json_put_number(json, key, count);
    else
        json_put_null(json, key);
}

static void write_view(struct json_writer *json, const char *name, const admit_view *view)
{
    json_begin_object(json, NULL);
    json_put_text(json, "gate", name);
    json_put_number(json, "k", view->k);
    if (view->capacity > 0)
        json_put_number(json, "capacity", view->capacity);
    else
        json_put_null(json, "capacity");
    json_put_number(json, "declared_k", view->declared_k);
    json_begin_list(json, "holders");
    show_inside(view, false, write_participant, json);
    json_end_list(json);
    json_begin_list(json, "waiters");
    show_waiting(view, write_participant, json);
    json_end_list(json);
    json_put_number(json, "outside", view->outside);
    json_begin_list(json, "dead");
    show_dead(view, write_participant, json);
    json_end_list(json);
    put_count(json, "entered", view->entered);
    put_count(json, "recovered", view->recovered);
    put_count(json, "abandoned", view->abandoned);
    json_put_null(json, "error");
    json_end_object(json);
}

/* --- a table ------------------------------------------------------------------------------------------------------ */

/* With a heading before the first line. */
struct table {
    const char *first, *since;
    bool begun;
};

/* Of what stands before the command; the longest durations are "59 min 59 s" and "23 h 59 min". */
static const char line_format[] = "  %5s  %7s  %-8s  %-13s  %-11s  ";

static void print_participant(void *context, const char *role, int number, const admit_participant *participant)
{
    struct table *table = context;
    char since[32], so_long[32] = "-", user[64], digits[24] = "-", pid[24] = "-", line[256], ill[32] = "";
    char command[ADMIT_COMMAND_SIZE], printed[ADMIT_COMMAND_SIZE];
    (void)role;
    if (!table->begun) {
        printf(line_format, table->first, "pid", "user", table->since, "for");
        puts("command");
    }
    table->begun = true;
    if (number >= 0)
        snprintf(digits, sizeof digits, "%d", number);
    if (participant->pid > 0)
        snprintf(pid, sizeof pid, "%ld", participant->pid);
    if (participant->since != 0)
        duration_for_people(time(NULL) - participant->since / 1000000000, so_long);
    const char *name = user_of(participant, user);
    char who[ADMIT_HOST_SIZE + 64];
    snprintf(who, sizeof who, "%s%s%s", name != NULL ? name : "-", participant->host[0] != '\0' ? "@" : "",
             participant->host);
    snprintf(line, sizeof line, line_format, digits, pid, printable(who, printed),
             time_for_people(participant->since, since), so_long);
    if (participant->condition != ADMIT_LIVES) /* all is well with most, and the others are to be seen */
        snprintf(ill, sizeof ill, "(%s) ", condition_name(participant->condition));
    printable(participant->command, command);
    cut_for_terminal(command, columns_of_text(line) + columns_of_text(ill));
    printf("%s%s%s\n", line, ill, command);
}

static void print_view(const char *name, const admit_view *view)
{
    static char printed[4096];
    char declared[32] = "", outside[32], room[32] = "";
    admit_printable(name, printed, sizeof printed);
    if (view->declared_k != view->k)
        snprintf(declared, sizeof declared, " (declared with %u)", view->declared_k);
    if (view->capacity > 0)
        snprintf(room, sizeof room, ", room for %u", view->capacity);
    printf("%s: %u of %u%s inside, %u waiting%s%s\n", printed, living(view->holder, view->holders), view->k, declared,
           living(view->waiter, view->waiters), room, those_outside(view, outside));
    show_inside(view, false, print_participant, &(struct table){.first = "slot", .since = "inside since"});
    show_waiting(view, print_participant, &(struct table){.first = "place", .since = "waiting since"});
    show_dead(view, print_participant, &(struct table){.first = "slot", .since = "there since"});
    if (view->entered == ADMIT_NOT_COUNTED)
        return;
    printf("  entered %llu, recovered %llu, abandoned %llu\n", (unsigned long long)view->entered,
           (unsigned long long)view->recovered, (unsigned long long)view->abandoned);
}

/* --- the gates ----------------------------------------------------------------------------------------------------- */

struct showing {
    struct json_writer *json; /* NULL: for people */
    unsigned shown;
    bool unusable; /* one of them */
};

static void show_unusable(struct showing *showing, const char *name)
{
    showing->unusable = true;
    if (showing->json != NULL)
        write_unusable(showing->json, name);
    tell_gate_error("status", name, admit_last_error());
}

/* One that cannot be used does not hide the others. By its name, since that is how it would be used. */
static void show_gate(struct showing *showing, const char *name, bool is_listed)
{
    admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
    admit_view *view = gate != NULL ? admit_gate_inspect(gate) : NULL;
    if (view == NULL && !(is_listed && is_gone(admit_last_error())))
        show_unusable(showing, name);
    if (view != NULL && showing->json != NULL)
        write_view(showing->json, name, view);
    else if (view != NULL)
        print_view(name, view);
    showing->shown += view != NULL;
    admit_view_free(view);
    admit_gate_close(gate);
}

static int show_listed(void *data, const char *name, const char *path)
{
    (void)path;
    show_gate(data, name, true);
    return 0;
}

static void show_all(struct showing *showing)
{
    admit_error error = admit_gate_list(show_listed, showing);
    if (error != ADMIT_OK)
        gate_error("status", "", error);
    if (showing->shown == 0 && !showing->unusable && showing->json == NULL)
        say_there_are_no_gates();
}

int command_status(int argc, char **argv)
{
    struct arguments arguments = {
        .command = "status", .argc = argc, .argv = argv, .plain_max = INT_MAX, .dashes_end_options = true};
    struct json_writer writer;
    struct showing showing = {0};
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (is_option(option, NULL, "--json")) {
            showing.json = &writer;
        } else {
            no_such_option("status", option, help_text);
        }
    }
    const bool is_list = arguments.plain_count != 1;
    if (showing.json != NULL)
        json_writer_open(&writer);
    if (showing.json != NULL && is_list)
        json_begin_list(&writer, NULL);
    for (int a = 0; a < arguments.plain_count; a++)
        show_gate(&showing, plain_argument(&arguments, a), false);
    if (arguments.plain_count == 0)
        show_all(&showing);
    if (showing.json != NULL && is_list)
        json_end_list(&writer);
    if (showing.json != NULL)
        json_writer_print(&writer);
    return showing.unusable ? EXIT_USAGE : EXIT_OK;
}
