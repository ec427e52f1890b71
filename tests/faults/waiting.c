/* SPDX-License-Identifier: MIT
 *
 * Waiting costs nearly nothing. Promised: a process that waits behind a holder is asleep, and wakes by itself a few
 * times a second at most, also where the gate has room for far more slots and participants than it has; hundreds of
 * waiters cost together a part of one core; each is let in when its turn comes, and a death among hundreds is noticed.
 * And two processes that are bound to a core each hand over to one another not much slower than by a semaphore.
 */
#include "faults.h"

#include "gate/calls/calls.h"

#include <semaphore.h>

enum { WATCHED_S = 3, MANY_MAX = 400 };

/* --- one ---------------------------------------------------------------------------------------------------------- */

static void one_who_waits_sleeps(void **state)
{
    (void)state;
    /* the first as `admit run -k 1` makes it */
    static const admit_gate_options makes[] = {
        {.k = 1, .most_k = 256, .capacity = 256}, {.k = 1, .capacity = 16}, {.k = 1, .most_k = 1, .capacity = 4096}};
    enum { MAKES = sizeof makes / sizeof makes[0] };
    admit_gate *gate[MAKES];
    pid_t holder[MAKES], waiter[MAKES];
    unsigned long before[MAKES];
    double time_before[MAKES];
    unsigned failed = 0;
    for (unsigned m = 0; m < MAKES; m++) {
        gate[m] = fresh_gate(&makes[m]);
        holder[m] = start_holder(gate[m]);
        waiter[m] = start_waiter(gate[m], 1);
    }
    usleep(300000);
    for (unsigned m = 0; m < MAKES; m++)
        before[m] = sleeps_of(waiter[m]), time_before[m] = processor_time(waiter[m]);
    sleep(WATCHED_S);
    for (unsigned m = 0; m < MAKES; m++) {
        double wakes = (double)(sleeps_of(waiter[m]) - before[m]) / WATCHED_S;
        print_message("# most_k = %u, capacity %u: one who waits woke %.1f times a second, %.2f ms of processor time\n",
                      admit_gate_most_k(gate[m]), makes[m].capacity, wakes,
                      1e3 * (processor_time(waiter[m]) - time_before[m]) / WATCHED_S);
        failed += wakes > 3;
    }
    for (unsigned m = 0; m < MAKES; m++) {
        end(holder[m]);
        assert_int_equal(outcome(waiter[m], SOON_S), 0);
        admit_gate_close(gate[m]);
    }
    assert_int_equal(failed, 0);
}

/* --- outside ------------------------------------------------------------------------------------------------------ */

/* The kernel tells one of the others when the first of those without a record is killed; here that one is killed as well.
 * Nobody comes, and nobody looks at the gate: the one that is left must find out by itself. */
static void one_outside_of_a_group_that_was_killed(void **state)
{
    (void)state;
    enum { KILLED = 25 };
    pid_t group = 0, child[KILLED + 1];
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 1});
    for (unsigned c = 0; c <= KILLED; c++) {
        child[c] = c == 0 ? start_holder(gate) : start_waiter(gate, 0);
        while (admit_gate_waiters(gate) < c)
            usleep(500);
        if (c < KILLED)
            assert_int_equal(setpgid(child[c], group), 0);
        group = group != 0 ? group : child[c];
    }
    usleep(100000); /* until all are asleep */
    assert_int_equal(kill(-group, SIGKILL), 0);
    assert_int_equal(outcome(child[KILLED], SOON_S), 0);
    for (unsigned c = 0; c < KILLED; c++)
        end(child[c]);
    admit_gate_close(gate);
}

static int counts_looks(void *data, unsigned place)
{
    (void)place;
    atomic_fetch_add((_Atomic uint32_t *)data, 1);
    return 0;
}

/* Those outside look one after the other, by numbers in the file. Whatever somebody has written there, it is a matter of
 * seconds. */
static void one_outside_looks_whatever_is_in_the_file(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 1});
    _Atomic uint32_t *looks = shared_words();
    pid_t child[3] = {start_holder(gate), start_waiter(gate, 0)};
    while (admit_gate_waiters(gate) < 1)
        usleep(500);
    child[2] = start();
    if (child[2] == 0) {
        admit_hold hold;
        admit_gate_enter_with(gate, &hold, &(admit_wait){.waiting = counts_looks, .data = (void *)looks});
        _exit(1);
    }
    while (admit_gate_waiters(gate) < 2 || atomic_load(looks) == 0)
        usleep(500);
    /* Its turn comes 2^32 - 1 others later; it may just have made up its mind, but for one look only. */
    atomic_store(&gate->header->ushered, atomic_load(&gate->header->arrived));
    for (unsigned more = 0; more < 2; more++) {
        uint64_t until = monotonic_ns() + (uint64_t)SOON_S * 1000000000;
        uint32_t before = atomic_load(looks);
        while (atomic_load(looks) == before && monotonic_ns() < until)
            usleep(500);
        assert_true(atomic_load(looks) != before);
    }
    for (unsigned c = 0; c < 3; c++)
        end(child[c]);
    admit_gate_close(gate);
    munmap((void *)looks, 4096);
}

/* --- hundreds ----------------------------------------------------------------------------------------------------- */

static double processor_time_of_all(const pid_t *process, unsigned many)
{
    double sum = 0;
    for (unsigned p = 0; p < many; p++)
        sum += processor_time(process[p]);
    return sum;
}

/* All in line, in any order; each passes once and ends. */
static void form_line(admit_gate *gate, pid_t *waiter, unsigned many)
{
    for (unsigned w = 0; w < many; w++) {
        waiter[w] = start();
        if (waiter[w] == 0) {
            admit_hold hold;
            admit_error error = enter_within(gate, &hold, 2 * LONG_S);
            _exit(error != ADMIT_OK ? (int)error : (int)admit_gate_leave(gate, &hold));
        }
    }
    await_waiters(gate, many);
}

static void stand_behind_one(unsigned many)
{
    static pid_t waiter[MANY_MAX];
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 256, .capacity = 512});
    pid_t holder = start_holder(gate);
    form_line(gate, waiter, many);
    usleep(500000);
    double before = processor_time_of_all(waiter, many);
    sleep(WATCHED_S);
    double cost = (processor_time_of_all(waiter, many) - before) / WATCHED_S;
    print_message("# %u behind one holder: %.3f s of processor time a second\n", many, cost);

    for (unsigned w = 0; w < many; w += 50) /* deaths in line are passed over */
        end(waiter[w]);
    uint64_t begin = monotonic_ns();
    end(holder); /* and that of the one inside is noticed */
    unsigned left = 0;
    for (unsigned w = 0; w < many; w++)
        if (w % 50 != 0) {
            int ended = outcome(waiter[w], LONG_S);
            if (ended != 0)
                fail_msg("one of %u in line ended with %d, after %u", many, ended, left);
            left++;
        }
    print_message("# %u have passed, one after the other, %.0f ms after a death\n", left,
                  (double)(monotonic_ns() - begin) / 1e6);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    if (cost > 0.3)
        fail_msg("%u who wait cost %.2f s of processor time a second", many, cost);
}

static void a_hundred_and_thirty(void **state)
{
    (void)state;
    stand_behind_one(130);
}

static void four_hundred(void **state)
{
    (void)state;
    stand_behind_one(unless_quick(MANY_MAX, 200));
}

/* Each of those in line is killed as soon as it is inside, so that nobody leaves: every death is noticed in time. */
static void deaths_among_many_are_noticed(void **state)
{
    (void)state;
    enum { MANY = 200, DEATHS = 10 };
    static pid_t waiter[MANY];
    _Atomic uint32_t *words = shared_words();
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 256, .capacity = 512});
    pid_t holder = start_holder(gate);
    for (unsigned w = 0; w < MANY; w++) {
        waiter[w] = start();
        if (waiter[w] == 0) {
            admit_hold hold;
            if (enter_within(gate, &hold, 2 * LONG_S) != ADMIT_OK)
                _exit(1);
            if (atomic_fetch_add(&words[0], 1) < DEATHS)
                raise(SIGKILL);
            atomic_store(&words[1], 1);
            stay();
        }
    }
    await_waiters(gate, MANY);
    uint64_t before = monotonic_ns();
    end(holder);
    bool noticed = comes_true(&words[1], 1, 3 * SOON_S);
    print_message("# %u of %u deaths inside, with %u in line, noticed in %.0f ms\n", atomic_load(&words[0]), DEATHS + 1,
                  MANY, (double)(monotonic_ns() - before) / 1e6);
    assert_true(noticed);
    for (unsigned w = 0; w < MANY; w++)
        end(waiter[w]);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)words, 4096);
}

/* --- bound to a core each ----------------------------------------------------------------------------------------- */

struct race {
    sem_t semaphore;
    _Atomic uint32_t go;
    _Atomic uint64_t passes[2];
};

static bool bind_to(unsigned core)
{
    cpu_set_t set, mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return false;
    for (unsigned c = 0; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, &mine) && core-- == 0) {
            CPU_ZERO(&set);
            CPU_SET(c, &set);
            return sched_setaffinity(0, sizeof set, &set) == 0;
        }
    return false;
}

/* Passes a second of two together. */
static double race_of_two(struct race *race, admit_gate *gate, double seconds)
{
    pid_t child[2];
    atomic_store(&race->go, 0);
    for (unsigned c = 0; c < 2; c++) {
        atomic_store(&race->passes[c], 0);
        child[c] = start();
        if (child[c] != 0)
            continue;
        admit_hold hold;
        if (!bind_to(c))
            _exit(CANNOT);
        while (atomic_load(&race->go) == 0)
            sched_yield();
        while (atomic_load(&race->go) == 1) {
            if (gate == NULL) {
                sem_wait(&race->semaphore);
                sem_post(&race->semaphore);
            } else if (admit_gate_enter(gate, &hold) != ADMIT_OK || admit_gate_leave(gate, &hold) != ADMIT_OK) {
                _exit(1);
            }
            atomic_fetch_add_explicit(&race->passes[c], 1, memory_order_relaxed);
        }
        _exit(0);
    }
    usleep(100000);
    atomic_store(&race->go, 1);
    usleep((useconds_t)(seconds * 1e6));
    uint64_t passes = atomic_load(&race->passes[0]) + atomic_load(&race->passes[1]);
    atomic_store(&race->go, 2);
    for (unsigned c = 0; c < 2; c++)
        assert_int_equal(outcome(child[c], 2 * SOON_S), 0);
    return (double)passes / seconds;
}

static void two_that_are_bound_to_a_core_each(void **state)
{
    (void)state;
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) < 2)
        skip_because("it takes two cores");
    struct race *race = mmap(NULL, sizeof *race, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(race != MAP_FAILED);
    assert_int_equal(sem_init(&race->semaphore, 1, 1), 0);
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 16});
    double best = 0;
    for (unsigned round = 0; round < 8 && best < 1.0 / 20; round++) { /* a busy machine may spoil some */
        double semaphore = race_of_two(race, NULL, 0.3), admit = race_of_two(race, gate, 0.3);
        print_message("# bound to a core each: %.0f passes a second by admit, %.0f by sem_t\n", admit, semaphore);
        best = admit / semaphore > best ? admit / semaphore : best;
    }
    sem_destroy(&race->semaphore);
    munmap(race, sizeof *race);
    admit_gate_close(gate);
    if (best < 1.0 / 20)
        fail_msg("admit has a %.0fth of the passes of sem_t", 1 / best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(one_who_waits_sleeps),
        FAULT(one_outside_of_a_group_that_was_killed),
        FAULT(one_outside_looks_whatever_is_in_the_file),
        FAULT(a_hundred_and_thirty),
        FAULT(four_hundred),
        FAULT(deaths_among_many_are_noticed),
        FAULT(two_that_are_bound_to_a_core_each),
    };
    return run_faults("waiting", tests);
}
