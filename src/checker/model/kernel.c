/* SPDX-License-Identifier: MIT */
#include "checker/model/kernel.h"

#include "registers/beds.h"

void kernel_marks(struct sleepers *sleepers, unsigned n, unsigned i, unsigned choice)
{
    (void)choice;
    sleepers->life[i] = DEAD;
    sleepers->bed[i] = with_bed(sleepers->bed[i], UP);
    for (unsigned j = 0; j < n; j++)
        if (bed(sleepers->bed[j]) == LYING)
            sleepers->bed[j] = with_bed(sleepers->bed[j], UP);
}

/* The first who is there, going round from the one that the choice names. */
void kernel_wakes_one(struct sleepers *sleepers, unsigned n, unsigned i, unsigned choice)
{
    for (unsigned skip = 0; skip + 1 < n; skip++) {
        uint64_t *its = &sleepers->bed[(i + 1 + (choice + skip) % (n - 1)) % n];
        if (bed(*its) == ASLEEP)
            *its = with_bed(*its, WOKEN);
        if (bed(*its) == WOKEN)
            return;
    }
}

bool is_asleep(uint64_t its)
{
    return bed(its) == ASLEEP;
}

void kernel_ends_sleep(struct sleepers *sleepers, unsigned n, unsigned i, unsigned choice)
{
    (void)n, (void)choice;
    if (is_asleep(sleepers->bed[i]))
        sleepers->bed[i] = with_bed(sleepers->bed[i], WOKEN);
}

static unsigned number_of_register(const struct instance *instance, array first)
{
    return (unsigned)(first - instance->cells);
}

unsigned kernel_beds(const struct instance *instance)
{
    return number_of_register(instance, instance->setting.algorithm->more.watched(instance->shared).beds);
}

unsigned kernel_lives(const struct instance *instance)
{
    return number_of_register(instance, instance->setting.algorithm->more.watched(instance->shared).lives);
}
