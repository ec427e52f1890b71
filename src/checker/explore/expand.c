/* SPDX-License-Identifier: MIT
 *
 * From states to their successors, and from there to the partitions of the store: the hot part of an exploration.
 */
#include "base/die.h"
#include "base/hash.h"
#include "checker/explore/search.h"
#include "checker/reduce/idle.h"

#include <stdlib.h>

static unsigned inside(const struct model *model, const uint64_t *state)
{
    unsigned count = 0;
    for (unsigned i = 0; i < model->n; i++)
        count += local_of(model, state, i)->section == CRITICAL;
    return count;
}

static uint64_t *bucket_room(struct share *share, struct bucket *bucket, unsigned stride)
{
    if (bucket->words + stride > bucket->room) {
        size_t room = bucket->room == 0 ? 64 : bucket->room * 2;
        share->bytes += (room - bucket->room) * sizeof(uint64_t);
        bucket->room = room;
        bucket->entries = must_reallocate(bucket->entries, room * sizeof(uint64_t));
    }
    return bucket->entries + bucket->words;
}

static inline void send(struct share *share, unsigned words, const uint64_t *state, uint64_t edge)
{
    unsigned partition = partition_of(hash_words(state, words));
    struct bucket *bucket = &share->bucket[partition];
    uint64_t *entry = bucket_room(share, bucket, words + 1);
    for (unsigned w = 0; w < words; w++)
        entry[w] = state[w];
    entry[words] = edge << 32 | share->source;
    bucket->words += words + 1;
}

static inline void count_entry(struct share *share, struct step step, const uint64_t *successor)
{
    const struct model *model = share->search->model;
    unsigned count = inside(model, successor);
    share->entries++;
    if (count > model->instance.setting.k && !share->violation.found)
        share->violation = (struct violation){true, share->source, step};
}

static uint64_t add_edge(struct share *share, struct step step, uint8_t events)
{
    if (share->edges == share->edge_room) {
        share->edge_room = share->edge_room == 0 ? 4096 : share->edge_room * 2;
        share->kinds = must_reallocate(share->kinds, share->edge_room);
    }
    uint8_t kind = step.process;
    kind |= step.fault == TIMED_LOOK ? EDGE_TIMED_LOOK : step.fault || events & ONLY_SO_OFTEN ? EDGE_FAULT : 0;
    kind |= events & ENTERS_DOORWAY ? EDGE_ENTERS_DOORWAY : 0;
    kind |= events & ENTERS_CRITICAL ? EDGE_ENTERS_CRITICAL : 0;
    share->kinds[share->edges] = kind;
    return share->edges++;
}

static void note_missing(struct share *share, struct step step)
{
    if (share->missing_count == MISSING_MAX)
        return; /* it will be met again */
    if (share->missing_count == share->missing_room) {
        share->missing_room = share->missing_room == 0 ? 64 : share->missing_room * 2;
        share->missing = must_reallocate(share->missing, share->missing_room * sizeof *share->missing);
    }
    struct missing *missing = &share->missing[share->missing_count++];
    missing->step = step;
    memcpy(missing->state, share->state, share->search->model->words * sizeof(uint64_t));
}

static inline __attribute__((always_inline)) void take_step_of(struct share *share, unsigned words, struct step step,
                                                               const struct move *move)
{
    const struct search *search = share->search;
    uint64_t successor[WORDS_MAX];
    uint8_t events;
    enum applied applied;
    share->transitions++;
    do {
        applied = move != NULL ? apply_move(search->model, words, share->state, step, move, successor, &events)
                               : model_apply(search->model, share->state, step, successor, &events);
        if (applied == APPLIED && search->model->hurries)
            applied = take_idle_steps(search->model, successor);
        if (applied == MISSING) {
            note_missing(share, step);
            return;
        }
        if (same_state(successor, share->state, words)) {
            share->spins |= (uint16_t)(1u << step.process);
        } else {
            if (events & ENTERS_CRITICAL)
                count_entry(share, step, successor);
            send(share, words, successor, search->options->want_graph ? add_edge(share, step, events) : 0);
        }
        step.gap_is_gone = true;
        share->ambiguous += applied == AMBIGUOUS;
    } while (applied == AMBIGUOUS);
}

static inline void take_step(void *context, struct step step, const struct move *move)
{
    struct share *share = context;
    take_step_of(share, share->search->model->words, step, move);
}

/* The same where states are single words, which is where speed matters most. */
static inline void take_step_of_one_word(void *context, struct step step, const struct move *move)
{
    take_step_of(context, 1, step, move);
}

/* has_registers_to_reset of faults.h, asked of a packed state. */
static bool must_reset(const struct model *model, const uint64_t *state, unsigned i)
{
    const struct instance *instance = &model->instance;
    for (unsigned own = instance->own_first[i]; own < instance->own_first[i + 1]; own++) {
        unsigned reg = instance->own[own];
        uint64_t initial = instance->regs[reg].array->initial;
        if (initial != ANY_VALUE && field_get(state, model->register_field[reg]) != initial)
            return true;
    }
    return false;
}

static struct standing standing_of(const struct model *model, const uint64_t *state)
{
    struct standing standing = {0};
    bool transient = model->instance.setting.transient;
    for (unsigned i = 0; i < model->n; i++) {
        const struct local *local = local_of(model, state, i);
        uint16_t bit = (uint16_t)(1u << i);
        standing.remainder |= local->section == REMAINDER ? bit : 0;
        standing.doorway |= local->section == DOORWAY ? bit : 0;
        standing.waiting_room |= local->section == WAITING_ROOM ? bit : 0;
        standing.critical |= local->section == CRITICAL ? bit : 0;
        standing.faulty |= local->section == FAULTY ? bit : 0;
        standing.crashed |= local->crashed ? bit : 0;
        bool resets = transient && local->section == REMAINDER && must_reset(model, state, i);
        standing.unsettled |= local->must_not_stay || resets || must_be_taken_over(model, state, i) ? bit : 0;
    }
    return standing;
}

static const uint64_t *state_in_slice(const struct search *search, const struct slice *slice, uint32_t offset)
{
    const struct store *store = search->store;
    uint32_t place = slice->from + offset;
    if (!store->fingerprints)
        return store_record(store, place << PARTITION_BITS | slice->partition);
    const struct partition *partition = &store->partition[slice->partition];
    return partition->this_level + (size_t)(place - search->level_start[slice->partition]) * store->words;
}

static void expand_state(struct share *share, const struct slice *slice, uint32_t offset)
{
    const struct search *search = share->search;
    share->state = state_in_slice(search, slice, offset);
    share->source = (slice->from + offset) << PARTITION_BITS | slice->partition;
    share->position = slice->position + offset;
    share->spins = 0;
    uint64_t edges_before = share->edges;
    if (search->model->words == 1)
        for_each_step(search->model, share->state, take_step_of_one_word, share);
    else
        for_each_step(search->model, share->state, take_step, share);
    if (!search->options->want_graph)
        return;
    uint64_t number = search->block_first + share->position;
    search->graph->standing[number] = standing_of(search->model, share->state);
    /* A reset that finds nothing to do is no step. */
    search->graph->standing[number].spins = share->spins & (uint16_t)~search->graph->standing[number].remainder;
    search->graph->numbers[number] = share->source;
    search->graph->first[number] = share->edges - edges_before; /* the degree, until settle_edges knows more */
}

void expand_share(struct share *share)
{
    const struct search *search = share->search;
    for (unsigned p = 0; p < PARTITIONS; p++)
        share->bucket[p].words = 0;
    share->transitions = share->entries = share->ambiguous = share->edges = 0;
    share->violation.found = false;
    uint64_t from = (uint64_t)search->block_states * share->number / search->shares;
    uint64_t to = (uint64_t)search->block_states * (share->number + 1) / search->shares;
    for (unsigned s = 0; s < search->slice_count; s++) {
        const struct slice *slice = &search->slices[s];
        uint64_t position = from > slice->position ? from : slice->position;
        for (; position < to && position < slice->position + slice->count; position++)
            expand_state(share, slice, (uint32_t)(position - slice->position));
    }
}

void collect_bucket(struct thread *thread, struct share *share, unsigned partition)
{
    struct search *search = thread->search;
    struct bucket *bucket = &share->bucket[partition];
    unsigned stride = search->stride;
    size_t count = bucket->words / stride;
    if (count > thread->number_room) {
        thread->number_room = count + count / 2;
        thread->numbers = must_reallocate(thread->numbers, thread->number_room * sizeof *thread->numbers);
    }
    store_add(search->store, partition, bucket->entries, stride, count, thread->numbers);
    for (size_t e = 0; search->options->want_graph && e < count; e++) {
        uint64_t edge = bucket->entries[e * stride + stride - 1] >> 32;
        search->graph->targets[share->edge_base + edge] = thread->numbers[e];
    }
}
