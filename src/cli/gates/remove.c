/* SPDX-License-Identifier: MIT
 *
 * admit remove - takes a gate away.
 */
#include "cli/gates/gates.h"
#include "cli/gates/keeper.h"

#include <limits.h>
#include <stdio.h>

enum { EXIT_OCCUPIED = 1 };

static const char help_text[] =
    "usage: admit remove [-f] GATE...\n"
    "\n"
    "Removes each GATE and its file. A gate where anybody is inside or waits is not removed, and the processes there\n"
    "are named; the exit status is 1 then. The other gates are removed.\n"
    "\n"
    "  -f, --force   those that wait fail at once; those inside go on, in no gate\n";

/* One whose last script has ended is in use as long as the keeper of that has yet to leave. */
static bool await_leaving(const char *name, const struct timespec *until)
{
    admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
    bool left = gate != NULL && keeper_await_leaving(gate, until);
    admit_gate_close(gate);
    return left;
}

/* Where no such keeper is seen any more, it may have left since; so one more try is made in any case. */
static admit_error remove_after_scripts(const char *name)
{
    const struct timespec until = in_future(KEEPER_LEAVES_MS * UINT64_C(1000000));
    admit_error error = admit_gate_remove(name, false);
    for (bool looks = true; looks && error == ADMIT_BUSY;) {
        looks = await_leaving(name, &until);
        error = admit_gate_remove(name, false);
    }
    return error;
}

/* One that is not removed keeps no other from it. Returns what to exit with. */
static int remove_one(const char *name, bool force)
{
    admit_error error = force ? admit_gate_remove(name, true) : remove_after_scripts(name);
    if (error == ADMIT_OK)
        return EXIT_OK;
    if (error == ADMIT_BUSY)
        fprintf(stderr, "admit remove: %s\n", admit_last_error_text());
    else
        tell_gate_error("remove", name, error);
    return error == ADMIT_BUSY ? EXIT_OCCUPIED : EXIT_USAGE;
}

int command_remove(int argc, char **argv)
{
    struct arguments arguments = {
        .command = "remove", .argc = argc, .argv = argv, .plain_max = INT_MAX, .dashes_end_options = true};
    bool force = false;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (is_option(option, "-f", "--force")) {
            force = true;
        } else {
            no_such_option("remove", option, help_text);
        }
    }
    if (arguments.plain_count == 0)
        usage_error("remove", "which gate? 'admit list' names them");
    int worst = EXIT_OK;
    for (int a = 0; a < arguments.plain_count; a++) {
        int status = remove_one(plain_argument(&arguments, a), force);
        worst = status > worst ? status : worst;
    }
    return worst;
}
