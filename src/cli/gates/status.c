/* SPDX-License-Identifier: MIT
 *
 * admit status - who is inside a gate, who waits there, and how often what happened.
 */
#include "cli/gates/gates.h"
#include "cli/gates/json.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

static const char help_text[] =
    "usage: admit status [GATE] [--json]\n"
    "\n"
    "Shows who is inside GATE (slot, process, user, since when, condition, command), who waits there, in line, and "
    "how\n"
    "often anybody entered, was recovered after a death, or gave a place up. Without GATE: all gates that 'admit "
    "list'\n"
    "names; the exit status is 2 if one of them cannot be used. 'Outside' wait those for whom a full gate has no "
    "place\n"
    "in line yet.\n"
    "\n"
    "The process is the command's own. Slot '-': its turn has come, and it has yet to take its slot. The condition:\n"
    "\n"
    "  lives     all is well\n"
    "  stopped   by a signal, at the terminal or by a debugger; what it has is its own until it goes on or dies\n"
    "  orphan    the admit that started it has been killed; the command holds on\n"
    "  unknown   as orphan, in another pid namespace, from where its end cannot be seen: 'admit remove --force' if "
    "it has\n"
    "            ended; with 'run --children' a lock tells\n"
    "  died      inside or in line; nobody has come since. What it had goes to the next who comes, so that it is not\n"
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

/* From /etc/passwd alone: a program that is linked statically cannot ask elsewhere. NULL: not recorded. */
static const char *user_name(int64_t user, char buffer[64])
{
    if (user < 0)
        return NULL;
    snprintf(buffer, 64, "%lld", (long long)user);
    FILE *users = fopen("/etc/passwd", "re");
    if (users == NULL)
        return buffer;
    for (struct passwd *entry; (entry = fgetpwent(users)) != NULL;)
        if ((int64_t)entry->pw_uid == user) {
            snprintf(buffer, 64, "%s", entry->pw_name);
            break;
        }
    fclose(users);
    return buffer;
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

/* --- JSON: what is not recorded is null --------------------------------------------------------------------------- */

static void write_participant(void *context, const char *role, int number, const admit_participant *participant)
{
    struct json_writer *json = context;
    char since[32], command[ADMIT_COMMAND_SIZE], user[64];
    json_begin_object(json, NULL);
    if (number >= 0)
        json_put_number(json, role, (unsigned)number);
    else
        json_put_null(json, role);
    if (participant->pid > 0)
        json_put_number(json, "pid", (uint64_t)participant->pid);
    else
        json_put_null(json, "pid");
    json_put_text(json, "user", user_name(participant->user, user));
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

static void write_view(struct json_writer *json, const char *name, const admit_view *view)
{
    json_begin_object(json, NULL);
    json_put_text(json, "gate", name);
    json_put_number(json, "k", view->k);
    json_put_number(json, "capacity", view->capacity);
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
    json_put_number(json, "entered", view->entered);
    json_put_number(json, "recovered", view->recovered);
    json_put_number(json, "abandoned", view->abandoned);
    json_put_null(json, "error");
    json_end_object(json);
}

/* --- a table ------------------------------------------------------------------------------------------------------ */

/* With a heading before the first line. */
struct table {
    const char *first, *since;
    bool begun;
};

static void print_participant(void *context, const char *role, int number, const admit_participant *participant)
{
    struct table *table = context;
    char since[32], command[ADMIT_COMMAND_SIZE], user[64], digits[24] = "-", pid[24] = "-";
    (void)role;
    if (!table->begun)
        printf("  %5s  %8s  %-10s  %-16s  %-9s  %s\n", table->first, "pid", "user", table->since, "condition",
               "command");
    table->begun = true;
    if (number >= 0)
        snprintf(digits, sizeof digits, "%d", number);
    if (participant->pid > 0)
        snprintf(pid, sizeof pid, "%ld", participant->pid);
    const char *name = user_name(participant->user, user);
    printf("  %5s  %8s  %-10s  %-16s  %-9s  %s\n", digits, pid, name != NULL ? name : "-",
           time_for_people(participant->since, since), condition_name(participant->condition),
           printable(participant->command, command));
}

static void print_view(const char *name, const admit_view *view)
{
    char declared[32] = "", outside[32];
    if (view->declared_k != view->k)
        snprintf(declared, sizeof declared, " (declared with %u)", view->declared_k);
    printf("%s: %u of %u%s inside, %u waiting, room for %u%s\n", name, living(view->holder, view->holders), view->k,
           declared, living(view->waiter, view->waiters), view->capacity, those_outside(view, outside));
    show_inside(view, false, print_participant, &(struct table){.first = "slot", .since = "inside since"});
    show_waiting(view, print_participant, &(struct table){.first = "place", .since = "waiting since"});
    show_dead(view, print_participant, &(struct table){.first = "slot", .since = "there since"});
    printf("  entered %llu, recovered %llu, abandoned %llu\n", (unsigned long long)view->entered,
           (unsigned long long)view->recovered, (unsigned long long)view->abandoned);
}

/* --- all gates ---------------------------------------------------------------------------------------------------- */

struct showing {
    struct json_writer *json; /* NULL: for people */
    bool unusable;            /* one of them */
};

/* One that cannot be used does not hide the others. By its name, since that is how it would be used. */
static int show_one(void *data, const char *name, const char *path)
{
    struct showing *showing = data;
    (void)path;
    admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
    admit_view *view = gate != NULL ? admit_gate_inspect(gate) : NULL;
    if (view == NULL && !is_gone(admit_last_error())) {
        showing->unusable = true;
        fprintf(stderr, "admit status: %s\n", admit_last_error_text());
        if (showing->json != NULL)
            write_unusable(showing->json, name);
    }
    if (view != NULL && showing->json != NULL)
        write_view(showing->json, name, view);
    else if (view != NULL)
        print_view(name, view);
    admit_view_free(view);
    admit_gate_close(gate);
    return 0;
}

/* Returns what to exit with. */
static int show_all(bool json)
{
    struct json_writer writer;
    struct showing showing = {.json = json ? &writer : NULL};
    if (json) {
        json_writer_open(&writer);
        json_begin_list(&writer, NULL);
    }
    admit_error error = admit_gate_list(show_one, &showing);
    if (error != ADMIT_OK)
        gate_error("status", "", error);
    if (json) {
        json_end_list(&writer);
        json_writer_print(&writer);
    }
    return showing.unusable ? EXIT_USAGE : EXIT_OK;
}

int command_status(int argc, char **argv)
{
    struct arguments arguments = {.command = "status", .argc = argc, .argv = argv, .plain_max = 1};
    bool json = false;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (strcmp(option, "--json") == 0) {
            json = true;
        } else {
            usage_error("status", "there is no option '%s'", option);
        }
    }
    if (arguments.plain_count == 0)
        return show_all(json);
    admit_gate *gate = look_at_gate("status", plain_argument(&arguments, 0));
    admit_view *view = inspect_gate("status", gate);
    if (json) {
        struct json_writer writer;
        json_writer_open(&writer);
        write_view(&writer, plain_argument(&arguments, 0), view);
        json_writer_print(&writer);
    } else {
        print_view(plain_argument(&arguments, 0), view);
    }
    admit_view_free(view);
    admit_gate_close(gate);
    return EXIT_OK;
}
