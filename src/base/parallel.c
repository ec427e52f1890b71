/* SPDX-License-Identifier: MIT */
#include "base/parallel.h"

#include "base/die.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct share {
    void (*work)(void *context, unsigned share, unsigned shares);
    void *context;
    unsigned share, shares;
};

static void *run_share(void *argument)
{
    struct share *share = argument;
    share->work(share->context, share->share, share->shares);
    return NULL;
}

unsigned core_count(void)
{
    const char *asked = getenv("ADMIT_THREADS");
    long cores = asked != NULL && asked[0] != '\0' ? strtol(asked, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (unsigned)cores;
}

void parallel(unsigned shares, void (*work)(void *context, unsigned share, unsigned shares), void *context)
{
    pthread_t threads[THREADS_MAX];
    struct share share[THREADS_MAX] = {{0}};
    if (shares < 1 || shares > THREADS_MAX)
        shares = shares < 1 ? 1 : THREADS_MAX;
    for (unsigned s = 0; s < shares; s++) {
        share[s] = (struct share){work, context, s, shares};
        if (s > 0 && pthread_create(&threads[s], NULL, run_share, &share[s]) != 0)
            die("cannot start a thread");
    }
    run_share(&share[0]);
    for (unsigned s = 1; s < shares; s++)
        pthread_join(threads[s], NULL);
}
