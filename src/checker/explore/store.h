/* SPDX-License-Identifier: MIT
 *
 * store.h - the set of states found so far: for each its record, its parent, and a number.
 *
 * The store is split into PARTITIONS by hash; each partition is an open-addressed index of 32-bit entries over records
 * that are appended and never move. One thread works on one partition at a time, so nothing is locked. A state's number
 * is (place in its partition) * PARTITIONS + partition: stable, dense enough to index arrays with, and the same in
 * every run, because states reach a partition in an order that does not depend on the number of threads.
 *
 * A record is the packed state itself or, with fingerprints, its 64-bit hash. Memory per state: the record, 4 bytes of
 * parent, and 4 bytes of index at a load between 1/2 and 3/4.
 */
#ifndef ADMIT_CHECKER_EXPLORE_STORE_H
#define ADMIT_CHECKER_EXPLORE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARTITION_BITS = 9, PARTITIONS = 1 << PARTITION_BITS, CHUNK_BITS = 10, CHUNK = 1 << CHUNK_BITS };

#define NO_STATE UINT32_MAX

struct partition {
    uint32_t *index;
    uint64_t index_size;
    uint64_t **records; /* chunks of CHUNK records each */
    uint32_t **parents;
    uint32_t count, chunks, chunk_room;
    /* With fingerprints the states of the two newest levels are kept in full, to be expanded. */
    uint64_t *next_level;
    uint32_t next_count, next_room;
    uint64_t *this_level;
    uint32_t this_room;
};

struct store {
    unsigned words;  /* of a state */
    unsigned record; /* words of a record: the same, or 1 for fingerprints */
    bool fingerprints;
    _Atomic uint64_t bytes;
    struct partition partition[PARTITIONS];
};

void store_open(struct store *store, unsigned words, bool fingerprints);
void store_close(struct store *store);

/* Adds the states of a batch, `stride` words apart, each followed by its parent in the low half of one more word;
 * numbers receives each state's number. is_new (may be NULL) counts those that were not there. All belong to one
 * partition. */
void store_add(struct store *store, unsigned partition, const uint64_t *entries, unsigned stride, size_t count,
               uint32_t *numbers);

/* The number of a state, or NO_STATE. */
uint32_t store_find(const struct store *store, const uint64_t *state);
uint32_t store_parent(const struct store *store, uint32_t number);
const uint64_t *store_record(const struct store *store, uint32_t number);
uint64_t store_count(const struct store *store);

/* With fingerprints: what was new becomes what is expanded. */
void store_next_level(struct store *store);

static inline unsigned partition_of(uint64_t hash)
{
    return (unsigned)(hash >> (64 - PARTITION_BITS));
}

#endif
