/* SPDX-License-Identifier: MIT
 *
 * properties.h - what can be asked of an explored algorithm, and the answers.
 *
 * Numbers (P1 ...) and exact definitions: docs/properties.md.
 */
#ifndef ADMIT_CHECKER_JUDGE_PROPERTIES_H
#define ADMIT_CHECKER_JUDGE_PROPERTIES_H

#include "checker/judge/property_info.h"
#include "checker/judge/witness.h"

enum verdict { HOLDS, VIOLATED, UNDECIDED, VACUOUS };

extern const char *const verdict_name[];

/* An answer. */
struct finding {
    enum property property;
    enum verdict verdict;
    uint64_t fired;
    bool has_bound;
    uint64_t bound;
    char what[200]; /* one line for a person: what the counterexample shows */
    bool has_witness;
    struct witness witness;
    unsigned i, j; /* the processes that `what` speaks of, if any; i is the one wronged */
};

/* The enabled relation, exactly: bit i of critical[s] says that i is enabled in s, of remainder[s] that i, inside or
 * leaving, is enabled to return to the remainder; own_steps is the most own steps that an enabled process outside still
 * needs. Atomic because several threads fill them in. */
struct enabled {
    _Atomic uint16_t *critical, *remainder;
    uint16_t *own_steps[CHECKED_PROCESSES_MAX];
};

void enabled_find(struct enabled *enabled, const struct graph *graph);
void enabled_close(struct enabled *enabled);

/* That j is enabled counts where nobody has crashed: a process that never steps again is enabled without content, and
 * so may others be for its sake. Nothing is lost, since to crash is not to be scheduled any more: the state without the
 * crash is reached too (V10). */
static inline bool counts_as_enabled(const struct standing *standing, uint16_t enabled, unsigned j)
{
    return standing->crashed == 0 && enabled >> j & 1;
}

/* The processes that wait to enter and to leave (P8). */
struct who_waits {
    const struct graph *graph;
    const struct enabled *enabled;
};

/* A state from which a schedule without progress would be a k-deadlock. */
bool is_stuck(const struct who_waits *waiting, uint32_t state);
/* An edge on which somebody makes progress: changes region, or stops or begins to wait. The context is a
 * struct who_waits. */
bool is_progress(const void *context, uint32_t from, uint32_t to);

/* Answers one question about a finished exploration. `enabled` may be NULL if the property does not need it. */
void judge(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled,
           enum property property);
void finding_close(struct finding *finding);

/* The judges, by file; each fills in a finding whose property is set and whose verdict is HOLDS. */
void judge_exclusion(struct finding *finding, const struct exploration *exploration);
void judge_eventual_exclusion(struct finding *finding, const struct exploration *exploration);
void judge_eventual_fcfs(struct finding *finding, const struct exploration *exploration);
/* And that no slot is idle: the same where those inside may stay. */
void judge_deadlock_freedom(struct finding *finding, const struct exploration *exploration);
void judge_lockout_freedom(struct finding *finding, const struct exploration *exploration);
void judge_bounded_section(struct finding *finding, const struct exploration *exploration);
void judge_bounded_waiting(struct finding *finding, const struct exploration *exploration);
void judge_overtaking(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled);
void judge_order(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled);
void judge_local_spin(struct finding *finding, const struct exploration *exploration);
void judge_k_deadlock_avoidance(struct finding *finding, const struct exploration *exploration,
                                const struct enabled *enabled);

/* Per state, whether one with k inside can be reached from it. The caller frees it. */
uint8_t *can_be_filled(const struct graph *graph);
void judge_no_slot_lost(struct finding *finding, const struct exploration *exploration);
void judge_distinct_slots(struct finding *finding, const struct exploration *exploration);

/* The states in which a test of the standing is true, as a part's `in`. The caller frees it. */
uint8_t *states_where(const struct graph *graph, bool (*test)(const struct standing *standing, unsigned i), unsigned i);

#endif
