/* SPDX-License-Identifier: MIT */
#include "checker/explore/store.h"

#include "base/die.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* An entry of an index: 0 if empty, else 1 + place in the low PLACE_BITS and some bits of the hash above, so that most
 * lookups of other states are turned away without touching a record. */
enum { PLACE_BITS = 32 - PARTITION_BITS, FIRST_INDEX_SIZE = 64, BATCH = 32, SINGLE_CHUNKS = 256, SLAB = 256 };
static const uint32_t PLACE_MASK = (UINT32_C(1) << PLACE_BITS) - 1;

static uint64_t home_in_index(const struct partition *partition, uint64_t hash)
{
    return (uint64_t)(uint32_t)hash * partition->index_size >> 32;
}

/* The bits below those that chose the partition, which are the same for all in it. */
static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> (32 - PARTITION_BITS)) & ~PLACE_MASK;
}

static uint64_t *record_at(const struct store *store, const struct partition *partition, uint32_t place)
{
    return partition->records[place >> CHUNK_BITS] + (size_t)(place & (CHUNK - 1)) * store->record;
}

static uint64_t record_hash(const struct store *store, const uint64_t *record)
{
    return store->fingerprints ? *record : hash_words(record, store->words);
}

static void account(struct store *store, uint64_t more)
{
    atomic_fetch_add_explicit(&store->bytes, more, memory_order_relaxed);
}

/* Indexes and records are read at random: with large pages the machine finds its way to them more quickly. Only a hint. */
static void *on_large_pages(void *memory, size_t size)
{
    enum { LARGE = 1 << 21, PAGE = 4096 };
    if (size < LARGE)
        return memory;
    uintptr_t start = ((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    madvise((void *)start, size - (start - (uintptr_t)memory), MADV_HUGEPAGE);
    return memory;
}

static void size_index(struct store *store, struct partition *partition, uint64_t index_size)
{
    account(store, (index_size - partition->index_size) * sizeof *partition->index);
    free(partition->index);
    partition->index_size = index_size;
    size_t bytes = index_size * sizeof *partition->index;
    partition->index = on_large_pages(must_allocate(bytes), bytes);
    for (uint32_t place = 0; place < partition->count; place++) {
        uint64_t hash = record_hash(store, record_at(store, partition, place));
        uint64_t at = home_in_index(partition, hash);
        while (partition->index[at] != 0)
            at = at + 1 == index_size ? 0 : at + 1;
        partition->index[at] = tag_of(hash) | (place + 1);
    }
}

/* Chunks come one by one at first, so that small explorations stay small, and then in slabs, for the sake of large pages. */
static bool is_slab_start(uint32_t chunk)
{
    return chunk < SINGLE_CHUNKS || chunk % SLAB == 0;
}

void store_open(struct store *store, unsigned words, bool fingerprints)
{
    memset(store, 0, sizeof *store);
    store->words = words;
    store->record = fingerprints ? 1 : words;
    store->fingerprints = fingerprints;
    for (unsigned p = 0; p < PARTITIONS; p++)
        size_index(store, &store->partition[p], FIRST_INDEX_SIZE);
}

void store_close(struct store *store)
{
    for (unsigned p = 0; p < PARTITIONS; p++) {
        struct partition *partition = &store->partition[p];
        for (uint32_t c = 0; c < partition->chunks; c++) {
            if (!is_slab_start(c))
                continue;
            free(partition->records[c]);
            free(partition->parents[c]);
        }
        free(partition->records);
        free(partition->parents);
        free(partition->index);
        free(partition->next_level);
        free(partition->this_level);
    }
    memset(store, 0, sizeof *store);
}

static void add_chunk(struct store *store, struct partition *partition)
{
    if (partition->chunks == partition->chunk_room) {
        partition->chunk_room = partition->chunk_room == 0 ? 16 : partition->chunk_room * 2;
        partition->records = must_reallocate(partition->records, partition->chunk_room * sizeof *partition->records);
        partition->parents = must_reallocate(partition->parents, partition->chunk_room * sizeof *partition->parents);
    }
    size_t record_bytes = (size_t)CHUNK * store->record * sizeof(uint64_t), parent_bytes = CHUNK * sizeof(uint32_t);
    uint32_t chunk = partition->chunks++;
    if (is_slab_start(chunk)) {
        size_t chunks = chunk < SINGLE_CHUNKS ? 1 : SLAB;
        partition->records[chunk] = on_large_pages(must_allocate(chunks * record_bytes), chunks * record_bytes);
        partition->parents[chunk] = must_allocate(chunks * parent_bytes);
        account(store, chunks * (record_bytes + parent_bytes));
    } else {
        partition->records[chunk] = partition->records[chunk - 1] + record_bytes / sizeof(uint64_t);
        partition->parents[chunk] = partition->parents[chunk - 1] + parent_bytes / sizeof(uint32_t);
    }
}

/* Room for another state in full, for the level after this one. */
static uint64_t *next_of_next_level(struct store *store, struct partition *partition)
{
    if (partition->next_count == partition->next_room) {
        uint32_t room = partition->next_room == 0 ? 256 : partition->next_room + partition->next_room / 2;
        account(store, (uint64_t)(room - partition->next_room) * store->words * sizeof(uint64_t));
        partition->next_room = room;
        partition->next_level = must_reallocate(partition->next_level, (size_t)room * store->words * sizeof(uint64_t));
    }
    return partition->next_level + (size_t)partition->next_count++ * store->words;
}

static bool holds(const struct store *store, const uint64_t *record, const uint64_t *state, uint64_t hash)
{
    if (store->fingerprints)
        return *record == hash;
    for (unsigned w = 0; w < store->words; w++)
        if (record[w] != state[w])
            return false;
    return true;
}

static uint32_t append(struct store *store, struct partition *partition, const uint64_t *state, uint64_t hash,
                       uint32_t parent)
{
    uint32_t place = partition->count;
    if (place == partition->chunks << CHUNK_BITS)
        add_chunk(store, partition);
    if (place + 1 > PLACE_MASK)
        die_undecided("more than %llu states: the store cannot number them",
                      (unsigned long long)PLACE_MASK * PARTITIONS);
    uint64_t *record = record_at(store, partition, place);
    if (store->fingerprints) {
        *record = hash;
        memcpy(next_of_next_level(store, partition), state, store->words * sizeof *state);
    } else {
        memcpy(record, state, store->words * sizeof *state);
    }
    partition->parents[place >> CHUNK_BITS][place & (CHUNK - 1)] = parent;
    partition->count++;
    return place;
}

static uint32_t add_one(struct store *store, struct partition *partition, const uint64_t *state, uint64_t hash,
                        uint32_t parent)
{
    uint32_t tag = tag_of(hash);
    uint64_t at = home_in_index(partition, hash);
    for (uint32_t entry; (entry = partition->index[at]) != 0; at = at + 1 == partition->index_size ? 0 : at + 1) {
        uint32_t place = (entry & PLACE_MASK) - 1;
        if ((entry & ~PLACE_MASK) == tag && holds(store, record_at(store, partition, place), state, hash))
            return place;
    }
    uint32_t place = append(store, partition, state, hash, parent);
    partition->index[at] = tag | (place + 1);
    if (partition->count >= partition->index_size / 4 * 3)
        size_index(store, partition, partition->index_size + partition->index_size / 2);
    return place;
}

void store_add(struct store *store, unsigned number, const uint64_t *entries, unsigned stride, size_t count,
               uint32_t *numbers)
{
    struct partition *partition = &store->partition[number];
    uint64_t hashes[BATCH];
    /* Memory is far away: ask for the entries of a whole batch, then for the records they point to, then look. */
    for (size_t done = 0; done < count; done += BATCH) {
        size_t batch = count - done < BATCH ? count - done : BATCH;
        const uint64_t *entry = entries + done * stride;
        for (size_t b = 0; b < batch; b++) {
            hashes[b] = hash_words(entry + b * stride, store->words);
            __builtin_prefetch(&partition->index[home_in_index(partition, hashes[b])]);
        }
        for (size_t b = 0; b < batch; b++) {
            uint32_t entry = partition->index[home_in_index(partition, hashes[b])];
            if (entry != 0 && (entry & ~PLACE_MASK) == tag_of(hashes[b]))
                __builtin_prefetch(record_at(store, partition, (entry & PLACE_MASK) - 1));
        }
        for (size_t b = 0; b < batch; b++) {
            const uint64_t *state = entry + b * stride;
            uint32_t place = add_one(store, partition, state, hashes[b], (uint32_t)state[store->words]);
            numbers[done + b] = place << PARTITION_BITS | number;
        }
    }
}

uint32_t store_find(const struct store *store, const uint64_t *state)
{
    uint64_t hash = hash_words(state, store->words);
    const struct partition *partition = &store->partition[partition_of(hash)];
    uint64_t at = home_in_index(partition, hash);
    for (uint32_t entry; (entry = partition->index[at]) != 0; at = at + 1 == partition->index_size ? 0 : at + 1) {
        uint32_t place = (entry & PLACE_MASK) - 1;
        if ((entry & ~PLACE_MASK) == tag_of(hash) && holds(store, record_at(store, partition, place), state, hash))
            return place << PARTITION_BITS | partition_of(hash);
    }
    return NO_STATE;
}

uint32_t store_parent(const struct store *store, uint32_t number)
{
    uint32_t place = number >> PARTITION_BITS;
    return store->partition[number & (PARTITIONS - 1)].parents[place >> CHUNK_BITS][place & (CHUNK - 1)];
}

const uint64_t *store_record(const struct store *store, uint32_t number)
{
    return record_at(store, &store->partition[number & (PARTITIONS - 1)], number >> PARTITION_BITS);
}

uint64_t store_count(const struct store *store)
{
    uint64_t count = 0;
    for (unsigned p = 0; p < PARTITIONS; p++)
        count += store->partition[p].count;
    return count;
}

void store_next_level(struct store *store)
{
    for (unsigned p = 0; p < PARTITIONS; p++) {
        struct partition *partition = &store->partition[p];
        uint64_t *level = partition->this_level;
        uint32_t room = partition->this_room;
        partition->this_level = partition->next_level;
        partition->this_room = partition->next_room;
        partition->next_level = level;
        partition->next_room = room;
        partition->next_count = 0;
    }
}
