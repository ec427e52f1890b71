/* SPDX-License-Identifier: MIT */
#include "bounds/adversary.h"

#include "base/die.h"

#include <stdarg.h>
#include <stdio.h>

/* How long a schedule may run without arriving and without repeating; and how long a violation may be, since every
 * moment of it is kept when it is executed again. */
enum { PATIENCE = 1000000, VIOLATION_STEPS_MAX = 100000 };

void insist(bool so, const char *what)
{
    if (!so)
        die("internal error: a step of the proof of Theorem 5.1 fails: %s", what);
}

/* --- how it can end ----------------------------------------------------------------------------------------------- */

bool stop(struct adversary *a, enum bound_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    a->bound->outcome = outcome;
    vsnprintf(a->bound->why, sizeof a->bound->why, format, arguments);
    va_end(arguments);
    return false;
}

bool stop_at_length(struct adversary *a)
{
    return stop(a, BOUND_UNDECIDED, "a history would be longer than %zu steps", a->max_steps);
}

const char *names_of(procset set, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < CHECKED_PROCESSES_MAX && used < size; i++)
        if (set & the_one(i))
            used += (size_t)snprintf(text + used, size - used, "%sp_%u", used > 0 ? ", " : "", i);
    return text;
}

/* A history from q_0 after which two are inside or which, with a loop, can be repeated for ever. */
static void record_violation(struct adversary *a, const struct run *run, size_t loop)
{
    struct trace *trace = &a->bound->violation;
    *trace = (struct trace){.setting = a->bound->instance.setting,
                            .count = run->history.count,
                            .loop = loop,
                            .loop_end = loop == NO_LOOP ? NO_LOOP : run->history.count,
                            .steps = must_allocate(run->history.count * sizeof *trace->steps)};
    for (size_t s = 0; s < trace->count; s++)
        trace->steps[s].process = run->history.steps[s];
    procset inside = those_in(&run->now, CRITICAL), leaving = those_in(&run->now, EXIT);
    procset trying = those_in(&run->now, DOORWAY) | those_in(&run->now, WAITING_ROOM);
    char names[128];
    if (loop == NO_LOOP) {
        trace->property = EXCLUSION;
        trace->i = (unsigned)__builtin_ctz(inside);
        trace->j = 31 - (unsigned)__builtin_clz(inside);
        snprintf(trace->what, sizeof trace->what, "%s are in the critical section together",
                 names_of(inside, names, sizeof names));
    } else if (trying != 0) {
        trace->property = DEADLOCK_FREEDOM;
        trace->i = (unsigned)__builtin_ctz(trying);
        snprintf(trace->what, sizeof trace->what, "%s %s, everybody steps, and nobody ever enters",
                 names_of(trying, names, sizeof names), (trying & (trying - 1)) == 0 ? "tries" : "try");
    } else {
        trace->property = BOUNDED_EXIT;
        trace->i = (unsigned)__builtin_ctz(leaving);
        snprintf(trace->what, sizeof trace->what, "p_%u never gets out of its exit", trace->i);
    }
}

/* A verdict is never better than its evidence: the trace machinery must find the same. */
static void confirm_violation(struct adversary *a)
{
    const struct trace *trace = &a->bound->violation;
    struct execution execution;
    bool confirmed = trace_execute(trace, &execution) && trace_confirm(trace, &execution) == CONFIRMED;
    if (!confirmed)
        stop(a, BOUND_UNDECIDED, "a violation was found (%s) that could not be confirmed by executing it%s%s",
             trace->what, execution.error[0] != '\0' ? ": " : "", execution.error);
    execution_close(&execution);
}

bool violated(struct adversary *a, const struct run *run, size_t loop, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    a->bound->outcome = BOUND_VIOLATED;
    vsnprintf(a->bound->why, sizeof a->bound->why, format, arguments);
    va_end(arguments);
    if (run->history.count > VIOLATION_STEPS_MAX)
        return stop(a, BOUND_UNDECIDED, "a violation was found, but %zu steps are too many to execute it again",
                    run->history.count);
    record_violation(a, run, loop);
    confirm_violation(a);
    return false;
}

/* --- steps and schedules ------------------------------------------------------------------------------------------ */

enum ending one_step(struct adversary *a, struct run *run, unsigned i)
{
    if (run->history.count >= a->max_steps)
        return stop_at_length(a), STOPPED;
    const char *label = run->now.process[i].label;
    struct action action = take_step(&run->now, i);
    history_add(&run->history, i);
    if (action.deed == DOES_BOTH)
        return stop(a, BOUND_REFUSED,
                    "process %u at \"%s\" does more than read or write a variable; the theorem is about "
                    "reads and writes",
                    i, label),
               STOPPED;
    if (run->now.tickets_too_large)
        return stop(a, BOUND_UNDECIDED, "tickets grow too large to be followed"), STOPPED;
    procset inside = those_in(&run->now, CRITICAL);
    return (inside & (inside - 1)) != 0 ? TWO_INSIDE : GOES_ON;
}

/* The earliest step from which the schedule repeats itself; the history is cut after one round of the loop. */
static size_t cut_after_loop(struct run *run, const struct configuration *start, size_t first, size_t period)
{
    struct configuration behind, ahead;
    configuration_open_copy(&behind, start);
    configuration_open_copy(&ahead, start);
    size_t loop = first;
    for (size_t s = first; s < first + period; s++)
        take_step(&ahead, run->history.steps[s]);
    while (!same_configuration(&behind, &ahead)) {
        take_step(&behind, run->history.steps[loop]);
        take_step(&ahead, run->history.steps[loop + period]);
        loop++;
    }
    run->history.count = loop + period;
    configuration_copy(&run->now, &ahead);
    configuration_close(&behind);
    configuration_close(&ahead);
    return loop;
}

/* The schedule is fixed, so that a configuration that comes again at the end of a round comes for ever. It is looked
 * for as Brent does: one is kept, and replaced by the present one each time that twice as many rounds have passed. */
enum ending round_robin(struct adversary *a, struct run *run, procset set, enum section goal, size_t *loop)
{
    struct configuration start, kept;
    configuration_open_copy(&start, &run->now);
    configuration_open_copy(&kept, &run->now);
    const size_t first = run->history.count;
    size_t kept_at = first;
    enum ending ending = GOES_ON;
    for (size_t round = 1, replace = 2; ending == GOES_ON; round++) {
        for (unsigned i = 0; i < a->n && ending == GOES_ON; i++) {
            if (!(set & the_one(i)))
                continue;
            ending = one_step(a, run, i);
            if (ending == GOES_ON && run->now.process[i].section == goal)
                ending = ARRIVES;
        }
        if (ending == GOES_ON && same_configuration(&run->now, &kept)) {
            *loop = cut_after_loop(run, &start, first, run->history.count - kept_at);
            ending = REPEATS;
        } else if (ending == GOES_ON && run->history.count - first > PATIENCE) {
            stop(a, BOUND_UNDECIDED, "after %d steps nothing has been reached, and no configuration has come again",
                 PATIENCE);
            ending = STOPPED;
        } else if (round == replace) {
            configuration_copy(&kept, &run->now);
            kept_at = run->history.count;
            replace *= 2;
        }
    }
    configuration_close(&start);
    configuration_close(&kept);
    return ending;
}
