/* SPDX-License-Identifier: MIT
 *
 * history.h - whether a history of Labels and Scans is one that a concurrent timestamp system may have.
 *
 * The judge is told of each begin and end of an operation, and what a Scan returned. From this bare history it checks,
 * with how often the premise of each was met:
 *
 *   Proposition 3.1 (1) to (5) of Afek, Dolev, Gafni, Merritt and Shavit 1994, in every prefix of the history; (1) and
 *   (4) are also Properties 1 and 2 of M. Zehavi 2013, section III;
 *   the two facts that Zehavi states before those: Scans agree about processes that are outside Label; and what a Scan
 *   says of p before i lasts as long as p does not label again.
 *
 * Views, where labels can be told apart, must be snapshots: all labels of an atomic one are current at one moment of
 * the operation. A weak one has a moment T, and of each process the label that is current then, or the next one if the
 * Label that writes it has begun by then.
 *
 * Definition 3.1, that the history is also one of the unbounded system, needs a witness: which label of each process an
 * operation saw, by serial numbers. Labels are nodes of a graph; an edge means "must be smaller": from each label that
 * a writing Label saw to the one it wrote, and from its own old one to the largest it saw; from each label that a Label
 * saw which wrote nothing to its own; along the permutation of a Scan; and between the initial ones by process number.
 * If every label seen was some process's at some moment of the operation, and the graph has no cycle, then any
 * numbering along its edges gives the unbounded system a run with the same history. So no cycle means that Definition
 * 3.1 holds for it; a cycle means that this witness shows nothing, which for a system that is to be relied upon counts
 * as a violation.
 */
#ifndef ADMIT_HISTORIES_HISTORY_H
#define ADMIT_HISTORIES_HISTORY_H

#include "histories/driven.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HISTORY_PROCESSES_MAX = 8 };

enum history_property {
    DEFINITION,    /* 3.1, by the witness graph */
    PROPOSITION_1, /* Property 1 */
    PROPOSITION_2,
    PROPOSITION_3,
    PROPOSITION_4, /* Property 2 */
    PROPOSITION_5,
    SCANS_AGREE,
    SCANS_LAST,
    SNAPSHOTS, /* views are what the system builds upon */
    HISTORY_PROPERTIES
};

extern const char *const history_property_name[HISTORY_PROPERTIES];

/* What an operation saw: the rank that it gave each process, and the serial number of each label. */
struct view {
    unsigned rank[HISTORY_PROCESSES_MAX];
    uint32_t serial[HISTORY_PROCESSES_MAX];
};

struct timeline; /* a judge with what it has heard so far */

/* What is known of an operation beside what it returns. */
enum views { NO_VIEWS, WEAK_VIEWS, ATOMIC_VIEWS };

struct timeline *timeline_open(unsigned n, enum views views);
void timeline_close(struct timeline *timeline);
/* This property is not to be looked at. */
void timeline_ask_not(struct timeline *timeline, enum history_property property);
/* Forgets all but the counts. */
void timeline_restart(struct timeline *timeline);

/* Process i begins or ends an operation. `wrote`: it was a Label and wrote one; `view` is of a Label only if there are
 * views. */
void timeline_begin(struct timeline *timeline, unsigned i, enum operation operation);
void timeline_end(struct timeline *timeline, unsigned i, bool wrote, const struct view *view);
/* If there are views: process i has a new label, its next one; the moment T of its weak view. */
void timeline_labelled(struct timeline *timeline, unsigned i);
void timeline_moment(struct timeline *timeline, unsigned i);

/* Looks for a cycle. To be asked at the end of a run, before the counts and verdicts are. */
void timeline_finish(struct timeline *timeline);

uint64_t timeline_premises(const struct timeline *timeline, enum history_property property);
bool timeline_violated(const struct timeline *timeline);
/* The first violated property; HISTORY_PROPERTIES if none is. */
enum history_property timeline_first_violated(const struct timeline *timeline);
/* What went wrong, and the history up to there, one operation's begin or end a line. */
const char *timeline_complaint(const struct timeline *timeline);
uint64_t timeline_operations(const struct timeline *timeline, enum operation operation);

#endif
