/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/usage.h"

int command_report(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    usage_error("report", "not there yet");
}
