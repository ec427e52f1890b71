/* SPDX-License-Identifier: MIT
 *
 * Many more processes than cores: all get their turns, and waiting burns little. The same at a gate, where a process
 * that waits may look before it sleeps: no longer than that pays, nor with more in line than cores.
 *
 * What is asserted is a ratio, CPU time to elapsed time on all cores, so that a busy machine cannot fail it: others'
 * load takes CPU time from us, never adds to it. Sixty-three spinners would use all there is.
 */
#include "test.h"

#include "admit.h"
#include "base/clock.h"
#include "crowd.h"
#include "gate/calls/calls.h"
#include "registers/sleeping_native.h"

#include <sys/resource.h>
#include <sys/wait.h>

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

/* --- at a gate ---------------------------------------------------------------------------------------------------- */

/* Each goes in again and again, and sleeps inside. */
static double share_of(unsigned processes)
{
    enum { HOLD_US = 3000, PASSES = 300 };
    unsigned passes = unless_quick(PASSES, PASSES / 3) / processes;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = processes + 2});
    assert_non_null(gate);
    double cpu_before = cpu_of_children(), start = now();
    for (unsigned p = 0; p < processes; p++) {
        if (fork() != 0)
            continue;
        admit_hold hold;
        for (unsigned pass = 0; pass < passes; pass++)
            if (admit_gate_enter(gate, &hold) != ADMIT_OK || usleep(HOLD_US) != 0 ||
                admit_gate_leave(gate, &hold) != ADMIT_OK)
                _exit(1);
        _exit(0);
    }
    int status, failed = 0;
    for (unsigned p = 0; p < processes; p++)
        failed += wait(&status) < 0 || status != 0;
    double elapsed = now() - start, cpu = cpu_of_children() - cpu_before;
    assert_int_equal(failed, 0);
    print_message("# gate: %u processes, %.2f s elapsed, %.2f s CPU\n", processes, elapsed, cpu);
    admit_gate_close(gate);
    return cpu / elapsed / (double)sysconf(_SC_NPROCESSORS_ONLN);
}

static void waiting_at_a_gate_burns_little(void **state)
{
    (void)state;
    assert_true(share_of(2) < 0.25);
    assert_true(share_of(20) < 0.25);
}

/* How many waits it takes until one looks again. */
static unsigned waits_until_a_look(struct sleeper *sleeper)
{
    unsigned waits = 0;
    while (!admit_looks(sleeper, 1) && waits < 1000)
        waits++;
    return waits;
}

static void looks_in_vain_become_rare(void **state)
{
    (void)state;
    struct sleeper sleeper = {.gate = admit_gate_create_private(&(admit_gate_options){.k = 1})};
    unsigned cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    assert_false(admit_looks(&sleeper, cores));
    assert_false(admit_looks(&sleeper, cores + 1));
    if (cores == 1)
        skip();
    assert_true(admit_looks(&sleeper, cores - 1));
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned rare = 0; rare <= 63; rare = 2 * rare + 1) {
            assert_int_equal(waits_until_a_look(&sleeper), rare);
            admit_has_looked(&sleeper, false);
        }
        assert_int_equal(waits_until_a_look(&sleeper), 63);
        admit_has_looked(&sleeper, true);
    }
    admit_gate_close(sleeper.gate);
    sleeper.gate = admit_gate_create_private(&(admit_gate_options){.k = cores});
    assert_false(admit_looks(&sleeper, 1)); /* those inside may need all cores */
    admit_gate_close(sleeper.gate);
}

/* It ends, by the clock; sooner if a sleep is short here; and at once if others have come before it. */
static void a_look_ends(void **state)
{
    (void)state;
    struct sleeper sleeper = {.gate = admit_gate_create_private(&(admit_gate_options){.k = 1})};
    if (!admit_looks(&sleeper, 1))
        skip(); /* one core */
    assert_false(admit_looks_on(&sleeper, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN)));
    while (admit_looks_on(&sleeper, 1))
        ;
    int64_t longest = sleeper.experience.until;
    assert_true(longest <= admit_monotonic());
    assert_true(admit_looks(&sleeper, 1));
    sleeper.experience.shortest = 1;
    int64_t before = admit_monotonic();
    admit_looks_on(&sleeper, 1);
    assert_in_range(sleeper.experience.until, before, admit_monotonic() + 1);
    while (admit_looks_on(&sleeper, 1))
        ;
    admit_gate_close(sleeper.gate);
}

int main(void)
{
    static struct cases cases;
    const char *id;
    add_case(&cases, waiting_at_a_gate_burns_little, NULL, "a gate: waiting burns little");
    add_case(&cases, looks_in_vain_become_rare, NULL, "a gate: looks in vain become rare");
    add_case(&cases, a_look_ends, NULL, "a gate: a look ends");
    for (unsigned a = 0; (id = admit_algorithm_id(a)) != NULL; a++) {
        char name[200];
        snprintf(name, sizeof name, "%s: %u processes make progress and burn little", id, crowd_for(id));
        add_case(&cases, waiting_burns_little, (void *)id, name);
    }
    return run_cases("native thrift", &cases);
}
