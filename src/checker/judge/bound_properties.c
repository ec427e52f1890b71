/* SPDX-License-Identifier: MIT
 *
 * Bounds: bounded-doorway (P5), bounded-exit (P6), bounded-waiting (P7). Each is a longest run, and violated iff it has
 * none. Also the enabled relation, which is the same question asked of every state.
 */
#include "base/die.h"
#include "base/parallel.h"
#include "checker/judge/fixed_points.h"
#include "checker/judge/properties.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_in_doorway(const struct standing *standing, unsigned i)
{
    return standing->doorway >> i & 1;
}

static bool is_in_waiting_room(const struct standing *standing, unsigned i)
{
    return standing->waiting_room >> i & 1;
}

static bool is_in_exit(const struct standing *standing, unsigned i)
{
    return exiting(standing) >> i & 1;
}

/* The bound is violated: from `state`, which is in the part, the event can happen without end. */
static void show_unbounded(struct finding *finding, const struct exploration *exploration, const struct part *part,
                           struct event event, uint32_t state)
{
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    finding->has_bound = false;
    witness_open(&finding->witness, exploration, exploration->graph.numbers[state]);
    finding->witness.at = state;
    witness_loop_of(&finding->witness, exploration, part, event);
}

/* --- P5, P6: own steps in the doorway, or on the way out ---------------------------------------------------------- */

static bool begins_section(const struct graph *graph, enum property property, unsigned i, uint32_t from, uint64_t edge)
{
    uint8_t kind = graph->kinds[edge];
    if ((kind & EDGE_PROCESS) != i || kind & EDGE_FAULT)
        return false;
    return property == BOUNDED_DOORWAY ? (kind & EDGE_ENTERS_DOORWAY) != 0 : graph->standing[from].critical >> i & 1;
}

void judge_bounded_section(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    bool doorway = finding->property == BOUNDED_DOORWAY;
    finding->has_bound = true;
    for (unsigned i = 0; i < graph->n && finding->verdict == HOLDS; i++) {
        uint8_t *in = states_where(graph, doorway ? is_in_doorway : is_in_exit, i);
        struct part part = {.graph = graph, .in = in};
        uint32_t *runs = longest_runs(&part, step_of(i));
        for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
            for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
                if (!begins_section(graph, finding->property, i, state, edge))
                    continue;
                uint32_t to = graph->targets[edge];
                finding->fired++;
                if (runs[to] == UNBOUNDED) {
                    finding->i = i;
                    show_unbounded(finding, exploration, &part, step_of(i), to);
                    snprintf(finding->what, sizeof finding->what, "process %u steps for ever in its %s", i,
                             doorway ? "doorway" : "exit");
                    break;
                }
                if (runs[to] + 1 > finding->bound)
                    finding->bound = runs[to] + 1;
            }
        }
        free(runs);
        free(in);
    }
}

/* --- P7: entries past a process that waits ------------------------------------------------------------------------ */

struct passing {
    const struct graph *graph;
    uint32_t most[CHECKED_PROCESSES_MAX][CHECKED_PROCESSES_MAX];
    uint64_t fired[CHECKED_PROCESSES_MAX];
};

static void measure_passing(void *context, unsigned share, unsigned shares)
{
    struct passing *passing = context;
    const struct graph *graph = passing->graph;
    for (unsigned i = share; i < graph->n; i += shares) {
        uint8_t *in = states_where(graph, is_in_waiting_room, i);
        struct part part = {.graph = graph, .in = in};
        for (unsigned j = 0; j < graph->n; j++) {
            if (j == i)
                continue;
            uint32_t *runs = longest_runs(&part, entry_of(j));
            for (uint32_t state = 0; state < graph->states; state++) {
                if (runs[state] > passing->most[i][j])
                    passing->most[i][j] = runs[state];
                passing->fired[i] += runs[state] > 0;
            }
            free(runs);
        }
        free(in);
    }
}

void judge_bounded_waiting(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    struct passing passing = {.graph = graph};
    parallel(core_count(), measure_passing, &passing);
    finding->has_bound = true;
    for (unsigned i = 0; i < graph->n; i++) {
        finding->fired += passing.fired[i];
        for (unsigned j = 0; j < graph->n; j++) {
            if (passing.most[i][j] == UNBOUNDED && finding->verdict == HOLDS) {
                uint8_t *in = states_where(graph, is_in_waiting_room, i);
                struct part part = {.graph = graph, .in = in};
                uint32_t *runs = longest_runs(&part, entry_of(j));
                uint32_t state = 0;
                while (runs[state] != UNBOUNDED)
                    state++;
                finding->i = i;
                finding->j = j;
                show_unbounded(finding, exploration, &part, entry_of(j), state);
                snprintf(finding->what, sizeof finding->what,
                         "process %u enters again and again past process %u, which has left the doorway", j, i);
                free(runs);
                free(in);
            } else if (passing.most[i][j] != UNBOUNDED && passing.most[i][j] > finding->bound) {
                finding->bound = passing.most[i][j];
            }
        }
    }
}

/* --- enabled ------------------------------------------------------------------------------------------------------ */

/* A process that is blocked (fixed_points.h) is not enabled. What is left, usually little, is asked exactly, process by
 * process: its own steps may still be unbounded without any standing still, by going round in a larger loop. */

static bool is_inside_or_leaving(const struct standing *standing, unsigned i)
{
    return (standing->critical | exiting(standing)) >> i & 1;
}

struct enabling {
    struct enabled *enabled;
    const struct graph *graph;
    const uint16_t *blocked;
    atomic_uint next;
};

static void set_bit(_Atomic uint16_t *set, unsigned i)
{
    atomic_fetch_or_explicit(set, (uint16_t)(1u << i), memory_order_relaxed);
}

struct one {
    const struct graph *graph;
    unsigned i;
};

/* The process gives up, or is killed. */
static bool drops_out(const void *context, uint32_t from, uint32_t to)
{
    const struct one *one = context;
    const struct standing *before = &one->graph->standing[from], *after = &one->graph->standing[to];
    return ((before->waiting_room & exiting(after)) | (after->faulty & ~before->faulty)) >> one->i & 1;
}

/* Others give up or die any number of times, but not for ever: loops are looked for without these steps, and what leads
 * to such a loop, over whatever steps, is unbounded too. */
static uint32_t *runs_with_faults(struct part *part, unsigned i)
{
    const struct graph *graph = part->graph;
    if (!graph->recovers)
        return longest_runs(part, step_of(i));
    part->forbids = drops_out;
    part->context = &(struct one){graph, i};
    part->forbidden = EDGE_FAULT;
    uint32_t *runs = longest_runs(part, step_of(i));
    part->forbidden = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t state = graph->states; state-- > 0;)
            for (uint64_t edge = graph->first[state];
                 part->in[state] && runs[state] != UNBOUNDED && edge < graph->first[state + 1]; edge++)
                if (part_has_edge(part, state, edge) && runs[graph->targets[edge]] == UNBOUNDED) {
                    runs[state] = UNBOUNDED;
                    changed = true;
                }
    }
    return runs;
}

static void find_enabled_to_enter(struct enabling *enabling, unsigned i)
{
    const struct graph *graph = enabling->graph;
    uint8_t *in = must_allocate(graph->states);
    for (uint32_t state = 0; state < graph->states; state++)
        in[state] = !((enabling->blocked[state] | graph->standing[state].critical) >> i & 1);
    uint32_t *runs = runs_with_faults(&(struct part){.graph = graph, .in = in}, i);
    for (uint32_t state = 0; state < graph->states; state++) {
        bool inside = graph->standing[state].critical >> i & 1;
        if (!inside && (!in[state] || runs[state] == UNBOUNDED))
            continue;
        set_bit(&enabling->enabled->critical[state], i);
        if (runs[state] > 0) /* else it is 0 already, in memory that need not be touched */
            enabling->enabled->own_steps[i][state] = runs[state] < UINT16_MAX ? (uint16_t)runs[state] : UINT16_MAX;
    }
    free(runs);
    free(in);
}

/* Only asked of those inside or leaving: for the others it is not defined by any property. */
static void find_enabled_to_leave(struct enabling *enabling, unsigned i)
{
    const struct graph *graph = enabling->graph;
    uint8_t *in = states_where(graph, is_inside_or_leaving, i);
    uint32_t *runs = runs_with_faults(&(struct part){.graph = graph, .in = in}, i);
    for (uint32_t state = 0; state < graph->states; state++)
        if (graph->standing[state].remainder >> i & 1 || (in[state] && runs[state] != UNBOUNDED))
            set_bit(&enabling->enabled->remainder[state], i);
    free(runs);
    free(in);
}

static void find_enabled(void *context, unsigned share, unsigned shares)
{
    (void)share, (void)shares;
    struct enabling *enabling = context;
    for (unsigned i; (i = atomic_fetch_add(&enabling->next, 1)) < enabling->graph->n;) {
        find_enabled_to_enter(enabling, i);
        find_enabled_to_leave(enabling, i);
    }
}

void enabled_find(struct enabled *enabled, const struct graph *graph)
{
    memset(enabled, 0, sizeof *enabled);
    enabled->critical = must_allocate(graph->states * sizeof *enabled->critical);
    enabled->remainder = must_allocate(graph->states * sizeof *enabled->remainder);
    for (unsigned i = 0; i < graph->n; i++)
        enabled->own_steps[i] = must_allocate(graph->states * sizeof *enabled->own_steps[i]);
    uint16_t *blocked = sweep_for_blocked(graph);
    parallel(core_count(), find_enabled, &(struct enabling){.enabled = enabled, .graph = graph, .blocked = blocked});
    free(blocked);
}

void enabled_close(struct enabled *enabled)
{
    free(enabled->critical);
    free(enabled->remainder);
    for (unsigned i = 0; i < CHECKED_PROCESSES_MAX; i++)
        free(enabled->own_steps[i]);
    memset(enabled, 0, sizeof *enabled);
}
