/* SPDX-License-Identifier: MIT
 *
 * hash.h - xxHash's XXH3 (64 bits), compiled in so that the fixed small lengths of states fold into a few instructions.
 */
#ifndef ADMIT_BASE_HASH_H
#define ADMIT_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

static inline uint64_t hash_words(const uint64_t *words, unsigned count)
{
    /* The one-word case is spelled out because it is the hottest line of the explorer. */
    return count == 1 ? XXH3_64bits(words, sizeof *words) : XXH3_64bits(words, count * sizeof *words);
}

/* XXH3 of 8 bytes is a chain of invertible steps (a rotation, an exclusive or with a constant, one with two
 * rotations of itself, odd multiplications, shifts to the right): different words have different hashes. So
 * fingerprints of states that are one word lose nothing. The unit tests hold this against the library in use. */
static inline bool hash_is_exact(unsigned words)
{
    return words == 1;
}

#endif
