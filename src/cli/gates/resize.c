/* SPDX-License-Identifier: MIT
 *
 * admit resize - another number of slots, while people are inside.
 */
#include "cli/gates/gates.h"

#include <stdio.h>
#include <string.h>

static const char help_text[] = "usage: admit resize GATE K\n"
                                "       admit resize -k K GATE\n"
                                "\n"
                                "Gives GATE K slots: more at once, so that those first in line go in; fewer as those\n"
                                "inside leave. Nobody is turned out, and nobody loses a place. K may be 'cores': as\n"
                                "many as this process may use.\n"
                                "\n"
                                "  -k, --slots K   how many slots, in the way of 'admit run'\n";

static _Noreturn void ask_for_k(const char *gate)
{
    const char *equals = strchr(gate, '=');
    if (equals != NULL && equals > gate && equals[1] != '\0')
        usage_error("resize", "to how many slots? Without the =: admit resize %.*s %s", (int)(equals - gate), gate,
                    equals + 1);
    usage_error("resize", "to how many slots? admit resize %s K", gate);
}

/* Those two in the other order, unless a gate has that number for its name. */
static void refuse_if_turned(const char *gate, const char *k)
{
    if (gate[0] != '\0' && gate[strspn(gate, "0123456789")] == '\0' && (k[0] < '0' || k[0] > '9') &&
        strcmp(k, "cores") != 0)
        usage_error("resize", "the gate stands first: admit resize %s %s", k, gate);
}

static void resize(const char *name, unsigned k)
{
    admit_gate *gate = admit_gate_open(name, 0);
    if (gate == NULL)
        gate_error("resize", name, admit_last_error());
    admit_error error = admit_gate_resize(gate, k);
    if (error != ADMIT_OK)
        gate_error("resize", name, error);
    admit_gate_close(gate);
}

int command_resize(int argc, char **argv)
{
    struct arguments arguments = {
        .command = "resize", .argc = argc, .argv = argv, .plain_max = 2, .dashes_end_options = true};
    unsigned k = 0;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (is_option(option, "-k", "--slots")) {
            k = option_slots(&arguments, option);
        } else {
            no_such_option("resize", option, help_text);
        }
    }
    const char *gate = plain_argument(&arguments, 0), *number = plain_argument(&arguments, 1);
    if (gate == NULL)
        usage_error("resize", "which gate? 'admit list' names them");
    if (k != 0 && number != NULL)
        usage_error("resize", "'%s' is one argument too many beside -k", number);
    if (k == 0 && number == NULL)
        ask_for_k(gate);
    if (k == 0) {
        refuse_if_turned(gate, number);
        k = slots_argument("resize", "K", number);
    }
    resize(gate, k);
    return EXIT_OK;
}
