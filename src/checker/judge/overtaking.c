/* SPDX-License-Identifier: MIT
 *
 * How often one can be overtaken in one stay in the waiting room: overtaking (P11).
 *
 * For one i: the states in which it waits, each with the set of those who came later; an edge on which one of those
 * enters while i is not enabled is an overtaking, and is marked as an entry. A graph of its own, so that the same
 * questions can be asked of it.
 */
#include "base/die.h"
#include "checker/judge/properties.h"

#include <stdio.h>
#include <stdlib.h>

static bool has(uint16_t set, unsigned i)
{
    return set >> i & 1;
}

struct later_graph {
    struct graph graph;
    uint32_t *base; /* per state: the state of the underlying graph */
    uint16_t *later;
    uint32_t *index; /* hash table of (base, later) */
    uint32_t index_size;
    const struct graph *under;
    const struct enabled *enabled;
    unsigned i;
};

static uint32_t later_place(const struct later_graph *graph, uint32_t base, uint16_t later)
{
    uint32_t at = (base * UINT32_C(2654435761) ^ later * UINT32_C(40503)) & (graph->index_size - 1);
    while (graph->index[at] != 0 &&
           (graph->base[graph->index[at] - 1] != base || graph->later[graph->index[at] - 1] != later))
        at = (at + 1) & (graph->index_size - 1);
    return at;
}

static uint32_t later_state(struct later_graph *graph, uint32_t base, uint16_t later)
{
    uint32_t place = later_place(graph, base, later);
    if (graph->index[place] != 0)
        return graph->index[place] - 1;
    uint32_t state = graph->graph.states;
    graph_reserve(&graph->graph, 2, 0);
    graph->base = must_reallocate(graph->base, graph->graph.state_room * sizeof *graph->base);
    graph->later = must_reallocate(graph->later, graph->graph.state_room * sizeof *graph->later);
    graph->base[state] = base;
    graph->later[state] = later;
    graph->graph.standing[state] = graph->under->standing[base];
    graph->graph.standing[state].spins = 0;
    graph->graph.numbers[state] = graph->under->numbers[base];
    graph->graph.states++;
    graph->index[place] = state + 1;
    if (graph->graph.states * 2 > graph->index_size) {
        graph->index_size *= 2;
        free(graph->index);
        graph->index = must_allocate(graph->index_size * sizeof *graph->index);
        for (uint32_t s = 0; s < graph->graph.states; s++)
            graph->index[later_place(graph, graph->base[s], graph->later[s])] = s + 1;
    }
    return state;
}

static void expand_later(struct later_graph *graph, uint32_t state)
{
    const struct graph *under = graph->under;
    uint32_t base = graph->base[state];
    graph->graph.first[state] = graph->graph.edges;
    for (uint64_t edge = under->first[base]; edge < under->first[base + 1]; edge++) {
        uint32_t to = under->targets[edge];
        const struct standing *standing = &under->standing[to];
        uint8_t kind = under->kinds[edge];
        unsigned process = kind & EDGE_PROCESS;
        if (!has(standing->waiting_room, graph->i))
            continue;
        uint16_t later = graph->later[state];
        if (kind & EDGE_ENTERS_DOORWAY)
            later |= (uint16_t)(1u << process);
        later &= (uint16_t)~standing->remainder;
        bool overtakes =
            kind & EDGE_ENTERS_CRITICAL && has(later, process) && !has(graph->enabled->critical[to], graph->i);
        uint32_t target = later_state(graph, to, later);
        graph_reserve(&graph->graph, 1, 1);
        graph->graph.targets[graph->graph.edges] = target;
        graph->graph.kinds[graph->graph.edges++] = (uint8_t)(process | (overtakes ? EDGE_ENTERS_CRITICAL : 0));
    }
    graph->graph.first[state + 1] = graph->graph.edges;
}

static bool leaves_doorway(const struct graph *graph, unsigned i, uint32_t from, uint64_t edge)
{
    return (graph->kinds[edge] & EDGE_PROCESS) == i && !(graph->kinds[edge] & EDGE_FAULT) &&
           !has(graph->standing[from].waiting_room, i) && has(graph->standing[graph->targets[edge]].waiting_room, i);
}

void judge_overtaking(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled)
{
    const struct graph *under = &exploration->graph;
    const struct event overtaken = {.mask = EDGE_ENTERS_CRITICAL, .match = EDGE_ENTERS_CRITICAL};
    finding->has_bound = true;
    for (unsigned i = 0; i < under->n && finding->verdict == HOLDS; i++) {
        struct later_graph graph = {.under = under, .enabled = enabled, .i = i, .index_size = 1024};
        graph.graph.n = under->n;
        graph.graph.k = under->k;
        graph.index = must_allocate(graph.index_size * sizeof *graph.index);
        for (uint32_t state = 0; state < under->states; state++)
            for (uint64_t edge = under->first[state]; edge < under->first[state + 1]; edge++)
                if (leaves_doorway(under, i, state, edge)) {
                    later_state(&graph, under->targets[edge], 0);
                    finding->fired++;
                }
        uint32_t starts = graph.graph.states;
        for (uint32_t state = 0; state < graph.graph.states; state++)
            expand_later(&graph, state);
        uint8_t *in = must_allocate(graph.graph.states);
        memset(in, 1, graph.graph.states);
        struct part part = {.graph = &graph.graph, .in = in};
        uint32_t *runs = longest_runs(&part, overtaken);
        for (uint32_t state = 0; state < starts && finding->verdict == HOLDS; state++) {
            if (runs[state] != UNBOUNDED) {
                if (runs[state] > finding->bound)
                    finding->bound = runs[state];
                continue;
            }
            finding->verdict = VIOLATED;
            finding->has_witness = true;
            finding->has_bound = false;
            finding->i = i;
            struct exploration shadow = *exploration;
            shadow.graph = graph.graph;
            witness_open(&finding->witness, exploration, graph.graph.numbers[state]);
            finding->witness.at = state;
            witness_loop_of(&finding->witness, &shadow, &part, overtaken);
            snprintf(finding->what, sizeof finding->what,
                     "process %u is overtaken without end in one stay in the waiting room", i);
        }
        free(runs);
        free(in);
        free(graph.base);
        free(graph.later);
        free(graph.index);
        graph_close(&graph.graph);
    }
}
