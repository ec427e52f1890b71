/* SPDX-License-Identifier: MIT */
#include "counter/run.h"

#include "checker/die.h"

#include <stdlib.h>

const char *const schedule_name[SCHEDULES] = {[ROUND_ROBIN] = "round-robin", [RANDOM] = "random"};

/* xorshift64* (S. Vigna, 2016): short, and the same everywhere. */
static uint64_t random_number(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

struct runner {
    struct process process;
    uint64_t steps, passages;
};

struct world {
    const struct instance *instance;
    struct runner *runners;
    uint64_t *values;
    struct tally *tally;
    double total_steps;
};

static void take_step(struct world *world, unsigned i)
{
    struct runner *runner = &world->runners[i];
    struct process next;
    struct access access;
    process_peek(world->instance, i, &runner->process, 0, &access);
    process_step(world->instance, i, &runner->process, 0, world->values[access.reg], &next, &access);
    if (register_domain(world->instance, access.reg) == TICKET && access.result >= UINT16_MAX - 1)
        die("the tickets of %s grow too large to be counted", world->instance->setting.algorithm->about.id);
    world->values[access.reg] = access.result;
    runner->steps++;
    bool passed = runner->process.section != REMAINDER && next.section == REMAINDER;
    runner->process = next;
    if (!passed)
        return;
    world->tally->passages++;
    world->total_steps += (double)runner->steps;
    if (runner->steps > world->tally->steps_max)
        world->tally->steps_max = runner->steps;
    runner->passages++;
    runner->steps = 0;
}

void count_run(struct tally *tally, const struct instance *instance, enum schedule schedule, uint64_t passages_each,
               uint64_t max_steps, uint64_t seed)
{
    unsigned n = instance->setting.n, done = 0;
    struct world world = {.instance = instance,
                          .runners = must_allocate(n * sizeof *world.runners),
                          .values = must_allocate(instance->reg_count * sizeof *world.values),
                          .tally = tally};
    *tally = (struct tally){0};
    for (unsigned r = 0; r < instance->reg_count; r++)
        world.values[r] = initial_value(instance->regs[r].array);
    for (unsigned i = 0; i < n; i++)
        process_start(instance, i, &world.runners[i].process);
    for (uint64_t step = 0; step < max_steps && done < n; step++) {
        unsigned i = schedule == ROUND_ROBIN ? (unsigned)(step % n) : (unsigned)(random_number(&seed) % n);
        uint64_t before = world.runners[i].passages;
        take_step(&world, i);
        done += before < passages_each && world.runners[i].passages >= passages_each;
    }
    tally->starved = done < n;
    tally->steps_mean = tally->passages > 0 ? world.total_steps / (double)tally->passages : 0;
    free(world.runners);
    free(world.values);
}
