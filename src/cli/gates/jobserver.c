/* SPDX-License-Identifier: MIT
 *
 * admit jobserver - one pool of jobs for all builds: waits for a slot at a gate, runs a build there, and gives it tokens by
 * make's jobserver protocol, for each of which a slot is held.
 *
 * The build's first job needs no token: the slot that was waited for is that one's. pool.c has the others.
 */
#include "cli/gates/build_tool.h"
#include "cli/gates/command.h"
#include "cli/gates/elsewhere.h"
#include "cli/gates/gates.h"
#include "cli/gates/inside.h"
#include "cli/gates/makeflags.h"
#include "cli/gates/pool.h"
#include "cli/gates/visit.h"

#include <admit.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit jobserver [-k K] [--pipe | --fifo] [-w TIME | --try] [-E CODE] [-q] [--log FILE]\n"
    "                       [--resize] [--mode MODE] [--capacity N] GATE -- COMMAND [ARG...]\n"
    "\n"
    "Runs a build. Its jobs, and those of all other builds that are run so, are never more than the K slots of GATE.\n"
    "Builds take turns, job by job. COMMAND is make, cargo, ninja (1.13 or later), or what starts them.\n"
    "\n"
    "  -k, --slots K       how many jobs there may be in all; 'cores': as many as this process may use\n"
    "      --pipe          give the build its tokens by two pipes, so that each comes back here: fair job by job.\n"
    "                      Without this it is so unless the build takes them from a fifo only\n"
    "      --fifo          give them by a named pipe: for ninja, which is given one anyhow, where something else "
    "starts\n"
    "                      it; not for make before 4.4\n"
    "  -w, --wait TIME     wait no longer than this for the first slot: seconds, or 500ms, 30s, 1m30s, 2h, 1d\n"
    "      --try           do not wait for it\n"
    "  -E, --conflict-exit-code CODE\n"
    "                      the status if the time is over or there is no slot, instead of 124 and 75\n"
    "  -q, --quiet         say nothing about waiting; nor of what is left out of the environment\n"
    "      --log FILE      append a line of JSON to FILE for each slot that is taken or given back\n"
    "      --resize, --mode MODE, --capacity N\n"
    "                      as for 'admit run'\n"
    "\n"
    "A build holds one slot as long as it lives, and one more for each further job: with three builds at K = 2 the\n"
    "third begins when one of the others has ended. A number of jobs in COMMAND (-j) is refused, since it makes a pool "
    "of\n"
    "its own; one in MAKEFLAGS or CMAKE_BUILD_PARALLEL_LEVEL is left out. Inside a build that is in the same pool "
    "COMMAND\n"
    "is run in that.\n"
    "\n"
    "Exit status: the command's, or 128 + the signal that ended it; 75 --try and no slot, 124 the time is over, 125 "
    "admit\n"
    "itself failed, 126 the command cannot be run, 127 it was not found.\n"
    "\n"
    "  admit jobserver -k 8 builds -- make\n"
    "  admit jobserver builds -- cargo build\n";

enum way { BY_COMMAND, BY_PIPE, BY_FIFO };

struct build {
    struct visit visit;
    char **words;
    enum way way;
    admit_hold hold; /* for the job that needs no token, unless */
    bool borrowed;   /* that is the one of which this process is a part */
    struct tokens tokens;
    struct pool pool;
    pid_t wrapper;
    const char *failure; /* of the command's process, which has this memory until it becomes the command */
};

/* --- what is wanted ------------------------------------------------------------------------------------------------- */

static void check_command(const struct build *build)
{
    const char *jobs = build_says_jobs(build->words);
    char *const *command = build_command(build->words);
    const char *name = command != NULL ? command[0] : build->words[0];
    char version[64];
    if (jobs != NULL)
        usage_error(
            "jobserver",
            "%s: with '%s' it would make a pool of its own, beside that of '%s': leave it out; -k of admit says "
            "how many jobs there may be",
            name, jobs, build->visit.gate);
    const char *old = build_too_old(build->words, version);
    if (old != NULL)
        usage_error("jobserver",
                    "%s: ninja %s takes no part in a pool of jobs, and would start as many as it likes; ninja 1.13 or "
                    "later takes part",
                    name, old);
    if (build->way == BY_PIPE && build_needs_fifo(build->words))
        usage_error("jobserver", "--pipe: %s takes tokens from a fifo only", name);
    const char *make = build->way == BY_FIFO ? build_takes_no_fifo(build->words, version) : NULL;
    if (make != NULL)
        usage_error("jobserver",
                    "--fifo: %s is GNU make %s, which takes no tokens from a fifo; make 4.4 or later does: leave "
                    "--fifo out",
                    name, make);
}

/* Each build takes part with as many as it has had slots at most, and two more, until it ends: so that a dozen can. */
static unsigned room_for_builds(unsigned k)
{
    enum { BUILDS = 12, LEAST = 256 };
    const unsigned room = BUILDS * (k + 2);
    return room < LEAST ? LEAST : room > ADMIT_GATE_CAPACITY_MAX ? ADMIT_GATE_CAPACITY_MAX : room;
}

static void choose(struct build *build, enum way way)
{
    if (build->way != BY_COMMAND && build->way != way)
        usage_error("jobserver", "--pipe and --fifo: which one?");
    build->way = way;
}

static void parse(struct build *build, int argc, char **argv)
{
    struct arguments arguments = {.command = "jobserver", .argc = argc, .argv = argv, .plain_max = argc};
    for (const char *option; (option = next_option(&arguments)) != NULL && strcmp(option, "--") != 0;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            exit(EXIT_OK);
        } else if (is_option(option, NULL, "--pipe")) {
            choose(build, BY_PIPE);
        } else if (is_option(option, NULL, "--fifo")) {
            choose(build, BY_FIFO);
        } else if (is_option(option, NULL, "--nested") || !visit_option(&build->visit, &arguments, option)) {
            if (plain_argument(&arguments, 1) != NULL)
                break; /* of a command that stands too early */
            no_such_option("jobserver", option, help_text);
        }
    }
    const char *gate = plain_argument(&arguments, 0), *too_early = plain_argument(&arguments, 1);
    build->words = argv + arguments.at;
    if (gate == NULL)
        usage_error("jobserver", "which gate? GATE -- COMMAND is missing");
    if (too_early != NULL)
        usage_error("jobserver", "'%s' comes after the gate; a command stands after '--': admit jobserver %s -- %s",
                    too_early, gate, too_early);
    if (arguments.at == argc)
        usage_error("jobserver", "which command? It stands after the gate: admit jobserver %s -- make", gate);
    refuse_elsewhere("jobserver", gate, "a pool of jobs");
    build->visit.gate = gate;
    build->visit.for_whom = build->words;
    build->visit.room = room_for_builds(build->visit.k);
    check_command(build);
    visit_check(&build->visit);
}

/* --- inside a build of the same pool -------------------------------------------------------------------------------- */

/* ADMIT_POOL is DEVICE:INODE:TOKENS: of which gate those tokens are that MAKEFLAGS names. */
static void pool_text(const admit_gate *gate, const char *tokens, char *text, size_t size)
{
    uint64_t device, inode;
    admit_gate_identity(gate, &device, &inode);
    snprintf(text, size, "%" PRIx64 ":%" PRIx64 ":%s", device, inode, tokens);
}

static bool is_pipe(const char *number, int access_mode)
{
    struct stat status;
    const int fd = atoi(number), flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == access_mode && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

/* Whether make, in whose environment this is, has left them to us: it does so for a line with $(MAKE) or a +. */
static bool can_be_used(const char *tokens)
{
    struct stat status;
    const char *second = strchr(tokens, ',');
    if (strncmp(tokens, "fifo:", 5) == 0)
        return stat(tokens + 5, &status) == 0 && S_ISFIFO(status.st_mode);
    return second != NULL && is_pipe(tokens, O_RDONLY) && is_pipe(second + 1, O_WRONLY);
}

static bool has_tokens_of(const admit_gate *gate)
{
    static char tokens[PATH_MAX + 8], text[PATH_MAX + 64]; /* the stack may be small */
    const char *pool = getenv("ADMIT_POOL");
    makeflags_tokens(tokens, sizeof tokens);
    pool_text(gate, tokens, text, sizeof text);
    return pool != NULL && strcmp(pool, text) == 0 && can_be_used(tokens);
}

static _Noreturn void become(char **words)
{
    execvp(words[0], words);
    const int error = errno;
    tell_not_run("jobserver", words[0], error);
    exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

/* One more slot would be one that this build itself keeps others from. */
static void run_in_pool_or_borrow(struct build *build)
{
    admit_gate *gate = admit_gate_open(build->visit.gate, 0);
    if (gate == NULL)
        return;
    if (inside_by_environment(gate, NULL) || inside_by_ancestry(gate)) {
        if (has_tokens_of(gate))
            become(build->words);
        build->borrowed = true;
        build->pool.gate = gate;
        return;
    }
    admit_gate_close(gate);
}

/* --- the build ------------------------------------------------------------------------------------------------------ */

static void leave(struct build *build, int status)
{
    if (!build->borrowed) {
        log_left(&build->visit.stay, build->pool.gate, status);
        admit_gate_leave(build->pool.gate, &build->hold);
    }
    admit_gate_close(build->pool.gate);
}

/* Nobody has died, and the next one is not to be told so. */
static _Noreturn void fail(struct build *build)
{
    leave(build, EXIT_OWN_FAILURE);
    exit(EXIT_OWN_FAILURE);
}

static void enter(struct build *build)
{
    struct pool *pool = &build->pool;
    if (!build->borrowed)
        pool->gate = visit_enter(&build->visit, &build->hold);
    else
        describe(pool->gate, build->words);
    pool->name = build->visit.gate;
    pool->command = build->words;
    pool->tokens = &build->tokens;
    pool->family = admit_gate_family(pool->gate);
    if (pool->family < 0 ||
        (!build->borrowed && admit_gate_bequeath_to(pool->gate, &build->hold, pool->family) != ADMIT_OK)) {
        tell_gate_error("jobserver", build->visit.gate, admit_last_error());
        fail(build);
    }
}

static void set_environment(const struct build *build)
{
    static char tokens[PATH_MAX + 8], text[PATH_MAX + 64]; /* the stack may be small */
    tokens_name(&build->tokens, tokens, sizeof tokens);
    makeflags_set(tokens, build->visit.quiet ? NULL : build->visit.gate);
    pool_text(build->pool.gate, tokens, text, sizeof text);
    setenv("ADMIT_POOL", text, 1);
    if (!build->borrowed)
        note_inside(build->pool.gate, &build->hold, false);
}

/* In the command's process, before it becomes the command: it ends with this one, whose end nobody else would tell it. */
static bool end_with_wrapper(void *data)
{
    struct build *build = data;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const pid_t parent = getppid();
    return parent == build->wrapper || parent == 0; /* of another pid namespace none is seen */
}

static void wait_for_events(struct running *running, struct pool *pool, int signals, int at_most_ms)
{
    struct pollfd events[POOL_EVENTS + 1];
    const int pool_ms = pool_awaits(pool, events);
    const int ms = at_most_ms >= 0 && (pool_ms < 0 || at_most_ms < pool_ms) ? at_most_ms : pool_ms;
    events[POOL_EVENTS] = (struct pollfd){.fd = signals, .events = POLLIN};
    if (poll(events, POOL_EVENTS + 1, ms) < 0)
        for (unsigned e = 0; e <= POOL_EVENTS; e++)
            events[e].revents = 0;
    pool_act(pool, events);
    if (events[POOL_EVENTS].revents != 0)
        take_held_signals(running);
}

/* --- what a build leaves behind ------------------------------------------------------------------------------------- */

/* How many processes of this session have come to be admit's children, now that their parents are dead; `one` is one of
 * them. One that has left the session has meant to outlive the build. */
static unsigned left_behind(pid_t *one)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(name, "re");
    unsigned number = 0;
    if (list == NULL) {
        siginfo_t info = {0};
        return waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0;
    }
    for (int pid; fscanf(list, "%d", &pid) == 1;)
        if (getsid(pid) == getsid(0)) {
            *one = pid;
            number++;
        }
    fclose(list);
    return number;
}

/* Its own end, or that of what a shell has run, which exits so. */
static bool is_of_signal(int status)
{
    return status > 128 && status <= 128 + SIGSYS;
}

/* A build that ends by itself waits for its jobs. One that was killed, or some part of which was, with its tokens, does not:
 * they run on, and hold their slots. */
static void wait_for_left_behind(struct build *build, struct running *running, int signals)
{
    const unsigned lost = pool_close(&build->pool);
    if (!is_of_signal(running->status) && lost == 0)
        return;
    pid_t one = 0;
    unsigned number;
    for (unsigned looks = 0; (number = left_behind(&one)) > 0; looks++) {
        if (looks == 1 && !build->visit.quiet)
            fprintf(stderr,
                    "admit jobserver: '%s' has ended, and what it started runs on, in its slots (%u, process %d)\n",
                    build->words[0], number, (int)one);
        wait_for_events(running, &build->pool, signals, 500);
    }
}

static void rest(void *data)
{
    pool_rest(data);
}

/* --- all of it ------------------------------------------------------------------------------------------------------ */

static int run_build(struct build *build)
{
    int status = EXIT_OWN_FAILURE;
    const int signals = held_signals_descriptor();
    const struct how_it_runs how = {.children = true, .stops = rest, .data = &build->pool};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    build->wrapper = getpid();
    struct running running = {.how = &how, .status = -1};
    if (signals < 0)
        fprintf(stderr, "admit jobserver: cannot wait for signals: %s\n", strerror(errno));
    if (signals < 0 || !pool_begin(&build->pool))
        return status;
    running.pid = start_command("jobserver", build->words, end_with_wrapper, build, &status);
    if (running.pid > 0) {
        while (!has_ended(&running))
            wait_for_events(&running, &build->pool, signals, -1);
        wait_for_left_behind(build, &running, signals);
        status = running.status;
    }
    pool_end(&build->pool);
    return status;
}

int command_jobserver(int argc, char **argv)
{
    struct build build = {.visit = new_visit("jobserver")};
    build.visit.nested = true; /* what that means here is seen to before */
    usage_exit_status = EXIT_OWN_FAILURE;
    parse(&build, argc, argv);
    run_in_pool_or_borrow(&build);
    hold_signals();
    enter(&build);
    if (!tokens_open(&build.tokens, build.way == BY_FIFO || (build.way == BY_COMMAND && build_needs_fifo(build.words))))
        fail(&build);
    set_environment(&build);
    int status = run_build(&build);
    tokens_close(&build.tokens);
    leave(&build, status);
    if (status > 128)
        exit_for_signal(status - 128);
    return status;
}
