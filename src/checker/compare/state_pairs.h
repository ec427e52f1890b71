/* SPDX-License-Identifier: MIT
 *
 * state_pairs.h - the inside of a comparison, shared by state_pairs.c (which pairs of states there are) and equivalence.c (what
 * they say of the two systems).
 */
#ifndef ADMIT_CHECKER_COMPARE_STATE_PAIRS_H
#define ADMIT_CHECKER_COMPARE_STATE_PAIRS_H

#include "checker/compare/equivalence.h"

enum { PAIR_WORDS_MAX = 2 * WORDS_MAX };

/* Pairs on their way to one partition of the store: each with its parent in one more word. */
struct bucket {
    uint64_t *entries;
    size_t words, room;
};

/* A step of a process from a pair, by the pair's number. */
struct pair_step {
    uint32_t source;
    uint8_t process;
};

struct pair_steps {
    struct pair_step *steps;
    size_t count, room;
};

/* A run of the pairs of a block, and all that comes of expanding them. */
struct share {
    struct bucket bucket[PARTITIONS];
    struct pair_steps missing; /* a model does not know the step yet */
    struct pair_steps parting; /* after the step, its process is in different regions */
    uint32_t *numbers;         /* scratch for store_add */
    size_t number_room;
    uint64_t ambiguous, bytes;
    uint32_t source;
    const uint64_t *pair;
};

struct slice {
    unsigned partition;
    uint32_t from, count;
    uint32_t position; /* of its first pair in the block */
};

struct comparison {
    struct equivalence *equivalence;
    const struct equivalence_limits *limits;
    struct model model[2];
    unsigned words, stride;
    struct store store;
    unsigned cores, shares;
    struct share *share;
    uint32_t level_start[PARTITIONS];
    struct slice slices[PARTITIONS];
    unsigned slice_count;
    uint32_t block_pairs;
    uint64_t expanded;
    unsigned tries; /* at this level */
    double start, reported;
    bool stopped;
};

/* Explores all pairs, until the systems are told apart or a limit is reached; then it has stopped. */
void pairs_explore(struct comparison *comparison);
void pairs_close(struct comparison *comparison);
void pairs_stop(struct comparison *comparison, const char *why);

/* Looks through the steps of this block after which regions differ, and stops if one of them tells the systems
 * apart. In equivalence.c. */
void try_to_part(struct comparison *comparison);

/* What process i would do in a state; in the native order it has one move. NULL: it has no passage left. */
static inline const struct move *move_in(const struct model *model, const uint64_t *state, unsigned i,
                                         struct step *step)
{
    const struct local *local = local_of(model, state, i);
    if (local->moves == 0)
        return NULL;
    const struct move *move = &model->automaton[i].moves[local->first_move];
    *step = (struct step){.process = (uint8_t)i, .value = field_get(state, move->field)};
    return move;
}

#endif
