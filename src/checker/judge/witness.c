/* SPDX-License-Identifier: MIT */
#include "checker/judge/witness.h"

#include "base/die.h"
#include "base/hash.h"
#include "checker/reduce/idle.h"

#include <stdlib.h>

/* --- steps from states -------------------------------------------------------------------------------------------- */

static void append(struct witness *witness, struct step step)
{
    if (witness->count == witness->room) {
        witness->room = witness->room == 0 ? 64 : witness->room * 2;
        witness->steps = must_reallocate(witness->steps, witness->room * sizeof *witness->steps);
    }
    witness->steps[witness->count++] = step;
}

static void take_one_step(struct witness *witness, const struct model *model, struct step step)
{
    uint64_t successor[WORDS_MAX];
    uint8_t events;
    if (model_apply(model, witness->state, step, successor, &events) == MISSING)
        die("internal error: a step of a counterexample cannot be taken");
    memcpy(witness->state, successor, model->words * sizeof *successor);
    append(witness, step);
}

void witness_step(struct witness *witness, const struct model *model, struct step step)
{
    take_one_step(witness, model, step);
    while (model->hurries && next_idle_step(model, witness->state, &step))
        take_one_step(witness, model, step);
}

enum { ANY_PROCESS = 255 };

struct wanted {
    const struct model *model;
    const struct store *store;
    const uint64_t *from, *record;
    unsigned process;
    bool found;
    struct step step;
};

static void look_at_step(void *context, struct step step, const struct move *move)
{
    struct wanted *wanted = context;
    uint64_t successor[WORDS_MAX];
    uint8_t events;
    (void)move;
    if (wanted->process != ANY_PROCESS && step.process != wanted->process)
        return;
    enum applied applied;
    do {
        applied = model_apply(wanted->model, wanted->from, step, successor, &events);
        if (applied == APPLIED && wanted->model->hurries)
            applied = take_idle_steps(wanted->model, successor);
        if (wanted->found || applied == MISSING)
            return;
        wanted->found = wanted->store->fingerprints ? hash_words(successor, wanted->model->words) == *wanted->record
                                                    : same_state(successor, wanted->record, wanted->model->words);
        wanted->step = step;
        step.gap_is_gone = true;
    } while (applied == AMBIGUOUS);
}

/* Takes the step that leads to the state with this number in the store. */
static void go_to_number(struct witness *witness, const struct exploration *exploration, uint32_t number,
                         unsigned process)
{
    struct wanted wanted = {.model = exploration->model,
                            .store = &exploration->store,
                            .from = witness->state,
                            .record = store_record(&exploration->store, number),
                            .process = process};
    for_each_step(exploration->model, witness->state, look_at_step, &wanted);
    if (!wanted.found)
        die("internal error: no step leads from a state to its successor");
    witness_step(witness, exploration->model, wanted.step);
}

/* The state to start in with this number; with fingerprints it must be found by its hash. */
static void find_root(const struct exploration *exploration, uint32_t number, uint64_t *state)
{
    const struct store *store = &exploration->store;
    const uint64_t *record = store_record(store, number);
    unsigned words = exploration->model->words;
    memset(state, 0, WORDS_MAX * sizeof *state);
    memcpy(state, record, store->record * sizeof *state);
    if (!store->fingerprints)
        return;
    struct roots roots;
    for (roots_first(&roots, exploration->model); !roots.done; roots_next(&roots))
        if (hash_words(roots.state, words) == *record)
            break;
    memcpy(state, roots.state, words * sizeof *state);
}

void witness_open(struct witness *witness, const struct exploration *exploration, uint32_t number)
{
    *witness = (struct witness){.loop = NO_LOOP, .loop_end = NO_LOOP};
    size_t length = 0;
    for (uint32_t at = number; at != NO_STATE; at = store_parent(&exploration->store, at))
        length++;
    uint32_t *numbers = must_allocate(length * sizeof *numbers);
    size_t place = length;
    for (uint32_t at = number; at != NO_STATE; at = store_parent(&exploration->store, at))
        numbers[--place] = at;
    if (exploration->scheduled)
        memcpy(witness->start, exploration->model->initial, sizeof witness->start);
    else
        find_root(exploration, numbers[0], witness->start);
    memcpy(witness->state, witness->start, sizeof witness->state);
    for (size_t s = 0; s < exploration->beginning.count; s++)
        take_one_step(witness, exploration->model, exploration->beginning.steps[s]);
    for (size_t s = 1; s < length; s++)
        go_to_number(witness, exploration, numbers[s], ANY_PROCESS);
    free(numbers);
}

void witness_close(struct witness *witness)
{
    free(witness->steps);
    memset(witness, 0, sizeof *witness);
}

void witness_go(struct witness *witness, const struct exploration *exploration, uint32_t to, unsigned process)
{
    go_to_number(witness, exploration, exploration->graph.numbers[to], process);
    witness->at = to;
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

/* What a search inside a part looks for: a step out of a state. `component` limits it, unless it is NO_COMPONENT. */
struct goal {
    const struct part *part;
    const struct components *components;
    uint32_t component;
    uint16_t processes; /* a step of any of these, inside the component */
    struct event event; /* or, if processes is 0, such an event that stays in its component */
    uint32_t state;     /* or, if both are empty, this state */
};

struct hop {
    uint32_t from; /* NO_STATE where the search began */
    uint8_t process;
};

/* Whether the goal is met by a step out of `state`; then *to is where it leads, and *process whose step it is. */
static bool meets(const struct goal *goal, uint32_t state, uint32_t *to, unsigned *process)
{
    const struct graph *graph = goal->part->graph;
    const struct components *components = goal->components;
    if (goal->processes == 0 && goal->event.mask == 0)
        return state == goal->state;
    uint16_t spinners = goal->processes != 0 ? goal->processes & graph->standing[state].spins
                                             : spinners_of(goal->event) & spins_in_vain(graph, state);
    if (spinners != 0) {
        *to = state;
        *process = (unsigned)__builtin_ctz(spinners);
        return true;
    }
    for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
        uint8_t kind = graph->kinds[edge];
        if (!part_has_edge(goal->part, state, edge) || components->of[graph->targets[edge]] != components->of[state])
            continue;
        if (goal->processes != 0 ? goal->processes >> (kind & EDGE_PROCESS) & 1
                                 : (kind & goal->event.mask) == goal->event.match) {
            *to = graph->targets[edge];
            *process = kind & EDGE_PROCESS;
            return true;
        }
    }
    return false;
}

static void retrace(struct witness *witness, const struct exploration *exploration, const struct hop *hops,
                    uint32_t state)
{
    size_t length = 0;
    for (uint32_t at = state; hops[at].from != NO_STATE; at = hops[at].from)
        length++;
    uint32_t *states = must_allocate((length + 1) * sizeof *states);
    size_t place = length;
    for (uint32_t at = state; hops[at].from != NO_STATE; at = hops[at].from)
        states[--place] = at;
    for (size_t s = 0; s < length; s++)
        witness_go(witness, exploration, states[s], hops[states[s]].process);
    free(states);
}

/* Goes from where the witness is to the nearest state that meets the goal, takes the step that meets it, and returns
 * the state that it was taken from, and *before: how many steps there were by then. */
static uint32_t go_to_goal(struct witness *witness, const struct exploration *exploration, const struct goal *goal,
                           size_t *before)
{
    const struct part *part = goal->part;
    const struct graph *graph = part->graph;
    struct hop *hops = must_allocate(graph->states * sizeof *hops);
    uint8_t *seen = must_allocate(graph->states);
    uint32_t *queue = must_allocate(graph->states * sizeof *queue);
    uint32_t head = 0, tail = 0, to = witness->at;
    unsigned process = 0;
    queue[tail++] = witness->at;
    seen[witness->at] = 1;
    hops[witness->at].from = NO_STATE;
    while (head < tail && !meets(goal, queue[head], &to, &process)) {
        uint32_t state = queue[head++];
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            uint32_t next = graph->targets[edge];
            if (!part_has_edge(part, state, edge) || seen[next] ||
                (goal->component != NO_COMPONENT && goal->components->of[next] != goal->component))
                continue;
            seen[next] = 1;
            hops[next] = (struct hop){state, graph->kinds[edge] & EDGE_PROCESS};
            queue[tail++] = next;
        }
    }
    if (head == tail)
        die("internal error: a loop does not close");
    uint32_t met_at = queue[head];
    retrace(witness, exploration, hops, met_at);
    *before = witness->count;
    if (goal->processes != 0 || goal->event.mask != 0)
        witness_go(witness, exploration, to, process);
    free(hops);
    free(seen);
    free(queue);
    return met_at;
}

static void close_loop(struct witness *witness, const struct exploration *exploration, const struct part *part,
                       const struct components *components, uint32_t start)
{
    size_t before;
    go_to_goal(
        witness, exploration,
        &(struct goal){.part = part, .components = components, .component = components->of[start], .state = start},
        &before);
}

void witness_loop_of(struct witness *witness, const struct exploration *exploration, const struct part *part,
                     struct event event)
{
    uint16_t spinners = spins_in_vain(part->graph, witness->at) & spinners_of(event);
    if (spinners != 0) {
        /* The shortest loop of all: it can happen right here, and changes nothing. */
        witness->loop = witness->count;
        witness_go(witness, exploration, witness->at, (unsigned)__builtin_ctz(spinners));
        witness->loop_end = witness->count;
        return;
    }
    struct components components;
    components_find(&components, part);
    struct goal goal = {.part = part, .components = &components, .component = NO_COMPONENT, .event = event};
    uint32_t start = go_to_goal(witness, exploration, &goal, &witness->loop);
    close_loop(witness, exploration, part, &components, start);
    witness->loop_end = witness->count;
    components_close(&components);
}

void witness_fair_loop(struct witness *witness, const struct exploration *exploration, const struct part *part,
                       const struct components *components)
{
    const struct graph *graph = part->graph;
    uint32_t start = witness->at, component = components->of[start];
    uint16_t all = (uint16_t)((1u << graph->n) - 1);
    uint16_t wanted = all & (uint16_t)~resting(part, &graph->standing[start]);
    witness->loop = witness->count;
    while (wanted != 0) {
        size_t first = witness->count, before;
        go_to_goal(witness, exploration,
                   &(struct goal){.part = part, .components = components, .component = component, .processes = wanted},
                   &before);
        for (size_t s = first; s < witness->count; s++)
            wanted &= (uint16_t) ~(1u << witness->steps[s].process);
    }
    close_loop(witness, exploration, part, components, start);
    witness->loop_end = witness->count;
}
