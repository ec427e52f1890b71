/* SPDX-License-Identifier: MIT
 *
 * property_info.h - the table of properties: what each is called, where it makes sense, and what it takes to judge it. The
 * command line, JSON, and the rows of claims go by it.
 *
 * CONTRIBUTING.md says how to add one.
 */
#ifndef ADMIT_CHECKER_JUDGE_PROPERTY_INFO_H
#define ADMIT_CHECKER_JUDGE_PROPERTY_INFO_H

#include "checker/model/references.h"

/* All that is known of a property, apart from how it is judged (judge) and confirmed (trace_confirm). */
struct property_info {
    const char *name;    /* on the command line and in JSON; the same in all models of memory */
    const char *number;  /* of its definition in docs/properties.md */
    const char *words;   /* how a row of admit claims speaks of it */
    const char *premise; /* what `fired` counts */
    const char *bound;   /* what `bound` counts, if it has one: one of them, */
    const char *bounds;  /* and several */

    const char *model;       /* of memory, where the property has one in each; NULL: it has none */
    const char *title;       /* the name with the model; NULL: the name alone */
    bool only_if_model_said; /* not asked in this model for the name alone */

    /* What it speaks of; it makes no sense where that is not. */
    bool needs_doorway;
    bool needs_slots;                        /* slot numbers */
    bool needs_atomic;                       /* registers */
    bool needs_future;                       /* what can still happen: runs that nothing ends */
    unsigned undefined_under;                /* these faults; */
    unsigned undefined_unless_text_gives_up; /* and these, where the text has no part for giving up */

    /* What must be known to judge it. */
    bool needs_states_only; /* no graph: each state shows by itself, as soon as it is reached, whether it is violated */
    bool needs_enabled;     /* who is enabled */
    bool needs_every_step;  /* also those that are idle (idle.h): it counts them, or looks at each */

    /* What shows that it is violated: a run with a loop, if nothing else is said. */
    bool shown_without_loop;
    bool shown_by_enabled; /* somebody's being enabled, which is a statement about all real runs and no others */
    bool counts_on_looks;  /* with deaths, somebody is enabled because sleepers wake by themselves */
};

/* The last is none of them: what a single sentence says (src/claims). It can be shown by a run, but not be asked for. */
extern const struct property_info property_info[PROPERTIES + 1];

/* PROPERTIES if there is none of this name and, if it is not NULL, this model of memory. */
enum property property_find(const char *name, const char *model);
/* The model of memory of a property that has one. */
enum memory_model property_model(enum property property);
/* "local-spin (cc)", or just the name. The text is static. */
const char *property_title(enum property property);
/* "exclusion, deadlock-freedom, ...", each name once */
void known_properties(char *list, size_t size);
/* The faults of this setting under which the property is not defined. */
unsigned property_undefined_under(enum property property, const struct setting *setting);

static inline bool is_local_spin(enum property property)
{
    return property_info[property].model != NULL;
}

#endif
