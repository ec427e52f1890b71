/* SPDX-License-Identifier: MIT
 *
 * kept_records.h - registers as wide as a record of snapshot.h, for more than 4 processes, or for labels with serial numbers,
 * where the snapshot is checked: the register holds the number of a record that is kept here, equal records having
 * equal numbers. What the text reads and writes in one step is still one whole record. Number 0 is a record of zeros.
 */
#define ADMIT_TIMESTAMPS_WIDE
#include "base/die.h"

#include <stdlib.h>

static struct {
    struct record *records;
    uint32_t count, capacity;
    uint32_t *index; /* a hash table: 1 + the number */
    uint32_t index_size;
} kept;

static uint32_t *kept_place(const struct record *record)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t at = 0; at < sizeof *record; at++)
        hash = (hash ^ ((const unsigned char *)record)[at]) * 0x100000001b3;
    uint32_t at = (uint32_t)(hash ^ hash >> 29) & (kept.index_size - 1);
    while (kept.index[at] != 0 && memcmp(&kept.records[kept.index[at] - 1], record, sizeof *record) != 0)
        at = (at + 1) & (kept.index_size - 1);
    return &kept.index[at];
}

static void keep_more(void)
{
    kept.capacity = kept.capacity == 0 ? 1 << 12 : 2 * kept.capacity;
    kept.records = must_reallocate(kept.records, kept.capacity * sizeof *kept.records);
    free(kept.index);
    kept.index_size = 2 * kept.capacity;
    kept.index = must_allocate(kept.index_size * sizeof *kept.index);
    for (uint32_t number = 0; number < kept.count; number++)
        *kept_place(&kept.records[number]) = number + 1;
}

/* Only between two runs: no register may hold a number any more. */
static void restart_records(void)
{
    kept.count = 0;
    if (kept.index_size > 0)
        memset(kept.index, 0, kept.index_size * sizeof *kept.index);
}

static word record_word(const struct record *record, unsigned i, unsigned n)
{
    (void)i, (void)n;
    static const struct record zeros;
    if (kept.count == kept.capacity)
        keep_more();
    if (kept.count == 0) {
        kept.records[kept.count++] = zeros;
        *kept_place(&zeros) = 1;
    }
    uint32_t *place = kept_place(record);
    if (*place == 0) {
        kept.records[kept.count++] = *record;
        *place = kept.count;
    }
    return *place - 1;
}

static inline struct record record_of(word value, unsigned i, unsigned n)
{
    (void)i, (void)n;
    return kept.records[value];
}
