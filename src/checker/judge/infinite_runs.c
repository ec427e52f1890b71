/* SPDX-License-Identifier: MIT */
#include "checker/judge/infinite_runs.h"

#include "base/die.h"

#include <stdlib.h>

static uint32_t plus(uint32_t run, uint32_t event)
{
    return run == UNBOUNDED ? UNBOUNDED : run + event;
}

/* The most events from any state of one component, whose successors are settled already. */
static uint32_t component_run(const struct part *part, const struct components *components, const uint32_t *runs,
                              struct event event, uint32_t from, uint32_t to)
{
    const struct graph *graph = part->graph;
    uint32_t component = components->of[components->order[from]];
    uint32_t most = 0;
    for (uint32_t at = from; at < to; at++) {
        uint32_t state = components->order[at];
        if (graph->standing[state].spins & spinners_of(event) && spins_in_vain(graph, state) & spinners_of(event))
            return UNBOUNDED;
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            uint32_t counts = (graph->kinds[edge] & event.mask) == event.match;
            uint32_t run = counts;
            if (part_has_edge(part, state, edge)) {
                uint32_t target = graph->targets[edge];
                if (components->of[target] == component)
                    run = counts ? UNBOUNDED : 0;
                else
                    run = plus(runs[target], counts);
            }
            if (run > most)
                most = run;
        }
        if (most == UNBOUNDED)
            break;
    }
    return most;
}

uint32_t *longest_runs(const struct part *part, struct event event)
{
    struct components components;
    components_find(&components, part);
    uint32_t *runs = must_allocate(part->graph->states * sizeof *runs);
    for (uint32_t from = 0, to; from < components.states; from = to) {
        uint32_t component = components.of[components.order[from]];
        for (to = from + 1; to < components.states && components.of[components.order[to]] == component; to++)
            ;
        uint32_t run = component_run(part, &components, runs, event, from, to);
        for (uint32_t at = from; at < to; at++)
            runs[components.order[at]] = run;
    }
    components_close(&components);
    return runs;
}

/* The processes whose steps lead from one state of a component to another; all that are wanted, if they do. */
static uint16_t steppers(const struct part *part, const struct components *components, uint32_t from, uint32_t to,
                         uint16_t wanted)
{
    const struct graph *graph = part->graph;
    uint32_t component = components->of[components->order[from]];
    uint16_t who = 0;
    for (uint32_t at = from; at < to && (who & wanted) != wanted; at++) {
        uint32_t state = components->order[at];
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
            if (components->of[graph->targets[edge]] == component && part_has_edge(part, state, edge))
                who |= (uint16_t)(1u << (graph->kinds[edge] & EDGE_PROCESS));
    }
    return who;
}

/* The component that begins at place `from` of the order: where it ends, its smallest state, and whether everybody in it
 * steps or rests and nobody malfunctions. */
struct look {
    uint32_t to, smallest;
    bool fair;
};

static struct look look_at(const struct part *part, const struct components *components, uint32_t from)
{
    const struct graph *graph = part->graph;
    uint16_t all = (uint16_t)((1u << graph->n) - 1), excused = 0, who = 0;
    uint32_t component = components->of[components->order[from]];
    struct look look = {.to = from, .smallest = components->order[from]};
    for (; look.to < components->states && components->of[components->order[look.to]] == component; look.to++) {
        uint32_t state = components->order[look.to];
        excused |= resting(part, &graph->standing[state]);
        who |= graph->standing[state].spins;
        if (state < look.smallest)
            look.smallest = state;
    }
    /* A single state has no steps but those that change nothing. */
    if (look.to - from > 1)
        who |= steppers(part, components, from, look.to, all & (uint16_t) ~(excused | who));
    look.fair = ((excused | who) & all) == all && malfunctioning(&graph->standing[look.smallest]) == 0;
    return look;
}

uint32_t fair_component(const struct part *part, struct components *components, component_condition *condition,
                        const void *context)
{
    uint32_t best = NOWHERE;
    components_find(components, part);
    struct look look;
    for (uint32_t from = 0; from < components->states; from = look.to) {
        look = look_at(part, components, from);
        if (look.fair && look.smallest < best && condition(context, &part->graph->standing[look.smallest]))
            best = look.smallest;
    }
    return best;
}

uint8_t *fair_states(const struct part *part, struct components *components)
{
    uint8_t *fair = must_allocate(part->graph->states);
    components_find(components, part);
    struct look look;
    for (uint32_t from = 0; from < components->states; from = look.to) {
        look = look_at(part, components, from);
        for (uint32_t at = from; at < look.to; at++)
            fair[components->order[at]] = look.fair;
    }
    return fair;
}
