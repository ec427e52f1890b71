/* SPDX-License-Identifier: MIT */
#include "checker/model/fault_info.h"

#include <stdio.h>

const struct fault_info fault_info[STEPS_WITHOUT_TEXT] = {
    [FAULT_NUMBER(CRASH)] = {.name = "crash",
                             .number = "V8",
                             .words = "with a crash",
                             .step = "crashes",
                             .counted = true,
                             .infinitive = "crash",
                             .without_count = 1},
    [FAULT_NUMBER(SHUTDOWN)] = {.name = "shutdown",
                                .number = "V12",
                                .words = "shutdown safe",
                                .step = "shuts down",
                                .counted = true,
                                .infinitive = "shut down",
                                .without_count = 1,
                                .papers_mean_all = true,
                                .writes_own = true},
    /* Where the text has a part for giving up, that is followed instead. */
    [FAULT_NUMBER(ABORT)] = {.name = "abort",
                             .number = "V13",
                             .words = "abortion safe",
                             .step = "aborts",
                             .why_uncounted = "everybody aborts as often as they like",
                             .without_count = 1,
                             .writes_own = true},
    [FAULT_NUMBER(FAILURE)] = {.name = "failure",
                               .number = "V14",
                               .words = "fail safe",
                               .step = "malfunctions",
                               .counted = true,
                               .infinitive = "fail",
                               .without_count = 1,
                               .papers_mean_all = true,
                               .writes_own = true,
                               .writes_anything = true},
    [FAULT_NUMBER(TRANSIENT)] = {.name = "transient",
                                 .number = "V15",
                                 .words = "self-stabilizing",
                                 .step = "malfunctions",
                                 .why_uncounted = "everybody starts anywhere",
                                 .without_count = 1,
                                 .writes_own = true,
                                 .writes_anything = true,
                                 .why_alone = "transient is about what comes after all faults: it cannot be combined "
                                              "with another"},
    [FAULT_NUMBER(RECOVERY)] = {.name = "recovery",
                                .number = "V17",
                                .words = "with deaths and newcomers",
                                .step = "is killed",
                                .counted = true,
                                .infinitive = "be killed",
                                .without_count = RECOVERIES_WITHOUT_END,
                                .why_alone = "recovery can be combined with abort alone: it kills processes at any "
                                             "step itself",
                                .goes_with = ABORT},
    [FAULT_NUMBER(LEASE)] = {.name = "lease",
                             .number = "V23",
                             .words = "with leases that end",
                             .step = "its deadline passes",
                             .counted = true,
                             .infinitive = "lose their lease",
                             .without_count = 1,
                             .at_store = true},
    [FAULT_NUMBER(REPEAT)] = {.name = "repeat",
                              .number = "V24",
                              .words = "with requests repeated",
                              .step = "asks, and hears no answer",
                              .counted = true,
                              .infinitive = "repeat a request",
                              .without_count = 1,
                              .at_store = true},
    [FAULT_NUMBER(WATCH)] = {.name = "watch",
                             .number = "V25",
                             .words = "with watches that end",
                             .step = "its watch ends",
                             .counted = true,
                             .infinitive = "lose their watch",
                             .without_count = 1,
                             .at_store = true},
    [FAULT_NUMBER(FREEZE)] = {.name = "freeze",
                              .number = "V26",
                              .words = "with clients that freeze",
                              .step = "freezes",
                              .counted = true,
                              .infinitive = "freeze",
                              .without_count = 1,
                              .at_store = true},
    [FAULT_NUMBER(TIMED_LOOK)] = {.name = "timed_look", .number = "V20", .step = "wakes by itself"},
};

_Static_assert(TIMED_LOOK <= UINT16_MAX, "steps and local states keep faults as 16 bits");
#define IS_STRUCK(fault, field)                                                                                        \
    (offsetof(struct setting, field) == offsetof(struct setting, struck[FAULT_NUMBER(fault)]))
_Static_assert(IS_STRUCK(CRASH, crashes) && IS_STRUCK(SHUTDOWN, shutdowns) && IS_STRUCK(ABORT, aborts) &&
                   IS_STRUCK(FAILURE, failures) && IS_STRUCK(TRANSIENT, transient) && IS_STRUCK(RECOVERY, recoveries) &&
                   IS_STRUCK(LEASE, leases) && IS_STRUCK(REPEAT, repeats) && IS_STRUCK(WATCH, watches) &&
                   IS_STRUCK(FREEZE, freezes),
               "the fields of struct setting are in the order of enum fault");
_Static_assert(offsetof(struct setting, freezes) + sizeof(unsigned) == offsetof(struct setting, passages),
               "each fault has a field there, and what follows them is something else");

const struct fault_info *fault_find(const char *name, size_t length)
{
    for (unsigned f = 0; f < FAULTS; f++)
        if (strlen(fault_info[f].name) == length && strncmp(fault_info[f].name, name, length) == 0)
            return &fault_info[f];
    return NULL;
}

void known_faults(char *list, size_t size)
{
    size_t used = 0;
    unsigned uncounted = 0;
    for (unsigned f = 0; f < FAULTS; f++)
        uncounted += !fault_info[f].counted;
    for (unsigned f = 0, before = 0; f < FAULTS && used < size; f++)
        if (fault_info[f].counted)
            used += (size_t)snprintf(list + used, size - used, "%s%s", before++ > 0 ? ", " : "", fault_info[f].name);
    if (used < size)
        used += (size_t)snprintf(list + used, size - used, " (each with :COUNT)");
    for (unsigned f = 0, before = 0; f < FAULTS && used < size; f++)
        if (!fault_info[f].counted)
            used += (size_t)snprintf(list + used, size - used, "%s%s", ++before < uncounted ? ", " : " or ",
                                     fault_info[f].name);
}

static bool has_count(const struct setting *setting, unsigned f)
{
    return fault_info[f].counted && setting->struck[f] != RECOVERIES_WITHOUT_END;
}

unsigned fault_names(const struct setting *setting, char names[FAULTS][FAULT_NAME_SIZE])
{
    unsigned used = 0;
    for (unsigned f = 0; f < FAULTS; f++)
        if (setting->struck[f] > 0 && has_count(setting, f))
            snprintf(names[used++], FAULT_NAME_SIZE, "%s:%u", fault_info[f].name, setting->struck[f]);
    for (unsigned f = 0; f < FAULTS; f++)
        if (setting->struck[f] > 0 && !has_count(setting, f))
            snprintf(names[used++], FAULT_NAME_SIZE, "%s", fault_info[f].name);
    return used;
}

unsigned faults_in(const struct setting *setting)
{
    unsigned faults = 0;
    for (unsigned f = 0; f < FAULTS; f++)
        faults |= setting->struck[f] > 0 ? 1u << f : 0;
    return faults;
}
