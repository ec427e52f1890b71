/* SPDX-License-Identifier: MIT
 *
 * admit enter - takes a slot for a shell, which has it for several commands until `admit leave`, or until it ends.
 *
 * It waits as `run` does. Then a process goes on in the background, the keeper, which is inside; and it leaves the hold to
 * the shell's process, which the gate knows by number and identity from then on. So:
 *
 *   - The shell ends, in whatever way, and the keeper gives the slot back; whatever has been forked by the shell has it
 *     no longer.
 *   - The keeper is killed, and the slot stays the shell's, as a command's does when `admit run` is killed: it comes back when
 *     the shell has ended, and no sooner, so that nobody is let in beside a script that believes to be inside. Nobody
 *     is left then who could take it back before.
 *
 * What the shell evaluates must fail where it has no slot, also if this process is killed: of no text at all `eval` would
 * make success. So the text begins with a line that is false, and what follows is true, or tells the exit status.
 */
#include "cli/gates/background.h"
#include "cli/gates/command.h"
#include "cli/gates/elsewhere.h"
#include "cli/gates/gates.h"
#include "cli/gates/inside.h"
#include "cli/gates/keeper.h"
#include "cli/gates/visit.h"

#include <admit.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit enter [-k K] [-w TIME | --try] [--pid PID] [-E CODE] [-q] [--log FILE] [--resize] [--mode MODE]\n"
    "                   [--capacity N] [--nested] GATE\n"
    "\n"
    "Waits for a slot at GATE, as 'admit run' does, for several commands of a script, and returns when the shell has\n"
    "it. The slot is the shell's until 'admit leave GATE', or until the shell has ended, however that comes; also if "
    "it has\n"
    "become something else by exec. Its subshells are inside with it, but do not hold the slot when it has ended.\n"
    "\n"
    "      --pid PID       the process that is to have it: $$ is the script, in its subshells too. Without this it is\n"
    "                      the process that called admit, past its subshells; not if sudo, timeout or the like stand\n"
    "                      between\n"
    "\n"
    "The other options are those of 'admit run'. What it prints sets ADMIT_SLOT, ADMIT_GATE and the others of 'admit\n"
    "run' in sh and its kin, and fails if there is no slot (so that -E 0 is refused):\n"
    "\n"
    "  slot=$(admit enter -k 1 --pid $$ db) && eval \"$slot\" || exit\n"
    "  ...\n"
    "  admit leave db\n"
    "\n"
    "On a terminal that text is not printed: a line says that the slot is held, and how to leave.\n"
    "\n"
    "A process of admit stays in the background meanwhile, and gives the slot back when the shell has ended, also if\n"
    "that was killed: the next holder is not told so by ADMIT_OWNER_DIED. If that process is killed, the slot stays\n"
    "the shell's until the shell has ended. With eval \"$(admit enter ...)\" || exit, which is shorter, the script goes on\n"
    "outside where admit is not there, or is killed before it could print anything: eval makes success of nothing.\n"
    "\n"
    "A script that is to be inside from beginning to end needs none of this. It begins with\n"
    "\n"
    "  [ \"${ADMIT_GATE-}\" = nightly ] || exec admit run -k 1 nightly -- \"$0\" \"$@\"\n"
    "  unset ADMIT_GATE\n"
    "\n"
    "Exit status: 0 inside, 75 --try and no slot, 124 the time is over, 125 anything else.\n";

struct request {
    struct visit visit;
    struct shell shell;
    bool found; /* without --pid */
};

/* --- what the shell evaluates --------------------------------------------------------------------------------------- */

/* Whether it ends with what has been said already; and whether it is at a terminal, where nobody evaluates it. */
static bool said, shown;

static void say_failed(int status)
{
    if (!said && !shown)
        printf("(exit %d)\n", status);
    said = true;
}

static void say_failed_at_exit(void)
{
    say_failed(usage_exit_status);
}

static void tell_status(void *data, int status)
{
    (void)data;
    say_failed(status);
}

/* Where a process that was found is not the shell that evaluates this, as with timeout(1) between them, that shell is not
 * inside, or not for long. */
static void write_whose(FILE *out, long pid)
{
    fprintf(out, "if test $$ != %ld; then\n", pid);
    fprintf(out, "echo \"admit enter: the slot is of process %ld, not of this shell, $$: say --pid \\$\\$\" >&2;\n",
            pid);
    fputs("(exit 125); else\n", out);
}

/* False: it is more than background_go_on takes. Each command ends with a semicolon, for those who forget the quotes. */
static bool write_text(const struct request *request, admit_gate *gate, const admit_hold *hold, char *text, size_t size)
{
    note_inside(gate, hold, false);
    memset(text, 0, size);
    FILE *out = fmemopen(text, size, "w");
    if (out == NULL)
        return false;
    if (request->found)
        write_whose(out, request->shell.pid);
    fputs(hold->owner_died ? "export ADMIT_OWNER_DIED=1;\n" : "unset ADMIT_OWNER_DIED;\n", out);
    fprintf(out, "export ADMIT_SLOT=%u ADMIT_TICKET=%llu ADMIT_GATE=", hold->slot, (unsigned long long)hold->ticket);
    print_quoted(out, request->visit.gate);
    fputs(" ADMIT_INSIDE=", out);
    print_quoted(out, getenv("ADMIT_INSIDE"));
    fputs(request->found ? ";\nfi\n" : "\n", out);
    return fclose(out) == 0 && text[strlen(text) - 1] == '\n';
}

/* --- beforehand ------------------------------------------------------------------------------------------------------ */

static void parse(struct request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "enter", .argc = argc, .argv = argv, .plain_max = 2};
    long pid = 0;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            said = true;
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (is_option(option, NULL, "--pid")) {
            pid = option_process(&arguments, option);
        } else if (strcmp(option, "--") == 0) {
            usage_error("enter", "no command stands here; with one it is admit run");
        } else if (!visit_option(&request->visit, &arguments, option)) {
            no_such_option("enter", option, help_text);
        }
    }
    const char *gate = plain_argument(&arguments, 0), *too_many = plain_argument(&arguments, 1);
    if (gate == NULL)
        usage_error("enter", "which gate?");
    refuse_elsewhere("enter", gate, "a hold of a shell");
    if (too_many != NULL)
        usage_error("enter", "'%s' is one argument too many; a command is run by admit run %s -- %s", too_many, gate,
                    too_many);
    if (request->visit.no_slot_status == 0)
        usage_error("enter", "-E 0: without a slot the script would go on as if it had one; any other number says so");
    shell_find(&request->shell, "enter", pid);
    request->found = pid == 0;
    request->visit.gate = gate;
    request->visit.for_whom = request->shell.words;
    visit_check(&request->visit);
}

/* --- for the shell --------------------------------------------------------------------------------------------------- */

static bool shell_is_inside(void *data, admit_gate *gate)
{
    const struct request *request = data;
    admit_participant found;
    for (long pid = request->shell.pid; pid > 0; pid = process_above(pid))
        if (keeper_find(gate, pid, NULL, &found))
            return true;
    return false;
}

static bool shell_wants(void *data)
{
    const struct request *request = data;
    if (shell_lives(&request->shell))
        return true;
    fprintf(stderr, "admit enter: process %ld has ended; its place at '%s' is given up\n", request->shell.pid,
            request->visit.gate);
    return false;
}

/* --- inside ---------------------------------------------------------------------------------------------------------- */

struct keeper {
    struct request *request;
    admit_gate *gate;
    admit_hold hold;
    int listening;
};

static void leave(struct keeper *keeper)
{
    log_left(&keeper->request->visit.stay, keeper->gate, -1);
    admit_gate_leave(keeper->gate, &keeper->hold);
    admit_gate_close(keeper->gate);
}

static _Noreturn void give_up(struct keeper *keeper, const char *what, const char *why)
{
    fprintf(stderr, "admit enter: %s: %s\n", what, why);
    leave(keeper);
    exit(usage_exit_status);
}

/* The socket comes first: whoever sees the shell inside finds it. A number of a process may be another's by now; but the
 * shell that lives afterwards is the one that was meant. */
static void hand_over(struct keeper *keeper)
{
    const struct shell *shell = &keeper->request->shell;
    keeper->listening = keeper_listen(keeper->gate, keeper->hold.ticket);
    if (keeper->listening < 0)
        give_up(keeper, "cannot make the socket by which 'admit leave' finds the slot", strerror(errno));
    admit_error error = admit_gate_bequeath_to_process(keeper->gate, &keeper->hold, shell->pid);
    if (!shell_lives(shell))
        give_up(keeper, "the process that was to have the slot", "has ended");
    if (error != ADMIT_OK)
        give_up(keeper, "the shell cannot have the slot", admit_last_error_text());
}

/* What would be printed for the shell goes nowhere: whoever only types this has a slot, and is to know just that. */
static void print_nothing(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0 && dup2(nothing, STDOUT_FILENO) == STDOUT_FILENO)
        close(nothing);
}

static void say_what_for(const struct request *request)
{
    char pid[32] = "";
    if (!request->found)
        snprintf(pid, sizeof pid, "--pid %ld ", request->shell.pid);
    fprintf(stderr,
            "admit enter: process %ld has a slot at '%s' until it ends or: admit leave %s%s\n"
            "(In a script, what is printed for eval says which: slot=$(admit enter ...) && eval \"$slot\" || exit)\n",
            request->shell.pid, request->visit.gate, pid, request->visit.gate);
}

/* From when the text is told on, no signal but SIGKILL ends it. */
static int keep(struct keeper *keeper)
{
    static char text[4096]; /* the stack may be small */
    hand_over(keeper);
    if (!write_text(keeper->request, keeper->gate, &keeper->hold, text, sizeof text))
        give_up(keeper, "what the shell is to be told", "is too long");
    int signal = signal_held();
    if (signal != 0) {
        say_failed(128 + signal);
        leave(keeper);
        exit_for_signal(signal);
    }
    if (shown && !keeper->request->visit.quiet)
        say_what_for(keeper->request);
    said = true;
    int connection = background_go_on(-1, text) ? keeper_stay(&keeper->request->shell, keeper->listening) : -1;
    leave(keeper);
    if (connection >= 0)
        keeper_tell_left(connection);
    return EXIT_OK;
}

static void print_beginning(void)
{
    static const char fails[] = "! :;\n";
    if (print_now(fails, strlen(fails)))
        return;
    fprintf(stderr, "admit enter: cannot print what the shell is to evaluate: %s\n", strerror(errno));
    exit(usage_exit_status);
}

int command_enter(int argc, char **argv)
{
    static struct request request; /* the stack may be small */
    struct keeper keeper = {.request = &request};
    request.visit = new_visit("enter");
    usage_exit_status = EXIT_OWN_FAILURE;
    shown = isatty(STDOUT_FILENO);
    atexit(say_failed_at_exit);
    parse(&request, argc, argv);
    request.visit.not_let_in = tell_status;
    request.visit.is_inside = shell_is_inside;
    request.visit.is_wanted = shell_wants;
    request.visit.data = &request;
    hold_signals();
    if (shown)
        print_nothing();
    said = true; /* by the parent, which ends without a word of its own */
    print_beginning();
    background_begin(&(struct background){.command = "enter",
                                          .what = "what the shell is to evaluate",
                                          .taken_back = "the slot is given back",
                                          .goes_on = "the shell has the slot all the same, until 'admit leave'",
                                          .goes_on_status = EXIT_OWN_FAILURE});
    said = false;
    keeper.gate = visit_enter(&request.visit, &keeper.hold);
    return keep(&keeper);
}
