/* SPDX-License-Identifier: MIT
 *
 * What Fischer, Lynch, Burns, Borodin 1989 say of those who are enabled, state by state and step by step: section 3.4
 * and Lemmas 5.3, 5.4 and 5.6; and section 2.1 on who changes the shared memory.
 */
#include "base/die.h"
#include "claims/claims.h"
#include "claims/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint16_t everybody(const struct graph *graph)
{
    return (uint16_t)((1u << graph->n) - 1);
}

static uint16_t t_waiting(const struct graph *graph, const struct enabled *enabled, uint32_t state)
{
    return trying(&graph->standing[state]) & (uint16_t)~enabled->critical[state];
}

static unsigned size_of(uint16_t set)
{
    return (unsigned)__builtin_popcount(set);
}

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

/* --- states ------------------------------------------------------------------------------------------------------- */

/* Who is wrong in this state, of those in *about. */
typedef uint16_t wrong_in(const struct graph *graph, const struct enabled *enabled, uint32_t state, uint16_t *about);

static void ask_states(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled,
                       wrong_in *wrong_in, const char *what)
{
    const struct graph *graph = &exploration->graph;
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        uint16_t about = 0, wrong = wrong_in(graph, enabled, state, &about);
        finding->fired += about != 0;
        if (wrong != 0)
            show(finding, exploration, state, (unsigned)__builtin_ctz(wrong), what);
    }
}

static uint16_t more_than_k(const struct graph *graph, const struct enabled *enabled, uint32_t state, uint16_t *about)
{
    *about = enabled->critical[state];
    return size_of(*about) > graph->k ? *about : 0;
}

static void ask_at_most_k(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled)
{
    ask_states(finding, exploration, enabled, more_than_k, "is enabled, and so are k others");
}
const struct enabled_judge at_most_k_enabled = {"at most k are enabled", ask_at_most_k};

static uint16_t waits_for_free_slot(const struct graph *graph, const struct enabled *enabled, uint32_t state,
                                    uint16_t *about)
{
    *about = t_waiting(graph, enabled, state);
    return size_of(enabled->critical[state]) < graph->k ? *about : 0;
}

static void ask_waits_only_if_full(struct finding *finding, const struct exploration *exploration,
                                   const struct enabled *enabled)
{
    ask_states(finding, exploration, enabled, waits_for_free_slot, "tries and is not enabled, and k others are not");
}
const struct enabled_judge waits_only_if_full = {"T-waiting only if k-full", ask_waits_only_if_full};

static uint16_t e_waiting(const struct graph *graph, const struct enabled *enabled, uint32_t state, uint16_t *about)
{
    *about = exiting(&graph->standing[state]) & everybody(graph);
    return *about & (uint16_t)~enabled->remainder[state];
}

/* An exit of one step has no state in the exit: then there is nobody who could wait there, which is what is said. */
static void ask_never_waits_to_leave(struct finding *finding, const struct exploration *exploration,
                                     const struct enabled *enabled)
{
    ask_states(finding, exploration, enabled, e_waiting, "is leaving and not enabled to return to its remainder");
    finding->fired += exploration->entries;
}
const struct enabled_judge never_waits_to_leave = {"nobody is E-waiting", ask_never_waits_to_leave};

static uint16_t enabled_elsewhere(const struct graph *graph, const struct enabled *enabled, uint32_t state,
                                  uint16_t *about)
{
    const struct standing *standing = &graph->standing[state];
    *about = enabled->critical[state];
    return *about & (uint16_t) ~(trying(standing) | standing->critical);
}

static void ask_enabled_in_T_or_C(struct finding *finding, const struct exploration *exploration,
                                  const struct enabled *enabled)
{
    ask_states(finding, exploration, enabled, enabled_elsewhere, "is enabled, and neither tries nor is inside");
}
const struct enabled_judge enabled_in_T_or_C = {"enabled only in T or C", ask_enabled_in_T_or_C};

/* The first register is the number of those inside. */
static void ask_counts_those_inside(struct finding *finding, const struct exploration *exploration,
                                    const struct enabled *enabled)
{
    (void)enabled;
    const struct graph *graph = &exploration->graph;
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        const uint16_t inside = graph->standing[state].critical;
        finding->fired += inside != 0;
        if (value_of(exploration, state, 0) != size_of(inside))
            show(finding, exploration, state, 0, "and the others: the count of those inside is wrong");
    }
}
const struct enabled_judge counts_those_inside = {"COUNT is right", ask_counts_those_inside};

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Whoever is enabled stays so until it leaves by a step of its own. */
static void ask_stays_enabled(struct finding *finding, const struct exploration *exploration,
                              const struct enabled *enabled)
{
    const struct graph *graph = &exploration->graph;
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++)
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            const uint32_t to = graph->targets[edge];
            const uint16_t own = (uint16_t)(1u << (graph->kinds[edge] & EDGE_PROCESS));
            const uint16_t leaves = own & graph->standing[state].critical;
            const uint16_t lost = enabled->critical[state] & (uint16_t) ~(enabled->critical[to] | leaves);
            finding->fired += enabled->critical[state] != 0;
            if (lost == 0)
                continue;
            show(finding, exploration, state, (unsigned)__builtin_ctz(lost), "is enabled, and one step later is not");
            witness_go(&finding->witness, exploration, to, graph->kinds[edge] & EDGE_PROCESS);
            break;
        }
}
const struct enabled_judge stays_enabled = {"enabled until it leaves", ask_stays_enabled};

/* Whether the step of i from this state changes a register. Looked up in the algorithm's own steps: renaming unbounded
 * numbers (numbers.h, tickets.h) may change what the state says without anybody having written. */
static bool changes_memory(const struct exploration *exploration, uint32_t state, unsigned i)
{
    const struct model *model = exploration->model;
    const struct automaton *automaton = &model->automaton[i];
    const uint64_t *record = record_of(exploration, state);
    const struct local *local = local_of(model, record, i);
    for (unsigned m = 0; m < local->moves; m++) {
        const uint32_t number = local->first_move + m;
        const struct move *move = &automaton->moves[number];
        const uint64_t value = field_get(record, move->field);
        if (move->kind == READ)
            continue;
        const struct transition *transition =
            move->few ? &automaton->transitions[move->first + value] : far_transition(automaton, number, value);
        if (transition->register_xor != 0)
            return true;
    }
    return false;
}

/* Only a step out of the remainder, or the one that leads back to it, changes the shared memory. */
static void ask_writes_at_the_ends(struct finding *finding, const struct exploration *exploration,
                                   const struct enabled *enabled)
{
    (void)enabled;
    const struct graph *graph = &exploration->graph;
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++)
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            const unsigned i = graph->kinds[edge] & EDGE_PROCESS;
            if (graph->kinds[edge] & EDGE_FAULT || !changes_memory(exploration, state, i))
                continue;
            finding->fired++;
            if ((graph->standing[state].remainder | graph->standing[graph->targets[edge]].remainder) >> i & 1)
                continue;
            show(finding, exploration, state, i, "changes the shared memory in the midst of its passage");
            witness_go(&finding->witness, exploration, graph->targets[edge], i);
            break;
        }
}
const struct enabled_judge writes_at_the_ends = {"changes memory only at the ends", ask_writes_at_the_ends};

/* --- Lemma 5.6 ---------------------------------------------------------------------------------------------------- */

/* Edges turned round, without those of a process that is in its remainder. */
struct backwards {
    uint64_t *first;
    uint32_t *sources;
};

static bool is_homeward(const struct graph *graph, uint32_t state, uint64_t edge)
{
    return !(graph->standing[state].remainder >> (graph->kinds[edge] & EDGE_PROCESS) & 1);
}

static void turn_round(struct backwards *backwards, const struct graph *graph)
{
    backwards->first = must_allocate(((size_t)graph->states + 2) * sizeof *backwards->first);
    backwards->sources = must_allocate((graph->edges + 1) * sizeof *backwards->sources);
    uint64_t *next = backwards->first + 1; /* shifted by one, so that filling in moves each to where it belongs */
    for (uint32_t state = 0; state < graph->states; state++)
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
            next[graph->targets[edge] + 1] += is_homeward(graph, state, edge);
    for (uint32_t state = 0; state < graph->states; state++)
        next[state + 1] += next[state];
    for (uint32_t state = 0; state < graph->states; state++)
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
            if (is_homeward(graph, state, edge))
                backwards->sources[next[graph->targets[edge]]++] = state;
}

/* From everywhere all can come home, and nobody who is at home need take a step: neither one that was there already, as
 * the lemma says, nor one that has come back, as its proof does. */
static void ask_all_can_return(struct finding *finding, const struct exploration *exploration,
                               const struct enabled *enabled)
{
    (void)enabled;
    const struct graph *graph = &exploration->graph;
    struct backwards backwards;
    turn_round(&backwards, graph);
    uint8_t *seen = must_allocate(graph->states);
    uint32_t *queue = must_allocate(graph->states * sizeof *queue), tail = 0;
    for (uint32_t state = 0; state < graph->states; state++)
        if (graph->standing[state].remainder == everybody(graph)) {
            seen[state] = 1;
            queue[tail++] = state;
        }
    for (uint32_t head = 0; head < tail; head++)
        for (uint64_t e = backwards.first[queue[head]]; e < backwards.first[queue[head] + 1]; e++)
            if (!seen[backwards.sources[e]]) {
                seen[backwards.sources[e]] = 1;
                queue[tail++] = backwards.sources[e];
            }
    finding->fired = graph->states;
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++)
        if (!seen[state])
            show(finding, exploration, state,
                 (unsigned)__builtin_ctz(everybody(graph) & ~graph->standing[state].remainder),
                 "and the others cannot all return, unless one in its remainder steps");
    free(seen);
    free(queue);
    free(backwards.first);
    free(backwards.sources);
}
const struct enabled_judge all_can_return = {"all can return to R", ask_all_can_return};
