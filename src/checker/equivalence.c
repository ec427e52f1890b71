/* SPDX-License-Identifier: MIT */
#include "checker/equivalence.h"

#include "checker/die.h"
#include "checker/faults.h"
#include "checker/hash.h"
#include "checker/parallel.h"
#include "checker/question.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    PAIR_WORDS_MAX = 2 * WORDS_MAX,
    BLOCK_MIN = 1 << 14, /* pairs expanded between two exchanges */
    BLOCK_MAX = 1 << 19,
    BLOCK_SHARE = 16,     /* a block is at most this part of all pairs, so that its successors take little memory */
    WORTH_SHARING = 1024, /* a smaller block is not worth starting threads for */
    TRIES_MAX = 1000      /* schedules of one length that are executed, where tickets leave it open which are real */
};

const char *const region_letter[REGIONS] = {"R", "T", "C", "E"};
const char *const region_name[REGIONS] = {"remainder", "trying", "critical", "exit"};
const char *const equivalence_outcome_name[] = {
    [SYSTEMS_SAME] = "same", [SYSTEMS_DIFFER] = "different", [SYSTEMS_UNDECIDED] = "undecided"};

/* Nobody is faulty here. */
static const uint8_t region_of_section[SECTIONS] = {[REMAINDER] = REMAINDER_REGION,
                                                    [DOORWAY] = TRYING_REGION,
                                                    [WAITING_ROOM] = TRYING_REGION,
                                                    [CRITICAL] = CRITICAL_REGION,
                                                    [EXIT] = EXIT_REGION};

enum region region_of(enum section section)
{
    return (enum region)region_of_section[section];
}

/* Pairs on their way to one partition of the store: each with its parent in one more word. */
struct bucket {
    uint64_t *entries;
    size_t words, room;
};

/* A step of a process from a pair, by the pair's number. */
struct pair_step {
    uint32_t source;
    uint8_t process;
};

struct pair_steps {
    struct pair_step *steps;
    size_t count, room;
};

/* A run of the pairs of a block, and all that comes of expanding them. */
struct share {
    struct bucket bucket[PARTITIONS];
    struct pair_steps missing; /* a model does not know the step yet */
    struct pair_steps parting; /* after the step, its process is in different regions */
    uint32_t *numbers;         /* scratch for store_add */
    size_t number_room;
    uint64_t ambiguous, bytes;
    uint32_t source;
    const uint64_t *pair;
};

struct slice {
    unsigned partition;
    uint32_t from, count;
    uint32_t position; /* of its first pair in the block */
};

struct comparison {
    struct equivalence *equivalence;
    const struct equivalence_limits *limits;
    struct model model[2];
    unsigned words, stride;
    struct store store;
    unsigned cores, shares;
    struct share *share;
    uint32_t level_start[PARTITIONS];
    struct slice slices[PARTITIONS];
    unsigned slice_count;
    uint32_t block_pairs;
    uint64_t expanded;
    unsigned tries; /* at this level */
    double start, reported;
    bool stopped;
};

static volatile sig_atomic_t interrupted;

void equivalence_interrupt(void)
{
    interrupted = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* --- expanding a block -------------------------------------------------------------------------------------------- */

static void note(struct share *share, struct pair_steps *steps, unsigned process)
{
    if (steps->count == steps->room) {
        size_t room = steps->room == 0 ? 64 : steps->room * 2;
        share->bytes += (room - steps->room) * sizeof *steps->steps;
        steps->room = room;
        steps->steps = must_reallocate(steps->steps, room * sizeof *steps->steps);
    }
    steps->steps[steps->count++] = (struct pair_step){share->source, (uint8_t)process};
}

static inline void send(struct share *share, const uint64_t *pair, unsigned words)
{
    struct bucket *bucket = &share->bucket[partition_of(hash_words(pair, words))];
    if (bucket->words + words + 1 > bucket->room) {
        size_t room = bucket->room == 0 ? 4 * (words + 1) : bucket->room * 2;
        share->bytes += (room - bucket->room) * sizeof(uint64_t);
        bucket->room = room;
        bucket->entries = must_reallocate(bucket->entries, room * sizeof(uint64_t));
    }
    uint64_t *entry = bucket->entries + bucket->words;
    for (unsigned w = 0; w < words; w++)
        entry[w] = pair[w];
    entry[words] = share->source;
    bucket->words += words + 1;
}

/* What process i would do in a state; in the native order it has one move. NULL: it has no passage left. */
static inline const struct move *move_in(const struct model *model, const uint64_t *state, unsigned i,
                                         struct step *step)
{
    const struct local *local = local_of(model, state, i);
    if (local->moves == 0)
        return NULL;
    const struct move *move = &model->automaton[i].moves[local->first_move];
    *step = (struct step){.process = (uint8_t)i, .value = field_get(state, move->field)};
    return move;
}

static inline bool parted(const struct comparison *comparison, const uint64_t *pair, unsigned i)
{
    const struct model *a = &comparison->model[0], *b = &comparison->model[1];
    return region_of_section[local_of(a, pair, i)->section] !=
           region_of_section[local_of(b, pair + a->words, i)->section];
}

/* Process i steps in both systems. Only its own region can change. An ambiguous step has two outcomes, which are taken
 * together with all of the other system's. */
static inline void take_step(const struct comparison *comparison, struct share *share, unsigned i)
{
    const struct model *a = &comparison->model[0], *b = &comparison->model[1];
    const unsigned words = comparison->words;
    const uint64_t *pair = share->pair;
    uint64_t next[PAIR_WORDS_MAX];
    struct step step_a, step_b;
    const struct move *move_a = move_in(a, pair, i, &step_a);
    const struct move *move_b = move_in(b, pair + a->words, i, &step_b);
    if (move_a == NULL || move_b == NULL)
        return; /* regions are the same, so that both have none left */
    enum applied applied_a, applied_b;
    uint8_t events;
    do {
        applied_a = apply_move(a, a->words, pair, step_a, move_a, next, &events);
        step_b.gap_is_gone = false;
        do {
            applied_b = apply_move(b, b->words, pair + a->words, step_b, move_b, next + a->words, &events);
            if (applied_a == MISSING || applied_b == MISSING) {
                note(share, &share->missing, i);
                return;
            }
            if (parted(comparison, next, i))
                note(share, &share->parting, i);
            else if (!same_state(next, pair, words))
                send(share, next, words);
            share->ambiguous += applied_b == AMBIGUOUS && !step_a.gap_is_gone;
            step_b.gap_is_gone = true;
        } while (applied_b == AMBIGUOUS);
        share->ambiguous += applied_a == AMBIGUOUS;
        step_a.gap_is_gone = true;
    } while (applied_a == AMBIGUOUS);
}

static void expand(void *context, unsigned number, unsigned shares)
{
    struct comparison *comparison = context;
    struct share *share = &comparison->share[number];
    for (unsigned p = 0; p < PARTITIONS; p++)
        share->bucket[p].words = 0;
    share->missing.count = share->parting.count = 0;
    share->ambiguous = 0;
    uint64_t from = (uint64_t)comparison->block_pairs * number / shares;
    uint64_t to = (uint64_t)comparison->block_pairs * (number + 1) / shares;
    for (unsigned s = 0; s < comparison->slice_count; s++) {
        const struct slice *slice = &comparison->slices[s];
        uint64_t position = from > slice->position ? from : slice->position;
        for (; position < to && position < (uint64_t)slice->position + slice->count; position++) {
            uint32_t place = slice->from + (uint32_t)(position - slice->position);
            share->source = place << PARTITION_BITS | slice->partition;
            share->pair = store_record(&comparison->store, share->source);
            for (unsigned i = 0; i < comparison->model[0].n; i++)
                take_step(comparison, share, i);
        }
    }
}

/* The partitions are dealt out to the threads; each adds what came for its own, in the order of the expanded pairs. */
static void collect(void *context, unsigned number, unsigned shares)
{
    struct comparison *comparison = context;
    struct share *mine = &comparison->share[number];
    for (unsigned p = number; p < PARTITIONS; p += shares) {
        for (unsigned s = 0; s < shares; s++) {
            const struct bucket *bucket = &comparison->share[s].bucket[p];
            size_t count = bucket->words / comparison->stride;
            if (count > mine->number_room) {
                mine->number_room = count + count / 2;
                mine->numbers = must_reallocate(mine->numbers, mine->number_room * sizeof *mine->numbers);
            }
            store_add(&comparison->store, p, bucket->entries, comparison->stride, count, mine->numbers);
        }
    }
}

static void stop(struct comparison *comparison, const char *why)
{
    struct equivalence *equivalence = comparison->equivalence;
    comparison->stopped = true;
    equivalence->outcome = SYSTEMS_UNDECIDED;
    snprintf(equivalence->why, sizeof equivalence->why, "%s", why);
}

/* Teaches one model a step, with both outcomes if it is ambiguous. */
static bool learn(struct model *model, const uint64_t *state, unsigned i)
{
    struct step step;
    uint64_t next[WORDS_MAX];
    uint8_t events;
    enum applied applied;
    move_in(model, state, i, &step);
    do {
        applied = model_learn(model, state, step, next, &events);
        step.gap_is_gone = true;
    } while (applied == AMBIGUOUS);
    return applied != MISSING;
}

/* In the order of the pairs, so that the numbers the models give do not depend on the shares. Returns whether anything
 * was missing; then the block must be expanded again. */
static bool learn_missing(struct comparison *comparison)
{
    bool any = false;
    for (unsigned s = 0; s < comparison->shares; s++) {
        const struct pair_steps *missing = &comparison->share[s].missing;
        for (size_t m = 0; m < missing->count && !comparison->stopped; m++) {
            const uint64_t *pair = store_record(&comparison->store, missing->steps[m].source);
            for (unsigned system = 0; system < 2; system++) {
                struct model *model = &comparison->model[system];
                if (!learn(model, system == 0 ? pair : pair + comparison->model[0].words, missing->steps[m].process))
                    stop(comparison, model->overflow);
            }
        }
        any |= missing->count > 0;
    }
    return any;
}

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
static void try_to_part(struct comparison *comparison)
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

/* --- blocks and levels -------------------------------------------------------------------------------------------- */

static void measure(struct comparison *comparison)
{
    struct equivalence *equivalence = comparison->equivalence;
    uint64_t bytes = atomic_load(&comparison->store.bytes);
    for (unsigned s = 0; s < comparison->cores; s++)
        bytes += comparison->share[s].bytes + comparison->share[s].number_room * sizeof(uint32_t);
    equivalence->pairs = store_count(&comparison->store);
    equivalence->bytes = bytes > equivalence->bytes ? bytes : equivalence->bytes;
    equivalence->seconds = now() - comparison->start;
}

static void compare_block(struct comparison *comparison)
{
    comparison->shares = comparison->block_pairs < WORTH_SHARING ? 1 : comparison->cores;
    do {
        parallel(comparison->shares, expand, comparison);
    } while (learn_missing(comparison) && !comparison->stopped);
    if (comparison->stopped)
        return;
    for (unsigned s = 0; s < comparison->shares; s++)
        comparison->equivalence->ambiguous += comparison->share[s].ambiguous;
    try_to_part(comparison);
    if (!comparison->stopped)
        parallel(comparison->shares, collect, comparison);
    comparison->expanded += comparison->block_pairs;
}

static void check_limits(struct comparison *comparison)
{
    const struct equivalence *equivalence = comparison->equivalence;
    const struct equivalence_limits *limits = comparison->limits;
    measure(comparison);
    if (limits->report != NULL && equivalence->seconds - comparison->reported > 0.2) {
        comparison->reported = equivalence->seconds;
        limits->report(&(struct progress){.states = equivalence->pairs,
                                          .frontier = equivalence->pairs - comparison->expanded,
                                          .bytes = equivalence->bytes,
                                          .depth = equivalence->depth,
                                          .seconds = equivalence->seconds});
    }
    if (comparison->stopped)
        return;
    if (interrupted)
        stop(comparison, "interrupted");
    else if (limits->max_pairs > 0 && equivalence->pairs > limits->max_pairs)
        stop(comparison, "the limit of --max-states was reached");
    else if (limits->memory_limit > 0 && equivalence->bytes > limits->memory_limit)
        stop(comparison, "the memory limit was reached");
}

static uint32_t block_size(const struct comparison *comparison)
{
    uint64_t block = comparison->equivalence->pairs / BLOCK_SHARE, most = comparison->limits->max_pairs;
    block = block < BLOCK_MIN ? BLOCK_MIN : block > BLOCK_MAX ? BLOCK_MAX : block;
    return (uint32_t)(most > 0 && most / BLOCK_SHARE < block ? most / BLOCK_SHARE + 1 : block);
}

/* The pairs found in the last level, block by block. */
static bool compare_level(struct comparison *comparison)
{
    uint32_t level_end[PARTITIONS];
    comparison->tries = 0;
    for (unsigned p = 0; p < PARTITIONS; p++)
        level_end[p] = comparison->store.partition[p].count;
    if (memcmp(level_end, comparison->level_start, sizeof level_end) == 0)
        return false;
    uint32_t at = comparison->level_start[0];
    for (unsigned p = 0; p < PARTITIONS && !comparison->stopped;) {
        uint32_t block = block_size(comparison);
        comparison->slice_count = comparison->block_pairs = 0;
        while (p < PARTITIONS && comparison->block_pairs < block) {
            uint32_t room = block - comparison->block_pairs, available = level_end[p] - at;
            uint32_t count = available < room ? available : room;
            if (count > 0)
                comparison->slices[comparison->slice_count++] = (struct slice){p, at, count, comparison->block_pairs};
            comparison->block_pairs += count;
            at += count;
            if (at == level_end[p] && ++p < PARTITIONS)
                at = comparison->level_start[p];
        }
        if (comparison->block_pairs > 0)
            compare_block(comparison);
        check_limits(comparison);
    }
    if (comparison->tries > 0 && !comparison->stopped)
        stop(comparison, "tickets are not kept exactly here, and no schedule that was executed with real ones tells "
                         "the systems apart where some might");
    memcpy(comparison->level_start, level_end, sizeof level_end);
    comparison->equivalence->depth++;
    return !comparison->stopped;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static const char *refusal(const struct model *a, const struct model *b)
{
    const struct model *const models[2] = {a, b};
    if (a->n != b->n)
        return "equivalence is defined for systems with the same number of processes";
    for (unsigned system = 0; system < 2; system++) {
        const struct setting *setting = &models[system]->instance.setting;
        if (setting->registers != ATOMIC || setting->any_order || setting->transient || faults_allowed(setting) != 0)
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

static void add_start(struct comparison *comparison)
{
    uint64_t entry[PAIR_WORDS_MAX + 1];
    uint32_t number;
    const struct model *a = &comparison->model[0], *b = &comparison->model[1];
    memcpy(entry, a->initial, a->words * sizeof *entry);
    memcpy(entry + a->words, b->initial, b->words * sizeof *entry);
    entry[comparison->words] = NO_STATE;
    store_add(&comparison->store, partition_of(hash_words(entry, comparison->words)), entry, comparison->stride, 1,
              &number);
}

static void compare(struct comparison *comparison)
{
    comparison->words = comparison->model[0].words + comparison->model[1].words;
    comparison->stride = comparison->words + 1;
    comparison->cores = core_count();
    comparison->share = must_allocate(comparison->cores * sizeof *comparison->share);
    store_open(&comparison->store, comparison->words, false);
    add_start(comparison);
    while (compare_level(comparison))
        ;
    measure(comparison);
    if (comparison->limits->count_states)
        parallel(2, count_side, comparison);
    for (unsigned s = 0; s < comparison->cores; s++) {
        struct share *share = &comparison->share[s];
        for (unsigned p = 0; p < PARTITIONS; p++)
            free(share->bucket[p].entries);
        free(share->missing.steps);
        free(share->parting.steps);
        free(share->numbers);
    }
    free(comparison->share);
    store_close(&comparison->store);
}

void equivalence_find(struct equivalence *equivalence, const struct setting *a, const struct setting *b,
                      const struct equivalence_limits *limits)
{
    struct equivalence_limits filled = *limits;
    if (filled.memory_limit == 0)
        filled.memory_limit = free_memory();
    *equivalence = (struct equivalence){.setting = {*a, *b}, .outcome = SYSTEMS_SAME};
    struct comparison *comparison = must_allocate(sizeof *comparison);
    comparison->equivalence = equivalence;
    comparison->limits = &filled;
    comparison->start = now();
    interrupted = 0;
    model_open(&comparison->model[0], a);
    model_open(&comparison->model[1], b);
    const char *refused = refusal(&comparison->model[0], &comparison->model[1]);
    if (refused != NULL) {
        equivalence->outcome = SYSTEMS_REFUSED;
        snprintf(equivalence->why, sizeof equivalence->why, "%s", refused);
    } else {
        compare(comparison);
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
