/* SPDX-License-Identifier: MIT */
#include "checker/explore.h"

#include "checker/die.h"
#include "checker/hash.h"
#include "checker/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    BLOCK_MIN = 1 << 15, /* states expanded between two exchanges */
    BLOCK_MAX = 1 << 20,
    BLOCK_SHARE = 16,      /* a block is at most this part of all states, so that its successors take little memory */
    WORTH_SHARING = 512,   /* a smaller block is not worth waking anybody for */
    SHARES_PER_THREAD = 4, /* so that nobody waits long for a thread that was held up */
    SHARES_MAX = 64,
    MISSING_MAX = 1 << 14 /* noted per share before the model learns them */
};

/* Successors on their way to one partition: the state, then a word with its parent and its edge's place. */
struct bucket {
    uint64_t *entries;
    size_t words, room;
};

/* A step that the model does not know yet. */
struct missing {
    struct step step;
    uint64_t state[WORDS_MAX];
};

struct violation {
    bool found;
    uint32_t source;
    struct step step;
};

/* One share of a block: a run of its states, and all that comes of expanding them. */
struct worker {
    struct search *search;
    unsigned number;
    struct bucket bucket[PARTITIONS];
    struct missing *missing;
    size_t missing_count, missing_room;
    uint64_t transitions, entries, ambiguous;
    unsigned most_inside;
    struct violation violation;
    /* where the state in hand is */
    uint32_t position, source;
    const uint64_t *state;
    /* edges of this block */
    uint8_t *kinds;
    uint64_t edges, edge_room, edge_base;
    uint16_t spins;
    uint64_t bytes;
};

struct thread {
    struct search *search;
    pthread_t handle;
    uint32_t *numbers; /* scratch for store_add */
    size_t number_room;
};

struct slice {
    unsigned partition;
    uint32_t from, count;
    uint32_t position; /* of its first state in the block */
};

struct search {
    struct exploration *exploration;
    const struct exploration_options *options;
    struct model *model;
    struct store *store;
    struct graph *graph;
    unsigned threads, stride;
    struct thread thread[SHARES_MAX];
    pthread_barrier_t barrier;
    void (*phase)(struct thread *thread);
    unsigned shares;                  /* of this block */
    struct worker worker[SHARES_MAX]; /* one per share */
    uint32_t level_start[PARTITIONS];
    struct slice slices[PARTITIONS];
    unsigned slice_count;
    uint32_t block_states;
    uint64_t block_first; /* number of its first state in the graph */
    atomic_uint next;     /* share, or partition */
};

static volatile sig_atomic_t interrupted;

void explore_interrupt(void)
{
    interrupted = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* --- expanding ------------------------------------------------------------------------------------------------------ */

static unsigned inside(const struct model *model, const uint64_t *state)
{
    unsigned count = 0;
    for (unsigned i = 0; i < model->n; i++)
        count += local_of(model, state, i)->section == CRITICAL;
    return count;
}

static uint64_t *bucket_room(struct worker *worker, struct bucket *bucket, unsigned stride)
{
    if (bucket->words + stride > bucket->room) {
        size_t room = bucket->room == 0 ? 64 : bucket->room * 2;
        worker->bytes += (room - bucket->room) * sizeof(uint64_t);
        bucket->room = room;
        bucket->entries = must_reallocate(bucket->entries, room * sizeof(uint64_t));
    }
    return bucket->entries + bucket->words;
}

static inline void send(struct worker *worker, unsigned words, const uint64_t *state, uint64_t edge)
{
    unsigned partition = partition_of(hash_words(state, words));
    struct bucket *bucket = &worker->bucket[partition];
    uint64_t *entry = bucket_room(worker, bucket, words + 1);
    for (unsigned w = 0; w < words; w++)
        entry[w] = state[w];
    entry[words] = edge << 32 | worker->source;
    bucket->words += words + 1;
}

static inline void count_entry(struct worker *worker, struct step step, const uint64_t *successor)
{
    const struct model *model = worker->search->model;
    unsigned count = inside(model, successor);
    worker->entries++;
    if (count > worker->most_inside)
        worker->most_inside = count;
    if (count > model->instance.setting.k && !worker->violation.found)
        worker->violation = (struct violation){true, worker->source, step};
}

static uint64_t add_edge(struct worker *worker, struct step step, uint8_t events)
{
    if (worker->edges == worker->edge_room) {
        worker->edge_room = worker->edge_room == 0 ? 4096 : worker->edge_room * 2;
        worker->kinds = must_reallocate(worker->kinds, worker->edge_room);
    }
    uint8_t kind = step.process;
    kind |= step.crash ? EDGE_CRASH : 0;
    kind |= events & ENTERS_DOORWAY ? EDGE_ENTERS_DOORWAY : 0;
    kind |= events & ENTERS_CRITICAL ? EDGE_ENTERS_CRITICAL : 0;
    worker->kinds[worker->edges] = kind;
    return worker->edges++;
}

static void note_missing(struct worker *worker, struct step step)
{
    if (worker->missing_count == MISSING_MAX)
        return; /* it will be met again */
    if (worker->missing_count == worker->missing_room) {
        worker->missing_room = worker->missing_room == 0 ? 64 : worker->missing_room * 2;
        worker->missing = must_reallocate(worker->missing, worker->missing_room * sizeof *worker->missing);
    }
    struct missing *missing = &worker->missing[worker->missing_count++];
    missing->step = step;
    memcpy(missing->state, worker->state, worker->search->model->words * sizeof(uint64_t));
}

static inline __attribute__((always_inline)) void take_step_of(struct worker *worker, unsigned words, struct step step,
                                                               const struct move *move)
{
    const struct search *search = worker->search;
    uint64_t successor[WORDS_MAX];
    uint8_t events;
    enum applied applied;
    worker->transitions++;
    do {
        applied = move != NULL ? apply_move(search->model, words, worker->state, step, move, successor, &events)
                               : model_apply(search->model, worker->state, step, successor, &events);
        if (applied == MISSING) {
            note_missing(worker, step);
            return;
        }
        if (same_state(successor, worker->state, words)) {
            worker->spins |= (uint16_t)(1u << step.process);
        } else {
            if (events & ENTERS_CRITICAL)
                count_entry(worker, step, successor);
            send(worker, words, successor, search->options->want_graph ? add_edge(worker, step, events) : 0);
        }
        step.gap_is_gone = true;
        worker->ambiguous += applied == AMBIGUOUS;
    } while (applied == AMBIGUOUS);
}

static inline void take_step(void *context, struct step step, const struct move *move)
{
    struct worker *worker = context;
    take_step_of(worker, worker->search->model->words, step, move);
}

/* The same where states are single words, which is where speed matters most. */
static inline void take_step_of_one_word(void *context, struct step step, const struct move *move)
{
    take_step_of(context, 1, step, move);
}

static struct standing standing_of(const struct model *model, const uint64_t *state)
{
    struct standing standing = {0};
    for (unsigned i = 0; i < model->n; i++) {
        const struct local *local = local_of(model, state, i);
        uint16_t bit = (uint16_t)(1u << i);
        standing.remainder |= local->section == REMAINDER ? bit : 0;
        standing.doorway |= local->section == DOORWAY ? bit : 0;
        standing.waiting_room |= local->section == WAITING_ROOM ? bit : 0;
        standing.critical |= local->section == CRITICAL ? bit : 0;
        standing.crashed |= local->crashed ? bit : 0;
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

static void expand_state(struct worker *worker, const struct slice *slice, uint32_t offset)
{
    const struct search *search = worker->search;
    worker->state = state_in_slice(search, slice, offset);
    worker->source = (slice->from + offset) << PARTITION_BITS | slice->partition;
    worker->position = slice->position + offset;
    worker->spins = 0;
    uint64_t edges_before = worker->edges;
    if (search->model->words == 1)
        for_each_step(search->model, worker->state, take_step_of_one_word, worker);
    else
        for_each_step(search->model, worker->state, take_step, worker);
    if (!search->options->want_graph)
        return;
    uint64_t number = search->block_first + worker->position;
    search->graph->standing[number] = standing_of(search->model, worker->state);
    search->graph->standing[number].spins = worker->spins;
    search->graph->numbers[number] = worker->source;
    search->graph->first[number] = worker->edges - edges_before; /* the degree, until settle_edges knows more */
}

static void expand_share(struct worker *worker)
{
    const struct search *search = worker->search;
    for (unsigned p = 0; p < PARTITIONS; p++)
        worker->bucket[p].words = 0;
    worker->transitions = worker->entries = worker->ambiguous = worker->edges = 0;
    worker->violation.found = false;
    uint64_t from = (uint64_t)search->block_states * worker->number / search->shares;
    uint64_t to = (uint64_t)search->block_states * (worker->number + 1) / search->shares;
    for (unsigned s = 0; s < search->slice_count; s++) {
        const struct slice *slice = &search->slices[s];
        uint64_t position = from > slice->position ? from : slice->position;
        for (; position < to && position < slice->position + slice->count; position++)
            expand_state(worker, slice, (uint32_t)(position - slice->position));
    }
}

/* First phase: the threads expand the shares of the block. */
static void expand(struct thread *thread)
{
    struct search *search = thread->search;
    for (unsigned share; (share = atomic_fetch_add(&search->next, 1)) < search->shares;)
        expand_share(&search->worker[share]);
}

/* Adds what a share has for one partition. */
static void collect_bucket(struct thread *thread, struct worker *worker, unsigned partition)
{
    struct search *search = thread->search;
    struct bucket *bucket = &worker->bucket[partition];
    unsigned stride = search->stride;
    size_t count = bucket->words / stride;
    if (count > thread->number_room) {
        thread->number_room = count + count / 2;
        thread->numbers = must_reallocate(thread->numbers, thread->number_room * sizeof *thread->numbers);
    }
    store_add(search->store, partition, bucket->entries, stride, count, thread->numbers);
    for (size_t e = 0; search->options->want_graph && e < count; e++) {
        uint64_t edge = bucket->entries[e * stride + stride - 1] >> 32;
        search->graph->targets[worker->edge_base + edge] = thread->numbers[e];
    }
}

/* Second phase: the threads take partitions and add what came for them, in the order of the block. */
static void collect(struct thread *thread)
{
    struct search *search = thread->search;
    for (unsigned p; (p = atomic_fetch_add(&search->next, 1)) < PARTITIONS;)
        for (unsigned share = 0; share < search->shares; share++)
            collect_bucket(thread, &search->worker[share], p);
}

/* --- threads -------------------------------------------------------------------------------------------------------- */

static void *helper_thread(void *argument)
{
    struct thread *thread = argument;
    struct search *search = thread->search;
    for (;;) {
        pthread_barrier_wait(&search->barrier);
        if (search->phase == NULL)
            return NULL;
        search->phase(thread);
        pthread_barrier_wait(&search->barrier);
    }
}

/* A phase of the block in hand; alone if the block has one share only. */
static void run_phase(struct search *search, void (*phase)(struct thread *thread))
{
    bool together = search->threads > 1 && (search->shares > 1 || phase == NULL);
    search->phase = phase;
    atomic_store(&search->next, 0);
    if (together)
        pthread_barrier_wait(&search->barrier);
    if (phase == NULL)
        return;
    phase(&search->thread[0]);
    if (together)
        pthread_barrier_wait(&search->barrier);
}

static void start_threads(struct search *search)
{
    search->threads = core_count();
    for (unsigned share = 0; share < SHARES_MAX; share++) {
        search->worker[share].search = search;
        search->worker[share].number = share;
    }
    for (unsigned t = 0; t < search->threads; t++)
        search->thread[t].search = search;
    if (search->threads == 1)
        return;
    pthread_barrier_init(&search->barrier, NULL, search->threads);
    for (unsigned t = 1; t < search->threads; t++)
        if (pthread_create(&search->thread[t].handle, NULL, helper_thread, &search->thread[t]) != 0)
            die("cannot start a thread");
}

static void stop_threads(struct search *search)
{
    run_phase(search, NULL);
    for (unsigned t = 0; t < search->threads; t++) {
        if (t > 0)
            pthread_join(search->thread[t].handle, NULL);
        free(search->thread[t].numbers);
    }
    if (search->threads > 1)
        pthread_barrier_destroy(&search->barrier);
    for (unsigned share = 0; share < SHARES_MAX; share++) {
        for (unsigned p = 0; p < PARTITIONS; p++)
            free(search->worker[share].bucket[p].entries);
        free(search->worker[share].missing);
        free(search->worker[share].kinds);
    }
}

/* --- one block ------------------------------------------------------------------------------------------------------ */

/* Teaches the model the steps that were missing, in the order of the states. Returns whether there were any; then the block
 * must be expanded again, which is rare once the processes have been everywhere. */
static bool learn_missing(struct search *search)
{
    bool any = false;
    for (unsigned t = 0; t < search->shares; t++) {
        struct worker *worker = &search->worker[t];
        for (size_t m = 0; m < worker->missing_count && search->exploration->stopped == NULL; m++) {
            struct missing *missing = &worker->missing[m];
            uint64_t successor[WORDS_MAX];
            uint8_t events;
            enum applied applied = model_learn(search->model, missing->state, missing->step, successor, &events);
            missing->step.gap_is_gone = true;
            if (applied == AMBIGUOUS)
                applied = model_learn(search->model, missing->state, missing->step, successor, &events);
            if (applied == MISSING)
                search->exploration->stopped = search->model->overflow;
        }
        any |= worker->missing_count > 0;
        worker->missing_count = 0;
    }
    return any;
}

/* Gives this block's edges their place in the graph. */
static void settle_edges(struct search *search)
{
    struct graph *graph = search->graph;
    uint64_t base = graph->edges, total = 0;
    for (unsigned t = 0; t < search->shares; t++) {
        search->worker[t].edge_base = base + total;
        total += search->worker[t].edges;
    }
    graph_reserve(graph, 0, total);
    uint64_t first = base;
    for (uint64_t s = search->block_first; s < search->block_first + search->block_states; s++) {
        uint64_t degree = graph->first[s];
        graph->first[s] = first;
        first += degree;
    }
    graph->first[search->block_first + search->block_states] = first;
}

static void copy_kinds(struct search *search)
{
    for (unsigned t = 0; t < search->shares; t++) {
        struct worker *worker = &search->worker[t];
        if (worker->edges > 0)
            memcpy(search->graph->kinds + worker->edge_base, worker->kinds, worker->edges);
        search->graph->edges += worker->edges;
    }
    search->graph->states += search->block_states;
}

/* What the shares found, in the order of the block, so that nothing depends on who found it. */
static void sum_up(struct search *search)
{
    struct exploration *exploration = search->exploration;
    for (unsigned t = 0; t < search->shares; t++) {
        const struct worker *worker = &search->worker[t];
        exploration->transitions += worker->transitions;
        exploration->entries += worker->entries;
        exploration->ambiguous += worker->ambiguous;
        if (worker->most_inside > exploration->most_inside)
            exploration->most_inside = worker->most_inside;
        if (worker->violation.found && !exploration->violated) {
            exploration->violated = true;
            exploration->violation_source = worker->violation.source;
            exploration->violation_step = worker->violation.step;
        }
    }
    exploration->expanded += search->block_states;
}

static void explore_block(struct search *search)
{
    bool want_graph = search->options->want_graph;
    unsigned shares = search->threads * SHARES_PER_THREAD;
    search->shares = search->block_states < WORTH_SHARING ? 1 : shares < SHARES_MAX ? shares : SHARES_MAX;
    if (want_graph) {
        search->block_first = search->graph->states;
        graph_reserve(search->graph, search->block_states + 1, 0);
    }
    do {
        run_phase(search, expand);
    } while (learn_missing(search) && search->exploration->stopped == NULL);
    if (search->exploration->stopped != NULL)
        return;
    if (want_graph)
        settle_edges(search);
    run_phase(search, collect);
    if (want_graph)
        copy_kinds(search);
    sum_up(search);
}

/* --- the whole ------------------------------------------------------------------------------------------------------ */

static void measure(struct search *search, double start)
{
    struct exploration *exploration = search->exploration;
    uint64_t bytes = atomic_load(&search->store->bytes) + graph_bytes(search->graph);
    for (unsigned t = 0; t < search->threads; t++)
        bytes += search->thread[t].number_room * sizeof *search->thread[t].numbers;
    for (unsigned share = 0; share < SHARES_MAX; share++) {
        const struct worker *worker = &search->worker[share];
        bytes += worker->bytes + worker->edge_room;
    }
    exploration->states = store_count(search->store);
    if (bytes > exploration->bytes)
        exploration->bytes = bytes;
    exploration->seconds = now() - start;
}

/* Whether a limit was reached; then exploration->stopped says which. */
static bool must_stop(struct search *search)
{
    struct exploration *exploration = search->exploration;
    const struct exploration_options *options = search->options;
    if (exploration->stopped != NULL)
        return true;
    if (interrupted)
        exploration->stopped = "interrupted";
    else if (options->max_states > 0 && exploration->states > options->max_states)
        exploration->stopped = "the limit of --max-states was reached";
    else if (options->memory_limit > 0 && exploration->bytes > options->memory_limit)
        exploration->stopped = "the memory limit was reached";
    return exploration->stopped != NULL || (options->stop_at_violation && exploration->violated);
}

/* The states found in the last level, block by block. */
static bool explore_level(struct search *search, double start, double *reported)
{
    struct store *store = search->store;
    uint32_t level_end[PARTITIONS];
    bool empty = true;
    for (unsigned p = 0; p < PARTITIONS; p++) {
        level_end[p] = store->partition[p].count;
        empty &= level_end[p] == search->level_start[p];
    }
    if (empty)
        return false;
    if (store->fingerprints)
        store_next_level(store);
    uint32_t at = search->level_start[0];
    for (unsigned p = 0; p < PARTITIONS;) {
        search->slice_count = 0;
        search->block_states = 0;
        uint64_t share = search->exploration->states / BLOCK_SHARE;
        uint32_t block = share < BLOCK_MIN ? BLOCK_MIN : share > BLOCK_MAX ? BLOCK_MAX : (uint32_t)share;
        uint64_t max_states = search->options->max_states;
        if (max_states > 0 && max_states / BLOCK_SHARE < block)
            block = (uint32_t)(max_states / BLOCK_SHARE) + 1; /* so that the limit is not overshot by much */
        while (p < PARTITIONS && search->block_states < block) {
            uint32_t room = block - search->block_states, available = level_end[p] - at;
            uint32_t count = available < room ? available : room;
            if (count > 0)
                search->slices[search->slice_count++] =
                    (struct slice){.partition = p, .from = at, .count = count, .position = search->block_states};
            search->block_states += count;
            at += count;
            if (at == level_end[p] && ++p < PARTITIONS)
                at = search->level_start[p];
        }
        if (search->block_states == 0)
            break;
        explore_block(search);
        measure(search, start);
        struct exploration *exploration = search->exploration;
        if (search->options->report != NULL && exploration->seconds - *reported > 0.2) {
            *reported = exploration->seconds;
            search->options->report(&(struct progress){.states = exploration->states,
                                                       .transitions = exploration->transitions,
                                                       .frontier = exploration->states - exploration->expanded,
                                                       .bytes = exploration->bytes,
                                                       .depth = exploration->depth,
                                                       .seconds = exploration->seconds});
        }
        if (must_stop(search))
            return false;
    }
    memcpy(search->level_start, level_end, sizeof level_end);
    search->exploration->depth++;
    return true;
}

static void explore_model(struct exploration *exploration, struct model *model,
                          const struct exploration_options *options)
{
    double start = now(), reported = 0;
    memset(exploration, 0, sizeof *exploration);
    exploration->model = model;
    exploration->graph.n = model->n;
    exploration->graph.k = model->instance.setting.k;
    store_open(&exploration->store, model->words, options->fingerprints);
    struct search *search = must_allocate(sizeof *search);
    search->exploration = exploration;
    search->options = options;
    search->model = model;
    search->store = &exploration->store;
    search->graph = &exploration->graph;
    search->stride = model->words + 1;
    interrupted = 0;
    start_threads(search);

    uint64_t first[WORDS_MAX + 1];
    uint32_t number;
    memcpy(first, model->initial, model->words * sizeof *first);
    first[model->words] = NO_STATE;
    store_add(search->store, partition_of(hash_words(first, model->words)), first, search->stride, 1, &number);
    while (explore_level(search, start, &reported))
        ;
    if (options->want_graph && exploration->stopped == NULL)
        graph_renumber(&exploration->graph, search->threads);
    measure(search, start);
    stop_threads(search);
    free(search);
}

void explore(struct exploration *exploration, struct model *model, const struct setting *setting,
             const struct exploration_options *options)
{
    model_open(model, setting);
    explore_model(exploration, model, options);
}

void exploration_close(struct exploration *exploration)
{
    store_close(&exploration->store);
    graph_close(&exploration->graph);
    model_close(exploration->model);
}
