/* SPDX-License-Identifier: MIT
 *
 * drive.h - runs of a timestamp system, every shared access a step, judged by history.h.
 */
#ifndef ADMIT_HISTORIES_DRIVE_H
#define ADMIT_HISTORIES_DRIVE_H

#include "histories/history.h"

/* What a campaign found. */
struct drive_report {
    uint64_t runs, steps;
    uint64_t states, transitions; /* of an exploration */
    bool complete;                /* nothing was left out, and nothing found */
    uint64_t operations[OPERATIONS];
    uint64_t premises[HISTORY_PROPERTIES];
    unsigned reads_max[OPERATIONS], writes_max[OPERATIONS]; /* of one operation */
    enum history_property violated;                         /* HISTORY_PROPERTIES: none */
    char *complaint;                                        /* then; to be freed */
};

struct drive_options {
    unsigned n;
    uint64_t runs, steps_each, seed;
    bool histories_only; /* whether views are snapshots is not asked */
};

/* Random schedules: bursts, long stalls, and processes held just before they write, most of all their labels; with
 * for-all loops in any order, and in the native one. Each process does Labels and Scans at random. The same seed gives
 * the same runs. Stops at the first violation. */
void drive_randomly(struct drive_report *report, const struct driven *system, const struct drive_options *options);

/* Every interleaving of a plan: what each process does, as L and S, processes separated by slashes: "LS/LL/S". Only for
 * systems with views, and judged by Definition 3.1, which implies the rest of history.h, and by their being snapshots.
 * A complaint has the schedule. */
void drive_everywhere(struct drive_report *report, const struct driven *system, const char *plan, uint64_t states_max);

/* The same, one schedule after another, for systems without views: judged by all that can be asked of a bare history.
 * Only for short plans. */
void drive_schedules(struct drive_report *report, const struct driven *system, const char *plan);

#endif
