/* SPDX-License-Identifier: MIT
 *
 * admit status - who is inside a gate, who waits there, and how often what happened.
 */
#include "cli/gates/gates.h"
#include "cli/gates/view.h"
#include "cli/gates/watch.h"

#include <limits.h>
#include <stdio.h>

static const char help_text[] =
    "usage: admit status [GATE]... [--json] [--watch]\n"
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
    "            counted; with --json these are not among holders and waiters, but listed as 'dead'\n"
    "\n"
    "With --watch it goes on, with a line for whatever happens (what waits, entered, left, gave up, died, was "
    "recovered,\n"
    "stopped), until the gates that are named have been removed, or nobody reads it any more. With --json too each "
    "line "
    "is\n"
    "all of a gate, with 'time' and 'events'. 'admit top' shows it on a whole terminal.\n";

/* --- the gates ----------------------------------------------------------------------------------------------------- */

struct showing {
    struct json_writer *json; /* NULL: for people */
    unsigned shown;
    bool unusable; /* one of them */
};

static void show_unusable(struct showing *showing, const char *name)
{
    showing->unusable = true;
    if (showing->json != NULL) {
        json_begin_object(showing->json, NULL);
        view_write_unusable(showing->json, name, admit_last_error_text());
        json_end_object(showing->json);
    }
    tell_gate_error("status", name, admit_last_error());
}

/* One that cannot be used does not hide the others. By its name, since that is how it would be used. */
static void show_gate(struct showing *showing, const char *name, bool is_listed)
{
    admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
    admit_view *view = gate != NULL ? admit_gate_inspect(gate) : NULL;
    if (view == NULL && !(is_listed && is_gone(admit_last_error())))
        show_unusable(showing, name);
    if (view != NULL && showing->json != NULL) {
        json_begin_object(showing->json, NULL);
        view_write(showing->json, name, view);
        json_end_object(showing->json);
    } else if (view != NULL) {
        view_print(name, view);
    }
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
    bool is_to_watch = false;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (is_option(option, NULL, "--json")) {
            showing.json = &writer;
        } else if (is_option(option, NULL, "--watch")) {
            is_to_watch = true;
        } else {
            no_such_option("status", option, help_text);
        }
    }
    if (is_to_watch) {
        struct watch watch;
        watch_begin(&watch, "status", argv, (unsigned)arguments.plain_count);
        return watch_in_lines(&watch, showing.json != NULL);
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
