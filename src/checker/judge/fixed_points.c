/* SPDX-License-Identifier: MIT */
#include "checker/judge/fixed_points.h"

#include "base/die.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Marks only ever change in one direction, so it does no harm to read an old one: whatever is missed is seen by the
 * next sweep, and the end is the same in every run. */
#define mark_get(at) __atomic_load_n((at), __ATOMIC_RELAXED)
#define mark_set(at, value) __atomic_store_n((at), (value), __ATOMIC_RELAXED)

struct sweeping {
    const struct graph *graph;
    void *marks;
    const struct part *part;                                        /* of the loops */
    bool (*visit)(const struct sweeping *sweeping, uint32_t state); /* whether anything changed */
    atomic_bool changed;
};

static void sweep_share(void *context, unsigned share, unsigned shares)
{
    struct sweeping *sweeping = context;
    uint32_t states = sweeping->graph->states;
    uint32_t from = (uint32_t)((uint64_t)states * share / shares),
             to = (uint32_t)((uint64_t)states * (share + 1) / shares);
    bool changed = false;
    for (uint32_t at = 0; at < to - from; at++)
        changed |= sweeping->visit(sweeping, to - 1 - at);
    if (changed)
        atomic_store(&sweeping->changed, true);
}

static void sweep(struct sweeping *sweeping)
{
    unsigned threads = core_count();
    do {
        atomic_store(&sweeping->changed, false);
        parallel(threads, sweep_share, sweeping);
    } while (atomic_load(&sweeping->changed));
}

/* --- blocked ------------------------------------------------------------------------------------------------------ */

/* The process that begins a fault with this edge, if any: being enabled is about the runs in which one does not. */
static uint16_t own_fault(uint8_t kind)
{
    return kind & EDGE_FAULT ? (uint16_t)(1u << (kind & EDGE_PROCESS)) : 0;
}

static bool spread_blocked(const struct sweeping *sweeping, uint32_t state)
{
    const struct graph *graph = sweeping->graph;
    uint16_t *blocked = sweeping->marks, before = mark_get(&blocked[state]), after = before;
    for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
        after |= mark_get(&blocked[graph->targets[edge]]) & (uint16_t)~own_fault(graph->kinds[edge]);
    after &= (uint16_t)~graph->standing[state].critical;
    if (after == before)
        return false;
    mark_set(&blocked[state], after);
    return true;
}

uint16_t *sweep_for_blocked(const struct graph *graph)
{
    uint16_t *blocked = must_allocate(graph->states * sizeof *blocked);
    for (uint32_t state = 0; state < graph->states; state++) {
        const struct standing *standing = &graph->standing[state];
        uint16_t steps = standing->spins;
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
            steps |= (uint16_t)(1u << (graph->kinds[edge] & EDGE_PROCESS));
        uint16_t finished = standing->remainder & (uint16_t)~steps;
        blocked[state] = (spins_in_vain(graph, state) | finished) & (uint16_t)~standing->critical;
    }
    sweep(&(struct sweeping){.graph = graph, .marks = blocked, .visit = spread_blocked});
    return blocked;
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

static bool drop_if_loose(const struct sweeping *sweeping, uint32_t state)
{
    const struct graph *graph = sweeping->graph;
    const struct standing *standing = &graph->standing[state];
    uint8_t *in = sweeping->marks;
    if (!mark_get(&in[state]))
        return false;
    for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
        if (!(graph->kinds[edge] & sweeping->part->forbidden) && mark_get(&in[graph->targets[edge]]))
            return false;
    uint16_t all = (uint16_t)((1u << graph->n) - 1);
    if (((standing->spins | resting(sweeping->part, standing)) & all) == all)
        return false;
    mark_set(&in[state], 0);
    return true;
}

void sweep_to_loops(const struct part *part, uint8_t *in)
{
    sweep(&(struct sweeping){.graph = part->graph, .marks = in, .part = part, .visit = drop_if_loose});
}
