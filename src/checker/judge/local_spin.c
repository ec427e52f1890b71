/* SPDX-License-Identifier: MIT
 *
 * local-spin (P13): can a process make remote references without bound in one passage, and if not, how many at most?
 *
 * What an access costs a process depends on the state and on what that process has in its cache, and on nobody else's
 * cache. So one process i is followed at a time, through pairs of a state and its copies; with distributed memory there
 * are no copies, and the pairs are the states. The pairs make a graph like any other, in which the references of i are
 * marked, and the question is that of infinite_runs.h: how many marked edges can there be while i is under way?
 */
#include "base/die.h"
#include "base/hash.h"
#include "base/memory.h"
#include "checker/judge/properties.h"
#include "checker/model/references.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    COSTS = EDGE_ENTERS_CRITICAL, /* in the graph of pairs this bit of an edge's kind marks a reference of i */
    COPIES_MAX = 64,              /* registers of which i can have a copy */
    UNSEEN = 255,
    BYTES_PER_PAIR = 160 /* of all arrays together, with the edges and what infinite_runs.h needs */
};

/* The registers, by their bits, of which i has a copy, and those of them that are exclusive. */
struct copies {
    uint64_t held, exclusive;
};

struct pairs {
    const struct exploration *exploration;
    enum memory_model model;
    unsigned i;
    uint8_t *bit; /* per register: its bit in struct copies, or UNSEEN if i never has a copy of it */
    uint32_t *states, *parents;
    struct copies *copies;
    uint32_t count, room, limit;
    uint32_t *index; /* hash table over pairs: number + 1 */
    uint32_t index_size;
    struct graph graph; /* of pairs */
    uint32_t at;        /* the pair whose steps are being gone through */
};

/* --- steps out of a pair ------------------------------------------------------------------------------------------ */

/* One step: where it leads, and whether it is a reference of i. */
struct hop {
    struct step step;
    uint32_t state;
    struct copies copies;
    bool costs;
};

typedef void hop_visitor(struct pairs *pairs, const struct hop *hop, void *context);

struct going {
    struct pairs *pairs;
    const uint64_t *record;
    uint32_t state;
    uint64_t edge; /* the next that leads elsewhere: edges lie in the order of the steps */
    hop_visitor *visit;
    void *context;
};

static struct effect effect_of_move(const struct automaton *automaton, const struct move *move, uint64_t value)
{
    const struct transition *transition = move->few
                                              ? &automaton->transitions[move->first + value]
                                              : far_transition(automaton, (uint32_t)(move - automaton->moves), value);
    return effect_of((enum access_kind)move->kind, 0, transition->register_xor);
}

static enum copy copy_at(struct copies copies, unsigned bit)
{
    if (bit == UNSEEN || !(copies.held >> bit & 1))
        return NO_COPY;
    return copies.exclusive >> bit & 1 ? EXCLUSIVE_COPY : SHARED_COPY;
}

static void set_copy(struct copies *copies, unsigned bit, enum copy copy)
{
    if (bit == UNSEEN)
        return;
    uint64_t mask = UINT64_C(1) << bit;
    copies->held = copy != NO_COPY ? copies->held | mask : copies->held & ~mask;
    copies->exclusive = copy == EXCLUSIVE_COPY ? copies->exclusive | mask : copies->exclusive & ~mask;
}

/* What the access does to the copies of i, and whether it is a reference of i. */
static bool charge(const struct pairs *pairs, struct step step, const struct move *move, struct copies *copies)
{
    const struct model *model = pairs->exploration->model;
    struct effect effect = effect_of_move(&model->automaton[step.process], move, step.value);
    unsigned bit = pairs->bit[move->reg];
    enum copy copy = copy_at(*copies, bit);
    if (step.process != pairs->i) {
        set_copy(copies, bit, copy_after_other(pairs->model, effect, copy));
        return false;
    }
    bool remote = is_remote(pairs->model, model->instance.regs[move->reg].home == pairs->i, effect, &copy);
    set_copy(copies, bit, copy);
    return remote;
}

static void go(void *context, struct step step, const struct move *move)
{
    struct going *going = context;
    struct pairs *pairs = going->pairs;
    const struct exploration *exploration = pairs->exploration;
    uint64_t successor[WORDS_MAX];
    uint8_t events;
    enum applied applied;
    do {
        applied = model_apply(exploration->model, going->record, step, successor, &events);
        struct hop hop = {.step = step, .copies = pairs->copies[pairs->at], .state = going->state};
        hop.costs = move != NULL && charge(pairs, step, move, &hop.copies);
        if (!same_state(successor, going->record, exploration->model->words))
            hop.state = exploration->graph.targets[going->edge++];
        going->visit(pairs, &hop, going->context);
        step.gap_is_gone = true;
    } while (applied == AMBIGUOUS);
}

static void for_each_hop(struct pairs *pairs, uint32_t pair, hop_visitor *visit, void *context)
{
    const struct exploration *exploration = pairs->exploration;
    uint32_t state = pairs->states[pair];
    struct going going = {.pairs = pairs,
                          .record = store_record(&exploration->store, exploration->graph.numbers[state]),
                          .state = state,
                          .edge = exploration->graph.first[state],
                          .visit = visit,
                          .context = context};
    pairs->at = pair;
    for_each_step(exploration->model, going.record, go, &going);
}

/* --- all pairs ---------------------------------------------------------------------------------------------------- */

static bool is_pair(const struct pairs *pairs, uint32_t pair, uint32_t state, struct copies copies)
{
    return pairs->states[pair] == state && pairs->copies[pair].held == copies.held &&
           pairs->copies[pair].exclusive == copies.exclusive;
}

static uint32_t *place_of(const struct pairs *pairs, uint32_t state, struct copies copies)
{
    const uint64_t key[] = {state, copies.held, copies.exclusive};
    uint32_t at = (uint32_t)hash_words(key, 3) & (pairs->index_size - 1);
    while (pairs->index[at] != 0 && !is_pair(pairs, pairs->index[at] - 1, state, copies))
        at = (at + 1) & (pairs->index_size - 1);
    return &pairs->index[at];
}

static void make_room(struct pairs *pairs)
{
    pairs->room = pairs->room == 0 ? 1024 : pairs->room * 2;
    pairs->states = must_reallocate(pairs->states, pairs->room * sizeof *pairs->states);
    pairs->parents = must_reallocate(pairs->parents, pairs->room * sizeof *pairs->parents);
    pairs->copies = must_reallocate(pairs->copies, pairs->room * sizeof *pairs->copies);
    pairs->graph.first = must_reallocate(pairs->graph.first, ((size_t)pairs->room + 1) * sizeof *pairs->graph.first);
    free(pairs->index);
    pairs->index_size = pairs->room * 2;
    pairs->index = must_allocate(pairs->index_size * sizeof *pairs->index);
    for (uint32_t pair = 0; pair < pairs->count; pair++)
        *place_of(pairs, pairs->states[pair], pairs->copies[pair]) = pair + 1;
}

/* The number of a pair, which is added if it is new. */
static uint32_t pair_of(struct pairs *pairs, uint32_t state, struct copies copies, uint32_t parent)
{
    uint32_t *place = place_of(pairs, state, copies);
    if (*place != 0)
        return *place - 1;
    if (pairs->count == pairs->room) {
        make_room(pairs);
        place = place_of(pairs, state, copies);
    }
    pairs->states[pairs->count] = state;
    pairs->copies[pairs->count] = copies;
    pairs->parents[pairs->count] = parent;
    return (*place = ++pairs->count) - 1;
}

static void add_hop(struct pairs *pairs, const struct hop *hop, void *context)
{
    (void)context;
    struct graph *graph = &pairs->graph;
    uint32_t to = pair_of(pairs, hop->state, hop->copies, pairs->at);
    if (to == pairs->at && !hop->costs)
        return;
    if (graph->edges == graph->edge_room) {
        graph->edge_room = graph->edge_room == 0 ? 4096 : graph->edge_room * 2;
        graph->targets = must_reallocate(graph->targets, graph->edge_room * sizeof *graph->targets);
        graph->kinds = must_reallocate(graph->kinds, graph->edge_room);
    }
    graph->targets[graph->edges] = to;
    graph->kinds[graph->edges++] = (uint8_t)(hop->step.process | (hop->costs ? COSTS : 0));
}

/* Numbers the registers of which i can have a copy; false if there are too many. */
static bool number_copies(struct pairs *pairs)
{
    const struct model *model = pairs->exploration->model;
    const struct automaton *automaton = &model->automaton[pairs->i];
    unsigned count = 0;
    pairs->bit = must_allocate(model->regs);
    memset(pairs->bit, UNSEEN, model->regs);
    for (uint32_t m = 0; m < automaton->move_count && pairs->model != DSM; m++) {
        const struct move *move = &automaton->moves[m];
        if (pairs->bit[move->reg] != UNSEEN || (move->kind == WRITE && pairs->model == CC))
            continue;
        if (count == COPIES_MAX)
            return false;
        pairs->bit[move->reg] = (uint8_t)count++;
    }
    return true;
}

/* Breadth first, so that parents lead to the start by a shortest way. False if they do not fit into memory. */
static bool find_pairs(struct pairs *pairs)
{
    const struct graph *states = &pairs->exploration->graph;
    make_room(pairs);
    for (uint32_t root = 0; root < states->roots; root++)
        pair_of(pairs, root, (struct copies){0, 0}, NO_STATE);
    for (uint32_t pair = 0; pair < pairs->count; pair++) {
        if (pairs->count > pairs->limit)
            return false;
        pairs->graph.first[pair] = pairs->graph.edges;
        for_each_hop(pairs, pair, add_hop, NULL);
    }
    pairs->graph.first[pairs->count] = pairs->graph.edges;
    pairs->graph.states = pairs->count;
    pairs->graph.n = states->n;
    pairs->graph.standing = must_allocate(pairs->count * sizeof *pairs->graph.standing);
    return true;
}

static void pairs_close(struct pairs *pairs)
{
    free(pairs->bit);
    free(pairs->states);
    free(pairs->parents);
    free(pairs->copies);
    free(pairs->index);
    graph_close(&pairs->graph);
}

/* --- a counterexample --------------------------------------------------------------------------------------------- */

struct wanted {
    uint32_t pair;
    bool costs, found;
    struct step step;
};

static void look_for(struct pairs *pairs, const struct hop *hop, void *context)
{
    struct wanted *wanted = context;
    if (wanted->found || (wanted->costs && !hop->costs) || !is_pair(pairs, wanted->pair, hop->state, hop->copies))
        return;
    wanted->found = true;
    wanted->step = hop->step;
}

static void go_to_pair(struct witness *witness, struct pairs *pairs, uint32_t from, uint32_t to, bool costs)
{
    struct wanted wanted = {.pair = to, .costs = costs};
    for_each_hop(pairs, from, look_for, &wanted);
    if (!wanted.found)
        die("internal error: no step leads from a state to its successor");
    witness_step(witness, pairs->exploration->model, wanted.step);
}

/* Follows parents back from a pair, and then goes that way. */
static void go_along(struct witness *witness, struct pairs *pairs, const uint32_t *parents, uint32_t to)
{
    size_t length = 0;
    for (uint32_t at = to; parents[at] != NO_STATE; at = parents[at])
        length++;
    uint32_t *way = must_allocate((length + 1) * sizeof *way);
    uint32_t at = to;
    for (size_t place = length; place > 0; at = parents[at])
        way[place--] = at;
    way[0] = at;
    for (size_t s = 0; s < length; s++)
        go_to_pair(witness, pairs, way[s], way[s + 1], false);
    free(way);
}

/* The shortest way from one pair to another of its component. */
static void go_round(struct witness *witness, struct pairs *pairs, const struct components *components, uint32_t from,
                     uint32_t to)
{
    const struct graph *graph = &pairs->graph;
    uint32_t *parents = must_allocate(graph->states * sizeof *parents);
    uint32_t *queue = must_allocate(graph->states * sizeof *queue);
    uint8_t *seen = must_allocate(graph->states);
    uint32_t head = 0, tail = 0;
    queue[tail++] = from;
    seen[from] = 1;
    parents[from] = NO_STATE;
    while (!seen[to]) {
        uint32_t pair = queue[head++];
        for (uint64_t edge = graph->first[pair]; edge < graph->first[pair + 1]; edge++) {
            uint32_t next = graph->targets[edge];
            if (seen[next] || components->of[next] != components->of[from])
                continue;
            seen[next] = 1;
            parents[next] = pair;
            queue[tail++] = next;
        }
    }
    go_along(witness, pairs, parents, to);
    free(parents);
    free(queue);
    free(seen);
}

/* The first reference of i, if any, that lies on a loop: its pair, and the edge. */
static uint32_t costly_loop(const struct part *part, const struct components *components, uint64_t *edge)
{
    const struct graph *graph = part->graph;
    for (uint32_t pair = 0; pair < graph->states; pair++)
        for (*edge = graph->first[pair]; part->in[pair] && *edge < graph->first[pair + 1]; ++*edge)
            if (graph->kinds[*edge] & COSTS && part->in[graph->targets[*edge]] &&
                components->of[graph->targets[*edge]] == components->of[pair])
                return pair;
    return NO_STATE;
}

static void show_loop(struct finding *finding, struct pairs *pairs, const struct components *components, uint32_t pair,
                      uint64_t edge)
{
    struct witness *witness = &finding->witness;
    uint32_t root = pair, next = pairs->graph.targets[edge];
    while (pairs->parents[root] != NO_STATE)
        root = pairs->parents[root];
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    finding->has_bound = false;
    finding->i = pairs->i;
    witness_open(witness, pairs->exploration, pairs->exploration->graph.numbers[pairs->states[root]]);
    go_along(witness, pairs, pairs->parents, pair);
    witness->loop = witness->count;
    go_to_pair(witness, pairs, pair, next, true);
    go_round(witness, pairs, components, next, pair);
    witness->loop_end = witness->count;
    snprintf(finding->what, sizeof finding->what, "process %u makes remote references for ever in one passage (%s)",
             pairs->i, memory_model_name[pairs->model]);
}

/* --- the verdict -------------------------------------------------------------------------------------------------- */

/* The most references of i in a passage: with the step by which it begins, which leads into the part. */
static void find_bound(struct finding *finding, const struct pairs *pairs, const struct part *part)
{
    const struct graph *graph = part->graph, *states = &pairs->exploration->graph;
    uint32_t *runs = longest_runs(part, (struct event){.mask = COSTS, .match = COSTS});
    for (uint32_t pair = 0; pair < graph->states; pair++)
        for (uint64_t edge = graph->first[pair]; edge < graph->first[pair + 1]; edge++) {
            bool begins = (graph->kinds[edge] & EDGE_PROCESS) == pairs->i &&
                          states->standing[pairs->states[pair]].remainder >> pairs->i & 1;
            uint64_t references = begins ? runs[graph->targets[edge]] + (graph->kinds[edge] & COSTS ? 1 : 0) : 0;
            finding->fired += begins;
            if (references > finding->bound)
                finding->bound = references;
        }
    free(runs);
}

static void judge_process(struct finding *finding, struct pairs *pairs)
{
    const struct graph *states = &pairs->exploration->graph;
    uint8_t *under_way = must_allocate(pairs->graph.states);
    for (uint32_t pair = 0; pair < pairs->graph.states; pair++)
        under_way[pair] = !(states->standing[pairs->states[pair]].remainder >> pairs->i & 1);
    struct part part = {.graph = &pairs->graph, .in = under_way};
    struct components components;
    uint64_t edge;
    components_find(&components, &part);
    uint32_t pair = costly_loop(&part, &components, &edge);
    if (pair != NO_STATE)
        show_loop(finding, pairs, &components, pair, edge);
    components_close(&components);
    if (pair == NO_STATE)
        find_bound(finding, pairs, &part);
    free(under_way);
}

void judge_local_spin(struct finding *finding, const struct exploration *exploration)
{
    uint64_t limit = free_memory() / BYTES_PER_PAIR;
    finding->has_bound = true;
    for (unsigned i = 0; i < exploration->graph.n && finding->verdict == HOLDS; i++) {
        struct pairs pairs = {.exploration = exploration,
                              .model = property_model(finding->property),
                              .i = i,
                              .limit = limit == 0 || limit > UINT32_MAX / 4 ? UINT32_MAX / 4 : (uint32_t)limit};
        bool few = number_copies(&pairs);
        if (few && find_pairs(&pairs)) {
            judge_process(finding, &pairs);
        } else {
            finding->verdict = UNDECIDED;
            snprintf(finding->what, sizeof finding->what,
                     few ? "the states, each with what process %u has in its cache, do not fit into memory"
                         : "process %u can have copies of more registers than the checker has room for",
                     i);
        }
        pairs_close(&pairs);
    }
}
