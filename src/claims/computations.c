/* SPDX-License-Identifier: MIT
 *
 * Rows that are not about one explored setting: statements about all algorithms, about cycles, about numbers alone.
 */
#include "claims/claims.h"

#include "checker/catalogue.h"
#include "counter/values.h"

#include <stdio.h>
#include <string.h>

/* --- lamport86, Theorem 1 ----------------------------------------------------------------------------------------- */

/* Every algorithm of the catalogue that has a doorway and is for one at a time, whether it ships, is a mutant, or tests
 * the checker: where fcfs and deadlock-freedom hold, lockout-freedom holds. What the paper requires of all solutions
 * before it speaks of these is required here too: doorways and exits are bounded. Without, it fails: a doorway that
 * waits locks out whoever is in it. */
static void compute_theorem_1(struct row *row, uint64_t memory_limit)
{
    unsigned meant = 0, undecided = 0;
    row->found = HOLDS;
    for (unsigned e = 0; e < catalogue_count && row->found != VIOLATED; e++) {
        const struct about *about = &catalogue[e].algorithm->about;
        if (!about->doorway || about->k > 1)
            continue;
        struct question question = {.setting = row->setting, .options = {.memory_limit = memory_limit}};
        question.setting.algorithm = catalogue[e].algorithm;
        question.setting.k = 1;
        question_add(&question, FCFS);
        question_add(&question, DEADLOCK_FREEDOM);
        question_add(&question, BOUNDED_DOORWAY);
        question_add(&question, BOUNDED_EXIT);
        question_add(&question, LOCKOUT_FREEDOM);
        struct answer answer;
        question_answer(&question, &answer);
        bool premises = true;
        for (unsigned p = 0; p < question.property_count; p++) {
            enum verdict verdict = answer.findings[p].verdict;
            undecided += verdict == UNDECIDED;
            premises &= verdict == HOLDS || question.properties[p] == LOCKOUT_FREEDOM;
        }
        enum verdict no_lockout = answer.findings[question.property_count - 1].verdict;
        row->states += answer.exploration.states;
        answer_close(&answer, &question);
        meant += premises;
        if (premises && no_lockout == VIOLATED) {
            row->found = VIOLATED;
            snprintf(row->note, sizeof row->note, "%s has both, and permits lockout", about->id);
        }
    }
    row->has_states = true;
    if (row->found != HOLDS)
        return;
    snprintf(row->note, sizeof row->note, "%u of the catalogue's algorithms and mutants have both", meant);
    if (undecided > 0)
        row->found = UNDECIDED;
    else if (meant == 0)
        row->found = VACUOUS;
}
const struct computation fcfs_and_no_deadlock = {"fcfs + deadlock-freedom => lockout-freedom", compute_theorem_1};

/* --- lamport86, section 3: what the solutions cost ---------------------------------------------------------------- */

static void compute_costs(struct row *row, uint64_t memory_limit)
{
    static const char *const solutions[] = {"one_bit", "three_bit", "n_bit/one_bit", "n_factorial_bit/one_bit"};
    enum { SOLUTIONS = sizeof solutions / sizeof solutions[0] };
    unsigned cost[SOLUTIONS];
    (void)memory_limit;
    row->found = HOLDS;
    for (unsigned s = 0; s < SOLUTIONS; s++) {
        const struct entry *entry = catalogue_find(solutions[s]);
        if (entry == NULL) {
            row->found = UNDECIDED;
            return;
        }
        struct setting setting = row->setting;
        struct instance instance;
        setting.algorithm = entry->algorithm;
        setting.k = 1;
        instance_open(&instance, &setting);
        cost[s] = variables_of(&instance, 0);
        instance_close(&instance);
        if (s > 0 && cost[s] <= cost[s - 1])
            row->found = VIOLATED;
    }
    snprintf(row->note, sizeof row->note, "variables per process: %u, %u, %u, %u", cost[0], cost[1], cost[2], cost[3]);
}
const struct computation costs_increase = {"each needs more variables than the one before", compute_costs};

/* --- lamport86, section 3.3: cycles ------------------------------------------------------------------------------- */

const struct computation changes_somewhere = {"every function on a cycle changes value", NULL};
const struct computation cycles_with_i = {"cycles through one process", NULL};

/* --- bl93, section 5 ---------------------------------------------------------------------------------------------- */

const struct computation nullified_variables = {"variables nullified", NULL};
