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

/* For what is for gates of this machine alone: exits with a message if this one is not. `what`: "--mode", "admit enter". */
void refuse_elsewhere(const char *command, const char *gate, const char *what);

#endif
