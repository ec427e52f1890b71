/* SPDX-License-Identifier: MIT
 *
 * admit run - waits for a slot at a gate, runs a command there, exits with its status.
 *
 * This is the path that scripts take thousands of times: it reads no configuration, allocates little, and starts no
 * thread.
 */
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/gates.h"
#include "cli/waiting_line.h"

#include <admit.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "usage: admit run [-k K] [-w TIME | --try] [-q] [--mode MODE] [--capacity N] [--children] [--nested]\n"
    "                 GATE -- COMMAND [ARG...]\n"
    "\n"
    "Waits until fewer than K commands are inside GATE, in the order of arrival, runs COMMAND, and exits with its\n"
    "status. The first caller makes the gate and says K; later ones may leave it out.\n"
    "\n"
    "  -k K            how many may be inside; refused if the gate has another number\n"
    "  -w TIME         wait no longer than this: seconds, or 500ms, 30s, 10m, 2h; 0 is not to wait\n"
    "  --try           do not wait\n"
    "  -q              say nothing about waiting\n"
    "  --mode MODE     permissions of a gate that is made, in octal; 0600 if not given\n"
    "  --capacity N    how many can be inside and in line together, of a gate that is made\n"
    "  --children      what the command leaves running holds the slot too\n"
    "  --nested        allow it inside a command that is inside the same gate\n"
    "\n"
    "GATE is a name ([A-Za-z0-9._-], up to 64) in $ADMIT_DIR, or else in a directory of your own; with a slash it is\n"
    "the path of a file. The command sees ADMIT_GATE, ADMIT_SLOT (0 .. K-1, nobody else inside has it), ADMIT_TICKET.\n"
    "\n"
    "Exit status: the command's, or 128 + the signal that ended it; 75 --try and no slot, 124 the time is over, 125 admit\n"
    "itself failed, 126 the command cannot be run, 127 it was not found.\n"
    "\n"
    "  admit run -k 2 demo -- sh -c 'echo $ADMIT_SLOT; sleep 1'\n";

struct request {
    const char *gate;
    char **command;
    unsigned k, capacity; /* 0: not given */
    unsigned mode;
    bool try, quiet, children, nested, limited;
    uint64_t wait_ns; /* if limited */
};

static void parse(struct request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "run", .argc = argc, .argv = argv, .plain_max = 2};
    for (const char *option; (option = next_option(&arguments)) != NULL && strcmp(option, "--") != 0;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (strcmp(option, "-k") == 0) {
            request->k = (unsigned)option_number(&arguments, option, 1, GATE_K_MAX);
        } else if (strcmp(option, "-w") == 0) {
            request->wait_ns = option_time(&arguments, option);
            request->limited = true;
        } else if (strcmp(option, "--try") == 0) {
            request->try = true;
        } else if (strcmp(option, "-q") == 0) {
            request->quiet = true;
        } else if (strcmp(option, "--mode") == 0) {
            request->mode = option_mode(&arguments, option);
        } else if (strcmp(option, "--capacity") == 0) {
            request->capacity = (unsigned)option_number(&arguments, option, 1, GATE_CAPACITY_MAX);
        } else if (strcmp(option, "--children") == 0) {
            request->children = true;
        } else if (strcmp(option, "--nested") == 0) {
            request->nested = true;
        } else {
            usage_error("run", "there is no option '%s'", option);
        }
    }
    request->gate = arguments.plain[0];
    request->command = argv + arguments.at;
    if (arguments.plain_count == 0)
        usage_error("run", "which gate? GATE -- COMMAND is missing");
    if (arguments.plain_count > 1)
        usage_error("run", "'%s' comes after the gate; a command stands after '--': admit run %s -- %s",
                    arguments.plain[1], arguments.plain[0], arguments.plain[1]);
    if (arguments.at == argc)
        usage_error("run", "which command? It stands after the gate: admit run %s -- COMMAND", request->gate);
    if (request->try && request->limited)
        usage_error("run", "--try does not wait and -w does: which one?");
    if (request->capacity > 0 && request->k > request->capacity)
        usage_error("run", "-k %u is more than --capacity %u: so many can never be inside", request->k,
                    request->capacity);
}
