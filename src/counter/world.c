/* SPDX-License-Identifier: MIT */
#include "counter/world.h"

#include "base/die.h"

#include <stdlib.h>

void world_open(struct world *world, const struct instance *instance, enum memory_model model, struct tally *tally)
{
    unsigned n = instance->setting.n, registers = instance->reg_count;
    *tally = (struct tally){0};
    *world = (struct world){.instance = instance,
                            .model = model,
                            .n = n,
                            .registers = registers,
                            .runners = must_allocate(n * sizeof *world->runners),
                            .values = must_allocate(registers * sizeof *world->values),
                            .copies = must_allocate((size_t)n * registers),
                            .tally = tally};
    for (unsigned r = 0; r < registers; r++)
        world->values[r] = initial_value(instance->regs[r].array);
    for (unsigned i = 0; i < n; i++)
        process_start(instance, i, &world->runners[i].process);
}

void world_close(struct world *world)
{
    struct tally *tally = world->tally;
    tally->steps_mean = tally->passages > 0 ? world->total_steps / (double)tally->passages : 0;
    tally->references_mean = tally->passages > 0 ? world->total_references / (double)tally->passages : 0;
    free(world->runners);
    free(world->values);
    free(world->copies);
}

static uint8_t *copy_of(const struct world *world, unsigned i, unsigned reg)
{
    return &world->copies[(size_t)i * world->registers + reg];
}

void look_at_step(const struct world *world, unsigned i, struct look *look)
{
    const struct process *process = &world->runners[i].process;
    process_peek(world->instance, i, process, 0, &look->access);
    process_step(world->instance, i, process, 0, world->values[look->access.reg], &look->next, &look->access);
    unsigned reg = look->access.reg;
    enum copy copy = (enum copy) * copy_of(world, i, reg);
    look->effect = effect_of(look->access.kind, look->access.value, look->access.result);
    look->remote = is_remote(world->model, world->instance->regs[reg].home == i, look->effect, &copy);
    look->enters = process->section != CRITICAL && look->next.section == CRITICAL;
}

static void change_copies(struct world *world, unsigned i, unsigned reg, struct effect effect)
{
    enum copy own = (enum copy) * copy_of(world, i, reg);
    is_remote(world->model, false, effect, &own);
    for (unsigned j = 0; j < world->n; j++) {
        uint8_t *copy = copy_of(world, j, reg);
        *copy = (uint8_t)(j == i ? own : copy_after_other(world->model, effect, (enum copy) * copy));
    }
}

static void end_passage(struct world *world, struct runner *runner)
{
    struct tally *tally = world->tally;
    tally->passages++;
    world->total_steps += (double)runner->steps;
    world->total_references += (double)runner->references;
    if (runner->steps > tally->steps_max)
        tally->steps_max = runner->steps;
    if (runner->references > tally->references_max)
        tally->references_max = runner->references;
    runner->passages++;
    runner->steps = runner->references = 0;
}

void take_looked_at(struct world *world, unsigned i, const struct look *look)
{
    struct runner *runner = &world->runners[i];
    unsigned reg = look->access.reg;
    if (register_domain(world->instance, reg) == TICKET && look->access.result >= UINT16_MAX - 1)
        die("the tickets of %s grow too large to be counted", world->instance->setting.algorithm->about.id);
    if (world->model != DSM)
        change_copies(world, i, reg, look->effect);
    world->values[reg] = look->access.result;
    runner->steps++;
    runner->references += look->remote;
    bool passed = runner->process.section != REMAINDER && look->next.section == REMAINDER;
    runner->process = look->next;
    if (passed)
        end_passage(world, runner);
}
