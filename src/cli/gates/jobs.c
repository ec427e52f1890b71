/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/usage.h"

int command_jobs(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    usage_error("jobs", "not there yet");
}
