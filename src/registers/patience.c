/* SPDX-License-Identifier: MIT */
#include "registers/patience.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Measured with 64 processes on 2 cores, and with 2 on 2. Spins and yields are an allowance for a whole passage, not
 * for each wait in it: whoever has slept once is in a crowd, where spinning only keeps the one waited for off the
 * core. */
enum {
    SPINS = 100, /* a few microseconds: longer than a hand-over between two running cores */
    YIELDS = 2,  /* lets others on this core run, perhaps the one waited for, before a sleep that must be woken */
    FIRST_SLEEP_US = 1000,
    LONGEST_SLEEP_US = 64000, /* 16 looks a second for a process that will be woken */
    LONGEST_NAP_US = 8000     /* for a process that perhaps watches the wrong register */
};

static inline void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* The half of a register that the kernel compares. */
static uint32_t *low_half(_Atomic uint64_t *watched)
{
    return (uint32_t *)watched + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Not the private kind of futex: the waker may be another process. */
static void sleep_until_change(_Atomic uint64_t *watched, uint64_t seen, _Atomic uint32_t *sleepers, long limit_us)
{
    struct timespec limit = {0, limit_us * 1000};
    atomic_fetch_add(sleepers, 1);
    syscall(SYS_futex, low_half(watched), FUTEX_WAIT, (uint32_t)seen, &limit, NULL, 0);
    atomic_fetch_sub(sleepers, 1);
}

/* Whether there was something cheaper to do than to sleep. */
static bool spun_or_yielded(struct patience *patience)
{
    if (patience->spins < SPINS) {
        patience->spins++;
        pause_core();
        return true;
    }
    if (patience->yields < YIELDS) {
        patience->yields++;
        sched_yield();
        return true;
    }
    return false;
}

static long next_sleep_us(struct patience *patience, long longest)
{
    long limit = (long)FIRST_SLEEP_US << patience->sleeps;
    if (limit >= longest)
        return longest;
    patience->sleeps++;
    return limit;
}

void admit_be_patient(struct patience *patience, enum watch watch, _Atomic uint64_t *watched, uint64_t seen,
                      _Atomic uint32_t *sleepers)
{
    if (spun_or_yielded(patience))
        return;
    long longest = watch == AWAITED ? LONGEST_SLEEP_US : LONGEST_NAP_US;
    sleep_until_change(watched, seen, sleepers, next_sleep_us(patience, longest));
}

void admit_wake(const _Atomic uint64_t *watched)
{
    syscall(SYS_futex, low_half((_Atomic uint64_t *)watched), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* --- bays -------------------------------------------------------------------------------------------------------- */

static _Atomic unsigned long rung, woken, most_woken;

static _Atomic uint32_t *bell_of(struct parking *parking, unsigned bay)
{
    return &parking->bell[bay / 32 % 2];
}

static uint32_t set_of(unsigned bay)
{
    return UINT32_C(1) << bay % 32;
}

void admit_be_patient_in(struct patience *patience, struct parking *parking, unsigned bay)
{
    if (!patience->parked) {
        if (spun_or_yielded(patience))
            return;
        atomic_fetch_add(&parking->parked, 1);
        patience->parked = true;
        patience->heard = atomic_load(bell_of(parking, bay));
        return; /* to look once more */
    }
    struct timespec until; /* this kind of futex takes a time, not a duration */
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LONGEST_SLEEP_US * 1000L; /* from the first: only one write can end this wait, and it rings */
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    syscall(SYS_futex, bell_of(parking, bay), FUTEX_WAIT_BITSET, patience->heard, &until, NULL, set_of(bay));
    patience->heard = atomic_load(bell_of(parking, bay)); /* still counted: the next look may be the last */
}

void admit_drive_off(struct patience *patience, struct parking *parking)
{
    atomic_fetch_sub(&parking->parked, 1);
    patience->parked = false;
}

void admit_ring(struct parking *parking, unsigned bay)
{
    atomic_fetch_add(bell_of(parking, bay), 1);
    long count = syscall(SYS_futex, bell_of(parking, bay), FUTEX_WAKE_BITSET, 1, NULL, NULL, set_of(bay));
    atomic_fetch_add(&rung, 1);
    if (count <= 0)
        return;
    atomic_fetch_add(&woken, (unsigned long)count);
    if ((unsigned long)count > atomic_load(&most_woken))
        atomic_store(&most_woken, (unsigned long)count);
}

struct rings admit_rings(void)
{
    return (struct rings){atomic_load(&rung), atomic_load(&woken), atomic_load(&most_woken)};
}
