/* SPDX-License-Identifier: MIT
 *
 * admit leave - gives back the slot that `admit enter` has taken for a shell.
 *
 * Whose slot it is, is told by who called: the nearest process above this one for which a keeper is inside. The environment
 * matters only where that one has several slots; a script may have cleared it, or never have read what `enter` printed.
 */
#include "cli/gates/elsewhere.h"
#include "cli/gates/gates.h"
#include "cli/gates/inside.h"
#include "cli/gates/keeper.h"

#include <admit.h>
#include <stdio.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit leave [--pid PID] GATE\n"
    "\n"
    "Gives back the slot at GATE that 'admit enter' has taken for the shell from which this is called, or for the\n"
    "nearest process above that. If it has taken several, it is the one of which ADMIT_INSIDE tells, or which was "
    "taken\n"
    "last. When it returns, the slot is free, or the next one's. ADMIT_SLOT and the other variables stay as they are.\n"
    "\n"
    "      --pid PID       the slot of process PID, wherever this is called\n"
    "\n"
    "The exit status is 1 if there is no such slot, or if the process that kept it has been killed: then the slot "
    "comes\n"
    "back when the shell has ended, and not before. If that process is stopped, it is continued; if it does not "
    "answer\n"
    "for five seconds all the same, as where it is frozen, the shell has the slot still, and the exit status is 1.\n"
    "\n"
    "  admit leave db\n";

enum { EXIT_NOT_INSIDE = 1 };

/* Of several that one process has, each of its subshells may have gone in for itself: that one's own is meant then. */
static bool find(admit_gate *gate, long pid, admit_participant *found)
{
    uint64_t ticket;
    const uint64_t *own = inside_by_environment(gate, &ticket) ? &ticket : NULL;
    if (pid != 0)
        return keeper_find(gate, pid, own, found);
    for (pid = getpid(); pid > 0; pid = process_above(pid)) /* a shell may have become this process by exec */
        if (keeper_find(gate, pid, own, found))
            return true;
    return false;
}

static int tell_not_inside(const char *name, long pid)
{
    if (pid != 0)
        fprintf(stderr, "admit leave: process %ld is not inside '%s' by 'admit enter'\n", pid, name);
    else
        fprintf(stderr,
                "admit leave: no process from which this is called is inside '%s' by 'admit enter'; --pid PID says "
                "another\n",
                name);
    return EXIT_NOT_INSIDE;
}

static int dismiss(admit_gate *gate, const char *name, const admit_participant *one)
{
    long keeper;
    switch (keeper_dismiss(gate, one, &keeper)) {
    case KEEPER_LEFT:
        return EXIT_OK;
    case KEEPER_KILLED:
        fprintf(stderr,
                "admit leave: what kept the slot at '%s' has been killed: it comes back when process %ld has ended\n",
                name, one->pid);
        return EXIT_NOT_INSIDE;
    case KEEPER_NOT_YOURS:
        fprintf(stderr, "admit leave: the slot at '%s' is kept by another user\n", name);
        return EXIT_NOT_INSIDE;
    case KEEPER_SILENT:
        fprintf(stderr, "admit leave: what keeps the slot at '%s'", name);
        if (keeper != 0)
            fprintf(stderr, ", process %ld,", keeper);
        fprintf(stderr, " does not answer, as if it were frozen: process %ld has the slot still\n", one->pid);
    }
    return EXIT_NOT_INSIDE;
}

int command_leave(int argc, char **argv)
{
    struct arguments arguments = {.command = "leave", .argc = argc, .argv = argv, .plain_max = 1};
    admit_participant found;
    long pid = 0;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (is_option(option, NULL, "--pid")) {
            pid = option_process(&arguments, option);
        } else {
            no_such_option("leave", option, help_text);
        }
    }
    const char *name = plain_argument(&arguments, 0);
    if (name == NULL)
        usage_error("leave", "which gate?");
    refuse_elsewhere("leave", name, "a hold of a shell");
    admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
    if (gate == NULL)
        gate_error("leave", name, admit_last_error());
    int status = find(gate, pid, &found) ? dismiss(gate, name, &found) : tell_not_inside(name, pid);
    admit_gate_close(gate);
    return status;
}
