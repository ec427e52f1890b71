/* SPDX-License-Identifier: MIT */
#include "counter/passage_costs.h"

#include "counter/world.h"

const char *const schedule_name[SCHEDULES] = {
    [ROUND_ROBIN] = "round-robin", [RANDOM] = "random", [ADVERSARIAL] = "adversarial"};

enum { PASSAGES_EACH_MAX = 200, PASSAGES_EACH_MIN = 4, PASSAGES = 256 };

static uint64_t passages_each(unsigned n)
{
    unsigned each = PASSAGES / n;
    return each > PASSAGES_EACH_MAX ? PASSAGES_EACH_MAX : each < PASSAGES_EACH_MIN ? PASSAGES_EACH_MIN : each;
}

static void count_regularly(struct world *world, enum schedule schedule, uint64_t seed)
{
    unsigned n = world->n, done = 0;
    uint64_t each = passages_each(n);
    struct look look;
    for (uint64_t step = 0; step < STEPS_MAX && done < n; step++) {
        unsigned i = schedule == ROUND_ROBIN ? (unsigned)(step % n) : random_below(&seed, n);
        uint64_t before = world->runners[i].passages;
        look_at_step(world, i, &look);
        take_looked_at(world, i, &look);
        done += before < each && world->runners[i].passages >= each;
    }
    world->tally->starved = done < n;
}

void count_run(struct tally *tally, const struct instance *instance, enum memory_model model, enum schedule schedule,
               uint64_t seed)
{
    struct world world;
    world_open(&world, instance, model, tally);
    if (schedule == ADVERSARIAL)
        count_adversarially(&world, seed);
    else
        count_regularly(&world, schedule, seed);
    world_close(&world);
}
