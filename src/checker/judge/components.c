/* SPDX-License-Identifier: MIT
 *
 * Tarjan's algorithm (R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972), without recursion.
 */
#include "checker/judge/components.h"

#include "base/die.h"

#include <stdlib.h>

/* While the search is under way, of[] says when a state was first visited, from 1, or 0 if it was not; components are
 * numbered above all visits. So one look tells whether an edge leads to a state that is new, open or finished, and
 * only an open one can be smaller than a low link. */
struct frame {
    uint32_t state, low;
    uint64_t edge, end; /* the next to look at, and the end of them */
};

struct search {
    const struct part *part;
    uint32_t *of, *order;
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
    const struct graph *graph = search->part->graph;
    uint64_t first = graph->first[state], end = graph->first[state + 1];
    /* All that this state leads to, asked for at once: one wait for memory instead of one per edge. */
    for (uint64_t edge = first; edge < end; edge++) {
        __builtin_prefetch(&search->of[graph->targets[edge]]);
        __builtin_prefetch(&search->part->in[graph->targets[edge]]);
    }
    search->of[state] = ++search->visits;
    search->order[--search->stack] = state;
    search->frames[search->depth++] = (struct frame){state, search->visits, first, end};
}

static void pop_component(struct search *search, uint32_t root)
{
    uint32_t state;
    do {
        state = search->order[search->stack++];
        search->of[state] = search->component;
        search->order[search->finished++] = state;
    } while (state != root);
    search->component++;
}

static void search_from(struct search *search, uint32_t root)
{
    const struct part *part = search->part;
    push(search, root);
    while (search->depth > 0) {
        struct frame *frame = &search->frames[search->depth - 1];
        uint32_t next = NOWHERE;
        while (frame->edge < frame->end) {
            uint64_t edge = frame->edge++;
            uint32_t seen = search->of[part->graph->targets[edge]];
            if (seen < frame->low && part_has_edge(part, frame->state, edge)) {
                if (seen == 0) {
                    next = part->graph->targets[edge];
                    break;
                }
                frame->low = seen;
            }
        }
        if (next != NOWHERE) {
            push(search, next);
            continue;
        }
        uint32_t low = frame->low, state = frame->state;
        search->depth--;
        if (low == search->of[state])
            pop_component(search, state);
        else if (low < search->frames[search->depth - 1].low)
            search->frames[search->depth - 1].low = low;
    }
}

void components_find(struct components *components, const struct part *part)
{
    uint32_t states = part->graph->states;
    struct search search = {.part = part,
                            .of = must_allocate(states * sizeof *search.of),
                            .order = must_allocate(states * sizeof *search.order),
                            .component = states + 1,
                            .stack = states};
    for (uint32_t state = 0; state < states; state++)
        if (part->in[state] && search.of[state] == NO_COMPONENT)
            search_from(&search, state);
    *components = (struct components){.of = search.of, .order = search.order, .states = search.finished};
    free(search.frames);
}

void components_close(struct components *components)
{
    free(components->of);
    free(components->order);
    memset(components, 0, sizeof *components);
}
