/* SPDX-License-Identifier: MIT */
#include "checker/compare/state_pairs.h"

#include "base/clock.h"
#include "base/die.h"
#include "base/hash.h"
#include "base/parallel.h"

#include <signal.h>
#include <stdlib.h>

enum {
    BLOCK_MIN = 1 << 14, /* pairs expanded between two exchanges */
    BLOCK_MAX = 1 << 19,
    BLOCK_SHARE = 16,     /* a block is at most this part of all pairs, so that its successors take little memory */
    WORTH_SHARING = 1024, /* a smaller block is not worth starting threads for */
};

static volatile sig_atomic_t interrupted;

void equivalence_interrupt(void)
{
    interrupted = 1;
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

static inline bool parted(const struct comparison *comparison, const uint64_t *pair, unsigned i)
{
    const struct model *a = &comparison->model[0], *b = &comparison->model[1];
    return region_of(local_of(a, pair, i)->section) != region_of(local_of(b, pair + a->words, i)->section);
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

void pairs_stop(struct comparison *comparison, const char *why)
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
                    pairs_stop(comparison, model->overflow);
            }
        }
        any |= missing->count > 0;
    }
    return any;
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
        pairs_stop(comparison, "interrupted");
    else if (limits->max_pairs > 0 && equivalence->pairs > limits->max_pairs)
        pairs_stop(comparison, "the limit of --max-states was reached");
    else if (limits->memory_limit > 0 && equivalence->bytes > limits->memory_limit)
        pairs_stop(comparison, "the memory limit was reached");
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
        pairs_stop(comparison,
                   "tickets are not kept exactly here, and no schedule that was executed with real ones tells "
                   "the systems apart where some might");
    memcpy(comparison->level_start, level_end, sizeof level_end);
    comparison->equivalence->depth++;
    return !comparison->stopped;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

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

void pairs_explore(struct comparison *comparison)
{
    comparison->words = comparison->model[0].words + comparison->model[1].words;
    comparison->stride = comparison->words + 1;
    interrupted = 0;
    comparison->cores = core_count();
    comparison->share = must_allocate(comparison->cores * sizeof *comparison->share);
    store_open(&comparison->store, comparison->words, false);
    add_start(comparison);
    while (compare_level(comparison))
        ;
    measure(comparison);
}

void pairs_close(struct comparison *comparison)
{
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
