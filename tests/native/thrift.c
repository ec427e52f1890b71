/* SPDX-License-Identifier: MIT
 *
 * Many more processes than cores: all get their turns, and waiting burns little.
 *
 * What is asserted is a ratio, CPU time to elapsed time on all cores, so that a busy machine cannot fail it: others'
 * load takes CPU time from us, never adds to it. Sixty-three spinners would use all there is.
 */
#include "test.h"

#include "base/clock.h"
#include "crowd.h"

#include <sys/resource.h>

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double cpu_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

/* Where all of very many registers are gone through in each passage, fewer: lest work be taken for waiting. */
static unsigned crowd_for(const char *id)
{
    unsigned max = admit_algorithm_max_n(id);
    return max >= 64 ? 64 : max < 6 ? max : 6;
}

static void waiting_burns_little(void **state)
{
    const char *id = *state;
    enum { HOLD_US = 10000 };
    unsigned n = crowd_for(id);
    struct witness *witness = make_witness_for(id, n, 1);
    struct crowd crowd = {.kind = PROCESSES,
                          .lock = admit_lock_create(id, n, 1),
                          .passages = unless_quick(2, 1),
                          .hold_us = HOLD_US,
                          .linger_every = 1,
                          .witness = witness};
    assert_non_null(crowd.lock);
    double cpu_before = cpu_of_children(), start = now();
    assert_true(run_crowd(&crowd));
    double elapsed = now() - start, cpu = cpu_of_children() - cpu_before;
    assert_true(all_was_well(witness, (uint64_t)n * crowd.passages));
    double share = cpu / elapsed / (double)sysconf(_SC_NPROCESSORS_ONLN);
    print_message("# %s: %u processes, %.2f s elapsed, %.2f s CPU: %.1f %% of the machine\n", id, n, elapsed, cpu,
                  100 * share);
    assert_true(share < 0.25);
    admit_lock_destroy(crowd.lock);
    dismiss_witness(witness);
}

int main(void)
{
    static struct cases cases;
    const char *id;
    for (unsigned a = 0; (id = admit_algorithm_id(a)) != NULL; a++) {
        char name[200];
        snprintf(name, sizeof name, "%s: %u processes make progress and burn little", id, crowd_for(id));
        add_case(&cases, waiting_burns_little, (void *)id, name);
    }
    return run_cases("native thrift", &cases);
}
