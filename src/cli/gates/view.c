/* SPDX-License-Identifier: MIT */
#include "cli/gates/view.h"

#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "native/printable.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *condition_name(enum admit_condition condition)
{
    static const char *const names[] = {[ADMIT_LIVES] = "lives",
                                        [ADMIT_DIED] = "died",
                                        [ADMIT_ORPHAN] = "orphan",
                                        [ADMIT_UNKNOWN] = "unknown",
                                        [ADMIT_STOPPED] = "stopped"};
    return names[condition];
}

const char *user_of(const admit_participant *participant, char buffer[64])
{
    if (participant->user_name[0] == '\0')
        return user_name(participant->user, buffer);
    admit_printable(participant->user_name, buffer, 64);
    return buffer;
}

static void each_inside(const admit_view *view, enum view_list list, show_participant *show, void *context)
{
    for (unsigned h = 0; h < view->holders; h++)
        if ((view->holder[h].condition == ADMIT_DIED) == (list == LIST_DEAD))
            show(context, list, view->holder[h].slot < view->most_k ? (int)view->holder[h].slot : NO_NUMBER,
                 &view->holder[h]);
}

static void each_waiting(const admit_view *view, enum view_list list, show_participant *show, void *context)
{
    int place = 1;
    for (unsigned w = 0; w < view->waiters; w++)
        if ((view->waiter[w].condition == ADMIT_DIED) == (list == LIST_DEAD))
            show(context, list, list == LIST_DEAD ? NO_NUMBER : place++, &view->waiter[w]);
}

void view_each(const admit_view *view, enum view_list list, show_participant *show, void *context)
{
    if (list != LIST_WAITING)
        each_inside(view, list, show, context);
    if (list != LIST_INSIDE)
        each_waiting(view, list, show, context);
}

/* --- for people ----------------------------------------------------------------------------------------------------- */

void view_summary(const admit_view *view, bool with_room, char line[VIEW_LINE])
{
    char declared[32] = "", outside[32], room[32] = "";
    if (view->declared_k != view->k)
        snprintf(declared, sizeof declared, " (declared with %u)", view->declared_k);
    if (with_room && view->capacity > 0)
        snprintf(room, sizeof room, ", room for %u", view->capacity);
    snprintf(line, VIEW_LINE, "%u of %u%s inside, %u waiting%s%s", living(view->holder, view->holders), view->k,
             declared, living(view->waiter, view->waiters), room, those_outside(view, outside));
}

bool view_counters(const admit_view *view, char line[VIEW_LINE])
{
    snprintf(line, VIEW_LINE, "entered %llu, recovered %llu, abandoned %llu", (unsigned long long)view->entered,
             (unsigned long long)view->recovered, (unsigned long long)view->abandoned);
    return view->entered != ADMIT_NOT_COUNTED;
}

/* The longest durations are "59 min 59 s" and "23 h 59 min". */
static void put_columns(char line[VIEW_LINE], bool is_narrow, const char *number, const char *pid, const char *user,
                        const char *since, const char *so_long)
{
    if (is_narrow)
        snprintf(line, VIEW_LINE, " %5s %7s %-11s ", number, pid, so_long);
    else
        snprintf(line, VIEW_LINE, "  %5s  %7s  %-8s  %-13s  %-11s  ", number, pid, user, since, so_long);
}

void view_heading(enum view_list list, bool is_narrow, char line[VIEW_LINE])
{
    static const char *const first[] = {"slot", "place", "slot"}, *const since[] = {"inside since", "waiting since",
                                                                                    "there since"};
    put_columns(line, is_narrow, first[list], "pid", "user", since[list], "for");
    snprintf(line + strlen(line), VIEW_LINE - strlen(line), "command");
}

void view_row(int number, const admit_participant *participant, bool is_narrow, char line[VIEW_LINE])
{
    char since[32], so_long[32] = "-", user[64], digits[24] = "-", pid[24] = "-", who[ADMIT_HOST_SIZE + 64];
    char printed[ADMIT_COMMAND_SIZE];
    if (number != NO_NUMBER)
        snprintf(digits, sizeof digits, "%d", number);
    if (participant->pid > 0)
        snprintf(pid, sizeof pid, "%ld", participant->pid);
    if (participant->since != 0)
        duration_for_people(time(NULL) - participant->since / 1000000000, so_long);
    const char *name = user_of(participant, user);
    snprintf(who, sizeof who, "%s%s%s", name != NULL ? name : "-", participant->host[0] != '\0' ? "@" : "",
             participant->host);
    put_columns(line, is_narrow, digits, pid, printable(who, printed), time_for_people(participant->since, since),
                so_long);
    if (participant->condition != ADMIT_LIVES) /* all is well with most, and the others are to be seen */
        snprintf(line + strlen(line), VIEW_LINE - strlen(line), "(%s) ", condition_name(participant->condition));
}

/* With a heading before the first of each list. */
static void print_participant(void *context, enum view_list list, int number, const admit_participant *participant)
{
    bool *begun = context;
    char line[VIEW_LINE], command[ADMIT_COMMAND_SIZE];
    if (!begun[list]) {
        view_heading(list, false, line);
        puts(line);
    }
    begun[list] = true;
    view_row(number, participant, false, line);
    printable(participant->command, command);
    cut_for_terminal(command, columns_of_text(line));
    printf("%s%s\n", line, command);
}

void view_print(const char *name, const admit_view *view)
{
    static char printed[4096];
    char line[VIEW_LINE];
    bool begun[3] = {false};
    admit_printable(name, printed, sizeof printed);
    view_summary(view, true, line);
    printf("%s: %s\n", printed, line);
    for (enum view_list list = LIST_INSIDE; list <= LIST_DEAD; list++)
        view_each(view, list, print_participant, begun);
    if (view_counters(view, line))
        printf("  %s\n", line);
}

/* --- for programs ----------------------------------------------------------------------------------------------------- */

void view_write_who(struct json_writer *json, const admit_participant *participant)
{
    char user[64];
    if (participant->pid > 0)
        json_put_number(json, "pid", (uint64_t)participant->pid);
    else
        json_put_null(json, "pid");
    json_put_text(json, "user", user_of(participant, user));
    json_put_text(json, "host", participant->host[0] != '\0' ? participant->host : NULL);
    json_put_text(json, "command", participant->command[0] != '\0' ? participant->command : NULL);
}

static void write_participant(void *context, enum view_list list, int number, const admit_participant *participant)
{
    struct json_writer *json = context;
    const char *role = list == LIST_WAITING ? "place" : "slot";
    char since[32];
    json_begin_object(json, NULL);
    if (number != NO_NUMBER)
        json_put_number(json, role, (unsigned)number);
    else
        json_put_null(json, role);
    view_write_who(json, participant);
    json_put_text(json, "since", time_for_programs(participant->since, since));
    json_put_text(json, "condition", condition_name(participant->condition));
    json_end_object(json);
}

static void write_list(struct json_writer *json, const char *key, const admit_view *view, enum view_list list)
{
    json_begin_list(json, key);
    view_each(view, list, write_participant, json);
    json_end_list(json);
}

static void put_count(struct json_writer *json, const char *key, uint64_t count)
{
    if (count != ADMIT_NOT_COUNTED)
        json_put_number(json, key, count);
    else
        json_put_null(json, key);
}

void view_write(struct json_writer *json, const char *name, const admit_view *view)
{
    json_put_text(json, "gate", name);
    json_put_number(json, "k", view->k);
    if (view->capacity > 0)
        json_put_number(json, "capacity", view->capacity);
    else
        json_put_null(json, "capacity");
    json_put_number(json, "declared_k", view->declared_k);
    write_list(json, "holders", view, LIST_INSIDE);
    write_list(json, "waiters", view, LIST_WAITING);
    json_put_number(json, "outside", view->outside);
    write_list(json, "dead", view, LIST_DEAD);
    put_count(json, "entered", view->entered);
    put_count(json, "recovered", view->recovered);
    put_count(json, "abandoned", view->abandoned);
    json_put_null(json, "error");
}

void view_write_unusable(struct json_writer *json, const char *name, const char *error)
{
    static const char *const unknown[] = {"k",       "capacity", "declared_k", "holders",   "waiters",
                                          "outside", "dead",     "entered",    "recovered", "abandoned"};
    json_put_text(json, "gate", name);
    for (unsigned u = 0; u < sizeof unknown / sizeof unknown[0]; u++)
        json_put_null(json, unknown[u]);
    json_put_text(json, "error", error);
}
