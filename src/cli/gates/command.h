/* SPDX-License-Identifier: MIT
 *
 * command.h - a command as `admit run` runs it: started, sent signals, stopped and continued with the terminal's job,
 * waited for. Nothing here knows of gates.
 *
 * The command stays in admit's process group and has its terminal, stdin, stdout and stderr. What the terminal sends
 * (Ctrl-C, Ctrl-Z) it therefore gets by itself; what others send to admit is sent on, and so is a hang-up of the
 * terminal, if admit leads its session.
 */
#ifndef ADMIT_CLI_GATES_COMMAND_H
#define ADMIT_CLI_GATES_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* From here on signals wait until they are asked for: nothing ends admit between the slot and the command. */
void hold_signals(void);
/* Until they are held again, a signal that would end the process calls `interrupt`, at any moment. */
void let_signals_interrupt(void (*interrupt)(void));
void hold_signals_again(void);
/* A signal that would end the process and has come meanwhile, in either way; or 0. It is taken. */
int signal_held(void);

/* Ends as others expect of one whom this signal ended. Ctrl-C at a keyboard ends by the signal itself, so that a
 * shell's loop ends too; all else by 128 + signal. */
_Noreturn void exit_for_signal(int signal);

/* Starts argv in a new process, which calls `own` first, with its memory shared with this one, and does not run the
 * command if that says false. Returns the process, or -1: then *status is what to exit with, and why has been said. */
pid_t start_command(char **argv, bool (*own)(void *context), void *context, int *status);

/* Returns the command's exit status, or 128 + the signal that ended it. With `children`, once no process that descends
 * from the command is left either; call adopt_children before the command is started. limit_ns: after this time it is
 * sent SIGTERM, five seconds later SIGKILL, and with it, if `children`, what is left of it; the status is then 128 + the
 * last of the two that was sent. 0: no limit. */
int wait_for_command(pid_t pid, bool children, uint64_t limit_ns);
void adopt_children(void);

#endif
