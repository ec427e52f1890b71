/* SPDX-License-Identifier: MIT */
#include "histories/driven.h"

#define SHIPPED(SYSTEM) SYSTEM(ideal) SYSTEM(unbounded) SYSTEM(snapshot) SYSTEM(linear)

#define DECLARED(name) extern const struct driven driven_##name;
SHIPPED(DECLARED)
#define MUTANT(name, brief, caught) DECLARED(name)
#include "timestamps.h"
#undef MUTANT

const struct driven_entry driven_systems[] = {
#define LISTED(name) {&driven_##name, NULL, NULL},
    SHIPPED(LISTED)
#define MUTANT(name, brief, caught) {&driven_##name, brief, caught},
#include "timestamps.h"
};
const unsigned driven_systems_count = sizeof driven_systems / sizeof driven_systems[0];

const struct driven *driven_find(const char *name)
{
    for (unsigned s = 0; s < driven_systems_count; s++)
        if (strcmp(driven_systems[s].system->name, name) == 0)
            return driven_systems[s].system;
    return NULL;
}
