/* SPDX-License-Identifier: MIT */
#include "checker/model/kernel.h"

#include "registers/posture.h"

/* Those who are about to sleep do not. */
static void rouse(struct sleepers *sleepers, unsigned n)
{
    for (unsigned j = 0; j < n; j++)
        if (posture(sleepers->sleep_word[j]) == LYING)
            sleepers->sleep_word[j] = with_posture(sleepers->sleep_word[j], UP);
}

void kernel_marks(struct sleepers *sleepers, unsigned n, unsigned i, unsigned choice)
{
    (void)choice;
    sleepers->life[i] = DEAD;
    sleepers->sleep_word[i] = with_posture(sleepers->sleep_word[i], UP);
    rouse(sleepers, n);
}

/* The first who is there, going round from the one that the choice names. */
void kernel_wakes_one(struct sleepers *sleepers, unsigned n, unsigned i, unsigned choice)
{
    for (unsigned skip = 0; skip + 1 < n; skip++) {
        uint64_t *its = &sleepers->sleep_word[(i + 1 + (choice + skip) % (n - 1)) % n];
        if (posture(*its) == ASLEEP)
            *its = with_posture(*its, WOKEN);
        if (posture(*its) == WOKEN)
            return;
    }
}

void kernel_tells_of_end(struct sleepers *sleepers, unsigned n, unsigned i, unsigned choice)
{
    if (sleepers->life[i] != DEAD)
        return; /* its starter waits for it */
    rouse(sleepers, n);
    kernel_wakes_one(sleepers, n, i, choice);
}

bool is_asleep(uint64_t its)
{
    return posture(its) == ASLEEP;
}

bool is_nobodys(uint64_t life)
{
    return life == NOBODYS;
}

void kernel_ends_sleep(struct sleepers *sleepers, unsigned n, unsigned i, unsigned choice)
{
    (void)n, (void)choice;
    if (is_asleep(sleepers->sleep_word[i]))
        sleepers->sleep_word[i] = with_posture(sleepers->sleep_word[i], WOKEN);
}

static unsigned number_of_register(const struct instance *instance, array first)
{
    return (unsigned)(first - instance->cells);
}

unsigned kernel_sleep_words(const struct instance *instance)
{
    return number_of_register(instance, instance->setting.algorithm->more.watched(instance->shared).sleep_words);
}

unsigned kernel_lives(const struct instance *instance)
{
    return number_of_register(instance, instance->setting.algorithm->more.watched(instance->shared).lives);
}
