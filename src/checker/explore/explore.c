/* SPDX-License-Identifier: MIT */
#include "checker/explore/search.h"

#include "base/clock.h"
#include "base/die.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "checker/reduce/idle.h"
#include "checker/reduce/normal_form.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
    BLOCK_MIN = 1 << 15, /* states expanded between two exchanges */
    BLOCK_MAX = 1 << 20,
    BLOCK_SHARE = 16,      /* a block is at most this part of all states, so that its successors take little memory */
    WORTH_SHARING = 512,   /* a smaller block is not worth waking anybody for */
    SHARES_PER_THREAD = 4, /* so that nobody waits long for a thread that was held up */
};

static volatile sig_atomic_t interrupted;

void explore_interrupt(void)
{
    interrupted = 1;
}

/* --- phases and threads ------------------------------------------------------------------------------------------- */

/* First phase: the threads expand the shares of the block. */
static void expand(struct thread *thread)
{
    struct search *search = thread->search;
    for (unsigned s; (s = atomic_fetch_add(&search->next, 1)) < search->shares;)
        expand_share(&search->share[s]);
}

/* Second phase: the threads take partitions and add what came for them, in the order of the block. */
static void collect(struct thread *thread)
{
    struct search *search = thread->search;
    for (unsigned p; (p = atomic_fetch_add(&search->next, 1)) < PARTITIONS;)
        for (unsigned s = 0; s < search->shares; s++)
            collect_bucket(thread, &search->share[s], p);
}

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
    for (unsigned s = 0; s < SHARES_MAX; s++) {
        search->share[s].search = search;
        search->share[s].number = s;
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
    for (unsigned s = 0; s < SHARES_MAX; s++) {
        for (unsigned p = 0; p < PARTITIONS; p++)
            free(search->share[s].bucket[p].entries);
        free(search->share[s].missing);
        free(search->share[s].kinds);
    }
}

/* --- one block ---------------------------------------------------------------------------------------------------- */

/* Teaches the model the steps that were missing, in the order of the states. Returns whether there were any; then
 * the block must be expanded again, which is rare once the processes have been everywhere. */
static bool learn_missing(struct search *search)
{
    bool any = false, full = false;
    for (unsigned t = 0; t < search->shares; t++) {
        struct share *share = &search->share[t];
        for (size_t m = 0; !full && m < share->missing_count && search->exploration->stopped == NULL; m++) {
            struct missing *missing = &share->missing[m];
            uint64_t successor[WORDS_MAX];
            uint8_t events;
            enum applied applied = model_learn(search->model, missing->state, missing->step, successor, &events);
            if (applied == APPLIED && search->model->hurries)
                applied = learn_idle_steps(search->model, successor);
            missing->step.gap_is_gone = true;
            if (applied == AMBIGUOUS)
                applied = model_learn(search->model, missing->state, missing->step, successor, &events);
            if (applied == MISSING)
                search->exploration->stopped = search->model->overflow;
        }
        any |= share->missing_count > 0;
        /* Where a share could not note all, what comes after it must wait, or the numbers would depend on the
         * shares. */
        full |= share->missing_count == MISSING_MAX;
        share->missing_count = 0;
    }
    return any;
}

/* Gives this block's edges their place in the graph. */
static void settle_edges(struct search *search)
{
    struct graph *graph = search->graph;
    uint64_t base = graph->edges, total = 0;
    for (unsigned t = 0; t < search->shares; t++) {
        search->share[t].edge_base = base + total;
        total += search->share[t].edges;
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
        struct share *share = &search->share[t];
        if (share->edges > 0)
            memcpy(search->graph->kinds + share->edge_base, share->kinds, share->edges);
        search->graph->edges += share->edges;
    }
    search->graph->states += search->block_states;
}

/* What the shares found, in the order of the block, so that nothing depends on who found it. */
static void sum_up(struct search *search)
{
    struct exploration *exploration = search->exploration;
    for (unsigned t = 0; t < search->shares; t++) {
        const struct share *share = &search->share[t];
        exploration->transitions += share->transitions;
        exploration->entries += share->entries;
        exploration->ambiguous += share->ambiguous;
        if (share->violation.found && !exploration->violated) {
            exploration->violated = true;
            exploration->violation_source = share->violation.source;
            exploration->violation_step = share->violation.step;
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

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static void measure(struct search *search)
{
    struct exploration *exploration = search->exploration;
    uint64_t bytes = atomic_load(&search->store->bytes) + graph_bytes(search->graph);
    for (unsigned t = 0; t < search->threads; t++)
        bytes += search->thread[t].number_room * sizeof *search->thread[t].numbers;
    for (unsigned s = 0; s < SHARES_MAX; s++) {
        const struct share *share = &search->share[s];
        bytes += share->bytes + share->edge_room;
    }
    exploration->states = store_count(search->store);
    if (bytes > exploration->bytes)
        exploration->bytes = bytes;
    exploration->seconds = now() - search->start;
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

/* Says how far it has come, and whether it must stop there. */
static bool take_stock(struct search *search)
{
    struct exploration *exploration = search->exploration;
    measure(search);
    if (search->options->report != NULL && exploration->seconds - search->reported > 0.2) {
        search->reported = exploration->seconds;
        search->options->report(&(struct progress){.states = exploration->states,
                                                   .transitions = exploration->transitions,
                                                   .frontier = exploration->states - exploration->expanded,
                                                   .bytes = exploration->bytes,
                                                   .depth = exploration->depth,
                                                   .seconds = exploration->seconds});
    }
    return must_stop(search);
}

/* The states found in the last level, block by block. */
static bool explore_level(struct search *search)
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
        if (take_stock(search))
            return false;
    }
    memcpy(search->level_start, level_end, sizeof level_end);
    search->exploration->depth++;
    return true;
}

/* Adds the one state to start in. */
static void add_start(struct search *search, const uint64_t *state)
{
    uint64_t entry[WORDS_MAX + 1];
    uint32_t number;
    memcpy(entry, state, search->model->words * sizeof *entry);
    entry[search->model->words] = NO_STATE;
    store_add(search->store, partition_of(hash_words(state, search->model->words)), entry, search->stride, 1, &number);
    search->graph->roots = 1;
}

/* Adds the states to start in, a bufferful at a time for each partition; numbers come by partition, as always. There may
 * be more of them than there is memory for. */
static void add_roots(struct search *search)
{
    enum { ROOM = 256, STOCK_IS_TAKEN_AFTER = 1 << 16 };
    const struct model *model = search->model;
    unsigned stride = search->stride;
    uint64_t *entries = must_allocate((size_t)PARTITIONS * ROOM * stride * sizeof *entries);
    unsigned *count = must_allocate(PARTITIONS * sizeof *count);
    uint32_t numbers[ROOM];
    struct roots roots;
    if (roots_count(model) > UINT32_MAX / 2) {
        search->exploration->stopped = "there are too many states to start in";
        roots.done = true;
    } else {
        roots_first(&roots, model);
    }
    for (uint64_t added = 1; !roots.done; roots_next(&roots), added++) {
        unsigned p = partition_of(hash_words(roots.state, model->words));
        uint64_t *entry = entries + ((size_t)p * ROOM + count[p]++) * stride;
        memcpy(entry, roots.state, model->words * sizeof *entry);
        entry[model->words] = NO_STATE;
        if (count[p] == ROOM) {
            store_add(search->store, p, entries + (size_t)p * ROOM * stride, stride, ROOM, numbers);
            count[p] = 0;
        }
        if (added % STOCK_IS_TAKEN_AFTER == 0 && take_stock(search))
            break;
    }
    for (unsigned p = 0; p < PARTITIONS; p++)
        store_add(search->store, p, entries + (size_t)p * ROOM * stride, stride, count[p], numbers);
    search->graph->roots = (uint32_t)store_count(search->store);
    free(count);
    free(entries);
}

static void explore_model(struct exploration *exploration, struct model *model,
                          const struct exploration_options *options)
{
    memset(exploration, 0, sizeof *exploration);
    exploration->model = model;
    exploration->scheduled = options->schedule != NULL;
    if (exploration->scheduled)
        schedule_follow(options->schedule, model, &exploration->beginning);
    exploration->ambiguous = exploration->beginning.ambiguous;
    exploration->graph.n = model->n;
    exploration->graph.participants = model->instance.setting.n;
    exploration->graph.k = model->instance.setting.k;
    exploration->graph.aborts = model->instance.setting.aborts || (model->instance.setting.ways & REMOVAL) != 0;
    exploration->graph.recovers = model->instance.setting.algorithm->more.give_up != NULL;
    /* A state of one word is as small as its fingerprint, and need not be kept beside it until it is expanded. */
    store_open(&exploration->store, model->words, options->fingerprints && !hash_is_exact(model->words));
    struct search *search = must_allocate(sizeof *search);
    search->exploration = exploration;
    search->options = options;
    search->model = model;
    search->store = &exploration->store;
    search->graph = &exploration->graph;
    search->stride = model->words + 1;
    search->start = now();
    interrupted = 0;
    start_threads(search);

    if (exploration->scheduled)
        add_start(search, exploration->beginning.state);
    else
        add_roots(search);
    while (exploration->stopped == NULL && explore_level(search))
        ;
    if (options->want_graph && exploration->stopped == NULL)
        graph_renumber(&exploration->graph, search->threads);
    measure(search);
    stop_threads(search);
    free(search);
}

void explore(struct exploration *exploration, struct model *model, const struct setting *setting,
             const struct exploration_options *options)
{
    open_reduced(model, setting);
    model->hurries = options->hurry && has_idle_steps(model);
    explore_model(exploration, model, options);
}

void exploration_close(struct exploration *exploration)
{
    store_close(&exploration->store);
    graph_close(&exploration->graph);
    beginning_close(&exploration->beginning);
    model_close(exploration->model);
}
