/* SPDX-License-Identifier: MIT
 *
 * admit list - the gates there are.
 */
#include "cli/gates.h"

#include <string.h>

static const char help_text[] = "usage: admit list [--json]\n"
                                "\n"
                                "Lists the gates in $ADMIT_DIR, or else in the directory of your own: how many slots "
                                "each has, how many are inside\n"
                                "and how many wait. Gates that have a path of their own are not in it.\n";

struct listing {
    json_t *json; /* NULL: for people */
    unsigned count;
};

/* One that cannot be used is listed too, with the reason instead of numbers. It is opened by its name, as `run` would:
 * by its path it might be usable. */
static int list_one(void *data, const char *name, const char *path)
{
    struct listing *listing = data;
    admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
    admit_view *view = gate != NULL ? admit_gate_inspect(gate) : NULL;
    unsigned holders = view != NULL ? living(view->holder, view->holders) : 0;
    unsigned waiters = view != NULL ? living(view->waiter, view->waiters) : 0;
    if (listing->json == NULL && listing->count++ == 0)
        printf("%-24s %6s %8s %8s\n", "gate", "slots", "inside", "waiting");
    if (listing->json == NULL && view == NULL)
        printf("%-24s %s\n", name, admit_last_error_text());
    else if (listing->json == NULL)
        printf("%-24s %6u %8u %8u\n", name, view->k, holders, waiters);
    else if (view == NULL)
        json_array_append_new(listing->json,
                              json_pack("{s:s, s:s, s:n, s:n, s:n, s:n, s:s}", "gate", name, "path", path, "k",
                                        "capacity", "holders", "waiters", "error", admit_last_error_text()));
    else
        json_array_append_new(listing->json, json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:n}", "gate", name, "path",
                                                       path, "k", (int)view->k, "capacity", (int)view->capacity,
                                                       "holders", (int)holders, "waiters", (int)waiters, "error"));
    admit_view_free(view);
    admit_gate_close(gate);
    return 0;
}

int command_list(int argc, char **argv)
{
    struct arguments arguments = {.command = "list", .argc = argc, .argv = argv, .plain_max = 0};
    struct listing listing = {0};
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (strcmp(option, "--json") == 0) {
            listing.json = listing.json != NULL ? listing.json : json_array();
        } else {
            usage_error("list", "there is no option '%s'", option);
        }
    }
    admit_error error = admit_gate_list(list_one, &listing);
    if (error != ADMIT_OK)
        gate_error("list", "", error);
    if (listing.json != NULL)
        print_json(listing.json);
    return EXIT_OK;
}
