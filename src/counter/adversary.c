/* SPDX-License-Identifier: MIT
 *
 * The adversarial schedule: one process after the other is the victim, and the schedule wants a single passage of it to
 * cost as many remote references as possible.
 *
 *  - A step of the victim that is a reference is taken at once, unless it leads inside: that comes last.
 *  - Otherwise the others go on, preferably one whose next step takes a copy away that the victim has; who is inside
 *    is mostly held there. Now and then the victim takes a step that costs nothing, to get to where it costs again.
 *  - From time to time everybody else stands still, and only the victim goes on.
 *
 * If the whole configuration (everybody's local state, all registers, the victim's cache) comes back within one passage
 * of the victim, and there were references in between, then the way from one to the other can be gone round any number
 * of times: the references of a passage have no bound, and this run proves it. Where numbers grow for ever, as in the
 * Bakery algorithm, no configuration comes back, and all that can be said is that the references were still growing.
 */
#include "counter/world.h"

#include "base/die.h"
#include "base/hash.h"

#include <stdlib.h>

enum {
    VICTIMS = 4,
    BUDGET = 20000, /* steps for one victim, and so many more for each process: */
    BUDGET_EACH = 500,
    MET_BITS = 17,   /* more than twice the largest budget */
    CANDIDATES = 4,  /* of the others that are looked at before one is chosen */
    HOLD = 16,       /* one in so many who are inside and could go on do */
    ALONE_EACH = 64, /* steps of the victim while the others stand still, for each process */
    PATIENCE = 64    /* steps of the others while the victim stands before its entry, for each process */
};

struct chase {
    struct world *world;
    unsigned victim, movers; /* the others that move at all: those that come next to the victim */
    uint64_t seed;
    /* A hash table of the configurations after each reference of the victim. */
    struct met {
        uint64_t configuration, steps, references;
    } * met;
    bool repeats;
    uint64_t loop_steps, loop_references; /* of the victim, between the two */
};

/* Everybody's local state, all registers, and what the victim has in its cache: all that decides what can happen from
 * now on, and what it costs the victim; and which of its passages this is. Two of the few thousand that are compared are
 * taken for one with a probability below 10^-9. */
static uint64_t configuration_hash(const struct chase *chase)
{
    const struct world *world = chase->world;
    uint64_t hashes[3] = {world->runners[chase->victim].passages};
    for (unsigned i = 0; i < world->n; i++) {
        hashes[1] = hash_bytes(&world->runners[i].process, world->instance->process_size);
        hashes[0] = hash_words(hashes, 2);
    }
    hashes[1] = hash_bytes(world->values, world->registers * sizeof *world->values);
    hashes[2] = hash_bytes(world->copies + (size_t)chase->victim * world->registers, world->registers);
    return hash_words(hashes, 3);
}

/* Called after each reference of the victim. */
static void look_for_repetition(struct chase *chase)
{
    const struct runner *victim = &chase->world->runners[chase->victim];
    const struct met now = {configuration_hash(chase) | 1, victim->steps, victim->references};
    uint64_t at = now.configuration >> (64 - MET_BITS);
    while (chase->met[at].configuration != 0 && chase->met[at].configuration != now.configuration)
        at = (at + 1) % ((uint64_t)1 << MET_BITS);
    if (chase->met[at].configuration != 0) {
        chase->repeats = true;
        chase->loop_steps = now.steps - chase->met[at].steps;
        chase->loop_references = now.references - chase->met[at].references;
    }
    chase->met[at] = now;
}

static void step_of_victim(struct chase *chase, const struct look *look)
{
    take_looked_at(chase->world, chase->victim, look);
    if (look->remote && chase->world->runners[chase->victim].process.section != REMAINDER)
        look_for_repetition(chase);
}

/* How welcome this step of another process is. */
static unsigned welcome(const struct chase *chase, const struct look *look, unsigned other)
{
    const struct world *world = chase->world;
    bool takes_copy = look->effect.writes && world->copies[(size_t)chase->victim * world->registers + look->access.reg];
    if (takes_copy)
        return 3;
    return world->runners[other].process.section == CRITICAL ? 0 : look->enters ? 2 : 1;
}

static void step_of_another(struct chase *chase)
{
    struct look look, best;
    unsigned chosen = chase->victim, most = 0;
    for (unsigned candidate = 0; candidate < CANDIDATES; candidate++) {
        unsigned other = (chase->victim + 1 + random_below(&chase->seed, chase->movers)) % chase->world->n;
        look_at_step(chase->world, other, &look);
        unsigned value = welcome(chase, &look, other);
        if (value == 0 && random_below(&chase->seed, HOLD) > 0)
            continue;
        if (chosen == chase->victim || value > most) {
            chosen = other;
            most = value;
            best = look;
        }
    }
    if (chosen != chase->victim)
        take_looked_at(chase->world, chosen, &best);
}

/* Whether the present passage of the victim has gone on for most of the budget, and cost as much in its second half as
 * in its first. */
static bool still_grows(const struct runner *victim, uint64_t begun, uint64_t halfway, uint64_t budget)
{
    return begun < budget / 4 && victim->references > 64 && victim->references > halfway + halfway / 2;
}

static void note_waiting(const struct chase *chase, bool grows)
{
    struct tally *tally = chase->world->tally;
    const struct runner *victim = &chase->world->runners[chase->victim];
    if (chase->repeats) {
        tally->waiting = REPEATS;
        tally->wait_references = chase->loop_references;
        tally->wait_steps = chase->loop_steps;
    } else if (grows && tally->waiting == ENDS) {
        tally->waiting = GROWS;
        tally->wait_references = victim->references;
        tally->wait_steps = victim->steps;
    }
    if (victim->references > tally->references_max)
        tally->references_max = victim->references;
}

static void pursue(struct chase *chase, uint64_t budget)
{
    struct world *world = chase->world;
    const struct runner *victim = &world->runners[chase->victim];
    struct look look;
    uint64_t begun = 0, halfway = 0, patience = 0;
    const uint64_t alone = (uint64_t)ALONE_EACH * world->n, patience_max = (uint64_t)PATIENCE * world->n;
    for (uint64_t step = 0; step < budget && !chase->repeats; step++) {
        if (victim->process.section == REMAINDER)
            begun = step;
        if (step == budget / 2)
            halfway = victim->references;
        look_at_step(world, chase->victim, &look);
        bool others_stand_still = step / alone % 4 == 3;
        bool goes = look.enters ? patience >= patience_max
                                : look.remote || others_stand_still || random_below(&chase->seed, 2) == 0;
        if (goes || chase->movers == 0) {
            step_of_victim(chase, &look);
            patience = 0;
        } else {
            step_of_another(chase);
            patience++;
        }
    }
    note_waiting(chase, still_grows(victim, begun, halfway, budget));
}

/* Everybody goes on at random for a while, and until the victim is in its remainder: its passage is pursued from its
 * start, with a cache that has seen something. */
static void let_go(struct chase *chase, uint64_t budget)
{
    struct world *world = chase->world;
    struct look look;
    for (uint64_t step = 0; step < budget; step++) {
        if (step > budget / 4 && world->runners[chase->victim].process.section == REMAINDER)
            return;
        unsigned i = random_below(&chase->seed, world->n);
        look_at_step(world, i, &look);
        take_looked_at(world, i, &look);
    }
}

void count_adversarially(struct world *world, uint64_t seed)
{
    unsigned n = world->n, k = world->instance->setting.k, victims = n < VICTIMS ? n : VICTIMS;
    uint64_t budget = BUDGET + (uint64_t)BUDGET_EACH * n;
    /* All others move, or as few as can be in each other's way. */
    const unsigned movers[] = {n - 1, k + 1 < n - 1 ? k + 1 : n - 1};
    for (unsigned v = 0; v < victims && world->tally->waiting != REPEATS; v++)
        for (unsigned m = 0; m < 2 && world->tally->waiting != REPEATS; m++) {
            struct chase chase = {.world = world,
                                  .victim = victims == 1 ? 0 : v * (n - 1) / (victims - 1),
                                  .movers = movers[m],
                                  .seed = (seed + 2 * v + m) * UINT64_C(0x9E3779B97F4A7C15) | 1,
                                  .met = must_allocate(sizeof(struct met) << MET_BITS)};
            let_go(&chase, budget / 4);
            pursue(&chase, budget);
            free(chase.met);
        }
}
