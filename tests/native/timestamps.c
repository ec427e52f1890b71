/* SPDX-License-Identifier: MIT
 *
 * The linear timestamp system among threads: what they saw must be possible for the unbounded one (Definition 3.1). The
 * text is compiled as for a lock, with labels that carry serial numbers (timestamps/labels.h).
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>

#define ADMIT_ID "linear"
#define LABEL_SERIAL_BITS 20
#include "timestamps/linear.h"

#include "histories/label_graph.h"

enum { THREADS_MAX = 8 };

/* What an operation saw, and whether it wrote. */
struct seen {
    bool scan, wrote;
    unsigned rank[THREADS_MAX];
    uint32_t serial[THREADS_MAX];
};

struct party {
    const struct timestamps *timestamps;
    pthread_barrier_t *start;
    unsigned i, n, operations;
    struct seen *seen;
};

static void note(struct seen *seen, const label view[], unsigned n)
{
    proc rank[PROCESSES_MAX];
    order(view, n, rank);
    for (unsigned j = 0; j < n; j++) {
        seen->rank[j] = rank[j];
        seen->serial[j] = label_serial(view[j], n);
    }
}

static void *label_and_scan(void *argument)
{
    struct party *party = argument;
    const struct timestamps *S = party->timestamps;
    struct native_passage passage = {.i = party->i, .n = party->n, .k = 1};
    unsigned seed = party->i + 1;
    pthread_barrier_wait(party->start);
    for (unsigned o = 0; o < party->operations; o++) {
        struct seen *seen = &party->seen[o];
        seed = seed * 1103515245 + 12345;
        if (seed >> 16 & 1)
            sched_yield();
        if (seed >> 17 & 1) {
            struct Scan scan = {0};
            Scan(&passage, S, &scan);
            seen->scan = true;
            note(seen, scan.snap.view, party->n);
        } else {
            struct Label frame = {0};
            Label(&passage, S, &frame);
            note(seen, frame.snap.view, party->n);
            seen->wrote =
                label_serial((label)atomic_load(&S->LABEL[party->i].value), party->n) != seen->serial[party->i];
        }
    }
    return NULL;
}

static bool is_permutation(const unsigned rank[], unsigned n)
{
    unsigned found = 0;
    for (unsigned j = 0; j < n; j++)
        found |= 1u << rank[j];
    return found == (1u << n) - 1;
}

static void threads_of(unsigned n, unsigned operations)
{
    struct timestamps timestamps;
    struct declaration D = {.n = n, .k = 1, .purpose = COUNT_REGISTERS};
    timestamps_declare(&D, &timestamps, n, 1);
    struct cell *cells = aligned_alloc(64, D.registers * sizeof *cells);
    D = (struct declaration){.n = n, .k = 1, .purpose = INITIALISE_REGISTERS, .cells = cells};
    timestamps_declare(&D, &timestamps, n, 1);
    pthread_t threads[THREADS_MAX];
    struct party parties[THREADS_MAX];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, n);
    for (unsigned i = 0; i < n; i++) {
        parties[i] = (struct party){&timestamps, &start, i, n, operations, calloc(operations, sizeof(struct seen))};
        assert_int_equal(pthread_create(&threads[i], NULL, label_and_scan, &parties[i]), 0);
    }
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);

    struct label_graph *graph = label_graph_open(n);
    unsigned written = 0;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned o = 0; o < operations; o++) {
            const struct seen *seen = &parties[i].seen[o];
            assert_true(is_permutation(seen->rank, n));
            written += seen->wrote;
            if (seen->scan)
                label_graph_scan(graph, seen->rank, seen->serial);
            else
                label_graph_label(graph, i, seen->wrote, seen->rank, seen->serial);
        }
        free(parties[i].seen);
    }
    char cycle[512];
    if (!label_graph_is_acyclic(graph, cycle, sizeof cycle))
        fail_msg("n = %u: %s", n, cycle);
    /* One whose label is the newest need not write; only the newest at the start may find itself so without a write. */
    assert_true(written >= n - 1);
    label_graph_close(graph);
    free(cells);
}

static void threads_make_histories(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= THREADS_MAX; n++)
        threads_of(n, unless_quick(5000, 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_make_histories)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
