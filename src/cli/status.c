/* SPDX-License-Identifier: MIT
 *
 * admit status - who is inside a gate, who waits there, and how often what happened.
 */
#include "cli/gates.h"

#include <string.h>

static const char help_text[] =
    "usage: admit status [GATE] [--json]\n"
    "\n"
    "Shows who is inside GATE (slot, process, since when, command), who waits there, in line, and how often anybody\n"
    "entered, was recovered after a death, or gave a place up. Without GATE: all gates that 'admit list' names.\n"
    "The process is the command's own. '(orphan)': the admit that started it has been killed; the command holds on.\n"
    "'(unknown)': the same, and it is in another pid namespace, from where its end cannot be seen.\n";

/* --- JSON: what is not recorded is null --------------------------------------------------------------------------- */

static json_t *participant_json(const char *role, unsigned number, const admit_participant *participant)
{
    char since[32], command[ADMIT_COMMAND_SIZE];
    return json_pack("{s:i, s:o, s:s?, s:s?}", role, (int)number, "pid",
                     participant->pid > 0 ? json_integer(participant->pid) : json_null(), "command",
                     participant->command[0] != '\0' ? printable(participant->command, command) : NULL, "since",
                     time_for_programs(participant->since, since));
}

static json_t *view_json(const char *name, const admit_view *view)
{
    json_t *holders = json_array(), *waiters = json_array();
    for (unsigned h = 0; h < view->holders; h++)
        if (view->holder[h].condition != ADMIT_DIED)
            json_array_append_new(holders, participant_json("slot", view->holder[h].slot, &view->holder[h]));
    for (unsigned w = 0, place = 1; w < view->waiters; w++)
        if (view->waiter[w].condition != ADMIT_DIED)
            json_array_append_new(waiters, participant_json("place", place++, &view->waiter[w]));
    return json_pack("{s:s, s:i, s:i, s:o, s:o, s:I, s:I, s:I}", "gate", name, "k", (int)view->k, "capacity",
                     (int)view->capacity, "holders", holders, "waiters", waiters, "entered", (json_int_t)view->entered,
                     "recovered", (json_int_t)view->recovered, "abandoned", (json_int_t)view->abandoned);
}

/* --- a table ------------------------------------------------------------------------------------------------------ */

static void print_participant(unsigned number, const admit_participant *participant)
{
    static const char *const conditions[] = {
        [ADMIT_LIVES] = "", [ADMIT_DIED] = "", [ADMIT_ORPHAN] = "  (orphan)", [ADMIT_UNKNOWN] = "  (unknown)"};
    char since[32], command[ADMIT_COMMAND_SIZE], pid[24] = "-";
    if (participant->pid > 0)
        snprintf(pid, sizeof pid, "%ld", participant->pid);
    printf("  %5u  %8s  %-16s  %s%s\n", number, pid, time_for_people(participant->since, since),
           printable(participant->command, command), conditions[participant->condition]);
}

static void print_view(const char *name, const admit_view *view)
{
    unsigned holders = living(view->holder, view->holders), waiters = living(view->waiter, view->waiters);
    printf("%s: %u of %u inside, %u waiting, room for %u\n", name, holders, view->k, waiters, view->capacity);
    if (holders > 0)
        printf("  %5s  %8s  %-16s  %s\n", "slot", "pid", "inside since", "command");
    for (unsigned h = 0; h < view->holders; h++)
        if (view->holder[h].condition != ADMIT_DIED)
            print_participant(view->holder[h].slot, &view->holder[h]);
    if (waiters > 0)
        printf("  %5s  %8s  %-16s  %s\n", "place", "pid", "waiting since", "command");
    for (unsigned w = 0, place = 1; w < view->waiters; w++)
        if (view->waiter[w].condition != ADMIT_DIED)
            print_participant(place++, &view->waiter[w]);
    printf("  entered %llu, recovered %llu, abandoned %llu\n", (unsigned long long)view->entered,
           (unsigned long long)view->recovered, (unsigned long long)view->abandoned);
}

/* --- all gates ---------------------------------------------------------------------------------------------------- */

/* One that cannot be read does not hide the others. */
static int show_one(void *data, const char *name, const char *path)
{
    json_t *list = data;
    admit_gate *gate = admit_gate_open_with(path, &(admit_gate_options){.look_only = 1});
    admit_view *view = gate != NULL ? admit_gate_inspect(gate) : NULL;
    if (view == NULL)
        fprintf(stderr, "admit status: %s\n", admit_last_error_text());
    else if (list != NULL)
        json_array_append_new(list, view_json(name, view));
    else
        print_view(name, view);
    admit_view_free(view);
    admit_gate_close(gate);
    return 0;
}

static void show_all(bool json)
{
    json_t *list = json ? json_array() : NULL;
    admit_error error = admit_gate_list(show_one, list);
    if (error != ADMIT_OK)
        gate_error("status", "", error);
    if (json)
        print_json(list);
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
    if (arguments.plain_count == 0) {
        show_all(json);
        return EXIT_OK;
    }
    admit_gate *gate = look_at_gate("status", arguments.plain[0]);
    admit_view *view = inspect_gate("status", gate);
    if (json)
        print_json(view_json(arguments.plain[0], view));
    else
        print_view(arguments.plain[0], view);
    admit_view_free(view);
    admit_gate_close(gate);
    return EXIT_OK;
}
