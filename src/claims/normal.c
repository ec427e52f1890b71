/* SPDX-License-Identifier: MIT
 *
 * From an arbitrary start back to normal: after a bounded number of system steps, is every state one that can be
 * reached from a normal start? (Lamport 1986, proof of Theorem 6.)
 */
#include "base/die.h"
#include "base/memory.h"
#include "checker/model/automaton.h"
#include "claims/claims.h"
#include "claims/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_YET = 0, IN_LOOP = 1 }; /* otherwise 2 + the process whose step led here */

/* The states that can come after any number of system steps (D9 in docs/properties.md): those of the loops in which
 * everybody steps or rests, and all that can follow them. */
struct end {
    struct part part;
    struct components components;
    uint8_t *in, *how;
    uint32_t *from;
};

static void end_find(struct end *end, const struct graph *graph)
{
    end->in = must_allocate(graph->states);
    memset(end->in, 1, graph->states);
    end->part = (struct part){.graph = graph, .in = end->in};
    end->how = must_allocate(graph->states);
    end->from = must_allocate(graph->states * sizeof *end->from);
    uint8_t *fair = fair_states(&end->part, &end->components);
    uint32_t *queue = must_allocate(graph->states * sizeof *queue), tail = 0;
    for (uint32_t state = 0; state < graph->states; state++)
        if (fair[state]) {
            end->how[state] = IN_LOOP;
            queue[tail++] = state;
        }
    for (uint32_t head = 0; head < tail; head++)
        for (uint64_t edge = graph->first[queue[head]]; edge < graph->first[queue[head] + 1]; edge++) {
            uint32_t to = graph->targets[edge];
            if (end->how[to] != NOT_YET)
                continue;
            end->how[to] = (uint8_t)(2 + (graph->kinds[edge] & EDGE_PROCESS));
            end->from[to] = queue[head];
            queue[tail++] = to;
        }
    free(queue);
    free(fair);
}

static void end_close(struct end *end)
{
    components_close(&end->components);
    free(end->in);
    free(end->how);
    free(end->from);
}

/* Round a loop, and from there to the state. */
static void walk(struct witness *witness, const struct exploration *exploration, const struct end *end, uint32_t state)
{
    if (end->how[state] == IN_LOOP) {
        witness_open(witness, exploration, exploration->graph.numbers[state]);
        witness->at = state;
        witness_fair_loop(witness, exploration, &end->part, &end->components);
        return;
    }
    walk(witness, exploration, end, end->from[state]);
    witness_go(witness, exploration, state, end->how[state] - 2u);
}

/* Whether a state of one exploration is among those of another of the same algorithm: local states are numbered
 * otherwise there, so they are looked up by what they are. */
static bool occurs_in(const struct exploration *there, const struct exploration *here, uint32_t state)
{
    const uint64_t *record = record_of(here, state);
    uint64_t same[WORDS_MAX] = {0};
    for (unsigned i = 0; i < here->model->n; i++) {
        uint64_t number = field_get(record, here->model->process_field[i]);
        uint32_t found = automaton_find(there->model, i, &here->model->automaton[i].processes[number]);
        if (found == NOT_KNOWN_YET)
            return false;
        field_set(same, there->model->process_field[i], found);
    }
    for (unsigned r = 0; r < here->model->regs; r++)
        field_set(same, there->model->register_field[r], value_of(here, state, r));
    return store_find(&there->store, same) != NO_STATE;
}

static void ask_returns_to_normal(struct finding *finding, const struct exploration *exploration,
                                  const struct judge *judge)
{
    (void)judge;
    struct setting setting = exploration->model->instance.setting;
    struct exploration_options options = {.memory_limit = free_memory() / 2};
    struct exploration normal;
    struct model model;
    setting.transient = false;
    explore(&normal, &model, &setting, &options);
    if (normal.stopped != NULL) {
        finding->verdict = UNDECIDED;
        snprintf(finding->what, sizeof finding->what, "the normal start: %s", normal.stopped);
    } else {
        struct end end;
        end_find(&end, &exploration->graph);
        for (uint32_t state = 0; state < exploration->graph.states && finding->verdict == HOLDS; state++) {
            finding->fired += end.how[state] != NOT_YET;
            if (end.how[state] == NOT_YET || occurs_in(&normal, exploration, state))
                continue;
            finding->verdict = VIOLATED;
            finding->has_witness = true;
            walk(&finding->witness, exploration, &end, state);
            snprintf(finding->what, sizeof finding->what,
                     "after any number of system steps a state is possible that no normal run reaches");
        }
        end_close(&end);
    }
    exploration_close(&normal);
}
const struct judge returns_to_normal = {"returns to normal states", ask_returns_to_normal, PROPERTIES, NULL, NULL, 0};
