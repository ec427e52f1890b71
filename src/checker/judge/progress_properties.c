/* SPDX-License-Identifier: MIT
 *
 * Progress: deadlock-freedom (P2), lockout-freedom (P3), avoidance of k-deadlock (P8), no slot idle (P16).
 *
 * P2 and P3 assume weak fairness: an infinite run counts only if everybody outside the remainder keeps stepping, but
 * for those that stopped. On a finite graph such a run ends in a strongly connected component, and conversely a
 * component in which each of them has a step carries such a run. P16 is P2 with those inside excused, too. P8 ranges over every schedule, fair or not.
 */
#include "base/die.h"
#include "base/parallel.h"
#include "checker/judge/fixed_points.h"
#include "checker/judge/properties.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned count(uint16_t processes)
{
    return (unsigned)__builtin_popcount(processes);
}

/* Any number of times in a run somebody dies, or begins the part of its text that gives up; but not infinitely often. */
static uint8_t finitely_often(const struct graph *graph)
{
    return graph->recovers ? EDGE_FAULT : 0;
}

/* --- P2, P16 ------------------------------------------------------------------------------------------------------ */

/* The processes that are inside and do not leave: those who crashed, and, if one may stay, all. */
static uint16_t staying(const struct part *part, const struct standing *standing)
{
    return standing->critical & (part->may_stay_inside ? UINT16_MAX : standing->crashed);
}

/* The processes that may keep a slot for ever. Where those inside may stay, a process that crashed on the way counts
 * like one that stays: with k of both, nobody else need get in. */
static uint16_t keeping_slots(const struct part *part, const struct standing *standing)
{
    uint16_t under_way = part->may_stay_inside ? standing->crashed & (uint16_t)~standing->remainder : 0;
    return staying(part, standing) | under_way;
}

static bool is_deadlock(const void *context, const struct standing *standing)
{
    const struct part *part = context;
    return (trying(standing) & ~standing->crashed) != 0 && count(keeping_slots(part, standing)) < part->graph->k;
}

/* Whoever is inside and does not stay leaves, and comes back only by entering; a malfunction ends. */
static bool may_last_without_entries(const struct part *part, const struct standing *standing)
{
    return is_deadlock(part, standing) && standing->critical == staying(part, standing) &&
           malfunctioning(standing) == 0;
}

static bool tries(const struct standing *standing, unsigned i)
{
    return (trying(standing) & ~standing->crashed) >> i & 1;
}

/* One look for a loop without entries. Whoever tries in it does so for ever, and nobody can come back to the
 * remainder, unless there are aborts: then one process is looked at that stays, and the others may come and go. */
static uint32_t find_deadlock(const struct part *part, struct components *components, uint8_t *in, int who)
{
    const struct graph *graph = part->graph;
    for (uint32_t state = 0; state < graph->states; state++)
        in[state] = may_last(graph, state) && may_last_without_entries(part, &graph->standing[state]) &&
                    (who < 0 || tries(&graph->standing[state], (unsigned)who));
    sweep_to_loops(part, in);
    return fair_component(part, components, is_deadlock, part);
}

void judge_deadlock_freedom(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    uint8_t *in = must_allocate(graph->states);
    struct part part = {.graph = graph,
                        .in = in,
                        .forbidden = EDGE_ENTERS_CRITICAL | finitely_often(graph),
                        .may_stay_inside = finding->property == NO_SLOT_IDLE};
    for (uint32_t state = 0; state < graph->states; state++)
        finding->fired += is_deadlock(&part, &graph->standing[state]);
    if (!graph->aborts)
        part.forbidden |= EDGE_ENTERS_DOORWAY | EDGE_FAULT;
    int first = graph->aborts ? 0 : -1, last = graph->aborts ? (int)graph->n - 1 : -1;
    for (int who = first; who <= last && finding->verdict == HOLDS; who++) {
        struct components components;
        uint32_t start = find_deadlock(&part, &components, in, who);
        if (start != NOWHERE) {
            finding->verdict = VIOLATED;
            finding->has_witness = true;
            witness_open(&finding->witness, exploration, graph->numbers[start]);
            finding->witness.at = start;
            witness_fair_loop(&finding->witness, exploration, &part, &components);
            unsigned left = graph->k - count(keeping_slots(&part, &graph->standing[start]));
            snprintf(finding->what, sizeof finding->what,
                     "from some point on somebody tries for ever and nobody enters");
            if (part.may_stay_inside)
                snprintf(
                    finding->what, sizeof finding->what,
                    "from some point on somebody tries for ever and nobody enters, although %u of %u slots %s free",
                    left, graph->k, left == 1 ? "is" : "are");
        }
        components_close(&components);
    }
    free(in);
}

/* --- P3 ----------------------------------------------------------------------------------------------------------- */

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
    uint32_t start; /* of a fair loop, or NOWHERE */
};

enum { FIRST_LOOK = 1 << 16, LOOK_FURTHER = 64 };

struct lockouts {
    const struct graph *graph;
    uint64_t limit;     /* states up to here are looked at */
    atomic_uint next;   /* process to look at */
    atomic_uint lowest; /* that can be locked out, so far */
    struct lockout of[CHECKED_PROCESSES_MAX];
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
        lockout->in = must_allocate(graph->states);
        for (uint32_t state = 0; state < graph->states && state < lockouts->limit; state++)
            lockout->in[state] = may_last(graph, state) && is_under_way(&graph->standing[state], i);
        lockout->start =
            fair_component(&(struct part){.graph = graph, .in = lockout->in, .forbidden = finitely_often(graph)},
                           &lockout->components, few_faulty, &graph->k);
        if (lockout->start == NOWHERE) {
            lockout_close(lockout);
            continue;
        }
        unsigned lowest = atomic_load(&lockouts->lowest);
        while (i < lowest && !atomic_compare_exchange_weak(&lockouts->lowest, &lowest, i))
            ;
    }
}

static void show_lockout(struct finding *finding, const struct exploration *exploration, unsigned i,
                         const struct lockout *lockout)
{
    const struct graph *graph = &exploration->graph;
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    finding->i = i;
    witness_open(&finding->witness, exploration, graph->numbers[lockout->start]);
    finding->witness.at = lockout->start;
    witness_fair_loop(&finding->witness, exploration,
                      &(struct part){.graph = graph, .in = lockout->in, .forbidden = finitely_often(graph)},
                      &lockout->components);
    snprintf(finding->what, sizeof finding->what,
             "process %u never returns to its remainder, although everybody under way keeps stepping", i);
}

void judge_lockout_freedom(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    for (uint32_t state = 0; state < graph->states; state++)
        finding->fired += count(graph->standing[state].remainder) < graph->n;
    /* Whoever can be locked out usually can early on, and a loop within the first states is a loop. */
    for (uint64_t limit = FIRST_LOOK; finding->verdict == HOLDS; limit *= LOOK_FURTHER) {
        struct lockouts lockouts = {.graph = graph, .limit = limit, .lowest = graph->n};
        parallel(core_count(), look_for_lockout, &lockouts);
        unsigned i = atomic_load(&lockouts.lowest);
        if (i < graph->n)
            show_lockout(finding, exploration, i, &lockouts.of[i]);
        for (unsigned other = 0; other < graph->n; other++)
            if (lockouts.of[other].in != NULL)
                lockout_close(&lockouts.of[other]);
        if (limit >= graph->states)
            break;
    }
}

/* --- P8 ----------------------------------------------------------------------------------------------------------- */

static uint16_t waits_to_enter(const struct who_waits *waiting, uint32_t state)
{
    return trying(&waiting->graph->standing[state]) & (uint16_t)~waiting->enabled->critical[state];
}

static uint16_t waits_to_leave(const struct who_waits *waiting, uint32_t state)
{
    uint16_t all = (uint16_t)((1u << waiting->graph->n) - 1);
    return exiting(&waiting->graph->standing[state]) & all & (uint16_t)~waiting->enabled->remainder[state];
}

bool is_progress(const void *context, uint32_t from, uint32_t to)
{
    const struct who_waits *waiting = context;
    const struct standing *a = &waiting->graph->standing[from], *b = &waiting->graph->standing[to];
    return a->remainder != b->remainder || trying(a) != trying(b) || a->critical != b->critical ||
           waits_to_enter(waiting, from) != waits_to_enter(waiting, to) ||
           waits_to_leave(waiting, from) != waits_to_leave(waiting, to);
}

bool is_stuck(const struct who_waits *waiting, uint32_t state)
{
    bool full = count(waiting->enabled->critical[state]) >= waiting->graph->k;
    return (waits_to_enter(waiting, state) != 0 && !full) || waits_to_leave(waiting, state) != 0;
}

/* The same of all states that progress does not separate from this one: those inside, and those trying who are
 * enabled, stay so without progress, and if they are k, no such state is stuck. */
static bool may_be_stuck(const struct who_waits *waiting, uint32_t state)
{
    const struct standing *standing = &waiting->graph->standing[state];
    uint16_t certain = waiting->enabled->critical[state] & (trying(standing) | standing->critical);
    return (waits_to_enter(waiting, state) != 0 && count(certain) < waiting->graph->k) ||
           waits_to_leave(waiting, state) != 0;
}

/* The first state from which a k-deadlock starts; one in which somebody can step without changing anything will do,
 * and is looked for first because it is cheap. */
static uint32_t find_k_deadlock(const struct who_waits *waiting, const struct part *part)
{
    const struct graph *graph = waiting->graph;
    for (uint32_t state = 0; state < graph->states; state++)
        if (is_stuck(waiting, state) && spins_in_vain(graph, state) != 0)
            return state;
    uint32_t *runs = longest_runs(part, any_step()), found = NOWHERE;
    for (uint32_t state = 0; state < graph->states && found == NOWHERE; state++)
        if (runs[state] == UNBOUNDED && is_stuck(waiting, state))
            found = state;
    free(runs);
    return found;
}

void judge_k_deadlock_avoidance(struct finding *finding, const struct exploration *exploration,
                                const struct enabled *enabled)
{
    const struct graph *graph = &exploration->graph;
    struct who_waits waiting = {graph, enabled};
    uint8_t *in = must_allocate(graph->states);
    for (uint32_t state = 0; state < graph->states; state++) {
        finding->fired += waits_to_enter(&waiting, state) != 0 || waits_to_leave(&waiting, state) != 0;
        in[state] = may_be_stuck(&waiting, state);
    }
    struct part part = {.graph = graph, .in = in, .forbids = is_progress, .context = &waiting};
    uint32_t state = find_k_deadlock(&waiting, &part);
    if (state != NOWHERE) {
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
