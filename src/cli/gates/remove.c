/* SPDX-License-Identifier: MIT
 *
 * admit remove - takes a gate away.
 */
#include "cli/gates/gates.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_OCCUPIED = 1 };

static const char help_text[] =
    "usage: admit remove [--force] GATE\n"
    "\n"
    "Removes GATE and its file. While anybody is inside or waits it is refused (exit status 1), and they are named.\n"
    "\n"
    "  --force   those who wait fail at once; those inside go on, in no gate\n";

int command_remove(int argc, char **argv)
{
    struct arguments arguments = {.command = "remove", .argc = argc, .argv = argv, .plain_max = 1};
    bool force = false;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (strcmp(option, "--force") == 0) {
            force = true;
        } else {
            usage_error("remove", "there is no option '%s'", option);
        }
    }
    if (arguments.plain_count == 0)
        usage_error("remove", "which gate? 'admit list' names them");
    admit_error error = admit_gate_remove(plain_argument(&arguments, 0), force);
    if (error == ADMIT_BUSY) {
        fprintf(stderr, "admit remove: %s\n", admit_last_error_text());
        return EXIT_OCCUPIED;
    }
    if (error != ADMIT_OK)
        gate_error("remove", plain_argument(&arguments, 0), error);
    return EXIT_OK;
}
