/* SPDX-License-Identifier: MIT
 *
 * Whether an executed run shows what relies on somebody's being enabled: k-deadlock-avoidance (P8), strong-fife (P10),
 * overtaking (P11), fifo-enabling (P12).
 *
 * What processes do is looked up in the run itself, as in confirm.c. Who is enabled is a statement about all runs, so
 * every moment of the run is found as a state of the explored graph, and the enabled relation is asked there: at the
 * moments of this run, never elsewhere. That the setting violates the property somewhere says nothing of the run.
 */
#include "base/die.h"
#include "checker/model/automaton.h"
#include "checker/reduce/idle.h"
#include "checker/show/confirm.h"

#include <stdlib.h>

/* A run, and where it is in the graph. */
struct placed_run {
    struct run run;
    const struct graph *graph; /* NULL: not explored yet; what depends on it is taken for granted */
    const struct enabled *enabled;
    uint32_t *states; /* per moment */
    char *missing;    /* what the run lacks, once it is found to lack something */
};

#define lacks(placed, ...) (snprintf((placed)->missing, MISSING_SIZE, __VA_ARGS__), false)

/* --- the run in the graph ----------------------------------------------------------------------------------------- */

/* The number in the store of what is true at a moment. Execution and exploration have a model each, in which a process
 * that stands at the same place need not have the same number; and where idle steps are taken at once, a moment before some
 * of them is the same as one after, but for the first: none is taken with no step before it. */
static uint32_t number_of(const struct run *run, size_t moment, const struct exploration *exploration)
{
    const struct model *from = run->model;
    struct model *to = exploration->model;
    const uint64_t *identity = run->moments[moment].identity;
    uint64_t state[WORDS_MAX] = {0};
    for (unsigned i = 0; i < run->n; i++) {
        const struct process *process = &from->automaton[i].processes[field_get(identity, from->process_field[i])];
        uint32_t local = automaton_intern(to, i, process); /* one that is about to be idle need not have been met */
        if (local == NOT_KNOWN_YET)
            return NO_STATE;
        field_set(state, to->process_field[i], local);
    }
    for (unsigned r = 0; r < to->regs; r++)
        field_set(state, to->register_field[r], field_get(identity, from->register_field[r]));
    if (to->hurries && moment > 0 && learn_idle_steps(to, state) == MISSING)
        return NO_STATE;
    return store_find(&exploration->store, state);
}

/* Where a step of a process leads from a state: to the one with this number, or nowhere. */
static uint32_t follow(const struct graph *graph, uint32_t from, unsigned process, uint32_t number)
{
    if (graph->numbers[from] == number)
        return from;
    for (uint64_t edge = graph->first[from]; edge < graph->first[from + 1]; edge++)
        if ((graph->kinds[edge] & EDGE_PROCESS) == process && graph->numbers[graph->targets[edge]] == number)
            return graph->targets[edge];
    return NOWHERE;
}

/* False if idle steps were taken at once and the run, which takes them in its own time, is not found for that. */
static bool place(struct placed_run *placed, const struct exploration *exploration)
{
    const struct run *run = &placed->run;
    const struct graph *graph = placed->graph = &exploration->graph;
    placed->states = must_allocate((run->last + 1) * sizeof *placed->states);
    uint32_t number = number_of(run, 0, exploration), at = 0;
    while (at < graph->roots && graph->numbers[at] != number)
        at++;
    if (at == graph->roots)
        at = NOWHERE;
    placed->states[0] = at;
    for (size_t m = 1; m <= run->last && at != NOWHERE; m++)
        placed->states[m] = at = follow(graph, at, run->trace->steps[m - 1].process, number_of(run, m, exploration));
    if (at == NOWHERE && !exploration->model->hurries)
        die("internal error: a run that can be executed was not explored");
    return at != NOWHERE;
}

/* --- order (P10, P12) --------------------------------------------------------------------------------------------- */

/* What P10 and the two halves of P12 differ in. */
struct order {
    unsigned waits; /* where i is while it waits, as bits */
    enum section origin, goal;
    bool past_doorway; /* j counts from there on only */
    const char *later, *to_do;
};

static const struct order strong_fife = {WAITS, REMAINDER, CRITICAL, true, "left its remainder", ""},
                          entering = {TRIES, REMAINDER, CRITICAL, false, "was in its remainder", ""},
                          leaving = {LEAVES, CRITICAL, REMAINDER, false, "was inside", " to leave"};

static bool is_later_at(const struct run *run, const struct order *order, size_t moment)
{
    enum section section = section_at(run, moment, run->trace->j);
    return has_waited_since(run, moment, order->waits, order->origin) && shows_not_enabled(run, moment, order->goal) &&
           (!order->past_doorway || section == WAITING_ROOM || section == CRITICAL);
}

static bool is_enabled_at(const struct placed_run *placed, const struct order *order, size_t moment)
{
    if (placed->graph == NULL)
        return true;
    uint32_t state = placed->states[moment];
    const struct enabled *enabled = placed->enabled;
    return counts_as_enabled(&placed->graph->standing[state],
                             order->goal == CRITICAL ? enabled->critical[state] : enabled->remainder[state],
                             placed->run.trace->j);
}

static bool shows_order_broken(const struct placed_run *placed)
{
    const struct run *run = &placed->run;
    unsigned i = run->trace->i, j = run->trace->j;
    enum section section = section_at(run, loop_of(run), i);
    const struct order *order = run->trace->property == STRONG_FIFE ? &strong_fife
                                : section == EXIT                   ? &leaving
                                                                    : &entering;
    if (!steps_in_vain_in_loop(run, i) || !(order->waits >> section & 1) || !stays_in_loop(run, i, section))
        return lacks(placed, "process %u does not step for ever in vain in its loop", i);
    bool comes_later = false;
    for (size_t m = 0; m <= loop_end_of(run); m++) {
        if (!is_later_at(run, order, m))
            continue;
        comes_later = true;
        if (is_enabled_at(placed, order, m))
            return true;
    }
    if (!comes_later)
        return lacks(placed, "process %u steps in vain, but it has not been waiting since process %u %s", i, j,
                     order->later);
    return lacks(placed, "process %u steps in vain, but process %u, which came later, is at no moment enabled%s%s", i,
                 j, order->to_do, run->trace->setting.crashes > 0 ? " with nobody crashed" : "");
}

/* --- overtaking (P11) --------------------------------------------------------------------------------------------- */

/* Whoever enters in the loop enters in each of its rounds, and so came from its remainder while i waited. Who is enabled
 * stays so until it is inside; so i is enabled everywhere in the loop, or nowhere. */
static bool shows_overtaken(const struct placed_run *placed)
{
    const struct run *run = &placed->run;
    unsigned i = run->trace->i;
    bool somebody_enters = false;
    for (unsigned j = 0; j < run->n; j++)
        somebody_enters |= j != i && enters_in_loop(run, j);
    if (!somebody_enters || !stays_in_loop(run, i, WAITING_ROOM))
        return lacks(placed, "in its loop, process %u does not wait while another enters", i);
    if (run->moments[loop_of(run)].process[i].crashed)
        return lacks(placed, "others enter again and again past process %u, but it has crashed", i);
    if (placed->graph != NULL && placed->enabled->critical[placed->states[loop_of(run)]] >> i & 1)
        return lacks(placed, "others enter again and again past process %u, but it is enabled all the while", i);
    return true;
}

/* --- k-deadlock-avoidance (P8) ------------------------------------------------------------------------------------ */

static bool sections_stay_in_loop(const struct run *run)
{
    for (unsigned i = 0; i < run->n; i++)
        if (!stays_in_loop(run, i, section_at(run, loop_of(run), i)))
            return false;
    return true;
}

/* Who is enabled, and so who waits, does not change in a loop in which nobody gets anywhere. So the run shows a
 * k-deadlock if it was stuck when somebody last made progress, or at some moment since. */
static bool shows_k_deadlock(const struct placed_run *placed)
{
    const struct run *run = &placed->run;
    bool steps = false;
    for (unsigned i = 0; i < run->n; i++)
        steps |= steps_in_vain_in_loop(run, i);
    if (!sections_stay_in_loop(run) || !steps)
        return lacks(placed, "somebody makes progress in its loop, or nobody steps");
    if (placed->graph == NULL)
        return true;
    const struct who_waits waiting = {placed->graph, placed->enabled};
    const uint32_t *states = placed->states;
    for (size_t m = loop_of(run);; m--) {
        if (is_stuck(&waiting, states[m]))
            return true;
        if (m == 0 || is_progress(&waiting, states[m - 1], states[m]))
            break;
    }
    return lacks(placed,
                 "since somebody last made progress, nobody waits to leave, and nobody waits to enter while "
                 "fewer than %u are enabled",
                 run->k);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool shows(const struct placed_run *placed)
{
    if (!loop_closes(&placed->run))
        return lacks(placed, "it has no loop that comes back to where it began");
    switch (placed->run.trace->property) {
    case STRONG_FIFE:
    case FIFO_ENABLING:
        return shows_order_broken(placed);
    case OVERTAKING:
        return shows_overtaken(placed);
    case K_DEADLOCK_AVOIDANCE:
        return shows_k_deadlock(placed);
    default:
        return false;
    }
}

bool shows_all_but_enabled(const struct run *run)
{
    char missing[MISSING_SIZE];
    return shows(&(struct placed_run){.run = *run, .missing = missing});
}

/* P14: from where the run ends, k are never inside at once again. */
static bool is_lost(const struct placed_run *placed)
{
    uint8_t *can = can_be_filled(placed->graph);
    bool lost = !can[placed->states[placed->run.last]];
    free(can);
    return lost || lacks(placed, "after it, %u can be inside at once", placed->graph->k);
}

enum confirmation trace_confirm_enabled(const struct trace *trace, const struct execution *execution,
                                        const struct exploration *exploration, const struct enabled *enabled,
                                        char *missing)
{
    struct placed_run placed = {.run = run_of(trace, execution), .enabled = enabled, .missing = missing};
    bool shown = false;
    missing[0] = '\0';
    const struct property_info *info = &property_info[trace->property];
    if (!info->shown_by_enabled && !info->needs_future)
        return NOT_CONFIRMED;
    if (exploration != NULL && !place(&placed, exploration)) {
        free(placed.states);
        return NEEDS_EXPLORATION;
    }
    if (info->shown_by_enabled)
        shown = shows(&placed);
    else if (placed.graph != NULL)
        shown = is_lost(&placed);
    free(placed.states);
    return shown ? CONFIRMED : NOT_CONFIRMED;
}
