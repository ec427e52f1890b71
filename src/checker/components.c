/* SPDX-License-Identifier: MIT
 *
 * Tarjan's algorithm (R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972), without recursion.
 */
#include "checker/components.h"

#include "checker/die.h"

#include <stdlib.h>

struct frame {
    uint32_t state, low;
    uint64_t edge; /* the next to look at */
};

struct search {
    const struct part *part;
    struct components *components;
    uint32_t *visit; /* when a state was first visited, from 1; 0 if not yet */
    uint32_t visits;
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
    search->visit[state] = ++search->visits;
    search->components->order[--search->stack] = state;
    search->frames[search->depth++] = (struct frame){state, search->visits, search->part->graph->first[state]};
}

static void pop_component(struct search *search, uint32_t root)
{
    struct components *components = search->components;
    uint32_t state;
    do {
        state = components->order[search->stack++];
        components->of[state] = components->count;
        components->order[components->states++] = state;
    } while (state != root);
    components->count++;
}

static void search_from(struct search *search, uint32_t root)
{
    const struct graph *graph = search->part->graph;
    push(search, root);
    while (search->depth > 0) {
        struct frame *frame = &search->frames[search->depth - 1];
        if (frame->edge < graph->first[frame->state + 1]) {
            uint64_t edge = frame->edge++;
            if (!part_has_edge(search->part, frame->state, edge))
                continue;
            uint32_t to = graph->targets[edge];
            if (search->visit[to] == 0)
                push(search, to);
            else if (search->components->of[to] == NO_COMPONENT && search->visit[to] < frame->low)
                frame->low = search->visit[to];
            continue;
        }
        uint32_t low = frame->low, state = frame->state;
        search->depth--;
        if (low == search->visit[state])
            pop_component(search, state);
        if (search->depth > 0 && low < search->frames[search->depth - 1].low)
            search->frames[search->depth - 1].low = low;
    }
}

void components_find(struct components *components, const struct part *part)
{
    uint32_t states = part->graph->states;
    *components = (struct components){.of = must_allocate(states * sizeof *components->of),
                                      .order = must_allocate(states * sizeof *components->order)};
    memset(components->of, 0xff, states * sizeof *components->of);
    struct search search = {
        .part = part, .components = components, .visit = must_allocate(states * sizeof *search.visit), .stack = states};
    for (uint32_t state = 0; state < states; state++)
        if (part->in[state] && search.visit[state] == 0)
            search_from(&search, state);
    free(search.visit);
    free(search.frames);
}

void components_close(struct components *components)
{
    free(components->of);
    free(components->order);
    memset(components, 0, sizeof *components);
}
