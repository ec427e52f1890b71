/* SPDX-License-Identifier: MIT
 *
 * Who leaves a ticket lock wakes the a process that it enables, and nobody else.
 *
 * All times here only make it likely that a waiter sleeps already; nothing that is asserted depends on it.
 */
#include "test.h"

#include "crowd.h"
#include "registers/patience.h"

#include <sys/resource.h>

static const char *const ids[] = {"queue",          "numbered_ticket",      "unbounded_colored_ticket",
                                  "colored_ticket", "colored_ticket_stack", "colored_ticket_small"};

/* --- one after the other ------------------------------------------------------------------------------------------ */

enum { LINE = 15, HOLD_US = 3000 };

struct line {
    admit_lock *lock;
    unsigned i;
    long switches; /* out: how often it gave up its core while it waited */
};

static void *stand_in_line(void *argument)
{
    struct line *me = argument;
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    if (admit_lock_enter(me->lock, me->i) != ADMIT_OK)
        abort();
    getrusage(RUSAGE_THREAD, &after);
    me->switches = after.ru_nvcsw - before.ru_nvcsw;
    usleep(HOLD_US);
    if (admit_lock_leave(me->lock, me->i) != ADMIT_OK)
        abort();
    return NULL;
}

/* Everybody joins while 0 is inside, in a known order. Each of the LINE - 1 releases then enables one. */
static void a_release_wakes_one(void **state)
{
    const char *id = *state;
    admit_lock *lock = admit_lock_create(id, LINE, 1);
    struct line line[LINE];
    pthread_t threads[LINE];
    struct rings before = admit_rings();
    assert_int_equal(admit_lock_enter(lock, 0), ADMIT_OK);
    for (unsigned i = 1; i < LINE; i++) {
        line[i] = (struct line){.lock = lock, .i = i};
        assert_int_equal(pthread_create(&threads[i], NULL, stand_in_line, &line[i]), 0);
        usleep(HOLD_US);
    }
    assert_int_equal(admit_lock_leave(lock, 0), ADMIT_OK);
    long switches = 0;
    for (unsigned i = 1; i < LINE; i++) {
        pthread_join(threads[i], NULL);
        switches += line[i].switches;
    }
    struct rings after = admit_rings();
    print_message("# %s: %u releases rang %lu times and woke %lu; %ld naps in all\n", id, LINE,
                  after.rung - before.rung, after.woken - before.woken, switches);
    assert_true(after.rung - before.rung <= LINE);
    assert_true(after.woken - before.woken <= LINE);
    assert_true(after.most <= 1);
    admit_lock_destroy(lock);
}

/* --- a crowd ------------------------------------------------------------------------------------------------------ */

static void a_crowd_gets_through(void **state)
{
    const char *id = *state;
    unsigned n = admit_algorithm_max_n(id);
    enum { K = 2 };
    struct witness *witness = make_witness_for(id, n, K);
    struct crowd crowd = {.kind = THREADS,
                          .lock = admit_lock_create(id, n, K),
                          .passages = unless_quick(400, 40),
                          .linger_every = 2,
                          .witness = witness};
    assert_non_null(crowd.lock);
    struct rings before = admit_rings();
    assert_true(run_crowd(&crowd));
    struct rings after = admit_rings();
    uint64_t releases = (uint64_t)n * crowd.passages;
    assert_int_equal(witness->violations, 0);
    assert_true(all_was_well(witness, releases));
    print_message("# %s: %lu releases rang %lu times and woke %lu\n", id, (unsigned long)releases,
                  after.rung - before.rung, after.woken - before.woken);
    assert_true(after.rung - before.rung <= releases);
    assert_true(after.woken - before.woken <= releases);
    assert_true(after.most <= 1);
    admit_lock_destroy(crowd.lock);
    dismiss_witness(witness);
}

int main(void)
{
    static struct cases cases;
    for (unsigned a = 0; a < sizeof ids / sizeof ids[0]; a++) {
        char name[200];
        snprintf(name, sizeof name, "%s: a release wakes the one that it enables", ids[a]);
        add_case(&cases, a_release_wakes_one, (void *)ids[a], name);
        snprintf(name, sizeof name, "%s: a crowd gets through, k = 2", ids[a]);
        add_case(&cases, a_crowd_gets_through, (void *)ids[a], name);
    }
    return run_cases("native wake", &cases);
}
