/* SPDX-License-Identifier: MIT
 *
 * What Zehavi (2013) says of the arrays of Algorithm 1: when a flag is up (Observations 1 to 3), what a discovery is
 * worth (Lemma 3), and how often one is written (in the proof of Lemma 7).
 */
#include "base/die.h"
#include "claims/claims.h"
#include "claims/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct declared *array_named(const struct instance *instance, const char *name)
{
    for (unsigned a = 0; a < instance->declaration.arrays; a++)
        if (strcmp(instance->declaration.array[a].name, name) == 0)
            return &instance->declaration.array[a];
    die("internal error: %s has no registers %s", instance->setting.algorithm->about.id, name);
}

/* Discover[q][p][cell], where rows leave their own process out. */
static unsigned discover(const struct instance *instance, unsigned q, unsigned p, unsigned cell)
{
    unsigned n = instance->setting.n;
    return array_named(instance, "Discover")->first + 2 * (q * (n - 1) + p - (p > q)) + cell;
}

/* The access that process i makes in its step out of a state; NULL if it can make none. For-all loops have their native
 * order here, so that there is one. */
static const struct move *move_of(const struct exploration *exploration, uint32_t state, unsigned i)
{
    const struct model *model = exploration->model;
    const struct local *local = local_of(model, record_of(exploration, state), i);
    return local->moves > 0 ? &model->automaton[i].moves[local->first_move] : NULL;
}

static bool accesses(const struct exploration *exploration, uint32_t state, unsigned i, unsigned reg, bool reads)
{
    const struct move *move = move_of(exploration, state, i);
    return move != NULL && move->reg == reg && (move->kind == READ) == reads;
}

static void violate(struct finding *finding, const struct exploration *exploration, uint32_t state, unsigned i,
                    const char *what, unsigned reg)
{
    char name[64];
    if (finding->verdict == VIOLATED)
        return;
    register_name(&exploration->model->instance, reg, name, sizeof name);
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    finding->i = i;
    witness_open(&finding->witness, exploration, exploration->graph.numbers[state]);
    finding->witness.at = state;
    snprintf(finding->what, sizeof finding->what, "process %u %s %s", i, what, name);
}

/* --- Observations 1 to 3 ------------------------------------------------------------------------------------------ */

/* The flag of process p in a state: down at some markers and in the remainder, up at others; while p goes through the
 * loop that raises or lowers all its flags, each is changed by p's own step there, and by no other. */
static void look_at_flag(struct finding *finding, const struct exploration *exploration,
                         const struct announcement *announcement, unsigned p, unsigned reg)
{
    const struct graph *graph = &exploration->graph;
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        bool up = value_of(exploration, state, reg);
        bool raising = stands_at(exploration, state, p, announcement->raised_at);
        bool lowering = stands_at(exploration, state, p, announcement->lowered_at);
        bool rests = graph->standing[state].remainder >> p & 1;
        bool down = rests || stands_at(exploration, state, p, announcement->down_at);
        finding->fired += up;
        if (down ? up : !raising && !lowering && !up)
            violate(finding, exploration, state, p, up ? "is where it should be down, with" : "has lowered", reg);
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            bool then = value_of(exploration, graph->targets[edge], reg);
            bool own = (graph->kinds[edge] & EDGE_PROCESS) == p;
            if (then != up && !(own && (then ? raising : lowering)))
                violate(finding, exploration, state, p, "is about to see changed", reg);
        }
    }
}

void ask_up_between(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    const struct announcement *announcement = (const struct announcement *)judge; /* its first member */
    const struct instance *instance = &exploration->model->instance;
    const struct declared *array = array_named(instance, judge->array);
    for (unsigned reg = array->first; reg < array->first + array->count && finding->verdict == HOLDS; reg++)
        look_at_flag(finding, exploration, announcement, (unsigned)instance->regs[reg].writer, reg);
}

/* --- Lemma 3 ------------------------------------------------------------------------------------------------------ */

/* In the waiting room p reads a cell of somebody's discovery of p, and it is true. Only after the first cell was true
 * does the text read the second. */
static bool finds_itself_discovered(const struct exploration *exploration, uint32_t state, unsigned p, unsigned cell)
{
    return exploration->graph.standing[state].waiting_room >> p & 1 && accesses(exploration, state, p, cell, true) &&
           value_of(exploration, state, cell);
}

/* Of a pair, all places that can be reached: a state, and whether q has looked at Reveal[p] in line 4e since p last
 * executed line 5. */
static void look_at_discoveries(struct finding *finding, const struct exploration *exploration, unsigned p, unsigned q)
{
    const struct graph *graph = &exploration->graph;
    const struct instance *instance = &exploration->model->instance;
    unsigned cell = discover(instance, q, p, 1), reveal = array_named(instance, "Reveal")->first + p;
    uint8_t *seen = must_allocate(2 * (size_t)graph->states);
    uint64_t *queue = must_allocate(2 * (size_t)graph->states * sizeof *queue), tail = 0;
    for (uint32_t root = 0; root < graph->roots; root++) {
        seen[2 * (size_t)root] = 1;
        queue[tail++] = 2 * (uint64_t)root;
    }
    for (uint64_t head = 0; head < tail && finding->verdict == HOLDS; head++) {
        uint32_t state = (uint32_t)(queue[head] / 2);
        bool looked = queue[head] % 2;
        bool discovered = finds_itself_discovered(exploration, state, p, cell);
        finding->fired += discovered;
        if (discovered && !looked)
            violate(finding, exploration, state, p, "relies on a look before it revealed itself:", cell);
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            unsigned who = graph->kinds[edge] & EDGE_PROCESS;
            bool then = looked;
            if (who == p && accesses(exploration, state, p, reveal, false) && stands_at(exploration, state, p, "5"))
                then = false;
            else if (who == q && accesses(exploration, state, q, reveal, true) &&
                     stands_at(exploration, state, q, "4e"))
                then = true;
            uint64_t place = 2 * (uint64_t)graph->targets[edge] + then;
            if (!seen[place]) {
                seen[place] = 1;
                queue[tail++] = place;
            }
        }
    }
    free(seen);
    free(queue);
}

/* From where p has found itself discovered by q, until it leaves the critical section: the second cell stays true. */
static void look_at_second_cell(struct finding *finding, const struct exploration *exploration, unsigned p, unsigned q)
{
    const struct graph *graph = &exploration->graph;
    unsigned cell = discover(&exploration->model->instance, q, p, 1);
    uint8_t *since = must_allocate(graph->states);
    uint32_t *queue = must_allocate(graph->states * sizeof *queue), tail = 0;
    for (uint32_t state = 0; state < graph->states; state++)
        if (!since[state] && finds_itself_discovered(exploration, state, p, cell)) {
            since[state] = 1;
            queue[tail++] = state;
        }
    finding->fired += tail;
    /* Before p's own read nothing is promised: only what it leads to counts. */
    memset(since, 0, graph->states);
    uint32_t starts = tail;
    for (uint32_t head = 0; head < tail && finding->verdict == HOLDS; head++) {
        uint32_t state = queue[head];
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            uint32_t to = graph->targets[edge];
            const struct standing *standing = &graph->standing[to];
            bool own = (graph->kinds[edge] & EDGE_PROCESS) == p;
            if ((head < starts && !own) || since[to] || !((standing->waiting_room | standing->critical) >> p & 1))
                continue;
            since[to] = 1;
            queue[tail++] = to;
            if (!value_of(exploration, to, cell))
                violate(finding, exploration, to, p, "has lost the discovery", cell);
        }
    }
    free(since);
    free(queue);
}

typedef void look_at_pair(struct finding *finding, const struct exploration *exploration, unsigned p, unsigned q);

static void ask_each_pair(struct finding *finding, const struct exploration *exploration, look_at_pair *look)
{
    unsigned n = exploration->model->n;
    for (unsigned p = 0; p < n; p++)
        for (unsigned q = 0; q < n && finding->verdict == HOLDS; q++)
            if (q != p)
                look(finding, exploration, p, q);
}

static void ask_discovered(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    (void)judge;
    ask_each_pair(finding, exploration, look_at_discoveries);
}
const struct judge discovered_since_revealed = {"discovered since revealed", ask_discovered, PROPERTIES, NULL, NULL, 0};

static void ask_stays_discovered(struct finding *finding, const struct exploration *exploration,
                                 const struct judge *judge)
{
    (void)judge;
    ask_each_pair(finding, exploration, look_at_second_cell);
}
const struct judge stays_discovered = {"stays discovered", ask_stays_discovered, PROPERTIES, NULL, NULL, 0};

/* --- in the proof of Lemma 7 -------------------------------------------------------------------------------------- */

enum { COUNTED = EDGE_ENTERS_CRITICAL }; /* the bit that marks what is counted, in a copy of the kinds of edges */

/* The most writes by q to its discovery of p, both cells together, while p is in the waiting room. */
static uint64_t writes_for(const struct exploration *exploration, unsigned p, unsigned q)
{
    const struct instance *instance = &exploration->model->instance;
    struct graph graph = exploration->graph;
    unsigned first = discover(instance, q, p, 0);
    uint8_t *in = must_allocate(graph.states);
    graph.kinds = must_allocate(graph.edges + 1);
    for (uint32_t state = 0; state < graph.states; state++) {
        in[state] = graph.standing[state].waiting_room >> p & 1;
        for (uint64_t edge = graph.first[state]; edge < graph.first[state + 1]; edge++) {
            bool writes =
                (exploration->graph.kinds[edge] & EDGE_PROCESS) == q &&
                (accesses(exploration, state, q, first, false) || accesses(exploration, state, q, first + 1, false));
            graph.kinds[edge] = (uint8_t)((exploration->graph.kinds[edge] & EDGE_PROCESS) | (writes ? COUNTED : 0));
        }
    }
    struct part part = {.graph = &graph, .in = in};
    uint32_t *most = longest_runs(&part, (struct event){.mask = COUNTED, .match = COUNTED});
    uint64_t writes = 0;
    for (uint32_t state = 0; state < graph.states; state++)
        writes = most[state] > writes ? most[state] : writes;
    free(most);
    free(graph.kinds);
    free(in);
    return writes;
}

static uint64_t most_discovery_writes(const struct exploration *exploration)
{
    unsigned n = exploration->model->n;
    uint64_t most = 0;
    for (unsigned p = 0; p < n; p++)
        for (unsigned q = 0; q < n; q++) {
            uint64_t writes = q != p ? writes_for(exploration, p, q) : 0;
            most = writes > most ? writes : most;
        }
    return most;
}
const struct quantity discovery_writes = {"writes to one's Discover while it waits", NULL, most_discovery_writes};
