/* SPDX-License-Identifier: MIT
 *
 * Tarjan's algorithm (R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972), without recursion.
 */
#include "checker/components.h"

#include "checker/die.h"

#include <stdlib.h>

/* What the search knows of a state, in one place, because a look at memory is what it costs. `of` says when the state was
 * first visited, from 1, or 0 if it was not; components are numbered above all visits, and what is outside the part has the
 * largest number of all. So one look tells whether an edge leads to a state that is new, open, finished or outside, and
 * only an open one can be smaller than a low link. */
struct node {
    uint32_t of, first; /* edge */
};

struct frame {
    uint32_t state, low;
    uint32_t edge, end; /* the next to look at, and the end of them */
};

struct search {
    const struct part *part;
    struct node *nodes;
    uint32_t *order;
    uint32_t visits, component, finished;
    uint32_t
        stack; /* the stack of open states grows down from the end of `order`, finished ones grow up from its start */
    struct frame *frames;
    size_t depth, room;
};

static void push(struct search *search, uint32_t state)
{
    if (search->depth == search->room) {
        search->room = search->room == 0 ? 1024 : search->room * 2;
        search->frames = must_reallocate(search->frames, search->room * sizeof *search->frames);
    }
    uint32_t first = search->nodes[state].first, end = search->nodes[state + 1].first;
    /* All nodes that this state leads to, asked for at once: one wait for memory instead of one per edge. */
    for (uint32_t edge = first; edge < end; edge++)
        __builtin_prefetch(&search->nodes[search->part->graph->targets[edge]]);
    search->nodes[state].of = ++search->visits;
    search->order[--search->stack] = state;
    search->frames[search->depth++] = (struct frame){state, search->visits, first, end};
}

static void pop_component(struct search *search, uint32_t root)
{
    uint32_t state;
    do {
        state = search->order[search->stack++];
        search->nodes[state].of = search->component;
        search->order[search->finished++] = state;
    } while (state != root);
    search->component++;
}

static bool edge_allowed(const struct part *part, uint32_t from, uint32_t edge)
{
    return !(part->graph->kinds[edge] & part->forbidden) &&
           (part->forbids == NULL || !part->forbids(part->context, from, part->graph->targets[edge]));
}

static void search_from(struct search *search, uint32_t root)
{
    const uint32_t *targets = search->part->graph->targets;
    bool all_allowed = search->part->forbidden == 0 && search->part->forbids == NULL;
    push(search, root);
    while (search->depth > 0) {
        struct frame *frame = &search->frames[search->depth - 1];
        uint32_t next = NO_COMPONENT;
        while (frame->edge < frame->end) {
            uint32_t edge = frame->edge++;
            uint32_t seen = search->nodes[targets[edge]].of;
            if (seen < frame->low && (all_allowed || edge_allowed(search->part, frame->state, edge))) {
                if (seen == 0) {
                    next = targets[edge];
                    break;
                }
                frame->low = seen;
            }
        }
        if (next != NO_COMPONENT) {
            push(search, next);
            continue;
        }
        uint32_t low = frame->low, state = frame->state;
        search->depth--;
        if (low == search->nodes[state].of)
            pop_component(search, state);
        else if (low < search->frames[search->depth - 1].low)
            search->frames[search->depth - 1].low = low;
    }
}

void components_find(struct components *components, const struct part *part)
{
    uint32_t states = part->graph->states;
    struct search search = {.part = part,
                            .nodes = must_allocate((states + 1) * sizeof *search.nodes),
                            .order = must_allocate(states * sizeof *search.order),
                            .component = states + 1,
                            .stack = states};
    for (uint32_t state = 0; state <= states; state++)
        search.nodes[state] = (struct node){.of = state < states && part->in[state] ? 0 : NO_COMPONENT,
                                            .first = (uint32_t)part->graph->first[state]};
    for (uint32_t state = 0; state < states; state++)
        if (search.nodes[state].of == 0)
            search_from(&search, state);
    *components = (struct components){
        .of = must_allocate(states * sizeof *components->of), .order = search.order, .states = search.finished};
    for (uint32_t state = 0; state < states; state++)
        components->of[state] = search.nodes[state].of;
    free(search.nodes);
    free(search.frames);
}

void components_close(struct components *components)
{
    free(components->of);
    free(components->order);
    memset(components, 0, sizeof *components);
}
