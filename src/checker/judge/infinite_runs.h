/* SPDX-License-Identifier: MIT
 *
 * infinite_runs.h - the two questions about infinite runs that all liveness properties are made of.
 *
 * 1. How often can something happen while a run stays in a part of the graph? (longest_runs: a number, or UNBOUNDED.)
 *    The enabled relation is this question: i is enabled iff its own steps outside the critical section are bounded.
 * 2. Can a run stay in a part of the graph for ever although everybody who must keeps stepping? (fair_component.)
 */
#ifndef ADMIT_CHECKER_JUDGE_INFINITE_RUNS_H
#define ADMIT_CHECKER_JUDGE_INFINITE_RUNS_H

#include "checker/judge/components.h"

#define UNBOUNDED UINT32_MAX

/* What is counted: edges with (kind & mask) == match; steps that change nothing count if they match as plain steps. */
struct event {
    uint8_t mask, match;
};

/* The processes whose steps that change nothing count. */
static inline uint16_t spinners_of(struct event event)
{
    if ((event.match & ~EDGE_PROCESS) != 0)
        return 0;
    return event.mask & EDGE_PROCESS ? (uint16_t)(1u << event.match) : UINT16_MAX;
}

static inline struct event step_of(unsigned i)
{
    return (struct event){.mask = EDGE_PROCESS | EDGE_FAULT, .match = (uint8_t)i};
}

static inline struct event any_step(void)
{
    return (struct event){.mask = EDGE_FAULT, .match = 0};
}

static inline struct event entry_of(unsigned i)
{
    return (struct event){.mask = EDGE_PROCESS | EDGE_ENTERS_CRITICAL, .match = (uint8_t)(i | EDGE_ENTERS_CRITICAL)};
}

/* For each state of the part: the most events in a run from it that stays in the part until its last step, which may
 * leave it; or UNBOUNDED. Other states get 0. The caller frees the result. */
uint32_t *longest_runs(const struct part *part, struct event event);

/* What is required of a component beyond fairness; standing is that of one of its states. */
typedef bool component_condition(const void *context, const struct standing *standing);

/* The smallest state of a component of the part in which everybody takes steps or may rest and nobody malfunctions, and
 * that meets the condition; NOWHERE if there is none. Components receives all of them. */
uint32_t fair_component(const struct part *part, struct components *components, component_condition *condition,
                        const void *context);

/* All states of such components, whatever else is true of them. The caller frees the result. */
uint8_t *fair_states(const struct part *part, struct components *components);

#endif
