/* SPDX-License-Identifier: MIT */
#include "cli/gates/visit.h"

#include "cli/gates/command.h"
#include "cli/gates/elsewhere.h"
#include "cli/gates/gates.h"
#include "cli/gates/inside.h"
#include "cli/gates/keeper.h"
#include "cli/gates/waiting_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* --- what is wanted ----------------------------------------------------------------------------------------------- */

struct visit new_visit(const char *command)
{
    return (struct visit){.command = command, .no_slot_status = EXIT_TRY_AGAIN, .timed_out_status = EXIT_TIMED_OUT};
}

bool visit_option(struct visit *visit, struct arguments *arguments, const char *option)
{
    if (is_option(option, "-k", "--slots")) {
        visit->k = option_slots(arguments, option);
    } else if (is_option(option, "-w", "--wait")) {
        visit->wait_ns = option_time(arguments, option);
        visit->limited = true;
    } else if (is_option(option, NULL, "--try")) {
        visit->try = true;
    } else if (is_option(option, "-q", "--quiet")) {
        visit->quiet = true;
    } else if (is_option(option, "-E", "--conflict-exit-code")) {
        visit->no_slot_status = visit->timed_out_status = (int)option_number(arguments, option, 0, 255);
    } else if (is_option(option, NULL, "--mode")) {
        visit->mode = option_mode(arguments, option);
    } else if (is_option(option, NULL, "--capacity")) {
        visit->capacity = (unsigned)option_number(arguments, option, 1, ADMIT_GATE_CAPACITY_MAX);
    } else if (is_option(option, NULL, "--ttl")) {
        visit->ttl = option_ttl(arguments, option);
    } else if (is_option(option, NULL, "--resize")) {
        visit->resize = true;
    } else if (is_option(option, NULL, "--log")) {
        visit->log = option_value(arguments, option);
    } else if (is_option(option, NULL, "--nested")) {
        visit->nested = true;
    } else {
        return false;
    }
    return true;
}

void visit_check(const struct visit *visit)
{
    if (visit->try && visit->limited)
        usage_error(visit->command, "--try does not wait and -w does: which one?");
    if (visit->capacity > 0 && visit->k > visit->capacity)
        usage_error(visit->command, "-k %u is more than --capacity %u: so many can never be inside", visit->k,
                    visit->capacity);
    if (visit->mode != 0)
        refuse_elsewhere(visit->command, visit->gate, "--mode");
    if (visit->capacity != 0)
        refuse_elsewhere(visit->command, visit->gate, "--capacity");
    if (visit->ttl != 0 && !is_elsewhere(visit->gate))
        usage_error(visit->command, "--ttl is for gates on etcd: here death is noticed at once");
    if (visit->resize && visit->k == 0)
        usage_error(visit->command, "--resize: to how many slots? -k K says it");
    log_open(visit->command, visit->log);
}

static void tell_not_let_in(const struct visit *visit, int status)
{
    if (visit->not_let_in != NULL)
        visit->not_let_in(visit->data, status);
}

static _Noreturn void end_not_let_in(const struct visit *visit, int status)
{
    tell_not_let_in(visit, status);
    exit(status);
}

/* --- the gate ------------------------------------------------------------------------------------------------------ */

/* With --resize a gate that there is is opened whatever it has. */
static admit_gate *open_gate(const struct visit *visit)
{
    admit_gate_options options = {.k = visit->k,
                                  .capacity = visit->capacity != 0 ? visit->capacity : visit->room,
                                  .mode = visit->mode,
                                  .ttl = visit->ttl};
    admit_gate *gate = admit_gate_open_with(visit->gate, &options);
    if (gate == NULL && visit->resize && admit_last_error() == ADMIT_OTHER_K) {
        options.k = 0;
        gate = admit_gate_open_with(visit->gate, &options);
    }
    return gate;
}

/* Servers may take their time to answer; and there is nothing yet that a signal could lose. */
static admit_gate *open_elsewhere(const struct visit *visit)
{
    let_signals_be();
    admit_gate *gate = open_gate(visit);
    hold_signals_again();
    return gate;
}

/* And then has what is wanted. */
static admit_error set_k(const struct visit *visit, admit_gate *gate)
{
    if (!visit->resize || (admit_gate_k(gate) == visit->k && admit_gate_declared_k(gate) == visit->k))
        return ADMIT_OK;
    return admit_gate_declare(gate, visit->k);
}

/* Two say another mode or capacity, and one of them made the gate: the other is told, and goes on. */
static void tell_what_is_ignored(const struct visit *visit, admit_gate *gate)
{
    char path[4096];
    struct stat status;
    if (visit->mode != 0 && admit_gate_resolve(visit->gate, path, sizeof path) == ADMIT_OK &&
        stat(path, &status) == 0 && (status.st_mode & 0777) != visit->mode)
        fprintf(stderr, "admit %s: gate '%s' has mode %04o; --mode is for a gate that is made\n", visit->command,
                visit->gate, status.st_mode & 0777);
    if (visit->capacity != 0 && admit_gate_capacity(gate) != visit->capacity)
        fprintf(stderr, "admit %s: gate '%s' has room for %u; --capacity is for a gate that is made\n", visit->command,
                visit->gate, admit_gate_capacity(gate));
}

static bool is_inside(const struct visit *visit, admit_gate *gate)
{
    if (visit->detached)
        return inside_with_children(gate);
    return inside_by_environment(gate, NULL) || (visit->is_inside != NULL && visit->is_inside(visit->data, gate));
}

/* In a build, one more slot is one that the build itself may have to give: there --nested is no way out. */
static _Noreturn void refuse_nested(const struct visit *visit, admit_gate *gate)
{
    if (inside_pool(gate))
        fprintf(stderr, "admit %s: this job of a build has its slot at '%s' already: leave out 'admit %s %s%s'\n",
                visit->command, visit->gate, visit->command, visit->gate,
                strcmp(visit->command, "run") == 0 ? " --" : "");
    else if (visit->detached)
        fprintf(stderr,
                "admit %s: this is inside '%s' already, and by --children what it leaves running is waited for there: "
                "it could wait for itself for ever; --nested allows it\n",
                visit->command, visit->gate);
    else
        fprintf(stderr,
                "admit %s: this is inside '%s' already and could wait for itself for ever; --nested allows it\n",
                visit->command, visit->gate);
    end_not_let_in(visit, usage_exit_status);
}

/* Whether there is a resource for this visit would be a matter of luck, and be known only after a long wait. */
static void refuse_too_many_slots(const struct visit *visit, admit_gate *gate)
{
    const unsigned k = admit_gate_k(gate);
    if (visit->list == NULL || k <= visit->resources)
        return;
    fprintf(
        stderr,
        "admit %s: gate '%s' has %u slots now, and --slot-env %s has elements for %u; `admit resize %s %u` leaves as "
        "many\n",
        visit->command, visit->gate, k, visit->list, visit->resources, visit->gate, visit->resources);
    end_not_let_in(visit, usage_exit_status);
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

struct wait {
    struct visit *visit;
    admit_gate *gate;
    struct waiting_line line;
    bool begun, placed;
    int outside; /* and has no place in line yet */
};

static admit_gate *waited_at;

static void interrupt(void)
{
    admit_gate_interrupt(waited_at);
}

static void tell_placed(struct wait *wait)
{
    if (wait->visit->placed != NULL && !wait->placed)
        wait->visit->placed(wait->visit->data);
    wait->placed = true;
}

/* Whoever waits for us to draw a place would not know why that takes so long. */
static void tell_outside(const struct visit *visit, const admit_gate *gate)
{
    if (visit->placed != NULL && !visit->quiet)
        fprintf(stderr,
                "admit %s: the line of '%s' is full (%u): waiting for a place; --capacity N gives a gate a longer line "
                "when it is made\n",
                visit->command, visit->gate, admit_gate_capacity(gate));
}

static void begin_to_wait(struct wait *wait)
{
    if (wait->begun)
        return;
    wait->begun = true;
    wait->line = (struct waiting_line){.gate = wait->visit->gate, .since = time(NULL)};
    waited_at = wait->gate;
    let_signals_interrupt(interrupt);
    if (wait->outside)
        tell_outside(wait->visit, wait->gate);
}

/* The library calls this when the wait begins, and about twice a second. */
static int still_waiting(void *data, unsigned place)
{
    struct wait *wait = data;
    begin_to_wait(wait);
    log_waits(&wait->visit->stay, wait->gate, place);
    if (!wait->outside)
        tell_placed(wait);
    if (!wait->visit->quiet)
        waiting_line_show(&wait->line, place);
    return wait->visit->is_wanted != NULL && !wait->visit->is_wanted(wait->visit->data);
}

/* Whoever has waited for half a night is better off at the end of the line than nowhere. */
static bool stands_in_line_again(struct wait *wait)
{
    if (signal_held() != 0)
        return false;
    waiting_line_clear(&wait->line);
    fprintf(stderr, "admit %s: %s; it goes on at the end of the line\n", wait->visit->command, admit_last_error_text());
    return true;
}

static admit_error try_then_wait(struct wait *wait, const struct timespec *until, admit_hold *hold)
{
    const struct visit *visit = wait->visit;
    if (!is_elsewhere(visit->gate) || visit->try) { /* there a try is a round trip more */
        const admit_wait once = {.only_if_free = 1, .record_since = 1, .lost = visit->lost};
        admit_error error = admit_gate_enter_with(wait->gate, hold, &once);
        if ((error != ADMIT_NO_SLOT && error != ADMIT_FULL) || visit->try)
            return error;
        if (!visit->nested && !visit->detached && inside_by_ancestry(wait->gate))
            refuse_nested(visit, wait->gate);
    }
    const admit_wait how = {.until = until,
                            .waiting = still_waiting,
                            .data = wait,
                            .interruptible = 1,
                            .record_since = 1,
                            .outside = &wait->outside,
                            .lost = visit->lost};
    admit_error error;
    do
        error = admit_gate_enter_with(wait->gate, hold, &how);
    while (error == ADMIT_LOST && stands_in_line_again(wait));
    return error;
}

/* A gate that is removed before this process stands in line was nothing to it: the next one of this name is as
 * good, and if there is none it is made, or missed, as it would have been a moment later. A process that has stood in line
 * learns that the line is gone. Nobody removes gates so fast that the number of attempts matters. */
enum { ATTEMPTS_MAX = 10000 };

static admit_error open_and_enter(struct wait *wait, const struct timespec *until, admit_hold *hold)
{
    const struct visit *visit = wait->visit;
    for (unsigned attempt = 1;; attempt++) {
        admit_error error;
        wait->gate = is_elsewhere(visit->gate) ? open_elsewhere(visit) : open_gate(visit);
        if (wait->gate == NULL) {
            error = admit_last_error();
        } else {
            if (!visit->nested && is_inside(visit, wait->gate))
                refuse_nested(visit, wait->gate);
            if (!visit->quiet && attempt == 1)
                tell_what_is_ignored(visit, wait->gate);
            error = set_k(visit, wait->gate);
            if (error == ADMIT_OK) {
                refuse_too_many_slots(visit, wait->gate);
                describe(wait->gate, visit->for_whom);
                if (is_elsewhere(visit->gate)) /* where it may be a while until one stands in line */
                    begin_to_wait(wait);
                error = try_then_wait(wait, until, hold);
            }
        }
        if (error != ADMIT_REMOVED || wait->begun || attempt == ATTEMPTS_MAX)
            return error;
        admit_gate_close(wait->gate);
    }
}

static bool is_refusal(admit_error error)
{
    return error == ADMIT_NO_SLOT || error == ADMIT_FULL || error == ADMIT_TIMED_OUT;
}

/* When a script has ended that had a slot by `enter`, its keeper is told of it, and has yet to give the slot back: whoever
 * comes after the script, and does not wait, would sometimes find it taken. Where no such keeper is seen any more, it may
 * have left since; so one more try is made in any case. */
static admit_error try_again_after_scripts(const struct wait *wait, admit_error error, admit_hold *hold)
{
    const struct timespec until = in_future(KEEPER_LEAVES_MS * UINT64_C(1000000));
    admit_error again = error;
    for (bool looks = !is_elsewhere(wait->visit->gate); looks && is_refusal(again);) {
        looks = keeper_await_leaving(wait->gate, &until);
        again = admit_gate_enter_with(wait->gate, hold, &(admit_wait){.only_if_free = 1, .record_since = 1});
    }
    return is_refusal(again) ? error : again;
}

/* Whoever has inherited something else has other elements in the same slots; so no k is right for both. */
static void tell_list_is_cut(const struct visit *visit)
{
    admit_gate *gate = admit_gate_open_with(visit->gate, &(admit_gate_options){.look_only = 1});
    fprintf(stderr,
            "admit %s: of the list in --slot-env %s %u may be used here, where not all of it was inherited, and gate "
            "'%s' has k = %u: others have other elements in the same slots; this list needs a gate of its own\n",
            visit->command, visit->list, visit->resources, visit->gate, gate != NULL ? admit_gate_k(gate) : 0);
    admit_gate_close(gate);
}

static _Noreturn void end_without_slot(const struct visit *visit, admit_error error)
{
    if (error == ADMIT_OTHER_K && visit->cut) {
        tell_list_is_cut(visit);
        end_not_let_in(visit, usage_exit_status);
    }
    if (error == ADMIT_OTHER_K && visit->list != NULL && visit->k == visit->resources)
        fprintf(stderr, "admit %s: the list in --slot-env %s has %u elements, which is k\n", visit->command,
                visit->list, visit->resources);
    if (error != ADMIT_NO_SLOT && error != ADMIT_TIMED_OUT) {
        if (error != ADMIT_INTERRUPTED) /* by visit->is_wanted, which has said why, since there was no signal */
            tell_gate_error(visit->command, visit->gate, error);
        end_not_let_in(visit, usage_exit_status);
    }
    if (!visit->quiet)
        fprintf(stderr, "admit %s: %s at '%s'\n", visit->command,
                error == ADMIT_NO_SLOT ? "no slot is free" : "the time is over, and no slot was free", visit->gate);
    end_not_let_in(visit, error == ADMIT_NO_SLOT ? visit->no_slot_status : visit->timed_out_status);
}

/* Before the handle is closed, of a gate that there is. */
static void log_not_let_in(struct wait *wait, admit_error error, int signal)
{
    struct visit *visit = wait->visit;
    if (wait->gate == NULL)
        return;
    if (signal != 0)
        log_gave_up(&visit->stay, wait->gate, "signal", 128 + signal);
    else if (error == ADMIT_NO_SLOT)
        log_gave_up(&visit->stay, wait->gate, "no_slot", visit->no_slot_status);
    else if (error == ADMIT_TIMED_OUT)
        log_gave_up(&visit->stay, wait->gate, "timed_out", visit->timed_out_status);
    else
        log_gave_up(&visit->stay, wait->gate, "failed", usage_exit_status);
}

admit_gate *visit_enter(struct visit *visit, admit_hold *hold)
{
    struct wait wait = {.visit = visit};
    struct timespec until;
    visit->stay.gate = visit->gate;
    visit->stay.command = visit->for_whom;
    log_came(&visit->stay);
    if (visit->limited)
        until = in_future(visit->wait_ns);
    admit_error error = open_and_enter(&wait, visit->limited ? &until : NULL, hold);
    if (wait.begun) {
        hold_signals_again();
        waiting_line_clear(&wait.line);
    }
    error = try_again_after_scripts(&wait, error, hold);
    if (error == ADMIT_OK)
        tell_placed(&wait);
    if (error == ADMIT_FULL) /* which is the same to a command as no slot: it cannot go in now */
        error = ADMIT_NO_SLOT;
    int signal = signal_held();
    if (error == ADMIT_OK && signal == 0) {
        log_entered(&visit->stay, wait.gate, hold);
        return wait.gate;
    }
    if (error == ADMIT_OK)
        admit_gate_leave(wait.gate, hold);
    log_not_let_in(&wait, error, signal);
    admit_gate_close(wait.gate);
    if (signal != 0) {
        tell_not_let_in(visit, 128 + signal);
        exit_for_signal(signal);
    }
    end_without_slot(visit, error);
}
