/* SPDX-License-Identifier: MIT */
#include "checker/explore/graph.h"

#include "base/die.h"

#include "base/parallel.h"

#include <stdlib.h>

void graph_close(struct graph *graph)
{
    free(graph->first);
    free(graph->targets);
    free(graph->kinds);
    free(graph->standing);
    free(graph->numbers);
    free(graph->lasting);
    memset(graph, 0, sizeof *graph);
}

void graph_reserve(struct graph *graph, uint64_t states, uint64_t edges)
{
    if (graph->states + states > graph->state_room) {
        uint64_t room = graph->states + states;
        graph->state_room = (uint32_t)(room + room / 2);
        graph->first = must_reallocate(graph->first, graph->state_room * sizeof *graph->first);
        graph->standing = must_reallocate(graph->standing, graph->state_room * sizeof *graph->standing);
        graph->numbers = must_reallocate(graph->numbers, graph->state_room * sizeof *graph->numbers);
    }
    if (graph->edges + edges > graph->edge_room) {
        graph->edge_room = graph->edges + edges + (graph->edges + edges) / 2;
        graph->targets = must_reallocate(graph->targets, graph->edge_room * sizeof *graph->targets);
        graph->kinds = must_reallocate(graph->kinds, graph->edge_room);
    }
}

uint64_t graph_bytes(const struct graph *graph)
{
    return graph->state_room * (sizeof *graph->first + sizeof *graph->standing + sizeof *graph->numbers) +
           graph->edge_room * (sizeof *graph->targets + sizeof *graph->kinds);
}

struct renumbering {
    struct graph *graph;
    uint32_t *place; /* in the graph, by number in the store */
};

static void renumber_share(void *context, unsigned share, unsigned shares)
{
    struct renumbering *renumbering = context;
    struct graph *graph = renumbering->graph;
    for (uint64_t edge = graph->edges * share / shares; edge < graph->edges * (share + 1) / shares; edge++)
        graph->targets[edge] = renumbering->place[graph->targets[edge]];
}

void graph_renumber(struct graph *graph, unsigned threads)
{
    uint32_t largest = 0;
    for (uint32_t state = 0; state < graph->states; state++)
        if (graph->numbers[state] > largest)
            largest = graph->numbers[state];
    struct renumbering renumbering = {graph, must_allocate(((size_t)largest + 1) * sizeof(uint32_t))};
    for (uint32_t state = 0; state < graph->states; state++)
        renumbering.place[graph->numbers[state]] = state;
    parallel(threads, renumber_share, &renumbering);
    free(renumbering.place);
}
