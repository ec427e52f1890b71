/* SPDX-License-Identifier: MIT */
#include "checker/judge/property_info.h"

#include "checker/model/fault_info.h"

#include <stdio.h>

/* A process that may stop or misbehave at any time, as these faults let it, is never enabled (V10); where its text says what
 * giving up leads to, it is asked for nothing more, and deaths are in the graph. */
#define NOBODY_IS_ENABLED (SHUTDOWN | ABORT | FAILURE | RECOVERY)
/* Nobody has said whose the references are that a fault, or the kernel, makes. */
#define REFERENCES_ARE_NOBODYS (SHUTDOWN | ABORT | FAILURE | RECOVERY | LEASE | REPEAT | WATCH | FREEZE)

#define LOCAL_SPIN(model_, words_, ...)                                                                                \
    {                                                                                                                  \
        .name = "local-spin", .number = "P13", .words = "local spin (" words_ ")", .premise = "passages begun",        \
        .bound = "remote reference", .bounds = "remote references", .model = model_,                                   \
        .title = "local-spin (" model_ ")", .needs_atomic = true,                                                      \
        .undefined_under = TRANSIENT | REFERENCES_ARE_NOBODYS, .needs_every_step = true, __VA_ARGS__                   \
    }

const struct property_info property_info[PROPERTIES + 1] = {
    [EXCLUSION] = {.name = "exclusion",
                   .number = "P1",
                   .words = "mutual exclusion",
                   .premise = "entries",
                   .needs_states_only = true,
                   .shown_without_loop = true},
    [DEADLOCK_FREEDOM] = {.name = "deadlock-freedom",
                          .number = "P2",
                          .words = "deadlock freedom",
                          .premise = "states in which somebody tries"},
    [LOCKOUT_FREEDOM] = {.name = "lockout-freedom",
                         .number = "P3",
                         .words = "lockout freedom",
                         .premise = "states in which somebody is outside its remainder"},
    [FCFS] = {.name = "fcfs",
              .number = "P4",
              .words = "first come, first served",
              .premise = "pairs and states: one waits, another came to the doorway after it",
              .needs_doorway = true,
              .shown_without_loop = true},
    [BOUNDED_DOORWAY] = {.name = "bounded-doorway",
                         .number = "P5",
                         .words = "bounded doorway",
                         .premise = "doorways entered",
                         .bound = "own step",
                         .bounds = "own steps",
                         .needs_doorway = true,
                         .undefined_under = TRANSIENT,
                         .needs_every_step = true},
    [BOUNDED_EXIT] = {.name = "bounded-exit",
                      .number = "P6",
                      .words = "bounded exit",
                      .premise = "exits begun",
                      .bound = "own step",
                      .bounds = "own steps",
                      .undefined_under = TRANSIENT,
                      .needs_every_step = true},
    [BOUNDED_WAITING] = {.name = "bounded-waiting",
                         .number = "P7",
                         .words = "bounded waiting",
                         .premise = "entries past a process that waits",
                         .bound = "entry by one other",
                         .bounds = "entries by one other",
                         .needs_doorway = true,
                         .undefined_under = TRANSIENT},
    [K_DEADLOCK_AVOIDANCE] = {.name = "k-deadlock-avoidance",
                              .number = "P8",
                              .words = "avoidance of k-deadlock",
                              .premise = "states in which somebody waits to enter or to leave",
                              .undefined_under = TRANSIENT,
                              .undefined_unless_text_gives_up = NOBODY_IS_ENABLED,
                              .needs_enabled = true,
                              .shown_by_enabled = true},
    [FIFE] = {.name = "fife",
              .number = "P9",
              .words = "first in, first enabled",
              .premise = "states in which a later one is inside",
              .bound = "own step still needed",
              .bounds = "own steps still needed",
              .needs_doorway = true,
              .undefined_under = TRANSIENT,
              .undefined_unless_text_gives_up = NOBODY_IS_ENABLED,
              .needs_enabled = true},
    [STRONG_FIFE] = {.name = "strong-fife",
                     .number = "P10",
                     .words = "strong first in, first enabled",
                     .premise = "states in which a later one is enabled",
                     .bound = "own step still needed",
                     .bounds = "own steps still needed",
                     .needs_doorway = true,
                     .undefined_under = TRANSIENT,
                     .undefined_unless_text_gives_up = NOBODY_IS_ENABLED,
                     .needs_enabled = true,
                     .shown_by_enabled = true,
                     .counts_on_looks = true},
    [OVERTAKING] = {.name = "overtaking",
                    .number = "P11",
                    .words = "bounded overtaking",
                    .premise = "stays in the waiting room",
                    .bound = "time overtaken",
                    .bounds = "times overtaken",
                    .needs_doorway = true,
                    .undefined_under = TRANSIENT,
                    .undefined_unless_text_gives_up = NOBODY_IS_ENABLED,
                    .needs_enabled = true,
                    .shown_by_enabled = true},
    [FIFO_ENABLING] = {.name = "fifo-enabling",
                       .number = "P12",
                       .words = "first in, first out enabling",
                       .premise = "states in which one waits and a later one is on its way",
                       .undefined_under = TRANSIENT,
                       .undefined_unless_text_gives_up = NOBODY_IS_ENABLED,
                       .needs_enabled = true,
                       .shown_by_enabled = true,
                       .counts_on_looks = true},
    [LOCAL_SPIN_CC] = LOCAL_SPIN("cc", "CC"),
    [LOCAL_SPIN_DSM] = LOCAL_SPIN("dsm", "DSM"),
    [LOCAL_SPIN_WRITE_BACK] = LOCAL_SPIN("cc-write-back", "CC, write-back", .only_if_model_said = true),
    [NO_SLOT_LOST] = {.name = "no-slot-lost",
                      .number = "P14",
                      .words = "no slot lost",
                      .premise = "states",
                      .needs_future = true,
                      .undefined_under = TRANSIENT,
                      .shown_without_loop = true},
    [DISTINCT_SLOTS] = {.name = "distinct-slots",
                        .number = "P15",
                        .words = "distinct slots",
                        .premise = "states in which several are inside",
                        .needs_slots = true,
                        .undefined_under = TRANSIENT,
                        .shown_without_loop = true},
    [NO_SLOT_IDLE] = {.name = "no-slot-idle",
                      .number = "P16",
                      .words = "no slot idle",
                      .premise = "states in which somebody tries and a slot is free",
                      .undefined_under = TRANSIENT},
    [SERVED_BEFORE] = {.name = "served-before",
                       .number = "P17",
                       .words = "first come, served before",
                       .premise = "pairs and states: one waits or is inside, another came to the doorway after it",
                       .needs_doorway = true,
                       .undefined_under = TRANSIENT,
                       .shown_without_loop = true},
    [PROPERTIES] = {.name = "-", .number = "-", .premise = "", .shown_without_loop = true},
};

enum property property_find(const char *name, const char *model)
{
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (strcmp(property_info[p].name, name) == 0 &&
            (model == NULL || (property_info[p].model != NULL && strcmp(property_info[p].model, model) == 0)))
            return (enum property)p;
    return PROPERTIES;
}

enum memory_model property_model(enum property property)
{
    enum memory_model model = CC;
    while (model < MEMORY_MODELS && strcmp(memory_model_name[model], property_info[property].model) != 0)
        model++;
    return model;
}

const char *property_title(enum property property)
{
    return property_info[property].title != NULL ? property_info[property].title : property_info[property].name;
}

void known_properties(char *list, size_t size)
{
    size_t used = 0;
    for (unsigned p = 0; p < PROPERTIES && used < size; p++)
        if (property_find(property_info[p].name, NULL) == p) /* one name for all models */
            used += (size_t)snprintf(list + used, size - used, "%s%s", p > 0 ? ", " : "", property_info[p].name);
}

unsigned property_undefined_under(enum property property, const struct setting *setting)
{
    unsigned undefined = property_info[property].undefined_under;
    if (setting->algorithm->more.give_up == NULL)
        undefined |= property_info[property].undefined_unless_text_gives_up;
    return faults_in(setting) & undefined;
}
