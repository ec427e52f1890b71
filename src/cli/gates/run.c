/* SPDX-License-Identifier: MIT
 *
 * admit run - waits for a slot at a gate, runs a command there, exits with its status.
 *
 * This is the path that scripts take thousands of times: it reads no configuration, allocates little, and starts no
 * thread.
 */
#include "cli/gates/command.h"
#include "cli/gates/gates.h"
#include "cli/gates/inside.h"
#include "cli/gates/waiting_line.h"

#include <admit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char help_text[] =
    "usage: admit run [-k K] [-w TIME | --try] [-q] [--mode MODE] [--capacity N] [--children] [--nested]\n"
    "                 GATE -- COMMAND [ARG...]\n"
    "\n"
    "Waits until fewer than K commands are inside GATE, in the order of arrival, runs COMMAND, and exits with its\n"
    "status. The first caller makes the gate and says K; later ones may leave it out.\n"
    "\n"
    "  -k K            how many may be inside; refused if the gate has another number\n"
    "  -w TIME         wait no longer than this: seconds, or 500ms, 30s, 10m, 2h; 0 is not to wait\n"
    "  --try           do not wait\n"
    "  -q              say nothing about waiting, nor of a --mode or --capacity that the gate has not\n"
    "  --mode MODE     permissions of a gate that is made, in octal; 0600 if not given\n"
    "  --capacity N    how many can be inside and in line together, of a gate that is made\n"
    "  --children      what the command leaves running holds the slot too\n"
    "  --nested        allow it inside a command that is inside the same gate\n"
    "\n"
    "GATE is a name ([A-Za-z0-9._-], up to 64) in $ADMIT_DIR, or else in a directory of your own; with a slash it is\n"
    "the path of a file. The command sees ADMIT_GATE, ADMIT_SLOT (0 .. K-1, nobody else inside has it), ADMIT_TICKET,\n"
    "and ADMIT_OWNER_DIED=1 if whoever had the slot before died inside and nobody was left to give it back.\n"
    "\n"
    "Exit status: the command's, or 128 + the signal that ended it; 75 --try and no slot, 124 the time is over, 125 "
    "admit\n"
    "itself failed, 126 the command cannot be run, 127 it was not found.\n"
    "\n"
    "  admit run -k 2 demo -- sh -c 'echo $ADMIT_SLOT; sleep 1'\n";

struct request {
    const char *gate;
    char **command;
    unsigned k, capacity; /* 0: not given */
    unsigned mode;
    bool try, quiet, children, nested, limited;
    uint64_t wait_ns; /* if limited */
};

static void parse(struct request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "run", .argc = argc, .argv = argv, .plain_max = 2};
    for (const char *option; (option = next_option(&arguments)) != NULL && strcmp(option, "--") != 0;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (strcmp(option, "-k") == 0) {
            request->k = (unsigned)option_number(&arguments, option, 1, ADMIT_GATE_K_MAX);
        } else if (strcmp(option, "-w") == 0) {
            request->wait_ns = option_time(&arguments, option);
            request->limited = true;
        } else if (strcmp(option, "--try") == 0) {
            request->try = true;
        } else if (strcmp(option, "-q") == 0) {
            request->quiet = true;
        } else if (strcmp(option, "--mode") == 0) {
            request->mode = option_mode(&arguments, option);
        } else if (strcmp(option, "--capacity") == 0) {
            request->capacity = (unsigned)option_number(&arguments, option, 1, ADMIT_GATE_CAPACITY_MAX);
        } else if (strcmp(option, "--children") == 0) {
            request->children = true;
        } else if (strcmp(option, "--nested") == 0) {
            request->nested = true;
        } else {
            usage_error("run", "there is no option '%s'", option);
        }
    }
    request->gate = plain_argument(&arguments, 0);
    request->command = argv + arguments.at;
    if (arguments.plain_count == 0)
        usage_error("run", "which gate? GATE -- COMMAND is missing");
    if (arguments.plain_count > 1)
        usage_error("run", "'%s' comes after the gate; a command stands after '--': admit run %s -- %s",
                    plain_argument(&arguments, 1), plain_argument(&arguments, 0), plain_argument(&arguments, 1));
    if (arguments.at == argc)
        usage_error("run", "which command? It stands after the gate: admit run %s -- COMMAND", request->gate);
    if (request->try && request->limited)
        usage_error("run", "--try does not wait and -w does: which one?");
    if (request->capacity > 0 && request->k > request->capacity)
        usage_error("run", "-k %u is more than --capacity %u: so many can never be inside", request->k,
                    request->capacity);
}

static admit_gate *open_gate(const struct request *request)
{
    return admit_gate_open_with(
        request->gate, &(admit_gate_options){.k = request->k, .capacity = request->capacity, .mode = request->mode});
}

/* Two say another mode or capacity, and one of them made the gate: the other is told, and goes on. */
static void tell_what_is_ignored(const struct request *request, admit_gate *gate)
{
    char path[4096];
    struct stat status;
    if (request->mode != 0 && admit_gate_resolve(request->gate, path, sizeof path) == ADMIT_OK &&
        stat(path, &status) == 0 && (status.st_mode & 0777) != request->mode)
        fprintf(stderr, "admit run: gate '%s' has mode %04o; --mode is for a gate that is made\n", request->gate,
                status.st_mode & 0777);
    admit_view *view = request->capacity != 0 ? admit_gate_inspect(gate) : NULL;
    if (view != NULL && view->capacity != request->capacity)
        fprintf(stderr, "admit run: gate '%s' has room for %u; --capacity is for a gate that is made\n", request->gate,
                view->capacity);
    admit_view_free(view);
}

static _Noreturn void refuse_nested(const char *gate)
{
    fprintf(stderr, "admit run: this is inside '%s' already and could wait for itself for ever; --nested allows it\n",
            gate);
    exit(EXIT_OWN_FAILURE);
}

/* "sh -c true", as long as there is room: what `admit status` shows. */
static void describe(admit_gate *gate, char *const *command)
{
    char text[ADMIT_COMMAND_SIZE];
    size_t used = 0;
    for (; *command != NULL && used < sizeof text; command++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "", *command);
    admit_gate_describe(gate, text);
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

struct wait {
    const struct request *request;
    admit_gate *gate;
    struct waiting_line line;
    bool begun;
};

static admit_gate *waited_at;

static void interrupt(void)
{
    admit_gate_interrupt(waited_at);
}

/* The library calls this when the wait begins, and about twice a second. */
static int still_waiting(void *data, unsigned place)
{
    struct wait *wait = data;
    if (!wait->begun) {
        wait->begun = true;
        wait->line = (struct waiting_line){.gate = wait->request->gate, .since = time(NULL)};
        waited_at = wait->gate;
        let_signals_interrupt(interrupt);
    }
    if (!wait->request->quiet)
        waiting_line_show(&wait->line, place);
    return 0;
}

static struct timespec in_future(uint64_t ns)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    ns += (uint64_t)time.tv_nsec;
    time.tv_sec += (time_t)(ns / 1000000000);
    time.tv_nsec = (long)(ns % 1000000000);
    return time;
}

static admit_error try_then_wait(struct wait *wait, const struct timespec *until, admit_hold *hold)
{
    const struct request *request = wait->request;
    admit_error error = admit_gate_enter_with(wait->gate, hold, &(admit_wait){.only_if_free = 1, .record_since = 1});
    if ((error != ADMIT_NO_SLOT && error != ADMIT_FULL) || request->try)
        return error;
    if (!request->nested && inside_by_ancestry(wait->gate))
        refuse_nested(request->gate);
    return admit_gate_enter_with(
        wait->gate, hold,
        &(admit_wait){.until = until, .waiting = still_waiting, .data = wait, .interruptible = 1, .record_since = 1});
}

/* A gate that is removed before this process stands in line was nothing to it: the next one of this name is as
 * good, and if there is none it is made, or missed, as it would have been a moment later. One who has stood in line
 * learns that the line is gone. Nobody removes gates so fast that the number of attempts matters. */
enum { ATTEMPTS_MAX = 10000 };

static admit_error open_and_enter(struct wait *wait, const struct timespec *until, admit_hold *hold)
{
    const struct request *request = wait->request;
    for (unsigned attempt = 1;; attempt++) {
        admit_error error;
        wait->gate = open_gate(request);
        if (wait->gate == NULL) {
            error = admit_last_error();
        } else {
            if (!request->nested && inside_by_environment(wait->gate))
                refuse_nested(request->gate);
            if (!request->quiet && attempt == 1)
                tell_what_is_ignored(request, wait->gate);
            describe(wait->gate, request->command);
            error = try_then_wait(wait, until, hold);
        }
        if (error != ADMIT_REMOVED || wait->begun || attempt == ATTEMPTS_MAX)
            return error;
        admit_gate_close(wait->gate);
    }
}

/* Returns inside the gate, or not at all. */
static admit_gate *enter(const struct request *request, admit_hold *hold)
{
    struct wait wait = {.request = request};
    struct timespec until;
    if (request->limited)
        until = in_future(request->wait_ns);
    admit_error error = open_and_enter(&wait, request->limited ? &until : NULL, hold);
    if (wait.begun) {
        hold_signals_again();
        waiting_line_clear(&wait.line);
    }
    int signal = signal_held();
    if (error == ADMIT_OK && signal == 0)
        return wait.gate;
    if (error == ADMIT_OK)
        admit_gate_leave(wait.gate, hold);
    admit_gate_close(wait.gate);
    if (signal != 0)
        exit_for_signal(signal);
    if (error == ADMIT_FULL) /* which is the same to a command: it cannot go in now */
        error = ADMIT_NO_SLOT;
    if (error != ADMIT_NO_SLOT && error != ADMIT_TIMED_OUT)
        gate_error("run", request->gate, error);
    if (!request->quiet)
        fprintf(stderr, "admit run: %s at '%s'\n",
                error == ADMIT_NO_SLOT ? "no slot is free" : "the time is over, and no slot was free", request->gate);
    exit(error == ADMIT_NO_SLOT ? EXIT_TRY_AGAIN : EXIT_TIMED_OUT);
}

/* --- inside ------------------------------------------------------------------------------------------------------- */

static void set_number(const char *name, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    setenv(name, text, 1);
}

static void set_environment(const struct request *request, const admit_gate *gate, const admit_hold *hold)
{
    setenv("ADMIT_GATE", request->gate, 1);
    set_number("ADMIT_SLOT", hold->slot);
    set_number("ADMIT_TICKET", hold->ticket);
    if (hold->owner_died)
        setenv("ADMIT_OWNER_DIED", "1", 1);
    else
        unsetenv("ADMIT_OWNER_DIED");
    note_inside(gate, hold);
}

struct slot {
    admit_gate *gate;
    admit_hold hold;
    admit_error error; /* of the command's process, which has this memory too until it becomes the command */
};

/* Called in the command's process, before it becomes the command. */
static bool own_slot(void *data)
{
    struct slot *slot = data;
    slot->error = admit_gate_inherit(slot->gate, &slot->hold);
    return slot->error == ADMIT_OK;
}

/* Only one that knows why it could not: whoever was killed meanwhile has nothing to say. */
static void say_why_not_owned(admit_error error)
{
    if (error == ADMIT_UNSUPPORTED)
        fputs("admit run: the command would be in another pid namespace than admit, where its end cannot be seen: let "
              "admit "
              "be started there (unshare --fork), or say --children\n",
              stderr);
    else if (error != ADMIT_OK)
        fprintf(stderr, "admit run: the command cannot have the slot: %s\n", admit_error_message(error));
}

int command_run(int argc, char **argv)
{
    struct request request = {0};
    struct slot slot = {.error = ADMIT_OK};
    usage_exit_status = EXIT_OWN_FAILURE;
    parse(&request, argc, argv);
    hold_signals();
    slot.gate = enter(&request, &slot.hold);
    set_environment(&request, slot.gate, &slot.hold);
    if (request.children)
        adopt_children();
    int status = EXIT_OWN_FAILURE;
    if (admit_gate_bequeath(slot.gate, &slot.hold, request.children) != ADMIT_OK)
        gate_error("run", request.gate, admit_last_error());
    pid_t pid = start_command(request.command, own_slot, &slot, &status);
    if (pid > 0)
        status = wait_for_command(pid, request.children);
    else
        say_why_not_owned(slot.error);
    admit_gate_leave(slot.gate, &slot.hold);
    admit_gate_close(slot.gate);
    if (status > 128)
        exit_for_signal(status - 128);
    return status;
}
