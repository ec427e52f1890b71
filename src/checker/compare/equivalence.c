/* SPDX-License-Identifier: MIT */
#include "checker/compare/equivalence.h"

#include "base/clock.h"
#include "base/die.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "checker/compare/state_pairs.h"
#include "checker/model/fault_info.h"
#include "checker/reduce/normal_form.h"

#include <stdlib.h>

/* Schedules of one length that are executed, where tickets leave it open which of them tell the systems apart. */
enum { TRIES_MAX = 1000 };

const char *const region_letter[REGIONS] = {"R", "T", "C", "E"};
const char *const region_name[REGIONS] = {"remainder", "trying", "critical", "exit"};
const char *const equivalence_outcome_name[] = {
    [SYSTEMS_SAME] = "same", [SYSTEMS_DIFFER] = "different", [SYSTEMS_UNDECIDED] = "undecided"};

/* --- telling them apart ------------------------------------------------------------------------------------------- */

/* Which process leads from one pair to another. */
static unsigned process_between(const struct comparison *comparison, const uint64_t *from, const uint64_t *to)
{
    const unsigned words_a = comparison->model[0].words;
    for (unsigned i = 0; i < comparison->model[0].n; i++) {
        bool leads = true;
        for (unsigned system = 0; system < 2 && leads; system++) {
            const struct model *model = &comparison->model[system];
            unsigned offset = system == 0 ? 0 : words_a;
            uint64_t next[WORDS_MAX];
            uint8_t events;
            struct step step;
            enum applied applied;
            leads = move_in(model, from + offset, i, &step) != NULL;
            if (!leads)
                break;
            do {
                applied = model_apply(model, from + offset, step, next, &events);
                leads = applied != MISSING && same_state(next, to + offset, model->words);
                step.gap_is_gone = true;
            } while (!leads && applied == AMBIGUOUS);
        }
        if (leads)
            return i;
    }
    die("internal error: no step leads from a pair to the next");
}

/* The schedule to a pair, and one more step. */
static void schedule_of(const struct comparison *comparison, struct pair_step last)
{
    struct equivalence *equivalence = comparison->equivalence;
    const struct store *store = &comparison->store;
    equivalence->length = 1;
    for (uint32_t at = last.source; store_parent(store, at) != NO_STATE; at = store_parent(store, at))
        equivalence->length++;
    equivalence->schedule = must_reallocate(equivalence->schedule, equivalence->length);
    size_t place = equivalence->length;
    equivalence->schedule[--place] = last.process;
    for (uint32_t at = last.source; place > 0; at = store_parent(store, at))
        equivalence->schedule[--place] =
            (uint8_t)process_between(comparison, store_record(store, store_parent(store, at)), store_record(store, at));
}

void equivalence_trace(const struct equivalence *equivalence, unsigned system, struct trace *trace)
{
    const struct about *other = &equivalence->setting[1 - system].algorithm->about;
    *trace = (struct trace){.setting = equivalence->setting[system],
                            .property = PROPERTIES,
                            .i = equivalence->process,
                            .j = equivalence->process,
                            .count = equivalence->length,
                            .loop = NO_LOOP,
                            .loop_end = NO_LOOP,
                            .before_last = "this step tells them apart:",
                            .steps = must_allocate(equivalence->length * sizeof *trace->steps)};
    snprintf(trace->what, sizeof trace->what, "process %u ends up in its %s region, and in %s in its %s region",
             equivalence->process, region_name[equivalence->regions[system][equivalence->process]], other->id,
             region_name[equivalence->regions[1 - system][equivalence->process]]);
    for (size_t s = 0; s < trace->count; s++)
        trace->steps[s].process = equivalence->schedule[s];
}

/* Executes the schedule with both texts, not through the tables of the models, and with real tickets: does its last
 * step, and none before, tell them apart? */
static bool executed_apart(struct equivalence *equivalence)
{
    struct execution execution[2];
    bool possible = true, apart = false, early = false;
    for (unsigned system = 0; system < 2; system++) {
        struct trace trace;
        equivalence_trace(equivalence, system, &trace);
        possible &= trace_execute(&trace, &execution[system]);
        trace_close(&trace);
    }
    for (size_t m = 0; m <= equivalence->length && possible; m++) {
        early |= apart;
        for (unsigned i = 0; i < equivalence->setting[0].n; i++) {
            for (unsigned system = 0; system < 2; system++)
                equivalence->regions[system][i] = region_of(execution[system].moments[m].process[i].section);
            apart |= equivalence->regions[0][i] != equivalence->regions[1][i];
        }
    }
    for (unsigned system = 0; system < 2; system++)
        execution_close(&execution[system]);
    return possible && apart && !early;
}

/* The steps of this block after which regions differ. Where tickets are not kept exactly, such a pair need not exist;
 * then the others at this level are tried. */
void try_to_part(struct comparison *comparison)
{
    struct equivalence *equivalence = comparison->equivalence;
    for (unsigned s = 0; s < comparison->shares; s++) {
        const struct pair_steps *parting = &comparison->share[s].parting;
        for (size_t m = 0; m < parting->count && comparison->tries < TRIES_MAX; m++) {
            comparison->tries++;
            equivalence->process = parting->steps[m].process;
            schedule_of(comparison, parting->steps[m]);
            if (executed_apart(equivalence)) {
                equivalence->outcome = SYSTEMS_DIFFER;
                comparison->stopped = true;
                return;
            }
        }
    }
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static const char *refusal(const struct model *a, const struct model *b)
{
    const struct model *const models[2] = {a, b};
    if (a->n != b->n)
        return "equivalence is defined for systems with the same number of processes";
    for (unsigned system = 0; system < 2; system++) {
        const struct setting *setting = &models[system]->instance.setting;
        if (setting->registers != ATOMIC || setting->any_order || faults_in(setting) != 0)
            return "a schedule must determine all steps: registers must be atomic, for-all loops in the native order, "
                   "and nobody faulty";
        if (roots_count(models[system]) > 1)
            return "a schedule must determine all steps, and a register without a declared initial value leaves open "
                   "where they begin";
    }
    return NULL;
}

/* How many states of one system there are among the pairs. */
static void count_side(void *context, unsigned system, unsigned shares)
{
    enum { ROOM = 128 };
    struct comparison *comparison = context;
    const struct model *model = &comparison->model[system];
    unsigned words = model->words, stride = words + 1;
    struct store states;
    store_open(&states, words, false);
    uint64_t *entries = must_allocate((size_t)PARTITIONS * ROOM * stride * sizeof *entries);
    unsigned *count = must_allocate(PARTITIONS * sizeof *count);
    uint32_t numbers[ROOM];
    for (unsigned p = 0; p < PARTITIONS; p++) {
        for (uint32_t place = 0; place < comparison->store.partition[p].count; place++) {
            const uint64_t *state = store_record(&comparison->store, place << PARTITION_BITS | p) +
                                    (system == 0 ? 0 : comparison->model[0].words);
            unsigned to = partition_of(hash_words(state, words));
            uint64_t *batch = entries + (size_t)to * ROOM * stride;
            memcpy(batch + (size_t)count[to]++ * stride, state, words * sizeof *state);
            if (count[to] == ROOM) {
                store_add(&states, to, batch, stride, ROOM, numbers);
                count[to] = 0;
            }
        }
    }
    for (unsigned p = 0; p < PARTITIONS; p++)
        store_add(&states, p, entries + (size_t)p * ROOM * stride, stride, count[p], numbers);
    comparison->equivalence->states[system] = store_count(&states);
    (void)shares;
    free(count);
    free(entries);
    store_close(&states);
}

void equivalence_find(struct equivalence *equivalence, const struct setting *a, const struct setting *b,
                      const struct equivalence_limits *limits)
{
    struct equivalence_limits filled = *limits;
    if (filled.memory_limit == 0)
        filled.memory_limit = free_memory();
    *equivalence = (struct equivalence){.setting = {*a, *b}, .outcome = SYSTEMS_SAME};
    /* A schedule names processes, and who wakes by itself takes no step of its text. */
    equivalence->setting[0].undisturbed = equivalence->setting[1].undisturbed = true;
    struct comparison *comparison = must_allocate(sizeof *comparison);
    comparison->equivalence = equivalence;
    comparison->limits = &filled;
    comparison->start = now();
    for (unsigned system = 0; system < 2; system++)
        open_reduced(&comparison->model[system], &equivalence->setting[system]);
    const char *refused = refusal(&comparison->model[0], &comparison->model[1]);
    if (refused != NULL) {
        equivalence->outcome = SYSTEMS_REFUSED;
        snprintf(equivalence->why, sizeof equivalence->why, "%s", refused);
    } else {
        pairs_explore(comparison);
        if (filled.count_states)
            parallel(2, count_side, comparison);
        pairs_close(comparison);
    }
    if (equivalence->outcome != SYSTEMS_DIFFER) {
        free(equivalence->schedule);
        equivalence->schedule = NULL;
        equivalence->length = 0;
    }
    equivalence->seconds = now() - comparison->start;
    model_close(&comparison->model[0]);
    model_close(&comparison->model[1]);
    free(comparison);
}

void equivalence_close(struct equivalence *equivalence)
{
    free(equivalence->schedule);
    equivalence->schedule = NULL;
}
