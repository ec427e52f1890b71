/* SPDX-License-Identifier: MIT
 *
 * Progress: deadlock-freedom (P2), lockout-freedom (P3), avoidance of k-deadlock (P8).
 *
 * P2 and P3 assume weak fairness: an infinite run counts only if everybody outside the remainder keeps stepping, but for
 * those that crashed. On a finite graph such a run ends in a strongly connected component, and conversely a component in
 * which each of them has a step carries such a run. P8 ranges over every schedule, fair or not.
 */
#include "checker/die.h"
#include "checker/parallel.h"
#include "checker/properties.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned count(uint16_t processes)
{
    return (unsigned)__builtin_popcount(processes);
}

/* --- P2 ------------------------------------------------------------------------------------------------------------- */

static bool any_state(const struct standing *standing, unsigned i)
{
    (void)standing, (void)i;
    return true;
}

static bool is_deadlock(const void *context, const struct standing *standing)
{
    const unsigned *k = context;
    return (trying(standing) & ~standing->crashed) != 0 && count(standing->crashed & standing->critical) < *k;
}

void judge_deadlock_freedom(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    for (uint32_t state = 0; state < graph->states; state++)
        finding->fired += is_deadlock(&graph->k, &graph->standing[state]);
    uint8_t *in = states_where(graph, any_state, 0);
    struct part part = {.graph = graph, .in = in, .forbidden = EDGE_ENTERS_CRITICAL};
    struct components components;
    uint32_t start = fair_component(&part, &components, is_deadlock, &graph->k);
    if (start != NO_COMPONENT) {
        finding->verdict = VIOLATED;
        finding->has_witness = true;
        witness_open(&finding->witness, exploration, graph->numbers[start]);
        finding->witness.at = start;
        witness_fair_loop(&finding->witness, exploration, &part, &components);
        snprintf(finding->what, sizeof finding->what, "from some point on somebody tries for ever and nobody enters");
    }
    components_close(&components);
    free(in);
}

/* --- P3 ------------------------------------------------------------------------------------------------------------- */

static bool is_under_way(const struct standing *standing, unsigned i)
{
    return !((standing->remainder | standing->crashed) >> i & 1);
}

static bool few_faulty(const void *context, const struct standing *standing)
{
    const unsigned *k = context;
    return count(standing->crashed & ~standing->remainder) < *k;
}

struct lockout {
    uint8_t *in; /* states in which the process is under way */
    struct components components;
    uint32_t start; /* of a fair loop, or NO_COMPONENT */
};

struct lockouts {
    const struct graph *graph;
    atomic_uint next;   /* process to look at */
    atomic_uint lowest; /* that can be locked out, so far */
    struct lockout of[STEPPED_PROCESSES_MAX];
};

static void lockout_close(struct lockout *lockout)
{
    components_close(&lockout->components);
    free(lockout->in);
    lockout->in = NULL;
}

/* The processes one after the other, until one is found that can be locked out. */
static void look_for_lockout(void *context, unsigned share, unsigned shares)
{
    (void)share, (void)shares;
    struct lockouts *lockouts = context;
    const struct graph *graph = lockouts->graph;
    for (unsigned i; (i = atomic_fetch_add(&lockouts->next, 1)) < atomic_load(&lockouts->lowest);) {
        struct lockout *lockout = &lockouts->of[i];
        lockout->in = states_where(graph, is_under_way, i);
        lockout->start = fair_component(&(struct part){.graph = graph, .in = lockout->in}, &lockout->components,
                                        few_faulty, &graph->k);
        if (lockout->start == NO_COMPONENT) {
            lockout_close(lockout);
            continue;
        }
        unsigned lowest = atomic_load(&lockouts->lowest);
        while (i < lowest && !atomic_compare_exchange_weak(&lockouts->lowest, &lowest, i))
            ;
    }
}

void judge_lockout_freedom(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    for (uint32_t state = 0; state < graph->states; state++)
        finding->fired += count(graph->standing[state].remainder) < graph->n;
    struct lockouts lockouts = {.graph = graph, .lowest = graph->n};
    parallel(core_count(), look_for_lockout, &lockouts);
    unsigned i = atomic_load(&lockouts.lowest);
    if (i < graph->n) {
        const struct lockout *lockout = &lockouts.of[i];
        finding->verdict = VIOLATED;
        finding->has_witness = true;
        finding->i = i;
        witness_open(&finding->witness, exploration, graph->numbers[lockout->start]);
        finding->witness.at = lockout->start;
        witness_fair_loop(&finding->witness, exploration, &(struct part){.graph = graph, .in = lockout->in},
                          &lockout->components);
        snprintf(finding->what, sizeof finding->what,
                 "process %u never returns to its remainder, although everybody keeps stepping", i);
    }
    for (unsigned other = 0; other < graph->n; other++)
        if (lockouts.of[other].in != NULL)
            lockout_close(&lockouts.of[other]);
}

/* --- P8 ------------------------------------------------------------------------------------------------------------- */

struct waiting {
    const struct graph *graph;
    const struct enabled *enabled;
};

static uint16_t waits_to_enter(const struct waiting *waiting, uint32_t state)
{
    return trying(&waiting->graph->standing[state]) & (uint16_t)~waiting->enabled->critical[state];
}

static uint16_t waits_to_leave(const struct waiting *waiting, uint32_t state)
{
    uint16_t all = (uint16_t)((1u << waiting->graph->n) - 1);
    return exiting(&waiting->graph->standing[state]) & all & (uint16_t)~waiting->enabled->remainder[state];
}

/* An edge on which somebody makes progress: changes region, or stops or begins to wait. */
static bool is_progress(const void *context, uint32_t from, uint32_t to)
{
    const struct waiting *waiting = context;
    const struct standing *a = &waiting->graph->standing[from], *b = &waiting->graph->standing[to];
    return a->remainder != b->remainder || trying(a) != trying(b) || a->critical != b->critical ||
           waits_to_enter(waiting, from) != waits_to_enter(waiting, to) ||
           waits_to_leave(waiting, from) != waits_to_leave(waiting, to);
}

/* A state from which a schedule without progress would be a k-deadlock. */
static bool is_stuck(const struct waiting *waiting, uint32_t state)
{
    bool full = count(waiting->enabled->critical[state]) >= waiting->graph->k;
    return (waits_to_enter(waiting, state) != 0 && !full) || waits_to_leave(waiting, state) != 0;
}

void judge_k_deadlock_avoidance(struct finding *finding, const struct exploration *exploration,
                                const struct enabled *enabled)
{
    const struct graph *graph = &exploration->graph;
    struct waiting waiting = {graph, enabled};
    uint8_t *in = must_allocate(graph->states);
    for (uint32_t state = 0; state < graph->states; state++) {
        in[state] = waits_to_enter(&waiting, state) != 0 || waits_to_leave(&waiting, state) != 0;
        finding->fired += in[state];
    }
    struct part part = {.graph = graph, .in = in, .forbids = is_progress, .context = &waiting};
    uint32_t *runs = longest_runs(&part, any_step());
    uint32_t state = 0;
    while (state < graph->states && !(runs[state] == UNBOUNDED && is_stuck(&waiting, state)))
        state++;
    free(runs);
    if (state < graph->states) {
        finding->verdict = VIOLATED;
        finding->has_witness = true;
        witness_open(&finding->witness, exploration, graph->numbers[state]);
        finding->witness.at = state;
        witness_loop_of(&finding->witness, exploration, &part, any_step());
        snprintf(finding->what, sizeof finding->what, "steps can be taken for ever without progress, although %s",
                 waits_to_leave(&waiting, state) != 0 ? "somebody waits to leave"
                                                      : "a slot is free and somebody waits for it");
    }
    free(in);
}
