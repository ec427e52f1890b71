/* SPDX-License-Identifier: MIT
 *
 * transaction.h - what clients ask of a store (store.h), as data: the same for the world in which it is checked and for
 * one that has a store.
 */
#ifndef ADMIT_REGISTERS_TRANSACTION_H
#define ADMIT_REGISTERS_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>

/* The k that is agreed, one key; a key for each client in the line; the slots; what tells when a client drew last. */
enum family { AGREED, LINE, SLOTS, PASSAGES };
enum whose { THE_ONLY, MINE, NUMBERED };

struct key {
    enum family family;
    enum whose whose;
    unsigned number;
};

enum aspect { ALWAYS_TRUE, CREATED, MODIFIED, VALUE, LEASE_OF_OTHERS };

struct condition {
    enum aspect aspect;
    struct key key;
    uint64_t is;
};

enum deed { NOTHING_MORE, SETS, SETS_FIRST_FREE, REMOVES, LISTS };

struct action {
    enum deed deed;
    struct key key;
    unsigned below; /* of SETS_FIRST_FREE: its numbers are less, and from that of the key on */
};

enum { OF_A_TRANSACTION_MAX = 4 };

struct transaction {
    struct condition conditions[OF_A_TRANSACTION_MAX];
    struct action then[OF_A_TRANSACTION_MAX], otherwise[OF_A_TRANSACTION_MAX];
};

enum news { SOME_HAVE_GONE, WATCH_ENDED, IS_OVER };

static inline struct key mine(enum family family)
{
    return (struct key){family, MINE, 0};
}

static inline struct key numbered(enum family family, unsigned number)
{
    return (struct key){family, NUMBERED, number};
}

static inline struct key the_only(enum family family)
{
    return (struct key){family, THE_ONLY, 0};
}

static inline struct condition created_at(struct key key, uint64_t at)
{
    return (struct condition){CREATED, key, at};
}

static inline struct condition modified_at(struct key key, uint64_t at)
{
    return (struct condition){MODIFIED, key, at};
}

static inline struct condition is_missing(struct key key)
{
    return created_at(key, 0);
}

static inline struct condition says(struct key key, uint64_t number)
{
    return (struct condition){VALUE, key, number};
}

static inline struct condition none_is_mine(enum family family)
{
    return (struct condition){LEASE_OF_OTHERS, the_only(family), 0};
}

static inline struct action sets(struct key key)
{
    return (struct action){.deed = SETS, .key = key};
}

static inline struct action sets_first_free(enum family family, unsigned from, unsigned below)
{
    return (struct action){SETS_FIRST_FREE, numbered(family, from), below};
}

static inline struct action removes(struct key key)
{
    return (struct action){.deed = REMOVES, .key = key};
}

static inline struct action nothing_more(void)
{
    return (struct action){.deed = NOTHING_MORE};
}

static inline struct action lists(enum family family)
{
    return (struct action){.deed = LISTS, .key = the_only(family)};
}

#endif
