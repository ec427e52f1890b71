/* SPDX-License-Identifier: MIT
 *
 * changes.h - what has happened at a gate between two looks at it, as far as they tell.
 *
 * Who is there is known by the ticket. What became of a process that is gone, the gate's counters tell: of entries, recoveries and
 * places given up. Where these allow more than one answer, none is given: it is gone. What came and went between two looks was
 * seen by nobody, and is counted alone.
 */
#ifndef ADMIT_CLI_GATES_CHANGES_H
#define ADMIT_CLI_GATES_CHANGES_H

#include <admit.h>
#include <stdbool.h>
#include <stdint.h>

enum change_kind {
    CHANGE_WAITS,     /* stands in line */
    CHANGE_ENTERED,   /* has a slot */
    CHANGE_LEFT,      /* the slot */
    CHANGE_PASSED,    /* left the line, was inside, and is gone */
    CHANGE_GAVE_UP,   /* its place in line */
    CHANGE_GONE,      /* how cannot be told */
    CHANGE_DIED,      /* inside or in line; nobody has come since, so that it is in the picture still */
    CHANGE_RECOVERED, /* what a dead one had has come back */
    CHANGE_ORPHANED,  /* its starter was killed, and the command holds on */
    CHANGE_STOPPED,   /* by a signal */
    CHANGE_GOES_ON,   /* is stopped no more */
    CHANGE_RESIZED,   /* k */
    CHANGE_OUTSIDE,   /* the gate is full: some wait outside; or nobody does any more */
    CHANGE_UNSEEN,    /* these were counted, and it is not known who they were */
    /* Of the gate itself, told by whoever looks at it. */
    CHANGE_MADE,     /* and by that name was none */
    CHANGE_REMOVED,  /* or its file deleted or moved */
    CHANGE_REPLACED, /* by another gate of the same name: nobody of the old one is in it */
    CHANGE_UNUSABLE, /* it cannot be looked at */
    CHANGE_USABLE,   /* again */
    CHANGE_KINDS
};

struct change {
    enum change_kind kind;
    const admit_participant *who; /* NULL: nobody's */
    bool is_inside;               /* number is a slot, else a place; NO_NUMBER (view.h): none */
    int number;
    enum admit_condition was;
    int64_t lasted;                         /* ns in the slot or in line before; -1: not known, or not over */
    uint64_t from, to;                      /* k; or of those outside */
    uint64_t entered, recovered, abandoned; /* CHANGE_UNSEEN */
    const char *text;                       /* CHANGE_UNUSABLE: why */
};
typedef void note_change(void *context, const struct change *change);

/* What is known of a gate that is looked at: all zero before the first look. */
struct comparison {
    uint64_t entered, recovered, abandoned; /* as many of those that are counted as are accounted for */
    uint64_t unseen;            /* entries that were not, at the last look: it may show only now who they were */
    admit_participant *pending; /* left the line before that look, and nothing was counted */
    unsigned pendings;
};

/* At the first look. */
void comparison_begin(struct comparison *comparison, const admit_view *now);
/* The same of a gate that was not there before: everybody in it has come. */
void comparison_begin_empty(struct comparison *comparison, const admit_view *now, int64_t at, note_change *note,
                            void *context);

/* Looks at two pictures, the earlier first; `at` is when the later one was taken, in ns of
 * CLOCK_REALTIME. Notes what has happened: first who is gone, then who is inside, then who waits. Returns whether anything is
 * shown otherwise now, be it a number alone. */
bool changes_find(struct comparison *comparison, const admit_view *before, const admit_view *now, int64_t at,
                  note_change *note, void *context);

void comparison_close(struct comparison *comparison);

#endif
