/* SPDX-License-Identifier: MIT
 *
 * admit wait - until jobs have ended, or nobody is at a gate any more.
 */
#include "cli/gates/gates.h"
#include "cli/gates/inside.h"
#include "cli/gates/job.h"
#include "cli/gates/job_end.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit wait [-w TIME] GATE|@ID...\n"
    "\n"
    "Waits until the jobs have ended that 'admit run -b' named so, and until nobody is inside or in line at the "
    "gates:\n"
    "no job, no other command and no program. It takes no place in line and no slot itself. One word may be several\n"
    "ids, with blanks or ends of lines between. A job cannot wait for itself, nor a command for a gate that it is\n"
    "inside of.\n"
    "\n"
    "  -w, --wait TIME   wait no longer than this: seconds, or 500ms, 30s, 1m30s, 2h, 1d\n"
    "\n"
    "Exit status: 0 if all jobs that are named have ended with 0, else that of the first of them, in the order of\n"
    "their ids, that has not; 137 of a job whose admit was killed. Of a gate it says nothing about the commands "
    "there:\n"
    "name the jobs to know. 124: its own time is over. 125: there is no such job, or the gate cannot be used.\n"
    "\n"
    "  for i in 1 2 3; do admit run -b -k 2 queue -- ./job $i; done; admit wait queue\n"
    "  admit wait \"$(admit run -b queue -- ./job)\" || echo failed\n";

/* --- a gate --------------------------------------------------------------------------------------------------------- */

enum { LOOK_AGAIN_MS = 250, BREATH_MS = 5 };

struct deadline {
    bool limited;
    struct timespec at; /* of CLOCK_MONOTONIC */
};

/* At most `most`; 0: it is over. */
static int ms_left(const struct deadline *deadline, int most)
{
    struct timespec now;
    if (!deadline->limited)
        return most;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = (deadline->at.tv_sec - now.tv_sec) * INT64_C(1000) + (deadline->at.tv_nsec - now.tv_nsec) / 1000000;
    return left <= 0 ? 0 : left < most ? (int)left : most;
}

static bool is_empty(const admit_view *view)
{
    return living(view->holder, view->holders) == 0 && living(view->waiter, view->waiters) == 0 && view->outside == 0;
}

/* Whoever goes in while a picture is taken may not be in it. Two that have nobody in them, and between which nobody has
 * entered, did not miss the same one. */
static bool nobody_is_there(admit_gate *gate, const admit_view *view)
{
    if (!is_empty(view))
        return false;
    admit_view *again = admit_gate_inspect(gate);
    bool empty = again != NULL && is_empty(again) && again->entered == view->entered;
    admit_view_free(again);
    return empty;
}

/* The last in line, or else somebody inside; if that process is seen from here, its end is worth a look. */
static long somebody(const admit_view *view)
{
    for (unsigned w = view->waiters; w > 0; w--)
        if (view->waiter[w - 1].condition != ADMIT_DIED)
            return view->waiter[w - 1].pid;
    for (unsigned h = 0; h < view->holders; h++)
        if (view->holder[h].condition != ADMIT_DIED)
            return view->holder[h].pid;
    return 0;
}

/* A process may also leave, or give up, and live on; so this does not sleep for long. */
static void sleep_until_ends(long pid, int ms)
{
    int pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
    int ready = poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, pidfd >= 0, ms);
    if (pidfd >= 0)
        close(pidfd);
    if (ready > 0) /* it has what it had for another moment */
        poll(NULL, 0, ms < BREATH_MS ? ms : BREATH_MS);
}

/* Of a gate that has been removed by force, those inside stay inside, and are waited for. */
static bool await_gate(const char *name, admit_gate *gate, const struct deadline *deadline)
{
    for (;;) {
        admit_view *view = admit_gate_inspect(gate);
        if (view == NULL)
            gate_error("wait", name, admit_last_error());
        bool empty = nobody_is_there(gate, view);
        long pid = somebody(view);
        admit_view_free(view);
        int ms = empty ? 0 : ms_left(deadline, LOOK_AGAIN_MS);
        if (ms == 0)
            return empty;
        sleep_until_ends(pid, ms);
    }
}

/* --- what is waited for --------------------------------------------------------------------------------------------- */

struct targets {
    int gates, jobs;
    admit_gate **gate;
    const char **name;
    struct job *job;
};

static int by_id(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void refuse_oneself(const char *name, bool is_job)
{
    usage_error("wait", "this is %s '%s' itself and would wait for itself for ever%s", is_job ? "part of" : "inside",
                name, is_job ? "" : "; other jobs there can be named by their ids");
}

/* All are looked for before any is waited for. */
static void find(struct targets *targets, const struct arguments *arguments)
{
    char **words;
    const int found = job_words(arguments->argv, arguments->plain_count, &words);
    const size_t count = (size_t)found;
    targets->gate = calloc(count, sizeof *targets->gate);
    targets->name = calloc(count, sizeof *targets->name);
    targets->job = calloc(count, sizeof *targets->job);
    if (words == NULL || targets->gate == NULL || targets->name == NULL || targets->job == NULL)
        usage_error("wait", "out of memory");
    for (int a = 0; a < found; a++) {
        const char *name = words[a];
        if (name[0] == '@') {
            struct job *job = &targets->job[targets->jobs++];
            job_open_or_exit(job, "wait", name);
            if (job_is_above(job))
                refuse_oneself(name, true);
            continue;
        }
        admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
        if (gate == NULL && is_gone(admit_last_error()) && is_number(name))
            usage_error("wait", "there is no gate '%s'; did you mean @%s?", name, name);
        if (gate == NULL)
            gate_error("wait", name, admit_last_error());
        if (inside_by_environment(gate, NULL) || inside_by_ancestry(gate))
            refuse_oneself(name, false);
        targets->gate[targets->gates] = gate;
        targets->name[targets->gates++] = name;
    }
    free(words);
    qsort(targets->job, (size_t)targets->jobs, sizeof *targets->job, by_id);
}

static bool await_all(struct targets *targets, const struct deadline *deadline)
{
    for (int j = 0; j < targets->jobs; j++)
        if (!job_await(&targets->job[j], deadline->limited ? &deadline->at : NULL)) {
            if (deadline->limited && ms_left(deadline, 1) == 0)
                return false;
            fprintf(stderr, "admit wait: what is kept of @%u was overwritten\n", targets->job[j].id);
            exit(usage_exit_status);
        }
    for (int g = 0; g < targets->gates; g++)
        if (!await_gate(targets->name[g], targets->gate[g], deadline))
            return false;
    return true;
}

static void forget(struct targets *targets)
{
    for (int j = 0; j < targets->jobs; j++)
        job_close(&targets->job[j]);
    for (int g = 0; g < targets->gates; g++)
        admit_gate_close(targets->gate[g]);
    free(targets->job);
    free(targets->name);
    free(targets->gate);
}

int command_wait(int argc, char **argv)
{
    struct arguments arguments = {.command = "wait", .argc = argc, .argv = argv, .plain_max = INT_MAX};
    struct deadline deadline = {0};
    struct targets targets = {0};
    usage_exit_status = EXIT_OWN_FAILURE;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (is_option(option, "-h", "--help")) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (is_option(option, "-w", "--wait")) {
            deadline.at = in_future(option_time(&arguments, option));
            deadline.limited = true;
        } else {
            no_such_option("wait", option, help_text);
        }
    }
    if (arguments.plain_count == 0)
        usage_error("wait", "for what? A gate, or a job such as @17; 'admit jobs' names them");
    find(&targets, &arguments);
    int status = EXIT_OK;
    if (await_all(&targets, &deadline)) {
        for (int j = 0; j < targets.jobs && status == EXIT_OK; j++)
            status = job_status(&targets.job[j]);
    } else {
        fputs("admit wait: the time is over\n", stderr);
        status = EXIT_TIMED_OUT;
    }
    forget(&targets);
    return status;
}
