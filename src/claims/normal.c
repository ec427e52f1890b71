/* SPDX-License-Identifier: MIT
 *
 * From an arbitrary start back to normal: after a bounded number of system steps, is every state one that can be
 * reached from a normal start? (Lamport 1986, proof of Theorem 6.)
 */
#include "checker/die.h"
#include "claims/claims.h"
#include "claims/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The states that can come after any number of system steps (D9 in docs/properties.md): those of the loops in which
 * everybody steps or rests, and all that can follow them. */
static uint8_t *states_in_the_end(const struct graph *graph)
{
    uint8_t *in = must_allocate(graph->states);
    memset(in, 1, graph->states);
    struct part part = {.graph = graph, .in = in};
    struct components components;
    uint8_t *late = fair_states(&part, &components);
    components_close(&components);
    free(in);
    uint32_t *queue = must_allocate(graph->states * sizeof *queue), tail = 0;
    for (uint32_t state = 0; state < graph->states; state++)
        if (late[state])
            queue[tail++] = state;
    for (uint32_t head = 0; head < tail; head++)
        for (uint64_t edge = graph->first[queue[head]]; edge < graph->first[queue[head] + 1]; edge++)
            if (!late[graph->targets[edge]]) {
                late[graph->targets[edge]] = 1;
                queue[tail++] = graph->targets[edge];
            }
    free(queue);
    return late;
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
        uint8_t *late = states_in_the_end(&exploration->graph);
        for (uint32_t state = 0; state < exploration->graph.states && finding->verdict == HOLDS; state++) {
            finding->fired += late[state];
            if (!late[state] || occurs_in(&normal, exploration, state))
                continue;
            finding->verdict = VIOLATED;
            finding->has_witness = true;
            witness_open(&finding->witness, exploration, exploration->graph.numbers[state]);
            finding->witness.at = state;
            snprintf(finding->what, sizeof finding->what,
                     "after any number of system steps a state is possible that no normal run reaches");
        }
        free(late);
    }
    exploration_close(&normal);
}
const struct judge returns_to_normal = {"returns to normal states", ask_returns_to_normal, PROPERTIES, NULL, NULL, 0};
