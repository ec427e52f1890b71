/* SPDX-License-Identifier: MIT
 *
 * components.h - strongly connected components of a part of the graph: where a run can go on for ever.
 *
 * All arrays here are as long as the graph has states, but only what is in the part is ever touched: fresh memory comes
 * as zeroes that cost nothing until they are looked at, so that a small part of a large graph is cheap.
 */
#ifndef ADMIT_CHECKER_JUDGE_COMPONENTS_H
#define ADMIT_CHECKER_JUDGE_COMPONENTS_H

#include "checker/explore/graph.h"

/* Of a state outside the part; and, as a state, none. */
#define NO_COMPONENT 0
#define NOWHERE UINT32_MAX

/* A part of the graph: the states marked in `in`, and the edges between them that `forbids` does not forbid. */
struct part {
    const struct graph *graph;
    const uint8_t *in;
    uint8_t forbidden;    /* edges whose kind has any of these bits are left out */
    bool may_stay_inside; /* those inside may do nothing any more */
    /* If not NULL, an edge is left out where this says so. */
    bool (*forbids)(const void *context, uint32_t from, uint32_t to);
    const void *context;
};

struct components {
    uint32_t *of; /* per state: its component, or NO_COMPONENT outside the part; what a component reaches is smaller */
    uint32_t *order; /* the part's states, component by component, in ascending order of components */
    uint32_t states; /* in the part */
};

/* The processes that may do nothing any more. */
static inline uint16_t resting(const struct part *part, const struct standing *standing)
{
    return (uint16_t)((standing->remainder & ~standing->unsettled) | standing->crashed |
                      (part->may_stay_inside ? standing->critical : 0));
}

void components_find(struct components *components, const struct part *part);
void components_close(struct components *components);

static inline bool part_has_edge(const struct part *part, uint32_t from, uint64_t edge)
{
    uint32_t to = part->graph->targets[edge];
    return part->in[to] && !(part->graph->kinds[edge] & part->forbidden) &&
           (part->forbids == NULL || !part->forbids(part->context, from, to));
}

#endif
