/* SPDX-License-Identifier: MIT
 *
 * Slots: none is lost (P14), and no two are the same (P15).
 */
#include "base/die.h"
#include "checker/judge/properties.h"

#include <stdio.h>
#include <stdlib.h>

/* --- P14 ---------------------------------------------------------------------------------------------------------- */

/* Looks at all states again and again until nothing changes. */
uint8_t *can_be_filled(const struct graph *graph)
{
    uint8_t *can = must_allocate(graph->states);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t state = graph->states; state-- > 0;) {
            bool now = can[state] || (unsigned)__builtin_popcount(graph->standing[state].critical) >= graph->k;
            for (uint64_t edge = graph->first[state]; !now && edge < graph->first[state + 1]; edge++)
                now = can[graph->targets[edge]];
            changed |= now && !can[state];
            can[state] = now;
        }
    }
    return can;
}

void judge_no_slot_lost(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    uint8_t *can = can_be_filled(graph);
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        finding->fired++;
        if (can[state])
            continue;
        finding->verdict = VIOLATED;
        finding->has_witness = true;
        witness_open(&finding->witness, exploration, graph->numbers[state]);
        snprintf(finding->what, sizeof finding->what, "from here on, %u are never inside at once again", graph->k);
    }
    free(can);
}

/* --- P15 ---------------------------------------------------------------------------------------------------------- */

static unsigned slot_of(const struct exploration *exploration, const uint64_t *state, unsigned i)
{
    const struct model *model = exploration->model;
    const struct process *process = &model->automaton[i].processes[field_get(state, model->process_field[i])];
    return process->locals[model->instance.setting.algorithm->about.slot_at];
}

static bool share_a_slot(const struct exploration *exploration, uint32_t state, struct finding *finding)
{
    const uint64_t *record = store_record(&exploration->store, exploration->graph.numbers[state]);
    uint16_t inside = exploration->graph.standing[state].critical;
    for (unsigned i = 0; i < exploration->graph.n; i++)
        for (unsigned j = i + 1; j < exploration->graph.n; j++)
            if (inside >> i & inside >> j & 1 && slot_of(exploration, record, i) == slot_of(exploration, record, j)) {
                finding->i = i;
                finding->j = j;
                return true;
            }
    return false;
}

void judge_distinct_slots(struct finding *finding, const struct exploration *exploration)
{
    const struct graph *graph = &exploration->graph;
    if (exploration->store.fingerprints) {
        finding->verdict = UNDECIDED;
        snprintf(finding->what, sizeof finding->what, "fingerprints do not tell the slots");
        return;
    }
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        finding->fired += __builtin_popcount(graph->standing[state].critical) > 1;
        if (!share_a_slot(exploration, state, finding))
            continue;
        finding->verdict = VIOLATED;
        finding->has_witness = true;
        witness_open(&finding->witness, exploration, graph->numbers[state]);
        snprintf(finding->what, sizeof finding->what, "processes %u and %u are inside with the same slot number",
                 finding->i, finding->j);
    }
}
