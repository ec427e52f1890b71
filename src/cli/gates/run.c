/* SPDX-License-Identifier: MIT
 *
 * admit run - waits for a slot at a gate, runs a command there, exits with its status.
 *
 * This is the path that scripts take thousands of times: it reads no configuration, allocates little, and starts no
 * thread.
 */
#include "cli/gates/command.h"
#include "cli/gates/elsewhere.h"
#include "cli/gates/gates.h"
#include "cli/gates/inside.h"
#include "cli/gates/slot_env.h"
#include "cli/gates/submission.h"
#include "cli/gates/visit.h"

#include <admit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit run [-k K] [-w TIME | --try] [-b [-o FILE]] [-E CODE] [-q] [--limit TIME]\n"
    "                 [--log FILE] [--slot-env VAR=LIST]... [--resize] [--ttl TIME] [--mode MODE] [--capacity N]\n"
    "                 [--children] [--nested] GATE -- COMMAND [ARG...]\n"
    "\n"
    "Waits until fewer than K commands are inside GATE, in the order of arrival, runs COMMAND, and exits with its\n"
    "status. The first caller makes the gate and says K; later ones may leave it out.\n"
    "\n"
    "  -k, --slots K       how many may be inside; 'cores': as many as this process may use. Refused if the gate was\n"
    "                      declared with another number and has another one now\n"
    "      --resize        give the gate this many, for everybody\n"
    "  -w, --wait TIME     wait no longer than this: seconds, or 500ms, 30s, 1m30s, 2h, 1d;\n"
    "                      0 is not to wait\n"
    "      --try           do not wait\n"
    "  -b, --background    return as soon as the place in line is drawn, and print the job's id: @17 or so, for\n"
    "                      'admit wait', 'cancel', 'output' and 'jobs'. The job outlives the shell, as with nohup. "
    "Also\n"
    "                      from inside GATE, for what is to come after: do not wait for it there\n"
    "  -o, --output FILE   append what such a job prints to FILE, in whose name %j is the id's number; without this\n"
    "                      'admit output' shows it, for a day after the end\n"
    "  -E, --conflict-exit-code CODE\n"
    "                      the status if the time is over or there is no slot, instead of 124 and 75\n"
    "  -q, --quiet         say nothing of waiting and --limit, nor that the gate has another --mode or --capacity\n"
    "      --limit TIME    end the command after this time, and say so: SIGTERM, and SIGKILL five seconds later; with\n"
    "                      --children or -b what it has started, too, such as the program that a script waits for\n"
    "      --log FILE      append a line of JSON for each wait, entry, exit and recovery to FILE, for 'admit report';\n"
    "                      without it, to the file that ADMIT_LOG names, if it is set\n"
    "      --slot-env VAR=A,B,C or VAR=NUMBER+\n"
    "                      the command sees in VAR the element that goes with its slot, or NUMBER + its slot; K is "
    "the\n"
    "                      length of the list if it is left out. No ranges: 0,1,2,3 and not 0-3;\n"
    "                      PORT=8000+ counts up, PORT=8000 is a list of one element\n"
    "      --ttl TIME      how long the lease of a gate on etcd is; 10 s if not given. So long after it was cut off, "
    "the\n"
    "                      slot of a machine comes back\n"
    "      --mode MODE     permissions of a gate that is made, in octal; 0600 if not given\n"
    "      --capacity N    how many can be inside and in line together, of a gate that is made; if not given, 256, "
    "with\n"
    "                      -b 1024, or twice K if that is more\n"
    "      --children      what the command leaves running holds the slot too\n"
    "      --nested        allow it inside a command that is inside the same gate\n"
    "\n"
    "GATE is a name ([A-Za-z0-9._-], up to 64) in $ADMIT_DIR, or else in a directory of your own; with a slash it is\n"
    "the path of a file; etcd://HOST:PORT,.../NAME, or etcd:NAME with $ADMIT_ETCD, is one of several machines. The\n"
    "command sees ADMIT_GATE, ADMIT_SLOT (0 .. K-1, nobody else inside has it), ADMIT_TICKET, and ADMIT_OWNER_DIED=1\n"
    "if the process that had the slot before died inside and nobody was left to give it back.\n"
    "\n"
    "Exit status: the command's, or 128 + the signal that ended it (with --limit, that admit ended it with); 75 --try\n"
    "and no slot, 124 the time is over, 125 admit itself failed, 126 the command cannot be run, 127 it was not found.\n"
    "\n"
    "  admit run -k 2 demo -- sh -c 'echo $ADMIT_SLOT; sleep 1'\n"
    "  for i in 1 2 3; do admit run -b -k 2 queue -- ./job $i; done; admit wait queue\n"
    "  admit run --slot-env CUDA_VISIBLE_DEVICES=0,1,3 gpu -- ./train\n";

struct request {
    struct visit visit;
    struct slot_env slot_env;
    char **command;
    bool children, background;
    const char *output; /* of a job in the background; NULL: admit keeps it */
    uint64_t limit_ns;  /* 0: none */
};

/* Whoever queues a night's work is to have the shell back: it waits as soon as there is no place in line. */
static unsigned room_for_a_queue(unsigned k)
{
    enum { QUEUE = 1024 };
    return 2 * k > QUEUE ? 2 * k : QUEUE;
}

/* Whoever means the process or the time by another letter would have a file of that name. */
static void check_output(const char *output)
{
    for (const char *at = strchr(output, '%'); at != NULL; at = strchr(at + 2, '%'))
        if (at[1] != 'j' && at[1] != '%')
            usage_error("run", "-o %s: there is %%j, the number of the job, and %%%% for a percent sign, and no other",
                        output);
}

/* By another thread. The one that waits for the command looks at the time that is left when a signal comes. */
static void wake(void *data)
{
    (void)data;
    kill(getpid(), SIGCHLD);
}

static void parse(struct request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "run", .argc = argc, .argv = argv, .plain_max = argc};
    for (const char *option; (option = next_option(&arguments)) != NULL && strcmp(option, "--") != 0;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (is_option(option, NULL, "--children")) {
            request->children = true;
        } else if (is_option(option, "-b", "--background")) {
            request->background = true;
        } else if (is_option(option, "-o", "--output")) {
            request->output = option_value(&arguments, option);
        } else if (is_option(option, NULL, "--limit")) {
            request->limit_ns = option_time(&arguments, option);
            if (request->limit_ns == 0)
                usage_error("run", "--limit 0: the command could not run at all");
        } else if (is_option(option, NULL, "--slot-env")) {
            slot_env_add(&request->slot_env, "run", option_value(&arguments, option));
        } else if (!visit_option(&request->visit, &arguments, option)) {
            if (plain_argument(&arguments, 1) != NULL)
                break; /* of a command that stands too early */
            no_such_option("run", option, help_text);
        }
    }
    const char *gate = plain_argument(&arguments, 0), *too_early = plain_argument(&arguments, 1);
    request->command = argv + arguments.at;
    if (gate == NULL)
        usage_error("run", "which gate? GATE -- COMMAND is missing");
    if (too_early != NULL)
        usage_error("run", "'%s' comes after the gate; a command stands after '--': admit run %s -- %s", too_early,
                    gate, too_early);
    if (arguments.at == argc)
        usage_error("run", "which command? It stands after the gate: admit run %s -- COMMAND", gate);
    const struct slot_variable *list = slot_env_list(&request->slot_env, "run", request->visit.k);
    if (list != NULL) {
        request->visit.list = list->name;
        request->visit.cut = list->cut;
        request->visit.resources = list->length;
        if (request->visit.k == 0 && !request->visit.quiet)
            slot_env_tell_odd(&request->slot_env, "run");
        if (request->visit.k == 0)
            request->visit.k = list->length;
    }
    if (request->output != NULL && !request->background)
        usage_error("run", "-o is for a job in the background: either -b, or > %s of your shell", request->output);
    if (request->output != NULL)
        check_output(request->output);
    if (request->background && request->visit.timed_out_status == 0)
        usage_error("run", "-E 0 with -b: a job that never began would count as done");
    request->visit.gate = gate;
    if (request->children)
        refuse_elsewhere("run", gate, "--children");
    request->visit.for_whom = request->command;
    request->visit.lost = wake;
    request->visit.detached = request->background;
    if (request->background)
        request->visit.room = room_for_a_queue(request->visit.k);
    visit_check(&request->visit);
}

/* --- inside ------------------------------------------------------------------------------------------------------- */

static void set_number(const char *name, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    setenv(name, text, 1);
}

static void set_environment(const char *name, admit_gate *gate, const admit_hold *hold, bool children)
{
    setenv("ADMIT_GATE", name, 1);
    set_number("ADMIT_SLOT", hold->slot);
    set_number("ADMIT_TICKET", hold->ticket);
    if (admit_gate_token(gate, hold) != 0)
        set_number("ADMIT_TOKEN", admit_gate_token(gate, hold));
    else
        unsetenv("ADMIT_TOKEN");
    if (hold->owner_died)
        setenv("ADMIT_OWNER_DIED", "1", 1);
    else
        unsetenv("ADMIT_OWNER_DIED");
    note_inside(gate, hold, children);
}

struct slot {
    struct visit *visit;
    admit_gate *gate;
    admit_hold hold;
    pid_t admit;       /* this process */
    admit_error error; /* of the command's process, which has this memory too until it becomes the command */
    struct submission *submission; /* NULL: in the foreground */
};

/* On etcd nobody inherits: the command ends with the process that keeps the lease. */
static admit_error end_with_admit(const struct slot *slot)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return ADMIT_SYSTEM;
    return getppid() == slot->admit ? ADMIT_OK : ADMIT_NOT_HOLDING;
}

/* Called in the command's process, before it becomes the command. */
static bool own_slot(void *data)
{
    struct slot *slot = data;
    slot->error = is_elsewhere(slot->visit->gate) ? end_with_admit(slot) : admit_gate_inherit(slot->gate, &slot->hold);
    if (slot->error == ADMIT_OK && slot->submission != NULL)
        submission_begins(slot->submission, &slot->hold);
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

/* A gate that has grown while this process waited may have more slots than a list has elements. */
static bool set_resource(const struct request *request, unsigned slot)
{
    const char *lacking;
    if (slot_env_set(&request->slot_env, slot, &lacking))
        return true;
    fprintf(stderr, "admit run: gate '%s' has a slot %u now, for which --slot-env %s has no element\n",
            request->visit.gate, slot, lacking);
    return false;
}

static void say_time_is_over(void *data)
{
    const struct slot *slot = data;
    slot->visit->stay.why = "limit";
    if (!slot->visit->quiet)
        fputs("admit run: the time of --limit is over: the command is ended\n", stderr);
}

static int64_t time_left(void *data)
{
    const struct slot *slot = data;
    return admit_gate_time_left(slot->gate, &slot->hold);
}

/* Never quiet: what the command has done may be half of something. */
static void say_lease_ends(void *data)
{
    const struct slot *slot = data;
    slot->visit->stay.why = "lost";
    if (time_left(data) > 0)
        fprintf(stderr,
                "admit run: the lease at '%s' is about to end, since it could not be renewed: the command is ended\n",
                slot->visit->gate);
    else
        fprintf(stderr,
                "admit run: the lease at '%s' is over: the command is killed, and may have run beside another\n",
                slot->visit->gate);
}

/* As long as renewals are answered there is always more than half of the lease left. */
static struct how_it_runs how_it_runs(const struct request *request, struct slot *slot)
{
    enum { DEFAULT_TTL = 10 };
    const int64_t ttl_ns = (request->visit.ttl != 0 ? request->visit.ttl : DEFAULT_TTL) * INT64_C(1000000000);
    return (struct how_it_runs){.children = request->children,
                                .own_group = slot->submission != NULL,
                                .limit_ns = request->limit_ns,
                                .time_is_over = say_time_is_over,
                                .time_left = is_elsewhere(request->visit.gate) ? time_left : NULL,
                                .term_ns = ttl_ns * 3 / 10,
                                .kill_ns = ttl_ns / 10,
                                .is_too_late = say_lease_ends,
                                .data = slot};
}

static int run_inside(struct request *request, struct slot *slot)
{
    int status = EXIT_OWN_FAILURE;
    if (!set_resource(request, slot->hold.slot))
        return status;
    set_environment(request->visit.gate, slot->gate, &slot->hold, request->children);
    if (request->children)
        adopt_children();
    if (!is_elsewhere(request->visit.gate) &&
        admit_gate_bequeath(slot->gate, &slot->hold, request->children) != ADMIT_OK) {
        tell_gate_error("run", request->visit.gate, admit_last_error());
        return status;
    }
    slot->admit = getpid();
    pid_t pid = start_command("run", request->command, own_slot, slot, &status);
    const struct how_it_runs how = how_it_runs(request, slot);
    if (pid > 0)
        return wait_for_command(pid, &how);
    say_why_not_owned(slot->error);
    return status;
}

/* Known only now, as of a process that was stopped for as long as the lease lasts. */
static int say_lost(struct visit *visit, int status)
{
    if (status != EXIT_OWN_FAILURE)
        fprintf(stderr,
                "admit run: the lease at '%s' was over before the command ended (status %d): it may have run beside "
                "another\n",
                visit->gate, status);
    return EXIT_OWN_FAILURE;
}

int command_run(int argc, char **argv)
{
    struct request request = {.visit = new_visit("run")};
    struct slot slot = {.visit = &request.visit};
    struct submission submission = {0};
    usage_exit_status = EXIT_OWN_FAILURE;
    parse(&request, argc, argv);
    hold_signals();
    if (request.background) {
        slot.submission = &submission;
        submit(&submission, &request.visit, request.output);
        note_detached();
    }
    slot.gate = visit_enter(&request.visit, &slot.hold);
    int status = run_inside(&request, &slot);
    if (request.background)
        submission_ends(&submission, status);
    log_left(&request.visit.stay, slot.gate, status);
    if (admit_gate_leave(slot.gate, &slot.hold) == ADMIT_LOST)
        status = say_lost(&request.visit, status);
    admit_gate_close(slot.gate);
    slot_env_close(&request.slot_env);
    if (status > 128)
        exit_for_signal(status - 128);
    return status;
}
