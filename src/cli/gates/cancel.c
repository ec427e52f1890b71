/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/usage.h"

int command_cancel(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    usage_error("cancel", "not there yet");
}
