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

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* From here on signals wait until they are asked for: nothing ends admit between the slot and the command. */
void hold_signals(void);
/* Until they are held again, each does what it would have done before. */
void let_signals_be(void);
/* Until they are held again, a signal that would end the process calls `interrupt`, at any moment. */
void let_signals_interrupt(void (*interrupt)(void));
void hold_signals_again(void);
/* A signal that would end the process and has come meanwhile, in either way; or 0. It is taken. */
int signal_held(void);

/* For a process that only waits for another: of the signals those alone are held that would end it. */
void hold_only_signals_that_end(sigset_t *held);
/* What was sent to this process by another is sent to `pid`, too, which has from the terminal what came from there. */
void pass_signal_on(const siginfo_t *info, pid_t pid);

/* Ends as others expect of a process that this signal ended. Ctrl-C at a keyboard ends by the signal itself, so that a
 * shell's loop ends too; all else by 128 + signal. */
_Noreturn void exit_for_signal(int signal);

/* Starts argv in a new process, which calls `own` first, with its memory shared with this one, and does not run the
 * command if that says false. Returns the process, or -1: then *status is what to exit with, and why has been said, by the
 * sub-command `by`. */
pid_t start_command(const char *by, char **argv, bool (*own)(void *context), void *context, int *status);

/* Why exec could not run it. */
void tell_not_run(const char *by, const char *command, int error);

struct how_it_runs {
    bool children;  /* it has ended when no process that descends from it is left: call adopt_children before */
    bool own_group; /* it leads a process group, which is sent what it is sent, and ended with it; SIGTERM ends it, as a
                          limit does */
    uint64_t limit_ns;                /* after which it is sent SIGTERM, and five seconds later SIGKILL; 0: none */
    void (*time_is_over)(void *data); /* called when the limit ends it; NULL: not */
    /* In nanoseconds, how long it may run still unless that becomes longer, which it may at any time; NULL: there is no such
     * end. When that is less than term_ns it is sent SIGTERM, and from kill_ns on SIGKILL. */
    int64_t (*time_left)(void *data);
    int64_t term_ns, kill_ns;
    void (*is_too_late)(void *data); /* called when that ends it */
    void (*stops)(void *data);       /* called when this process is about to stop with it, as at Ctrl-Z; NULL: not */
    void *data;
};

/* Returns the command's exit status, or 128 + the signal that ended it; if that was a limit, the last that was sent; or what
 * `admit run` exits with if it fails itself, if there was no time left. */
int wait_for_command(pid_t pid, const struct how_it_runs *how);
void adopt_children(void);

/* The same for one that waits for other things too: a descriptor that can be read when a signal has come, and what is done
 * then. */
enum { TOLD_MAX = 256 };
struct running {
    const struct how_it_runs *how;
    pid_t pid;
    int status;            /* once it has ended itself; -1: it has not */
    int sent;              /* the signal by which it is ended, or 0 */
    bool too_late;         /* that was so since there was no time left */
    bool limited;          /* its time is over then: */
    struct timespec until; /* a moment of CLOCK_MONOTONIC */
    pid_t told[TOLD_MAX];  /* of its children, those that were sent SIGTERM; what has no room is sent another */
    unsigned told_count;
    bool group_told; /* all of its group at once */
};
int held_signals_descriptor(void);
/* Of all that have come. Returns whether there is nothing left to wait for. */
bool take_held_signals(struct running *running);
bool has_ended(const struct running *running);

#endif
