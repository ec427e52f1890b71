/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/usage.h"

int command_enter(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    usage_error("enter", "not there yet");
}
