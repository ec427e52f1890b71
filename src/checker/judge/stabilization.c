/* SPDX-License-Identifier: MIT
 *
 * What holds from some time on, wherever the start: exclusion (P1) and fcfs (P4) where the start is arbitrary.
 *
 * Lamport (1986, section 2.4) measures time in system steps, one operation of every process each: a property holds
 * eventually if there is a t such that it is not violated after t system steps. On a finite graph it is not so iff a
 * violation can come after a loop in which everybody steps or rests: round that loop any t is reached; and a run that
 * makes more system steps than there are states has been round such a loop. So the search begins in all such loops.
 * For fcfs both doorways must come after it.
 */
#include "base/die.h"
#include "checker/judge/properties.h"

#include <stdio.h>
#include <stdlib.h>

/* A node of the search: a state and how much of what is looked for has happened. */
struct node {
    uint32_t state;
    uint8_t phase;
};

enum { PHASES = 3, NOT_SEEN = 0, FIRST = 1 }; /* FIRST: in a loop; otherwise 2 + the process that stepped */

struct hop {
    uint32_t from;
    uint8_t phase, process; /* process: as above */
};

struct search {
    const struct graph *graph;
    const uint8_t *in_loops; /* the states of the loops in which everybody steps or rests */
    unsigned phases;
    unsigned i, j;
    uint64_t fired;
    struct hop *hops[PHASES];
    struct node *queue;
    uint64_t head, tail;
};

/* What phase a step leads to. */
typedef unsigned phase_rule(const struct search *search, struct node at, uint64_t edge);
typedef bool violation_rule(const struct search *search, struct node at);

static void arrive(struct search *search, struct node node, struct hop hop)
{
    if (search->hops[node.phase][node.state].process != NOT_SEEN)
        return;
    search->hops[node.phase][node.state] = hop;
    search->queue[search->tail++] = node;
}

/* Breadth first from all loops; true if a violation was reached, which is then the last node of the queue's head. */
static bool look_for(struct search *search, phase_rule *next_phase, violation_rule *is_violation, struct node *found)
{
    const struct graph *graph = search->graph;
    for (unsigned phase = 0; phase < search->phases; phase++)
        search->hops[phase] = must_allocate(graph->states * sizeof *search->hops[phase]);
    search->queue = must_allocate((size_t)graph->states * search->phases * sizeof *search->queue);
    for (uint32_t state = 0; state < graph->states; state++)
        if (search->in_loops[state])
            arrive(search, (struct node){state, 0}, (struct hop){.process = FIRST});
    while (search->head < search->tail) {
        struct node at = search->queue[search->head++];
        if (is_violation(search, at)) {
            *found = at;
            return true;
        }
        for (uint64_t edge = graph->first[at.state]; edge < graph->first[at.state + 1]; edge++) {
            unsigned phase = next_phase(search, at, edge);
            arrive(search, (struct node){graph->targets[edge], (uint8_t)phase},
                   (struct hop){at.state, at.phase, (uint8_t)(2 + (graph->kinds[edge] & EDGE_PROCESS))});
        }
    }
    return false;
}

static void search_close(struct search *search)
{
    for (unsigned phase = 0; phase < PHASES; phase++)
        free(search->hops[phase]);
    free(search->queue);
}

/* The way from a loop to the node. */
static void walk(struct witness *witness, const struct exploration *exploration, const struct search *search,
                 const struct part *part, const struct components *components, struct node node)
{
    const struct hop *hop = &search->hops[node.phase][node.state];
    if (hop->process == FIRST) {
        witness_open(witness, exploration, exploration->graph.numbers[node.state]);
        witness->at = node.state;
        witness_fair_loop(witness, exploration, part, components);
        return;
    }
    walk(witness, exploration, search, part, components, (struct node){hop->from, hop->phase});
    witness_go(witness, exploration, node.state, hop->process - 2u);
}

struct loops {
    struct part part;
    struct components components;
    uint8_t *in, *fair;
};

static void loops_find(struct loops *loops, const struct graph *graph)
{
    loops->in = must_allocate(graph->states);
    for (uint32_t state = 0; state < graph->states; state++)
        loops->in[state] = may_last(graph, state);
    loops->part = (struct part){.graph = graph, .in = loops->in};
    loops->fair = fair_states(&loops->part, &loops->components);
}

static void loops_close(struct loops *loops)
{
    components_close(&loops->components);
    free(loops->in);
    free(loops->fair);
}

/* --- exclusion ---------------------------------------------------------------------------------------------------- */

static unsigned any_step_will_do(const struct search *search, struct node at, uint64_t edge)
{
    (void)search, (void)at, (void)edge;
    return 0;
}

static bool too_many_inside(const struct search *search, struct node at)
{
    return (unsigned)__builtin_popcount(search->graph->standing[at.state].critical) > search->graph->k;
}

static uint64_t entries_after_loops(const struct search *search)
{
    const struct graph *graph = search->graph;
    uint64_t entries = 0;
    for (uint32_t state = 0; state < graph->states; state++)
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
            entries += search->hops[0][state].process != NOT_SEEN && graph->kinds[edge] & EDGE_ENTERS_CRITICAL;
    return entries;
}

void judge_eventual_exclusion(struct finding *finding, const struct exploration *exploration)
{
    struct loops loops;
    loops_find(&loops, &exploration->graph);
    struct search search = {.graph = &exploration->graph, .in_loops = loops.fair, .phases = 1};
    struct node found;
    if (look_for(&search, any_step_will_do, too_many_inside, &found)) {
        finding->verdict = VIOLATED;
        finding->has_witness = true;
        walk(&finding->witness, exploration, &search, &loops.part, &loops.components, found);
        snprintf(finding->what, sizeof finding->what,
                 "more than %u inside, however long everybody under way has been stepping since the start",
                 search.graph->k);
    }
    finding->fired = entries_after_loops(&search);
    search_close(&search);
    loops_close(&loops);
}

/* --- fcfs --------------------------------------------------------------------------------------------------------- */

/* Phase 1: i entered the doorway after the loop, and has not got inside. Phase 2: since then j has come too, after i
 * had left the doorway, and i still waits. Once i is inside, all begins anew with its next passage. */
static unsigned next_in_line(const struct search *search, struct node at, uint64_t edge)
{
    const struct graph *graph = search->graph;
    const struct standing *from = &graph->standing[at.state], *to = &graph->standing[graph->targets[edge]];
    unsigned process = graph->kinds[edge] & EDGE_PROCESS;
    bool comes = graph->kinds[edge] & EDGE_ENTERS_DOORWAY;
    switch (at.phase) {
    case 0:
        return comes && process == search->i ? 1 : 0;
    case 1:
        if (!(trying(to) >> search->i & 1))
            return 0;
        return comes && process == search->j && from->waiting_room >> search->i & 1 ? 2 : 1;
    default:
        return to->waiting_room >> search->i & 1 ? 2 : 0; /* j is trying until it gets inside, which is the violation */
    }
}

static bool is_overtaken(const struct search *search, struct node at)
{
    return at.phase == 2 && search->graph->standing[at.state].critical >> search->j & 1;
}

void judge_eventual_fcfs(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    struct loops loops;
    loops_find(&loops, graph);
    for (unsigned pair = 0; pair < graph->n * graph->n && finding->verdict == HOLDS; pair++) {
        struct search search = {
            .graph = graph, .in_loops = loops.fair, .phases = PHASES, .i = pair / graph->n, .j = pair % graph->n};
        struct node found;
        if (search.i == search.j)
            continue;
        if (look_for(&search, next_in_line, is_overtaken, &found)) {
            finding->verdict = VIOLATED;
            finding->has_witness = true;
            finding->i = search.i;
            finding->j = search.j;
            walk(&finding->witness, exploration, &search, &loops.part, &loops.components, found);
            snprintf(finding->what, sizeof finding->what,
                     "process %u is inside, but process %u had left the doorway before %u entered it, however long "
                     "everybody under way has been stepping since the start",
                     search.j, search.i, search.j);
        }
        for (uint32_t state = 0; state < graph->states; state++)
            finding->fired += search.hops[2][state].process != NOT_SEEN;
        search_close(&search);
    }
    loops_close(&loops);
}
