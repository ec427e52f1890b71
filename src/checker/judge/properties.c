/* SPDX-License-Identifier: MIT */
#include "checker/judge/properties.h"

#include "base/die.h"

#include <stdio.h>
#include <stdlib.h>

const struct property_info property_info[PROPERTIES + 1] = {
    [EXCLUSION] = {"exclusion", "P1", "entries", false, false, false, NULL, NULL},
    [DEADLOCK_FREEDOM] = {"deadlock-freedom", "P2", "states in which somebody tries", false, true, false, NULL, NULL},
    [LOCKOUT_FREEDOM] = {"lockout-freedom", "P3", "states in which somebody is outside its remainder", false, true,
                         false, NULL, NULL},
    [FCFS] = {"fcfs", "P4", "pairs and states: one waits, another came to the doorway after it", true, true, false,
              NULL, NULL},
    [BOUNDED_DOORWAY] = {"bounded-doorway", "P5", "doorways entered", true, true, false, "own step", NULL},
    [BOUNDED_EXIT] = {"bounded-exit", "P6", "exits begun", false, true, false, "own step", NULL},
    [BOUNDED_WAITING] = {"bounded-waiting", "P7", "entries past one who waits", true, true, false, "entry by one other",
                         NULL},
    [K_DEADLOCK_AVOIDANCE] = {"k-deadlock-avoidance", "P8", "states in which somebody waits to enter or to leave",
                              false, true, true, NULL, NULL},
    [FIFE] = {"fife", "P9", "states in which a later one is inside", true, true, true, "own step still needed", NULL},
    [STRONG_FIFE] = {"strong-fife", "P10", "states in which a later one is enabled", true, true, true,
                     "own step still needed", NULL},
    [OVERTAKING] = {"overtaking", "P11", "stays in the waiting room", true, true, true, "time overtaken", NULL},
    [FIFO_ENABLING] = {"fifo-enabling", "P12", "states in which one waits and a later one is on its way", false, true,
                       true, NULL, NULL},
#define LOCAL_SPIN(model_)                                                                                             \
    {                                                                                                                  \
        "local-spin", "P13", "passages begun", false, true, false, "remote reference", model_                          \
    }
    [LOCAL_SPIN_CC] = LOCAL_SPIN("cc"),
    [LOCAL_SPIN_DSM] = LOCAL_SPIN("dsm"),
    [LOCAL_SPIN_WRITE_BACK] = LOCAL_SPIN("cc-write-back"),
    [NO_SLOT_LOST] = {"no-slot-lost", "P14", "states", false, true, false, NULL, NULL},
    [DISTINCT_SLOTS] = {"distinct-slots", "P15", "states in which several are inside", false, true, false, NULL, NULL},
    [NO_SLOT_IDLE] = {"no-slot-idle", "P16", "states in which somebody tries and a slot is free", false, true, false,
                      NULL, NULL},
    [PROPERTIES] = {"-", "-", "", false, false, false, NULL, NULL},
};

enum property property_find(const char *name, const char *model)
{
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (strcmp(property_info[p].name, name) == 0 &&
            (model == NULL || (property_info[p].model != NULL && strcmp(property_info[p].model, model) == 0)))
            return (enum property)p;
    return PROPERTIES;
}

const char *property_title(enum property property)
{
    static const char *const titles[] = {"local-spin (cc)", "local-spin (dsm)", "local-spin (cc-write-back)"};
    return is_local_spin(property) ? titles[property - LOCAL_SPIN_CC] : property_info[property].name;
}

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
