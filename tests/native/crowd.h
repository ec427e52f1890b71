/* SPDX-License-Identifier: MIT
 *
 * crowd.h - all participants of a lock at once, as threads or as processes, before a witness.
 */
#ifndef TESTS_NATIVE_CROWD_H
#define TESTS_NATIVE_CROWD_H

#include "admit.h"
#include "witness.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum crowd_kind { THREADS, PROCESSES };

struct crowd {
    enum crowd_kind kind;
    admit_lock *lock;
    unsigned passages;     /* of each participant */
    unsigned hold_us;      /* how long a passage stays inside; 0: not at all, but for a yield every so often */
    unsigned linger_every; /* one passage in so many yields while inside */
    struct witness *witness;
};

struct crowd_member {
    const struct crowd *crowd;
    unsigned i;
};

static inline void *be_a_member(void *argument)
{
    const struct crowd_member *me = argument;
    const struct crowd *crowd = me->crowd;
    for (unsigned p = 0; p < crowd->passages; p++) {
        if (admit_lock_enter(crowd->lock, me->i) != ADMIT_OK)
            abort();
        if (crowd->hold_us)
            usleep(crowd->hold_us);
        be_seen_inside(crowd->witness, (p + me->i) % crowd->linger_every == 0);
        if (admit_lock_leave(crowd->lock, me->i) != ADMIT_OK)
            abort();
    }
    return NULL;
}

/* Lets everybody through and returns whether all of them came back in good order; the witness then knows the rest. */
static inline bool run_crowd(const struct crowd *crowd)
{
    unsigned n = admit_lock_n(crowd->lock), well = 0;
    struct crowd_member members[ADMIT_PARTICIPANTS_MAX];
    pthread_t threads[ADMIT_PARTICIPANTS_MAX];
    pid_t processes[ADMIT_PARTICIPANTS_MAX];
    for (unsigned i = 0; i < n; i++) {
        members[i] = (struct crowd_member){crowd, i};
        if (crowd->kind == THREADS) {
            if (pthread_create(&threads[i], NULL, be_a_member, &members[i]) != 0)
                abort();
        } else if ((processes[i] = fork()) == 0) {
            be_a_member(&members[i]);
            _exit(0);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        int status = 0;
        if (crowd->kind == THREADS)
            well += pthread_join(threads[i], NULL) == 0;
        else
            well += waitpid(processes[i], &status, 0) == processes[i] && status == 0;
    }
    return well == n;
}

static inline struct witness *make_witness(unsigned k)
{
    struct witness *witness = mmap(NULL, sizeof *witness, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (witness == MAP_FAILED)
        abort();
    witness->k = k;
    return witness;
}

/* For a lock by this algorithm: how many may be inside, which is everybody where the algorithm does not exclude. */
static inline struct witness *make_witness_for(const char *id, unsigned n, unsigned k)
{
    return make_witness(admit_algorithm_excludes(id) ? k : n);
}

static inline void dismiss_witness(struct witness *witness)
{
    munmap(witness, sizeof *witness);
}

#endif
