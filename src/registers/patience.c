/* SPDX-License-Identifier: MIT */
#include "registers/patience.h"

#include <sched.h>
#include <time.h>

enum {
    SPINS = 200,             /* some microseconds: longer than a hand-over between two running cores */
    YIELDS = 16,             /* lets everybody else on this core run once or twice before sleeping */
    FIRST_NAP_NS = 20000,    /* below the scheduler's own granularity there is nothing to win */
    LONGEST_NAP_NS = 1000000 /* a waiter asleep burns about 0.1 % of a core, and notices within a millisecond */
};

static inline void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

void admit_be_patient(struct patience *patience)
{
    unsigned tries = patience->tries;
    if (tries < SPINS) {
        pause_core();
    } else if (tries < SPINS + YIELDS) {
        sched_yield();
    } else {
        unsigned doublings = tries - SPINS - YIELDS;
        long nap = doublings < 6 ? (long)FIRST_NAP_NS << doublings : LONGEST_NAP_NS;
        struct timespec time = {0, nap < LONGEST_NAP_NS ? nap : LONGEST_NAP_NS};
        nanosleep(&time, NULL);
        if (doublings >= 6)
            return; /* as patient as it gets; tries must not wrap round to spinning */
    }
    patience->tries = tries + 1;
}
