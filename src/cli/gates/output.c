/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/usage.h"

int command_output(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    usage_error("output", "not there yet");
}
