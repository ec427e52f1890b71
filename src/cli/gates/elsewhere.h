/* SPDX-License-Identifier: MIT
 *
 * elsewhere.h - gates on etcd, at the command line. `admit` is linked statically and does not have what they need: it becomes
 * admit-etcd, which has the same sub-commands and does.
 */
#ifndef ADMIT_CLI_GATES_ELSEWHERE_H
#define ADMIT_CLI_GATES_ELSEWHERE_H

#include <stdbool.h>

/* Whether a gate's name is of one on etcd. */
bool is_elsewhere(const char *gate);

/* Whether these are the words of a sub-command that is for gates on etcd too, and there is one among those before "--". */
bool is_for_helper(int argc, char *const *argv);
/* Executes admit-etcd with the same words, or exits with `failure`. */
_Noreturn void become_helper(char **argv, int failure);

/* For what is for gates of this machine alone: exits with a message if this one is not. `what`: "--mode", "admit enter". */
void refuse_elsewhere(const char *command, const char *gate, const char *what);

#endif
