/* SPDX-License-Identifier: MIT
 *
 * Throughput of every lock of the catalogue with 1, 2 and 8 threads, beside pthread_mutex_t and sem_t in the same run;
 * and, where k may be 2, with two of 8 threads inside at a time, beside sem_t.
 *
 *     locks [--quick] [--json]
 *
 * Each thread enters, adds one to a shared number, leaves and goes round again, for a fixed time. The peers' turns are
 * interleaved round by round, so that a disturbance hits them all, and the median round counts. A ratio is passages per
 * second over the mutex's (for k = 2: the semaphore's) at the same number of threads; fairness is Jain's index over the threads' passages: 1 if all
 * had equally many, 1/n if one had them all.
 */
#include "base/clock.h"

#include <admit.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 8, PEERS_MAX = 64, ROUNDS_MAX = 9 };

/* What is measured: something to enter and leave. */
struct peer {
    const char *name;
    void *(*make)(const char *name, unsigned n, unsigned k);
    void (*enter)(void *lock, unsigned i);
    void (*leave)(void *lock, unsigned i);
    void (*destroy)(void *lock);
};

/* --- the peers ---------------------------------------------------------------------------------------------------- */

static void *admit_make(const char *name, unsigned n, unsigned k)
{
    return admit_lock_create(name, n, k);
}
static void admit_enter(void *lock, unsigned i)
{
    admit_lock_enter(lock, i);
}
static void admit_leave(void *lock, unsigned i)
{
    admit_lock_leave(lock, i);
}
static void admit_destroy(void *lock)
{
    admit_lock_destroy(lock);
}

static void *mutex_make(const char *name, unsigned n, unsigned k)
{
    (void)name, (void)n, (void)k;
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    return mutex;
}
static void mutex_enter(void *mutex, unsigned i)
{
    (void)i;
    pthread_mutex_lock(mutex);
}
static void mutex_leave(void *mutex, unsigned i)
{
    (void)i;
    pthread_mutex_unlock(mutex);
}

static void *semaphore_make(const char *name, unsigned n, unsigned k)
{
    (void)name, (void)n;
    sem_t *semaphore = malloc(sizeof *semaphore);
    sem_init(semaphore, 1, k);
    return semaphore;
}
static void semaphore_enter(void *semaphore, unsigned i)
{
    (void)i;
    while (sem_wait(semaphore) != 0)
        ;
}
static void semaphore_leave(void *semaphore, unsigned i)
{
    (void)i;
    sem_post(semaphore);
}

/* The first is the measure of the others: the mutex, or for k > 1, which it does not know, the semaphore. */
static unsigned list_peers(struct peer *peers, unsigned k)
{
    unsigned count = 0;
    const char *id;
    if (k == 1)
        peers[count++] = (struct peer){"pthread_mutex_t", mutex_make, mutex_enter, mutex_leave, free};
    peers[count++] = (struct peer){"sem_t", semaphore_make, semaphore_enter, semaphore_leave, free};
    for (unsigned a = 0; (id = admit_algorithm_id(a)) != NULL && count < PEERS_MAX; a++)
        if (admit_algorithm_excludes(id) && admit_algorithm_supports(id, THREADS_MAX, k) == ADMIT_OK)
            peers[count++] = (struct peer){id, admit_make, admit_enter, admit_leave, admit_destroy};
    return count;
}

/* --- one round ---------------------------------------------------------------------------------------------------- */

struct round {
    const struct peer *peer;
    void *lock;
    unsigned k;
    _Atomic bool stop;
    _Alignas(64) uint64_t guarded; /* by the lock; where several are inside, nobody is */
    pthread_barrier_t start;
};

struct runner {
    struct round *round;
    unsigned i;
    _Alignas(64) uint64_t passages;
};

struct result {
    double rate; /* passages per second */
    double fairness;
};

static void *run(void *argument)
{
    struct runner *me = argument;
    struct round *round = me->round;
    const struct peer *peer = round->peer;
    uint64_t passages = 0;
    pthread_barrier_wait(&round->start);
    while (!atomic_load_explicit(&round->stop, memory_order_relaxed)) {
        peer->enter(round->lock, me->i);
        if (round->k == 1)
            round->guarded++;
        peer->leave(round->lock, me->i);
        passages++;
    }
    me->passages = passages;
    return NULL;
}

static struct result run_round(const struct peer *peer, unsigned n, unsigned k, double seconds)
{
    struct round round = {.peer = peer, .lock = peer->make(peer->name, n, k), .k = k};
    struct runner runners[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    pthread_barrier_init(&round.start, NULL, n + 1);
    for (unsigned i = 0; i < n; i++) {
        runners[i] = (struct runner){.round = &round, .i = i};
        if (pthread_create(&threads[i], NULL, run, &runners[i]) != 0)
            abort();
    }
    pthread_barrier_wait(&round.start);
    double started = now();
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}, NULL);
    atomic_store(&round.stop, true);
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        double passages = (double)runners[i].passages;
        sum += passages;
        squares += passages * passages;
    }
    double elapsed = now() - started;
    pthread_barrier_destroy(&round.start);
    peer->destroy(round.lock);
    if (k == 1 && (double)round.guarded != sum) {
        fprintf(stderr, "locks: %s lost %.0f of %.0f updates\n", peer->name, sum - (double)round.guarded, sum);
        exit(1);
    }
    return (struct result){.rate = sum / elapsed, .fairness = squares > 0 ? sum * sum / (n * squares) : 1};
}

/* --- all rounds --------------------------------------------------------------------------------------------------- */

static int by_rate(const void *a, const void *b)
{
    double one = ((const struct result *)a)->rate, other = ((const struct result *)b)->rate;
    return (one > other) - (one < other);
}

static void print_row(bool json, bool first, const char *name, unsigned n, unsigned k, struct result r, double ratio)
{
    if (json)
        printf("%s\n  {\"lock\": \"%s\", \"threads\": %u, \"k\": %u, \"per_second\": %.0f, \"ratio\": %.3f, "
               "\"fairness\": %.3f}",
               first ? "" : ",", name, n, k, r.rate, ratio, r.fairness);
    else
        printf("%-36s %7u %3u %15.0f %9.2f %9.2f\n", name, n, k, r.rate, ratio, r.fairness);
}

/* What bounded memory costs: the numbered ticket's passages per passage of the colored one. */
static double cost_of_colors(const struct peer *peers, unsigned count, double rates[])
{
    double numbered = 0, colored = 0;
    for (unsigned p = 0; p < count; p++) {
        numbered = strcmp(peers[p].name, "numbered_ticket") == 0 ? rates[p] : numbered;
        colored = strcmp(peers[p].name, "colored_ticket") == 0 ? rates[p] : colored;
    }
    return numbered / colored;
}

int main(int argc, char **argv)
{
    bool quick = false, json = false;
    for (int a = 1; a < argc; a++) {
        quick |= strcmp(argv[a], "--quick") == 0;
        json |= strcmp(argv[a], "--json") == 0;
    }
    static const struct {
        unsigned n, k;
    } sizes[] = {{1, 1}, {2, 1}, {8, 1}, {8, 2}};
    const unsigned rounds = quick ? 3 : ROUNDS_MAX;
    const double seconds = quick ? 0.05 : 0.2;
    struct peer peers[PEERS_MAX];
    static struct result results[PEERS_MAX][ROUNDS_MAX];

    if (json)
        printf("[");
    else
        printf("%-36s %7s %3s %15s %9s %9s\n", "lock", "threads", "k", "passages/s", "ratio", "fairness");
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        unsigned count = list_peers(peers, sizes[s].k);
        for (unsigned r = 0; r < rounds; r++)
            for (unsigned p = 0; p < count; p++)
                results[p][r] = run_round(&peers[p], sizes[s].n, sizes[s].k, seconds);
        double measure = 0, rates[PEERS_MAX];
        for (unsigned p = 0; p < count; p++) {
            qsort(results[p], rounds, sizeof results[p][0], by_rate);
            struct result median = results[p][rounds / 2];
            rates[p] = median.rate;
            if (p == 0)
                measure = median.rate;
            print_row(json, s == 0 && p == 0, peers[p].name, sizes[s].n, sizes[s].k, median, median.rate / measure);
        }
        if (!json && sizes[s].k > 1)
            printf("numbered_ticket / colored_ticket: %.2f   (aim: 1.5 or less)\n",
                   cost_of_colors(peers, count, rates));
    }
    if (json)
        printf("\n]\n");
    return 0;
}
