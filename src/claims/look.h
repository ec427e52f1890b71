/* SPDX-License-Identifier: MIT
 *
 * look.h - a look into a state of an explored graph: where a process stands in its text, what a register holds.
 */
#ifndef ADMIT_CLAIMS_LOOK_H
#define ADMIT_CLAIMS_LOOK_H

#include "checker/explore/explore.h"

#include <string.h>

static inline const uint64_t *record_of(const struct exploration *exploration, uint32_t state)
{
    return store_record(&exploration->store, exploration->graph.numbers[state]);
}

/* Labels are separated by "|": it stands at one of them. */
static inline bool is_among(const char *label, const char *labels)
{
    size_t length = strlen(label);
    for (const char *at = labels; at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, label, length) == 0 && (at[length] == '\0' || at[length] == '|'))
            return true;
    }
    return false;
}

static inline bool stands_at(const struct exploration *exploration, uint32_t state, unsigned i, const char *labels)
{
    const struct model *model = exploration->model;
    uint64_t number = field_get(record_of(exploration, state), model->process_field[i]);
    const char *at = model->automaton[i].processes[number].label;
    return at != NULL && is_among(at, labels);
}

static inline uint64_t value_of(const struct exploration *exploration, uint32_t state, unsigned reg)
{
    return field_get(record_of(exploration, state), exploration->model->register_field[reg]);
}

#endif
