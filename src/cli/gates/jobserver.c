/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/usage.h"

int command_jobserver(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    usage_error("jobserver", "not there yet");
}
