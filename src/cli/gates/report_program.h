/* SPDX-License-Identifier: MIT
 *
 * report_program.h - what a command is called: its first word without its folder, and of a shell or another interpreter,
 * and of what only starts another command, the script or the command behind it.
 *
 *     /opt/train -x                       train
 *     nice -n 10 env CUDA=1 ./train -x    train
 *     timeout -s KILL 5m sh bin/nightly   nightly
 *     python3.11 -m pytest -q             pytest
 *     bash -euc 'make; make check'        bash -c
 *
 * That is the first word behind them that is neither an option nor an assignment. Of the options that have a value in the
 * next word the usual short ones are known, and no long ones; docs/man/admit.1 says so under `report`.
 */
#ifndef ADMIT_CLI_GATES_REPORT_PROGRAM_H
#define ADMIT_CLI_GATES_REPORT_PROGRAM_H

#include <stddef.h>

/* `command`: as a line of a log has it, its words quoted for a shell. `name` has room for as much as that. Returns what
 * stands behind it in `command`, blanks first. */
const char *name_program(const char *command, char *name);

#endif
