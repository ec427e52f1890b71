/* SPDX-License-Identifier: MIT */
#include "checker/judge/properties.h"

#include "base/die.h"

#include <stdlib.h>

const char *const verdict_name[] = {
    [HOLDS] = "holds", [VIOLATED] = "violated", [UNDECIDED] = "undecided", [VACUOUS] = "vacuous"};

uint8_t *states_where(const struct graph *graph, bool (*test)(const struct standing *standing, unsigned i), unsigned i)
{
    uint8_t *in = must_allocate(graph->states);
    for (uint32_t state = 0; state < graph->states; state++)
        in[state] = test(&graph->standing[state], i);
    return in;
}

void judge(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled,
           enum property property)
{
    *finding = (struct finding){.property = property, .verdict = HOLDS};
    bool eventually = exploration->model->instance.setting.transient;
    if (property == EXCLUSION && !eventually)
        judge_exclusion(finding, exploration);
    if (finding->verdict == HOLDS && exploration->stopped != NULL) {
        finding->verdict = UNDECIDED;
        return;
    }
    switch (property) {
    case DEADLOCK_FREEDOM:
    case NO_SLOT_IDLE:
        judge_deadlock_freedom(finding, exploration);
        break;
    case LOCKOUT_FREEDOM:
        judge_lockout_freedom(finding, exploration);
        break;
    case BOUNDED_DOORWAY:
    case BOUNDED_EXIT:
        judge_bounded_section(finding, exploration);
        break;
    case BOUNDED_WAITING:
        judge_bounded_waiting(finding, exploration);
        break;
    case K_DEADLOCK_AVOIDANCE:
        judge_k_deadlock_avoidance(finding, exploration, enabled);
        break;
    case FCFS:
        if (eventually)
            judge_eventual_fcfs(finding, exploration);
        else
            judge_order(finding, exploration, enabled);
        break;
    case SERVED_BEFORE:
    case FIFE:
    case STRONG_FIFE:
    case FIFO_ENABLING:
        judge_order(finding, exploration, enabled);
        break;
    case NO_SLOT_LOST:
        judge_no_slot_lost(finding, exploration);
        break;
    case DISTINCT_SLOTS:
        judge_distinct_slots(finding, exploration);
        break;
    case OVERTAKING:
        judge_overtaking(finding, exploration, enabled);
        break;
    case LOCAL_SPIN_CC:
    case LOCAL_SPIN_DSM:
    case LOCAL_SPIN_WRITE_BACK:
        judge_local_spin(finding, exploration);
        break;
    case EXCLUSION:
        if (eventually)
            judge_eventual_exclusion(finding, exploration);
        break;
    case PROPERTIES:
        break;
    }
    if (finding->verdict == HOLDS && finding->fired == 0)
        finding->verdict = VACUOUS;
}

void finding_close(struct finding *finding)
{
    if (finding->has_witness)
        witness_close(&finding->witness);
}
