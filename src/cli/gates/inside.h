/* SPDX-License-Identifier: MIT
 *
 * inside.h - whether this process is inside a gate already, as part of a command that `admit run` started, or of a
 * shell for which `admit enter` took a slot: to wait there again would be to wait for oneself.
 */
#ifndef ADMIT_CLI_GATES_INSIDE_H
#define ADMIT_CLI_GATES_INSIDE_H

#include <admit.h>
#include <stdbool.h>
#include <stdint.h>

/* Puts it into ADMIT_INSIDE of this process, for the command or the shell, and what that starts. children: what the command
 * leaves running is waited for. */
void note_inside(admit_gate *gate, const admit_hold *hold, bool children);

/* For a command that goes on in the background: it is inside of nothing any more, unless it is waited for there. */
void note_detached(void);

/* Costs nothing where neither such a command nor such a shell is above. A process that was inside and has left is not, whatever its environment
 * says. With which ticket it went in last, if that is wanted. */
bool inside_by_environment(admit_gate *gate, uint64_t *ticket);
/* In such a way that what is left running there is waited for. */
bool inside_with_children(admit_gate *gate);
/* As a job of a build that has this gate for its pool. */
bool inside_pool(const admit_gate *gate);

/* This process, as a command, or an ancestor of it holds a slot. Slower, and needs no environment: for those about to
 * wait. */
bool inside_by_ancestry(admit_gate *gate);

#endif
