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
    LONGEST_SLEEP_US = 64000, /* 16 looks a second for one who will be woken */
    LONGEST_NAP_US = 8000     /* for one who perhaps watches the wrong register */
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

void admit_be_patient(struct patience *patience, enum watch watch, _Atomic uint64_t *watched, uint64_t seen,
                      _Atomic uint32_t *sleepers)
{
    if (patience->spins < SPINS) {
        patience->spins++;
        pause_core();
    } else if (patience->yields < YIELDS) {
        patience->yields++;
        sched_yield();
    } else {
        long longest = watch == AWAITED ? LONGEST_SLEEP_US : LONGEST_NAP_US;
        long limit = (long)FIRST_SLEEP_US << patience->sleeps;
        if (limit < longest)
            patience->sleeps++;
        else
            limit = longest;
        sleep_until_change(watched, seen, sleepers, limit);
    }
}

void admit_wake(_Atomic uint64_t *watched)
{
    syscall(SYS_futex, low_half(watched), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
