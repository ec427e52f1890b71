/* SPDX-License-Identifier: MIT
 *
 * Questions about runs that one sentence of a paper asks and no property of checker/judge/properties.h answers.
 *
 * Those about infinite runs are the fair loops of checker/judge/infinite_runs.h, as in progress_properties.c: somebody stays in a part
 * of the graph for ever although everybody who must keeps stepping.
 */
#include "claims/claims.h"

#include "base/die.h"
#include "claims/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool always(const void *context, const struct standing *standing)
{
    (void)context, (void)standing;
    return true;
}

/* Looks for a fair run that stays in `in` for ever, which process i should not allow; frees `in`. */
static void look_for_fair_loop(struct finding *finding, const struct exploration *exploration, uint8_t *in,
                               uint8_t forbidden, unsigned i, const char *what)
{
    const struct graph *graph = &exploration->graph;
    struct part part = {.graph = graph, .in = in, .forbidden = forbidden};
    struct components components;
    uint32_t start = fair_component(&part, &components, always, NULL);
    if (start != NOWHERE) {
        finding->verdict = VIOLATED;
        finding->has_witness = true;
        finding->i = i;
        witness_open(&finding->witness, exploration, graph->numbers[start]);
        finding->witness.at = start;
        witness_fair_loop(&finding->witness, exploration, &part, &components);
        snprintf(finding->what, sizeof finding->what, "process %u %s", i, what);
    }
    components_close(&components);
    free(in);
}

/* --- who gets in -------------------------------------------------------------------------------------------------- */

/* i tries, and nobody with a lower number is out of its remainder. */
static bool is_lowest_trier(const struct standing *standing, unsigned i)
{
    uint16_t lower = (uint16_t)((1u << i) - 1);
    return (trying(standing) & ~standing->crashed) >> i & 1 && (standing->remainder & lower) == lower;
}

static bool is_under_way(const struct standing *standing, unsigned i)
{
    return !((standing->remainder | standing->crashed) >> i & 1);
}

static void count_states(struct finding *finding, const struct graph *graph, const uint8_t *in)
{
    for (uint32_t state = 0; state < graph->states; state++)
        finding->fired += in[state];
}

static void ask_lowest_trier(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    (void)judge;
    for (unsigned i = 0; i < exploration->graph.n && finding->verdict == HOLDS; i++) {
        uint8_t *in = states_where(&exploration->graph, is_lowest_trier, i);
        count_states(finding, &exploration->graph, in);
        look_for_fair_loop(finding, exploration, in, 0, i, "tries for ever, although no lower one ever does");
    }
}
const struct judge lowest_trier_enters = {"lowest trier enters", ask_lowest_trier, LOCKOUT_FREEDOM, NULL, NULL, 0};

static void ask_never_locked_out(struct finding *finding, const struct exploration *exploration, unsigned i)
{
    uint8_t *in = states_where(&exploration->graph, is_under_way, i);
    count_states(finding, &exploration->graph, in);
    look_for_fair_loop(finding, exploration, in, 0, i, "never returns to its remainder");
}

static void ask_first(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    (void)judge;
    ask_never_locked_out(finding, exploration, 0);
}
const struct judge first_is_never_locked_out = {"lockout-freedom of p_0", ask_first, LOCKOUT_FREEDOM, NULL, NULL, 0};

static void ask_last(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    (void)judge;
    ask_never_locked_out(finding, exploration, exploration->graph.n - 1);
}
const struct judge last_is_never_locked_out = {"lockout-freedom of p_n-1", ask_last, LOCKOUT_FREEDOM, NULL, NULL, 0};

/* While all processes try for ever, somebody enters: what is left of deadlock-freedom where nobody may rest. */
static void ask_progress_if_all_try(struct finding *finding, const struct exploration *exploration,
                                    const struct judge *judge)
{
    (void)judge;
    const struct graph *graph = &exploration->graph;
    uint8_t *in = must_allocate(graph->states);
    for (uint32_t state = 0; state < graph->states; state++) {
        const struct standing *standing = &graph->standing[state];
        uint16_t all = (uint16_t)((1u << graph->n) - 1);
        in[state] = trying(standing) == all && standing->crashed == 0;
    }
    count_states(finding, graph, in);
    look_for_fair_loop(finding, exploration, in, EDGE_ENTERS_CRITICAL, 0, "and all others try for ever in vain");
}
const struct judge progress_if_all_try = {
    "deadlock-freedom if all try", ask_progress_if_all_try, DEADLOCK_FREEDOM, NULL, NULL, 0};

/* Crashed ones do not count, and one that malfunctions does not follow its text. */
static bool is_trying(const struct standing *standing, unsigned i)
{
    return (trying(standing) & ~standing->crashed) >> i & 1;
}

/* A marker of the text at which a process cannot stay for ever. */
void ask_label_is_left(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    const struct graph *graph = &exploration->graph;
    for (unsigned i = 0; i < graph->n && finding->verdict == HOLDS; i++) {
        uint8_t *in = must_allocate(graph->states);
        for (uint32_t state = 0; state < graph->states; state++)
            in[state] = is_trying(&graph->standing[state], i) && stands_at(exploration, state, i, judge->label);
        count_states(finding, graph, in);
        char what[80];
        snprintf(what, sizeof what, "stays at \"%s\" for ever", judge->label);
        look_for_fair_loop(finding, exploration, in, 0, i, what);
    }
}

/* --- in which order ----------------------------------------------------------------------------------------------- */

/* fcfs with the doorway taken as empty: whoever leaves the remainder first enters first. */
static void ask_starts_first(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    (void)judge;
    const struct graph *graph = &exploration->graph;
    struct exploration without = *exploration;
    struct finding strict = {.property = FCFS, .verdict = HOLDS};
    without.graph.standing = must_allocate(graph->states * sizeof *graph->standing);
    for (uint32_t state = 0; state < graph->states; state++) {
        without.graph.standing[state] = graph->standing[state];
        without.graph.standing[state].waiting_room |= graph->standing[state].doorway;
        without.graph.standing[state].doorway = 0;
    }
    judge_order(&strict, &without, NULL);
    free(without.graph.standing);
    strict.property = finding->property;
    *finding = strict;
    if (finding->verdict == VIOLATED)
        snprintf(finding->what, sizeof finding->what, "process %u is inside, but process %u had taken a step first",
                 finding->j, finding->i);
}
const struct judge starts_first_enters_first = {
    "starts first, enters first", ask_starts_first, PROPERTIES, NULL, NULL, 0};

/* A state, and who entered last: n stands for nobody. Places are numbered n + 1 to a state. */
struct turns {
    const struct graph *graph;
    uint64_t *from; /* per place, where it was reached from */
    uint8_t *seen, *process;
    uint64_t *queue, tail;
};

static void reach(struct turns *turns, uint64_t place, uint64_t from, unsigned process)
{
    if (turns->seen[place])
        return;
    turns->seen[place] = 1;
    turns->from[place] = from;
    turns->process[place] = (uint8_t)process;
    turns->queue[turns->tail++] = place;
}

static void walk_turns(struct finding *finding, const struct exploration *exploration, const struct turns *turns,
                       uint64_t place)
{
    unsigned layers = turns->graph->n + 1;
    uint32_t state = (uint32_t)(place / layers);
    if (turns->from[place] == place) {
        witness_open(&finding->witness, exploration, turns->graph->numbers[state]);
        finding->witness.at = state;
        return;
    }
    walk_turns(finding, exploration, turns, turns->from[place]);
    witness_go(&finding->witness, exploration, state, turns->process[place]);
}

/* First process 0, then 1, and so on round the circle. */
static void ask_takes_turns(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    (void)judge;
    const struct graph *graph = &exploration->graph;
    unsigned n = graph->n, layers = n + 1;
    uint64_t places = (uint64_t)graph->states * layers;
    struct turns turns = {.graph = graph,
                          .from = must_allocate(places * sizeof(uint64_t)),
                          .seen = must_allocate(places),
                          .process = must_allocate(places),
                          .queue = must_allocate(places * sizeof(uint64_t))};
    for (uint32_t root = 0; root < graph->roots; root++)
        reach(&turns, (uint64_t)root * layers + n, (uint64_t)root * layers + n, 0);
    for (uint64_t head = 0; head < turns.tail && finding->verdict == HOLDS; head++) {
        uint64_t place = turns.queue[head];
        uint32_t state = (uint32_t)(place / layers);
        unsigned last = (unsigned)(place % layers);
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            unsigned who = graph->kinds[edge] & EDGE_PROCESS;
            bool enters = graph->kinds[edge] & EDGE_ENTERS_CRITICAL;
            finding->fired += enters;
            if (enters && who != (last == n ? 0 : (last + 1) % n) && finding->verdict == HOLDS) {
                finding->verdict = VIOLATED;
                finding->has_witness = true;
                finding->i = who;
                walk_turns(finding, exploration, &turns, place);
                witness_go(&finding->witness, exploration, graph->targets[edge], who);
                snprintf(finding->what, sizeof finding->what, "process %u enters out of turn", who);
            }
            reach(&turns, (uint64_t)graph->targets[edge] * layers + (enters ? who : last), place, who);
        }
    }
    free(turns.from);
    free(turns.seen);
    free(turns.process);
    free(turns.queue);
}
const struct judge takes_turns = {"takes turns", ask_takes_turns, PROPERTIES, NULL, NULL, 0};
