/* SPDX-License-Identifier: MIT
 *
 * keeper.h - a process that is inside a gate for another one, until that has ended or `admit leave` says so.
 *
 * `admit leave` finds it by a socket of the abstract namespace, whose name tells the gate, the ticket and the pid
 * namespace: it needs no file that could be left behind, and no number of a process that could be another's by then.
 * To connect to it is to tell the keeper to leave.
 */
#ifndef ADMIT_CLI_GATES_KEEPER_H
#define ADMIT_CLI_GATES_KEEPER_H

#include "cli/gates/shell.h"

#include <admit.h>
#include <stdbool.h>
#include <time.h>

/* A descriptor that can be read when somebody wants the keeper to leave; -1 with errno. */
int keeper_listen(admit_gate *gate, uint64_t ticket);
/* Until the shell has ended, or somebody wants it that may: then a connection to that one, else -1. */
int keeper_stay(const struct shell *shell, int listening);
/* To one that waits for it: the slot has been given back. */
void keeper_tell_left(int connection);

/* One that is inside for process `pid`, of this pid namespace: of several the one with this ticket (NULL: none is preferred),
 * else the last that went in; false: nobody is. It may have been killed, as its condition tells. */
bool keeper_find(admit_gate *gate, long pid, const uint64_t *ticket, admit_participant *found);

enum dismissal { KEEPER_LEFT, KEEPER_KILLED, KEEPER_NOT_YOURS, KEEPER_SILENT };
/* Returns when that one is inside no more, or it cannot be told to leave. A keeper that is stopped is continued; one that
 * says nothing all the same is not waited for longer than five seconds, and its number is in `keeper`, or 0. */
enum dismissal keeper_dismiss(admit_gate *gate, const admit_participant *one, long *keeper);

/* How long whoever is about to say that nothing is free looks for keepers that have yet to leave: that takes them a moment,
 * unless they are stopped. */
enum { KEEPER_LEAVES_MS = 1000 };
/* Whether a keeper has left whose process had ended, since this was called: then what was refused is worth another try. Waits
 * for it if there is one, up to this moment of CLOCK_MONOTONIC. (One of another pid or network namespace is not seen.) */
bool keeper_await_leaving(admit_gate *gate, const struct timespec *until);

#endif
