/* SPDX-License-Identifier: MIT
 *
 * Rows that are not about one explored setting: statements about all algorithms, about cycles, about numbers alone.
 */
#include "claims/claims.h"

#include "algorithms/cycles.h"
#include "base/die.h"
#include "bounds/values.h"
#include "bounds/variables.h"
#include "checker/compare/equivalence.h"
#include "checker/model/catalogue.h"
#include "counter/values.h"

#include <stdio.h>
#include <string.h>

/* Statements about all algorithms leave out those with more states than this: a few over timestamps. Their notes say
 * how many. */
enum { CATALOGUE_STATES = 400000 };

/* --- lamport86, Theorem 1 ----------------------------------------------------------------------------------------- */

/* Every algorithm of the catalogue that has a doorway and is for one at a time, whether it ships, is a mutant, or tests
 * the checker: where fcfs and deadlock-freedom hold, lockout-freedom holds. What the paper requires of all solutions
 * before it speaks of these is required here too: doorways and exits are bounded. Without, it fails: a doorway that
 * waits locks out whoever is in it. */
static void compute_theorem_1(struct row *row, uint64_t memory_limit)
{
    unsigned meant = 0, undecided = 0, left_out = 0;
    row->found = HOLDS;
    for (unsigned e = 0; e < catalogue_count && row->found != VIOLATED; e++) {
        const struct about *about = &catalogue[e].algorithm->about;
        /* A mutant for any k need not keep to its word's domain at settings other than the one that catches it. */
        if (!about->doorway || about->k > 1 || (about->k == 0 && catalogue[e].kind == MUTANT))
            continue;
        struct question question = {.setting = row->setting,
                                    .options = {.memory_limit = memory_limit, .max_states = CATALOGUE_STATES}};
        question.setting.algorithm = catalogue[e].algorithm;
        question.setting.k = 1;
        question_add(&question, FCFS);
        question_add(&question, DEADLOCK_FREEDOM);
        question_add(&question, BOUNDED_DOORWAY);
        question_add(&question, BOUNDED_EXIT);
        question_add(&question, LOCKOUT_FREEDOM);
        struct answer answer;
        question_answer(&question, &answer);
        bool too_large = answer.exploration.stopped != NULL && answer.exploration.states >= CATALOGUE_STATES;
        bool premises = !too_large;
        left_out += too_large;
        for (unsigned p = 0; p < question.property_count; p++) {
            enum verdict verdict = answer.findings[p].verdict;
            undecided += verdict == UNDECIDED && !too_large;
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
    snprintf(row->note, sizeof row->note, "%u of the catalogue's algorithms and mutants have both; %u too large to ask",
             meant, left_out);
    if (undecided > 0)
        row->found = UNDECIDED;
    else if (meant == 0)
        row->found = VACUOUS;
}
const struct calculation fcfs_and_no_deadlock = {"fcfs + deadlock-freedom => lockout-freedom", compute_theorem_1};

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
        if (entry == NULL)
            die("internal error: there is no algorithm %s", solutions[s]);
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
const struct calculation costs_increase = {"each needs more variables than the one before", compute_costs};

/* --- lamport86, section 3.3: cycles ------------------------------------------------------------------------------- */

/* Calls visit for every cycle on 0..n-1: those through i as their smallest element, for each i, and those of one. */
static bool for_each_cycle(unsigned n, bool (*visit)(const struct cycle *cycle, struct row *row), struct row *row)
{
    for (unsigned i = 0; i < n; i++) {
        struct cycle alone = {.length = 1, .element = {(uint8_t)i}};
        if (!visit(&alone, row))
            return false;
        for (unsigned number = 0; n > 1 && number < cyc_count(n); number++) {
            struct cycle cycle = cyc(n, i, number);
            if (cycle_first(&cycle) == i && !visit(&cycle, row))
                return false;
        }
    }
    return true;
}

/* All boolean functions on the cycle: bit e of v is the value at its element number e. */
static bool changes_on(const struct cycle *cycle, struct row *row)
{
    unsigned first = cycle_first(cycle);
    for (unsigned v = 0; v < 1u << cycle->length; v++) {
        bool changes = false;
        for (unsigned e = 0; e < cycle->length; e++) {
            unsigned before = (e + cycle->length - 1) % cycle->length;
            changes |= CG(v >> e & 1, v >> before & 1, first, cycle->element[e]);
        }
        row->measured++;
        if (!changes)
            return false;
    }
    return true;
}

static void compute_changes(struct row *row, uint64_t memory_limit)
{
    (void)memory_limit;
    row->has_measured = true;
    row->found = for_each_cycle(row->setting.n, changes_on, row) ? HOLDS : VIOLATED;
    snprintf(row->note, sizeof row->note, "functions on all cycles of %u processes", row->setting.n);
}
const struct calculation changes_somewhere = {"every function on a cycle changes value", compute_changes};

/* Counted one by one: all different, and each found again by its number. */
static void compute_cycles(struct row *row, uint64_t memory_limit)
{
    unsigned n = row->setting.n;
    (void)memory_limit;
    row->has_measured = true;
    row->found = HOLDS;
    for (unsigned i = 0; i < n; i++) {
        uint64_t count = 0;
        for (unsigned number = 0; number < cyc_count(n); number++) {
            struct cycle cycle = cyc(n, i, number);
            count += cyc_number(n, i, &cycle) == number && cycle.length >= 2 && cycle_place(&cycle, i) < cycle.length;
        }
        row->measured = count;
        if (count != row->bound)
            row->found = VIOLATED;
    }
}
const struct calculation cycles_with_i = {"cycles through one process", compute_cycles};

/* --- bl93, section 5 ---------------------------------------------------------------------------------------------- */

/* The adversary of the proof plays against the algorithm: it nullifies n variables, or shows what is wrong with it. */
static void compute_nullified(struct row *row, uint64_t memory_limit)
{
    static const enum verdict verdicts[] = {[BOUND_NULLIFIED] = HOLDS,
                                            [BOUND_VIOLATED] = VIOLATED,
                                            [BOUND_UNDECIDED] = UNDECIDED,
                                            [BOUND_REFUSED] = UNDECIDED};
    struct variables_bound bound;
    (void)memory_limit;
    bound_variables(&bound, &row->setting, BOUND_STEPS_MAX);
    row->found = verdicts[bound.outcome];
    row->has_measured = bound.outcome == BOUND_NULLIFIED;
    row->measured = row->setting.n;
    if (bound.outcome == BOUND_VIOLATED) {
        row->has_trace = true;
        row->trace = bound.violation;
        memset(&bound.violation, 0, sizeof bound.violation);
    }
    snprintf(row->note, sizeof row->note, "%.*s", (int)sizeof row->note - 1, bound.why);
    variables_bound_close(&bound);
}
const struct calculation nullified_variables = {"variables nullified", compute_nullified};

/* --- flbb89 ------------------------------------------------------------------------------------------------------- */

/* The construction of section 5.2 and the induction of Theorem 5.8: so many values, or what is wrong. */
static void compute_values(struct row *row, uint64_t memory_limit)
{
    static const enum verdict verdicts[] = {
        [VALUES_CONFIRMED] = HOLDS, [VALUES_VIOLATED] = VIOLATED, [VALUES_UNDECIDED] = UNDECIDED};
    struct values_bound bound;
    (void)memory_limit;
    bound_values(&bound, &row->setting);
    row->found = verdicts[bound.outcome];
    row->has_measured = bound.outcome == VALUES_CONFIRMED;
    row->measured = bound.distinct;
    if (bound.outcome == VALUES_VIOLATED) {
        row->has_trace = true;
        row->trace = bound.violation;
        memset(&bound.violation, 0, sizeof bound.violation);
    }
    if (bound.outcome != VALUES_CONFIRMED)
        snprintf(row->note, sizeof row->note, "%.*s", (int)sizeof row->note - 1, bound.why);
    values_bound_close(&bound);
}
const struct calculation values_reached = {"values reached", compute_values};

static struct setting setting_of_other(const struct row *row, const char *id)
{
    struct setting setting = row->setting;
    const struct entry *entry = catalogue_find(id);
    if (entry == NULL)
        die("internal error: there is no algorithm %s", id);
    setting.algorithm = entry->algorithm;
    return setting;
}

/* Section 3.2. */
static void compute_equivalent(struct row *row, uint64_t memory_limit)
{
    static const enum verdict verdicts[] = {[SYSTEMS_SAME] = HOLDS,
                                            [SYSTEMS_DIFFER] = VIOLATED,
                                            [SYSTEMS_UNDECIDED] = UNDECIDED,
                                            [SYSTEMS_REFUSED] = UNDECIDED};
    const struct setting other = setting_of_other(row, row->statement->other);
    struct equivalence equivalence;
    equivalence_find(&equivalence, &row->setting, &other, &(struct equivalence_limits){.memory_limit = memory_limit});
    row->found = verdicts[equivalence.outcome];
    row->has_states = true;
    row->states = equivalence.pairs;
    if (equivalence.outcome == SYSTEMS_DIFFER) {
        row->has_trace = true;
        equivalence_trace(&equivalence, 0, &row->trace);
        snprintf(row->note, sizeof row->note,
                 "told apart by a schedule of %zu steps, after which process %u is in %s and in %s", equivalence.length,
                 equivalence.process, region_name[equivalence.regions[0][equivalence.process]],
                 region_name[equivalence.regions[1][equivalence.process]]);
    } else if (equivalence.outcome != SYSTEMS_SAME) {
        snprintf(row->note, sizeof row->note, "%s", equivalence.why);
    }
    equivalence_close(&equivalence);
}
const struct calculation equivalent_systems = {"equivalent to", compute_equivalent};

/* Lemma 4.2, of every two of the catalogue that are for any k: if they are equivalent and one of them solves the
 * problem, so does the other. */
static enum verdict solves(const struct setting *setting, uint64_t memory_limit, uint64_t *states, bool *too_large)
{
    struct question question = {.setting = *setting,
                                .options = {.memory_limit = memory_limit, .max_states = CATALOGUE_STATES}};
    enum verdict verdict = HOLDS;
    question_add(&question, EXCLUSION);
    question_add(&question, K_DEADLOCK_AVOIDANCE);
    question_add(&question, FIFO_ENABLING);
    struct answer answer;
    question_answer(&question, &answer);
    for (unsigned p = 0; p < question.property_count; p++)
        if (answer.findings[p].verdict == VIOLATED || (verdict == HOLDS && answer.findings[p].verdict == UNDECIDED))
            verdict = answer.findings[p].verdict;
    *too_large = answer.exploration.stopped != NULL && answer.exploration.states >= CATALOGUE_STATES;
    *states += answer.exploration.states;
    answer_close(&answer, &question);
    return verdict;
}

static void compute_lemma_4_2(struct row *row, uint64_t memory_limit)
{
    unsigned meant = 0, undecided = 0, count = 0, left_out = 0;
    const struct stepped_algorithm **of = must_allocate((catalogue_count + 1) * sizeof *of);
    enum verdict *found = must_allocate((catalogue_count + 1) * sizeof *found);
    struct setting setting = row->setting;
    row->setting.k = setting.k = 1; /* with k + 1 processes or fewer nobody can overtake */
    row->found = HOLDS;
    for (unsigned e = 0; e < catalogue_count; e++) {
        /* A mutant need not keep to its registers' domains at settings other than the one that catches it. */
        setting.algorithm = catalogue[e].algorithm;
        if (setting.algorithm->about.k > 0 || catalogue[e].kind == MUTANT)
            continue;
        bool too_large;
        of[count] = setting.algorithm;
        found[count] = solves(&setting, memory_limit, &row->states, &too_large);
        count += !too_large;
        left_out += too_large;
    }
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count && row->found == HOLDS; b++) {
            struct setting other = setting;
            struct equivalence equivalence;
            setting.algorithm = of[a];
            other.algorithm = of[b];
            if (a == b || found[a] != HOLDS)
                continue;
            equivalence_find(&equivalence, &setting, &other,
                             &(struct equivalence_limits){.memory_limit = memory_limit});
            const bool same = equivalence.outcome == SYSTEMS_SAME;
            equivalence_close(&equivalence);
            meant += same;
            undecided += same && found[b] == UNDECIDED;
            if (same && found[b] == VIOLATED) {
                row->found = VIOLATED;
                snprintf(row->note, sizeof row->note, "%s solves it, %s is equivalent and does not", of[a]->about.id,
                         of[b]->about.id);
            }
        }
    row->has_states = true;
    free(of);
    free(found);
    if (row->found != HOLDS)
        return;
    snprintf(row->note, sizeof row->note, "%u ordered pairs of algorithms for any k are meant; %u too large to ask",
             meant, left_out);
    row->found = undecided > 0 ? UNDECIDED : meant == 0 ? VACUOUS : HOLDS;
}
const struct calculation equivalence_carries_over = {"equivalent to a solution => solution", compute_lemma_4_2};
