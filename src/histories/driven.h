/* SPDX-License-Identifier: MIT
 *
 * driven.h - a timestamp system as a program of its own, so that it can be driven and its histories be judged.
 */
#ifndef ADMIT_HISTORIES_DRIVEN_H
#define ADMIT_HISTORIES_DRIVEN_H

#include "registers/stepped.h"

/* What a process is told to do next, by register NEXT[i]. */
enum operation { LABEL_OPERATION, SCAN_OPERATION, OPERATIONS };

/* The marker at which a process stands between two operations. */
#define NEXT_OPERATION "next"

/* Labels are named by how many labels their process had had before: 0 is the initial one. */
struct driven {
    const char *name;
    struct stepped_algorithm text;
    bool has_views;     /* labels have such names */
    const char *moment; /* the marker of the step that is the moment of a weak view; NULL if views are atomic */
    /* Before a run: nothing that an earlier run left is used any more. */
    void (*restart)(void);
    /* Of a process whose operation has just ended: the rank that it gave each process (of a Label only if has_views).
    */
    void (*order)(const void *locals, enum operation operation, unsigned n, unsigned rank[]);
    /* If has_views: the labels that it saw; and the label of process i, from the value of register number i. */
    void (*view)(const void *locals, enum operation operation, unsigned n, uint32_t serial[]);
    uint32_t (*current)(uint64_t value, unsigned i, unsigned n);
};

/* All systems, and mutants of them with what their patches say: what is broken, and how it is caught. */
struct driven_entry {
    const struct driven *system;
    const char *brief, *caught; /* NULL for what is shipped */
};

extern const struct driven_entry driven_systems[];
extern const unsigned driven_systems_count;
const struct driven *driven_find(const char *name);

#endif
