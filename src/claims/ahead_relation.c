/* SPDX-License-Identifier: MIT
 *
 * Who is ahead of whom: the relation of Fischer, Lynch, Burns, Borodin 1989, section 5.1, and what Lemmas 5.1, 5.2 and
 * 5.5 and footnote 7 say of it.
 *
 * Of two that are T-waiting, i is ahead of j if in some run to this state i entered its trying region before j. So each
 * state gets the set of all pairs for which there is such a run: what each step adds is passed on until nothing
 * changes.
 */
#include "base/die.h"
#include "claims/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pairs (i, j) of up to 8 processes: bit 8 i + j. */
typedef uint64_t pairs;
enum { PAIRED_MAX = 8 };

static pairs every(uint16_t first, uint16_t second)
{
    pairs set = 0;
    for (unsigned i = 0; i < PAIRED_MAX; i++)
        if (first >> i & 1)
            set |= (pairs)(second & 0xffu & ~(1u << i)) << (8 * i);
    return set;
}

static uint16_t the_set(unsigned i)
{
    return (uint16_t)(1u << i);
}

static uint16_t seconds_of(pairs set, unsigned i)
{
    return (uint16_t)(set >> (8 * i) & 0xff);
}

static uint16_t t_waiting(const struct graph *graph, const struct enabled *enabled, uint32_t state)
{
    return trying(&graph->standing[state]) & (uint16_t)~enabled->critical[state];
}

/* --- sets that are passed on -------------------------------------------------------------------------------------- */

struct passing_on {
    const struct graph *graph;
    const struct enabled *enabled;
    pairs (*kept)(const struct passing_on *rule, uint32_t to);                   /* of those that come, these stay */
    pairs (*added)(const struct passing_on *rule, uint32_t from, uint64_t edge); /* by a step */
};

/* Passes `at` on along all steps until nothing changes. */
static void pass_on(const struct passing_on *rule, pairs *at)
{
    const struct graph *graph = rule->graph;
    uint8_t *waits = must_allocate(graph->states);
    memset(waits, 1, graph->states);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t state = 0; state < graph->states; state++) {
            if (!waits[state])
                continue;
            waits[state] = 0;
            for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
                const uint32_t to = graph->targets[edge];
                const pairs come = (at[state] & rule->kept(rule, to)) | rule->added(rule, state, edge);
                if ((come & ~at[to]) == 0)
                    continue;
                at[to] |= come;
                again |= to <= state;
                waits[to] = 1;
            }
        }
    }
    free(waits);
}

static pairs both_try(const struct passing_on *rule, uint32_t to)
{
    const uint16_t in_T = trying(&rule->graph->standing[to]);
    return every(in_T, in_T);
}

/* All who try already are before the one that comes. */
static pairs comes_after_all(const struct passing_on *rule, uint32_t from, uint64_t edge)
{
    const struct graph *graph = rule->graph;
    const uint16_t who = (uint16_t)(1u << (graph->kinds[edge] & EDGE_PROCESS));
    const uint16_t in_T = trying(&graph->standing[graph->targets[edge]]);
    if (!(graph->kinds[edge] & EDGE_ENTERS_DOORWAY) || !(graph->standing[from].remainder & who) || !(in_T & who))
        return 0;
    return every(in_T, who);
}

/* Per state: the pairs (i, j) that both try, i having entered before j in some run. NULL: too many processes. */
static pairs *entered_before(const struct graph *graph, const struct enabled *enabled)
{
    if (graph->n > PAIRED_MAX)
        die("internal error: pairs of more than %d processes", PAIRED_MAX);
    pairs *before = must_allocate(graph->states * sizeof *before);
    pass_on(&(struct passing_on){graph, enabled, both_try, comes_after_all}, before);
    return before;
}

/* --- the lemmas --------------------------------------------------------------------------------------------------- */

static void show(struct finding *finding, const struct exploration *exploration, uint32_t state, unsigned i,
                 const char *what)
{
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    finding->i = i;
    witness_open(&finding->witness, exploration, exploration->graph.numbers[state]);
    finding->witness.at = state;
    snprintf(finding->what, sizeof finding->what, "process %u %s", i, what);
}

static pairs first_still_waits(const struct passing_on *rule, uint32_t to)
{
    return every(t_waiting(rule->graph, rule->enabled, to), UINT16_MAX);
}

static pairs nothing(const struct passing_on *rule, uint32_t from, uint64_t edge)
{
    (void)rule, (void)from, (void)edge;
    return 0;
}

/* Lemma 5.1: i was ahead of j, has been T-waiting since, and j is enabled. */
static void ask_enabled_in_order(struct finding *finding, const struct exploration *exploration,
                                 const struct enabled *enabled)
{
    const struct graph *graph = &exploration->graph;
    const uint16_t everybody = (uint16_t)((1u << graph->n) - 1);
    pairs *at = entered_before(graph, enabled);
    for (uint32_t state = 0; state < graph->states; state++) {
        const uint16_t waiting = t_waiting(graph, enabled, state);
        const struct standing *standing = &graph->standing[state];
        const uint16_t out = everybody & (uint16_t) ~(trying(standing) | standing->critical);
        at[state] = (at[state] & every(waiting, waiting)) | every(waiting, out);
    }
    pass_on(&(struct passing_on){graph, enabled, first_still_waits, nothing}, at);
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        finding->fired += at[state] != 0;
        for (unsigned i = 0; i < graph->n && finding->verdict == HOLDS; i++)
            if (seconds_of(at[state], i) & enabled->critical[state])
                show(finding, exploration, state, i, "was ahead and still waits, and one behind it is enabled");
    }
    free(at);
}
const struct enabled_judge enabled_in_order = {"enabled in the order of entry", ask_enabled_in_order};

/* Lemma 5.2: of those who are T-waiting, one is ahead of all others. */
static void ask_one_is_first(struct finding *finding, const struct exploration *exploration,
                             const struct enabled *enabled)
{
    const struct graph *graph = &exploration->graph;
    pairs *before = entered_before(graph, enabled);
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        const uint16_t waiting = t_waiting(graph, enabled, state);
        bool found = waiting == 0;
        finding->fired += waiting != 0;
        for (unsigned i = 0; i < graph->n && !found; i++)
            found = waiting >> i & 1 && (waiting & ~(1u << i) & ~seconds_of(before[state], i)) == 0;
        if (!found)
            show(finding, exploration, state, (unsigned)__builtin_ctz(waiting), "waits, and nobody is ahead of all");
    }
    free(before);
}
const struct enabled_judge one_is_first = {"one T-waiting is ahead of all", ask_one_is_first};

/* Whether all of `waiting` stand in one line: one after the other is taken who is before all that are left, and whom
 * none of these is before. */
static bool in_line(pairs before, uint16_t waiting)
{
    while (waiting != 0) {
        unsigned first = PAIRED_MAX;
        for (unsigned i = 0; i < PAIRED_MAX; i++) {
            const uint16_t others = waiting & (uint16_t) ~(1u << i);
            if (waiting >> i & 1 && (before & every(the_set(i), others)) == every(the_set(i), others) &&
                (before & every(others, the_set(i))) == 0)
                first = i;
        }
        if (first == PAIRED_MAX)
            return false;
        waiting &= (uint16_t) ~(1u << first);
    }
    return true;
}

/* Footnote 7: those who are T-waiting are totally ordered, so that no state can be reached with two of them in either
 * order. */
static void ask_total_order(struct finding *finding, const struct exploration *exploration,
                            const struct enabled *enabled)
{
    const struct graph *graph = &exploration->graph;
    pairs *before = entered_before(graph, enabled);
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        const uint16_t waiting = t_waiting(graph, enabled, state);
        finding->fired += (waiting & (waiting - 1)) != 0;
        if (!in_line(before[state], waiting))
            show(finding, exploration, state, (unsigned)__builtin_ctz(waiting),
                 "waits, and is ahead of another or behind it as one likes");
    }
    free(before);
}
const struct enabled_judge waiting_in_total_order = {"T-waiting in total order", ask_total_order};

/* Lemma 5.5: one that tries is enabled iff fewer than k are ahead. Of one that is enabled, nobody is ahead. */
static void ask_fewer_than_k_ahead(struct finding *finding, const struct exploration *exploration,
                                   const struct enabled *enabled)
{
    const struct graph *graph = &exploration->graph;
    pairs *before = entered_before(graph, enabled);
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        const uint16_t waiting = t_waiting(graph, enabled, state);
        finding->fired += trying(&graph->standing[state]) != 0;
        for (unsigned i = 0; i < graph->n && finding->verdict == HOLDS; i++) {
            if (!(waiting >> i & 1))
                continue;
            unsigned ahead = (unsigned)__builtin_popcount(enabled->critical[state]);
            for (unsigned j = 0; j < graph->n; j++)
                ahead += j != i && waiting >> j & 1 && seconds_of(before[state], j) >> i & 1;
            if (ahead < graph->k)
                show(finding, exploration, state, i, "has fewer than k ahead and is not enabled");
        }
    }
    free(before);
}
const struct enabled_judge fewer_than_k_ahead = {"enabled iff fewer than k ahead", ask_fewer_than_k_ahead};
