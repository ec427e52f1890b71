/* SPDX-License-Identifier: MIT
 *
 * complete.h - admit complete, which tells the completions of shells what may stand for a word that is being typed.
 */
#ifndef ADMIT_CLI_COMPLETE_H
#define ADMIT_CLI_COMPLETE_H

#include "cli/program.h"

/* The words after "admit complete", for these sub-commands. Returns the exit status. */
int complete(const struct command *commands, unsigned count, int argc, char **argv);

#endif
