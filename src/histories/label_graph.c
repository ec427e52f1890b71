/* SPDX-License-Identifier: MIT */
#include "histories/label_graph.h"

#include "base/die.h"
#include "histories/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    uint8_t process;
    uint32_t serial;
};

struct edge {
    uint32_t from, to;
};

struct label_graph {
    unsigned n;
    struct node *nodes;
    uint32_t node_count, node_capacity;
    struct edge *edges;
    uint32_t edge_count, edge_capacity;
    uint32_t *number[HISTORY_PROCESSES_MAX]; /* 1 + the node of a process's label, by its serial number */
    uint32_t numbers[HISTORY_PROCESSES_MAX];
};

static void *grown(void *array, uint32_t *capacity, uint32_t needed, size_t size)
{
    uint32_t old = *capacity;
    if (needed <= old)
        return array;
    *capacity = needed < 2 * old ? 2 * old : needed + 15;
    array = must_reallocate(array, *capacity * size);
    memset((char *)array + old * size, 0, (*capacity - old) * size);
    return array;
}

static uint32_t node_of(struct label_graph *graph, unsigned j, uint32_t serial)
{
    graph->number[j] = grown(graph->number[j], &graph->numbers[j], serial + 1, sizeof *graph->number[j]);
    if (graph->number[j][serial] == 0) {
        graph->nodes = grown(graph->nodes, &graph->node_capacity, graph->node_count + 1, sizeof *graph->nodes);
        graph->nodes[graph->node_count++] = (struct node){(uint8_t)j, serial};
        graph->number[j][serial] = graph->node_count;
    }
    return graph->number[j][serial] - 1;
}

static void add_edge(struct label_graph *graph, uint32_t from, uint32_t to)
{
    graph->edges = grown(graph->edges, &graph->edge_capacity, graph->edge_count + 1, sizeof *graph->edges);
    graph->edges[graph->edge_count++] = (struct edge){from, to};
}

struct label_graph *label_graph_open(unsigned n)
{
    struct label_graph *graph = must_allocate(sizeof *graph);
    graph->n = n;
    label_graph_restart(graph);
    return graph;
}

void label_graph_close(struct label_graph *graph)
{
    for (unsigned j = 0; j < graph->n; j++)
        free(graph->number[j]);
    free(graph->nodes);
    free(graph->edges);
    free(graph);
}

void label_graph_restart(struct label_graph *graph)
{
    for (unsigned j = 0; j < graph->n; j++)
        if (graph->numbers[j] > 0)
            memset(graph->number[j], 0, graph->numbers[j] * sizeof *graph->number[j]);
    graph->node_count = graph->edge_count = 0;
    for (unsigned j = 0; j + 1 < graph->n; j++)
        add_edge(graph, node_of(graph, j, 0), node_of(graph, j + 1, 0));
}

static unsigned with_rank(const unsigned rank[], unsigned wanted)
{
    unsigned j = 0;
    while (rank[j] != wanted)
        j++;
    return j;
}

void label_graph_scan(struct label_graph *graph, const unsigned rank[], const uint32_t serial[])
{
    for (unsigned r = 0; r + 1 < graph->n; r++) {
        unsigned lower = with_rank(rank, r), upper = with_rank(rank, r + 1);
        add_edge(graph, node_of(graph, lower, serial[lower]), node_of(graph, upper, serial[upper]));
    }
}

void label_graph_label(struct label_graph *graph, unsigned i, bool wrote, const unsigned rank[],
                       const uint32_t serial[])
{
    unsigned last = with_rank(rank, graph->n - 1);
    uint32_t own = node_of(graph, i, serial[i] + (wrote ? 1 : 0));
    for (unsigned j = 0; j < graph->n; j++)
        if (j != i)
            add_edge(graph, node_of(graph, j, serial[j]), own);
    if (wrote)
        add_edge(graph, node_of(graph, i, serial[i]), node_of(graph, last, serial[last]));
}

/* How many edges of labels that are still there lead to each, once every label with nothing below it has been taken
 * away, again and again. Returns how many labels are left: there is a cycle among them, if any. */
static uint32_t take_away(const struct label_graph *graph, uint32_t *below)
{
    uint32_t nodes = graph->node_count, left = nodes, ready_count = 0;
    uint32_t *first = must_allocate((nodes + 2) * sizeof *first), *fill = must_allocate((nodes + 1) * sizeof *fill);
    uint32_t *upper = must_allocate((graph->edge_count + 1) * sizeof *upper);
    uint32_t *ready = must_allocate((nodes + 1) * sizeof *ready);
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        below[graph->edges[e].to]++;
        first[graph->edges[e].from + 1]++;
    }
    for (uint32_t v = 0; v < nodes; v++)
        first[v + 1] += first[v];
    memcpy(fill, first, nodes * sizeof *fill);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        upper[fill[graph->edges[e].from]++] = graph->edges[e].to;
    for (uint32_t v = 0; v < nodes; v++)
        if (below[v] == 0)
            ready[ready_count++] = v;
    while (ready_count > 0) {
        uint32_t v = ready[--ready_count];
        left--;
        for (uint32_t at = first[v]; at < first[v + 1]; at++)
            if (--below[upper[at]] == 0)
                ready[ready_count++] = upper[at];
    }
    free(first);
    free(fill);
    free(upper);
    free(ready);
    return left;
}

/* One that is left and must be smaller than v, which is left, too. */
static uint32_t one_below(const struct label_graph *graph, const uint32_t *below, uint32_t v)
{
    uint32_t e = 0;
    while (graph->edges[e].to != v || below[graph->edges[e].from] == 0)
        e++;
    return graph->edges[e].from;
}

/* Goes down until it must be on a cycle, and then once round. */
static void describe_cycle(const struct label_graph *graph, const uint32_t *below, char *cycle, size_t size)
{
    uint32_t v = 0;
    while (below[v] == 0)
        v++;
    for (uint32_t steps = 0; steps < graph->node_count; steps++)
        v = one_below(graph, below, v);
    uint32_t start = v;
    int used = snprintf(cycle, size, "labels (process.number) would be smaller than themselves: %u.%u",
                        graph->nodes[v].process, graph->nodes[v].serial);
    do {
        v = one_below(graph, below, v);
        if (used > 0 && (size_t)used < size)
            used += snprintf(cycle + used, size - (size_t)used, " > %u.%u", graph->nodes[v].process,
                             graph->nodes[v].serial);
    } while (v != start);
}

bool label_graph_is_acyclic(const struct label_graph *graph, char *cycle, size_t size)
{
    uint32_t *below = must_allocate((graph->node_count + 1) * sizeof *below);
    uint32_t left = take_away(graph, below);
    if (left > 0)
        describe_cycle(graph, below, cycle, size);
    free(below);
    return left == 0;
}
