/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/usage.h"

int command_wait(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    usage_error("wait", "not there yet");
}
