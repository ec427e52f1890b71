/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/usage.h"

int command_leave(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    usage_error("leave", "not there yet");
}
