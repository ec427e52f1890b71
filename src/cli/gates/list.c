/* SPDX-License-Identifier: MIT
 *
 * admit list - the gates there are.
 */
#include "cli/gates/gates.h"
#include "cli/gates/json.h"
#include "cli/gates/table.h"

#include <stdbool.h>
#include <string.h>

static const char help_text[] = "usage: admit list [CLUSTER] [--json]\n"
                                "\n"
                                "Lists the gates in $ADMIT_DIR, or else in the directory of your own: how many slots "
                                "each has, how many are inside\n"
                                "and how many wait, in line or outside of a full gate. Gates that have a path of their "
                                "own are not in it. If a gate\n"
                                "cannot be used, its line says why, and the exit status is 2.\n"
                                "\n"
                                "  --json   print them as a JSON array\n"
                                "\n"
                                "CLUSTER is etcd://HOST:PORT,... or, with $ADMIT_ETCD, etcd: for the gates there.\n";

struct listing {
    struct json_writer *json; /* NULL: for people */
    struct table table;
    bool unusable; /* one of them */
};

static void add_row(struct table *table, const char *name, const admit_view *view)
{
    static const char *const heading[] = {"gate", "slots", "inside", "waiting"};
    char slots[16], inside[16], waiting[64], outside[32];
    if (table->rows == 0)
        table_row(table, heading);
    if (view == NULL) {
        table_row(table, (const char *const[]){name, admit_last_error_text(), NULL, NULL});
        return;
    }
    snprintf(slots, sizeof slots, "%u", view->k);
    snprintf(inside, sizeof inside, "%u", living(view->holder, view->holders));
    snprintf(waiting, sizeof waiting, "%7u%s", living(view->waiter, view->waiters), those_outside(view, outside));
    table_row(table, (const char *const[]){name, slots, inside, waiting});
}

/* Without a view only the error is known. */
static void write_gate(struct json_writer *json, const char *name, const char *path, const admit_view *view)
{
    json_begin_object(json, NULL);
    json_put_text(json, "gate", name);
    json_put_text(json, "path", path);
    const struct {
        const char *key;
        unsigned number;
    } numbers[] = {{"k", view != NULL ? view->k : 0},
                   {"capacity", view != NULL ? view->capacity : 0},
                   {"holders", view != NULL ? living(view->holder, view->holders) : 0},
                   {"waiters", view != NULL ? living(view->waiter, view->waiters) : 0},
                   {"outside", view != NULL ? view->outside : 0}};
    for (unsigned f = 0; f < sizeof numbers / sizeof numbers[0]; f++)
        if (view != NULL && (numbers[f].number > 0 || strcmp(numbers[f].key, "capacity") != 0))
            json_put_number(json, numbers[f].key, numbers[f].number);
        else
            json_put_null(json, numbers[f].key);
    json_put_text(json, "error", view != NULL ? NULL : admit_last_error_text());
    json_end_object(json);
}

/* One that cannot be used is listed too, with the reason instead of numbers. It is opened by its name, as `run` would:
 * by its path it might be usable. */
static int list_one(void *data, const char *name, const char *path)
{
    struct listing *listing = data;
    admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
    admit_view *view = gate != NULL ? admit_gate_inspect(gate) : NULL;
    if (view == NULL && is_gone(admit_last_error())) {
        admit_gate_close(gate);
        return 0;
    }
    listing->unusable |= view == NULL;
    if (listing->json != NULL)
        write_gate(listing->json, name, path, view);
    else
        add_row(&listing->table, name, view);
    admit_view_free(view);
    admit_gate_close(gate);
    return 0;
}

int command_list(int argc, char **argv)
{
    struct arguments arguments = {.command = "list", .argc = argc, .argv = argv, .plain_max = 1};
    struct listing listing = {.table.columns = "<>><"};
    struct json_writer writer;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (strcmp(option, "--json") == 0) {
            listing.json = &writer;
        } else {
            no_such_option("list", option, help_text);
        }
    }
    if (listing.json != NULL) {
        json_writer_open(&writer);
        json_begin_list(&writer, NULL);
    }
    const char *cluster = plain_argument(&arguments, 0);
    admit_error error =
        cluster != NULL ? admit_gate_list_of(cluster, list_one, &listing) : admit_gate_list(list_one, &listing);
    const bool none = listing.table.rows == 0;
    table_print(&listing.table);
    if (error != ADMIT_OK)
        gate_error("list", cluster != NULL ? cluster : "", error);
    if (listing.json == NULL && none && cluster != NULL)
        fprintf(stderr, "There is no gate at %s; 'admit run -k K GATE -- COMMAND' makes one.\n", cluster);
    else if (listing.json == NULL && none)
        say_there_are_no_gates();
    if (listing.json != NULL) {
        json_end_list(&writer);
        json_writer_print(&writer);
    }
    return listing.unusable ? EXIT_USAGE : EXIT_OK;
}
