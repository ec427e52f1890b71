/* SPDX-License-Identifier: MIT
 *
 * search.h - the inside of an exploration, shared by explore.c (threads, blocks, levels) and expand.c (states and
 * steps).
 */
#ifndef ADMIT_CHECKER_EXPLORE_SEARCH_H
#define ADMIT_CHECKER_EXPLORE_SEARCH_H

#include "checker/explore/explore.h"

#include <pthread.h>

enum { SHARES_MAX = 64, MISSING_MAX = 1 << 14 /* steps noted per share before the model learns them */ };

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

/* One share of a block: a run of its states, and all that comes of expanding them. Whoever has time takes the next
 * one. */
struct share {
    struct search *search;
    unsigned number;
    struct bucket bucket[PARTITIONS];
    struct missing *missing;
    size_t missing_count, missing_room;
    uint64_t transitions, entries, ambiguous;
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

struct slice {
    unsigned partition;
    uint32_t from, count;
    uint32_t position; /* of its first state in the block */
};

struct thread {
    struct search *search;
    pthread_t handle;
    uint32_t *numbers; /* scratch for store_add */
    size_t number_room;
};

struct search {
    struct exploration *exploration;
    const struct exploration_options *options;
    struct model *model;
    struct store *store;
    struct graph *graph;
    unsigned threads, stride;
    double start, reported; /* when it began, and how long after that it has last said how far it is */
    struct thread thread[SHARES_MAX];
    pthread_barrier_t barrier;
    void (*phase)(struct thread *thread);
    unsigned shares; /* of this block */
    struct share share[SHARES_MAX];
    uint32_t level_start[PARTITIONS];
    struct slice slices[PARTITIONS];
    unsigned slice_count;
    uint32_t block_states;
    uint64_t block_first; /* number of its first state in the graph */
    atomic_uint next;     /* share, or partition */
};

/* Expands the states of a share into its buckets, counters and edges; what the model does not know is noted as
 * missing. */
void expand_share(struct share *share);
/* Adds what a share has for one partition to the store, and the targets of its edges to the graph. */
void collect_bucket(struct thread *thread, struct share *share, unsigned partition);

#endif
