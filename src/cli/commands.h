/* SPDX-License-Identifier: MIT
 *
 * commands.h - the sub-commands, a file each: what main.c calls, with the words after "admit COMMAND".
 */
#ifndef ADMIT_CLI_COMMANDS_H
#define ADMIT_CLI_COMMANDS_H

#include <stdbool.h>

/* In gates/. */
int command_run(int argc, char **argv);
int command_jobs(int argc, char **argv);
int command_wait(int argc, char **argv);
int command_cancel(int argc, char **argv);
int command_output(int argc, char **argv);
int command_enter(int argc, char **argv);
int command_leave(int argc, char **argv);
int command_jobserver(int argc, char **argv);
int command_report(int argc, char **argv);
int command_status(int argc, char **argv);
int command_top(int argc, char **argv);
int command_list(int argc, char **argv);
int command_resize(int argc, char **argv);
int command_remove(int argc, char **argv);

/* Whether these are the words of a sub-command that is for gates on etcd too, and there is one among those before "--". */
bool is_for_helper(int argc, char *const *argv);
/* Executes admit-etcd with the same words, or exits with `failure`. */
_Noreturn void become_helper(char **argv, int failure);

/* In laboratory/. */
int command_algorithms(int argc, char **argv);
int command_check(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_equivalent(int argc, char **argv);
int command_claims(int argc, char **argv);
int command_count(int argc, char **argv);
int command_bound(int argc, char **argv);

#endif
