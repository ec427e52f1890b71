/* SPDX-License-Identifier: MIT
 *
 * admit resize - another number of slots, while people are inside.
 */
#include "cli/gates/gates.h"

#include <stdio.h>

static const char help_text[] = "usage: admit resize GATE K\n"
                                "\n"
                                "Gives GATE K slots: more at once, so that those first in line go in; fewer as those\n"
                                "inside leave. Nobody is turned out, and nobody loses a place.\n";

int command_resize(int argc, char **argv)
{
    struct arguments arguments = {
        .command = "resize", .argc = argc, .argv = argv, .plain_max = 2, .dashes_end_options = true};
    const char *option = next_option(&arguments);
    if (option != NULL && is_option(option, "-h", "--help")) {
        fputs(help_text, stdout);
        return EXIT_OK;
    }
    if (option != NULL)
        no_such_option("resize", option, help_text);
    if (arguments.plain_count == 0)
        usage_error("resize", "which gate? 'admit list' names them");
    if (arguments.plain_count == 1)
        usage_error("resize", "to how many slots? admit resize %s K", plain_argument(&arguments, 0));
    unsigned k = (unsigned)number_argument("resize", "K", plain_argument(&arguments, 1), 1, ADMIT_GATE_K_MAX);
    admit_gate *gate = admit_gate_open(plain_argument(&arguments, 0), 0);
    if (gate == NULL)
        gate_error("resize", plain_argument(&arguments, 0), admit_last_error());
    admit_error error = admit_gate_resize(gate, k);
    if (error != ADMIT_OK)
        gate_error("resize", plain_argument(&arguments, 0), error);
    admit_gate_close(gate);
    return EXIT_OK;
}
