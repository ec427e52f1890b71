/* SPDX-License-Identifier: MIT
 *
 * admit-etcd - what `admit` becomes for gates on etcd: the same sub-commands, with the libraries that these need.
 */
#include "cli/commands.h"
#include "cli/program.h"
#include "cli/usage.h"

#include <stdio.h>

static const struct command commands[] = {{"run", command_run, ""},       {"status", command_status, ""},
                                          {"list", command_list, ""},     {"resize", command_resize, ""},
                                          {"remove", command_remove, ""}, {"jobs", command_jobs, ""},
                                          {"wait", command_wait, ""},     {"top", command_top, ""}};

int main(int argc, char **argv)
{
    const struct command *command =
        argc > 1 ? find_command(commands, sizeof commands / sizeof commands[0], argv[1]) : NULL;
    begin_program(argc > 1 ? own_failure_of(argv[1]) : EXIT_USAGE);
    if (command == NULL) {
        fputs(
            "admit-etcd is a part of admit, which becomes it for gates on etcd: admit run -k K etcd:GATE -- COMMAND\n",
            stderr);
        return EXIT_USAGE;
    }
    return command->run(argc - 2, argv + 2);
}
