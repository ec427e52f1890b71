/* SPDX-License-Identifier: MIT
 *
 * timeline.h - what the judge of histories (history.h) keeps, for the two files that it is made of.
 */
#ifndef ADMIT_HISTORIES_TIMELINE_H
#define ADMIT_HISTORIES_TIMELINE_H

#include "histories/history.h"
#include "histories/label_graph.h"

typedef uint32_t set; /* of processes */

enum { NEVER = 0, SCANS_KEPT = 32, EVENTS_SHOWN = 60, COMPLAINT_SIZE = 16 << 10 };

/* Times are numbers of events, from 1 on. */
struct label_operation {
    uint32_t begin, end;
};

struct scan_operation {
    uint32_t begin;
    set before; /* those ordered before the scanner */
};

/* What has to be known of a process. */
struct party {
    bool active;
    enum operation operation;
    uint32_t begin;
    /* When it began, and at the moment of its view: the labels, and who was labelling. */
    uint32_t at_begin[HISTORY_PROCESSES_MAX], at_moment[HISTORY_PROCESSES_MAX], written_before;
    set labelling;
    struct label_operation last_label;      /* the last that has begun; end is NEVER while it is under way */
    struct label_operation completed_label; /* the last that has ended; end is NEVER if none has */
    struct label_operation completed[HISTORY_PROCESSES_MAX]; /* of all, when its operation began */
    struct scan_operation scans[SCANS_KEPT]; /* the first ones since the last Label began, and the very last */
    unsigned scans_count;
    set ahead_of;              /* (2): those that its Scans since then ordered after it */
    set bound_to, bound_begin; /* (3): those it must be ahead of; and at the begin of its Scan */
};

/* What Scans have said of a pair p, i. */
struct pair {
    bool agreed, first; /* since both are outside Label a Scan has ordered them: p first */
    bool lasts, waits;  /* p < i holds on; it will when i's Label has ended */
    uint32_t from;      /* for Scans that begin after this */
};

struct event {
    uint8_t process, operation;
    bool begins, wrote;
    unsigned rank[HISTORY_PROCESSES_MAX];
};

struct timeline {
    unsigned n;
    enum views views;
    uint32_t now;
    uint32_t current[HISTORY_PROCESSES_MAX]; /* labels, by their serial numbers */
    uint8_t *writers;                        /* of all labels, in order */
    uint32_t written, writers_capacity;
    struct party party[HISTORY_PROCESSES_MAX];
    struct pair pair[HISTORY_PROCESSES_MAX][HISTORY_PROCESSES_MAX];
    struct label_graph *graph;
    struct event *events;
    size_t event_count, event_capacity;
    bool ask_not[HISTORY_PROPERTIES];
    uint64_t premises[HISTORY_PROPERTIES], operations[OPERATIONS];
    enum history_property first_violated;
    char complaint[COMPLAINT_SIZE];
};

static inline bool in(set all, unsigned v)
{
    return all >> v & 1;
}

static inline set one(unsigned v)
{
    return (set)1 << v;
}

/* Counts a premise, and notes, if its conclusion does not hold, what is wrong, in words with up to three numbers. */
void timeline_expect(struct timeline *timeline, enum history_property property, bool holds, const char *format,
                     unsigned a, unsigned b, unsigned c);

/* A Scan by process i ends: all that is to be said of the bare history then. */
void timeline_scan_ends(struct timeline *timeline, unsigned i, const unsigned rank[]);

#endif
