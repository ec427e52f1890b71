/* SPDX-License-Identifier: MIT
 *
 * world.h - the counted world: processes that run the stepped text one step at a time, registers, and what everybody has
 * in its cache. A step is looked at first and taken then, so that a schedule may depend on what a step would cost.
 */
#ifndef ADMIT_COUNTER_WORLD_H
#define ADMIT_COUNTER_WORLD_H

#include "checker/model/references.h"
#include "counter/passage_costs.h"

struct runner {
    struct process process;
    uint64_t steps, references; /* in the present passage */
    uint64_t passages;
};

struct world {
    const struct instance *instance;
    enum memory_model model;
    unsigned n, registers;
    struct runner *runners;
    uint64_t *values;
    uint8_t *copies; /* enum copy, of register r in the cache of process i: [i * registers + r] */
    struct tally *tally;
    double total_steps, total_references;
};

/* What the next step of a process would be. */
struct look {
    struct process next;
    struct access access;
    struct effect effect;
    bool remote, enters;
};

void world_open(struct world *world, const struct instance *instance, enum memory_model model, struct tally *tally);
/* Fills in the means. */
void world_close(struct world *world);
void look_at_step(const struct world *world, unsigned i, struct look *look);
void take_looked_at(struct world *world, unsigned i, const struct look *look);

/* xorshift64* (S. Vigna, 2016): short, and the same everywhere. */
static inline uint64_t random_number(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static inline unsigned random_below(uint64_t *state, unsigned limit)
{
    return (unsigned)((random_number(state) >> 32) % limit);
}

/* The adversarial schedule (adversary.c). */
void count_adversarially(struct world *world, uint64_t seed);

#endif
