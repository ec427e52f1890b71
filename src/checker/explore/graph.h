/* SPDX-License-Identifier: MIT
 *
 * graph.h - the explored states and steps, laid out for the questions that need more than one look at each: who can run
 * for ever, who can be overtaken, who is enabled.
 *
 * States are numbered in the order in which they were expanded, which is breadth first: the first `roots` are those to
 * start in, and a smaller number is never further from them. A failed wait is a step that stays where it is; those are a mask per state,
 * not edges.
 */
#ifndef ADMIT_CHECKER_EXPLORE_GRAPH_H
#define ADMIT_CHECKER_EXPLORE_GRAPH_H

#include "checker/model/model.h"

/* Processes as bits. What is in none of the sections' masks is in the exit. */
struct standing {
    uint16_t remainder, doorway, waiting_room, critical, faulty;
    uint16_t crashed;
    uint16_t spins;     /* can take a step that changes nothing */
    uint16_t unsettled; /* must not stay as it is for ever: malfunctions, or has registers to reset in its remainder */
};

/* The kind of an edge: whose step it is, and what happens to that process. */
enum {
    EDGE_PROCESS = 15,
    EDGE_TIMED_LOOK = 16, /* it was asleep, and wakes by itself */
    EDGE_FAULT = 32,
    EDGE_ENTERS_DOORWAY = 64,
    EDGE_ENTERS_CRITICAL = 128
};

struct graph {
    unsigned n, k;         /* all processes */
    unsigned participants; /* those of them that are no commands (processes_of) */
    bool aborts;           /* a passage can end without having led inside */
    bool recovers;         /* the text has parts for giving up and for the places of the dead (registers/sleeping.h) */
    uint32_t roots;        /* states 0 .. roots - 1 are those to start in */
    uint32_t states;
    uint64_t edges;
    uint64_t *first; /* edges of s: first[s] .. first[s + 1] - 1 */
    uint32_t *targets;
    uint8_t *kinds;
    struct standing *standing;
    uint32_t *numbers; /* in the store */
    uint8_t *lasting;  /* where the start is arbitrary, fair_states (infinite_runs.h) of it all; otherwise NULL */
    uint32_t state_room;
    uint64_t edge_room;
};

void graph_close(struct graph *graph);
/* Makes room for more states and edges. */
void graph_reserve(struct graph *graph, uint64_t states, uint64_t edges);
/* While exploring, edges lead to numbers in the store; at the end, to numbers in the graph. */
void graph_renumber(struct graph *graph, unsigned threads);
uint64_t graph_bytes(const struct graph *graph);

/* Whether a loop in which everybody steps or rests can go through the state, as far as is known without looking: a loop
 * in a part of the graph is a loop in the whole. */
static inline bool may_last(const struct graph *graph, uint32_t state)
{
    return graph->lasting == NULL || graph->lasting[state];
}

/* Whose steps that change nothing can go on for ever with no other step of the same process. A process that is asleep
 * finds so time and again only until it wakes by itself: its next step. Nobody may rely on when that will be, and so
 * progress does not; but it is certain to come. */
static inline uint16_t spins_in_vain(const struct graph *graph, uint32_t state)
{
    uint16_t spins = graph->standing[state].spins;
    for (uint64_t edge = graph->first[state]; spins != 0 && edge < graph->first[state + 1]; edge++)
        if (graph->kinds[edge] & EDGE_TIMED_LOOK)
            spins &= (uint16_t) ~(1u << (graph->kinds[edge] & EDGE_PROCESS));
    return spins;
}

static inline uint16_t exiting(const struct standing *standing)
{
    return (uint16_t) ~(standing->remainder | standing->doorway | standing->waiting_room | standing->critical |
                        standing->faulty);
}

static inline uint16_t malfunctioning(const struct standing *standing)
{
    return standing->faulty & standing->unsettled;
}

static inline uint16_t trying(const struct standing *standing)
{
    return standing->doorway | standing->waiting_room;
}

#endif
