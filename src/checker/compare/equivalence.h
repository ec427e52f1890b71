/* SPDX-License-Identifier: MIT
 *
 * equivalence.h - do two systems keep all processes in the same regions, whatever the schedule? (Fischer, Lynch, Burns,
 * Borodin 1989, section 3.2; (E1) to (E3) in docs/properties.md.)
 *
 * Where a step has one outcome only, a schedule leads each system to one state, and so both together to one pair of
 * states. The pairs are explored breadth first, in lock step; the first in which a process is in different regions
 * gives a shortest schedule that tells the systems apart. As in explore.h, results do not depend on how many threads
 * there are.
 */
#ifndef ADMIT_CHECKER_COMPARE_EQUIVALENCE_H
#define ADMIT_CHECKER_COMPARE_EQUIVALENCE_H

#include "checker/explore/explore.h"
#include "checker/show/trace.h"

/* The doorway and the waiting room are one region. */
enum region { REMAINDER_REGION, TRYING_REGION, CRITICAL_REGION, EXIT_REGION, REGIONS };

extern const char *const region_letter[REGIONS]; /* R, T, C, E */
extern const char *const region_name[REGIONS];

/* Nobody is faulty here. */
static inline enum region region_of(unsigned section)
{
    static const uint8_t region[SECTIONS] = {[REMAINDER] = REMAINDER_REGION,
                                             [DOORWAY] = TRYING_REGION,
                                             [WAITING_ROOM] = TRYING_REGION,
                                             [CRITICAL] = CRITICAL_REGION,
                                             [EXIT] = EXIT_REGION};
    return (enum region)region[section];
}

enum equivalence_outcome { SYSTEMS_SAME, SYSTEMS_DIFFER, SYSTEMS_UNDECIDED, SYSTEMS_REFUSED };

extern const char *const equivalence_outcome_name[];

struct equivalence_limits {
    uint64_t max_pairs;                              /* 0: no limit */
    uint64_t memory_limit;                           /* bytes; 0: most of what is free */
    bool count_states;                               /* also of each system alone */
    void (*report)(const struct progress *progress); /* now and then, with pairs as states; may be NULL */
};

struct equivalence {
    struct setting setting[2];
    enum equivalence_outcome outcome;
    char why[200];      /* it is undecided, or refused */
    uint64_t pairs;     /* found; all there are, if the systems are the same */
    uint64_t states[2]; /* of each system in these pairs; 0 if they were not to be counted */
    uint64_t ambiguous; /* steps with two outcomes (tickets.h) */
    unsigned depth;     /* levels */
    uint64_t bytes;
    double seconds;
    /* If they differ: a shortest schedule, and, after its last step, who is where. */
    uint8_t *schedule;
    size_t length;
    unsigned process; /* the one that is in different regions: it took the last step */
    enum region regions[2][CHECKED_PROCESSES_MAX];
};

/* Compares two settings with the same n. Both must be deterministic: atomic registers, for_all in the native order, no
 * faults, one initial state; else they are refused. */
void equivalence_find(struct equivalence *equivalence, const struct setting *a, const struct setting *b,
                      const struct equivalence_limits *limits);
void equivalence_close(struct equivalence *equivalence);

/* The schedule as a run of one of the two systems. */
void equivalence_trace(const struct equivalence *equivalence, unsigned system, struct trace *trace);

/* Asks a running comparison to stop soon; may be called from a signal handler. */
void equivalence_interrupt(void);

#endif
