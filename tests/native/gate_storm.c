/* SPDX-License-Identifier: MIT
 *
 * Participants are killed with SIGKILL at random instants and replaced. Nobody is ever inside beside k others, no slot
 * is lost. How long nobody went in, although there are always some who want to, is told and not judged: it depends on
 * the machine. ADMIT_TEST_FULL=1: 5000 kills in each of the settings.
 */
#include "gate_witness.h"

struct storm {
    unsigned k, workers, most_us; /* the longest time inside */
    bool give_up;
};

static struct gate_witness *witness;
static char witness_path[PATH_MAX + 16];

static unsigned random_below(uint64_t *state, unsigned limit)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (unsigned)(*state >> 33) % limit;
}

static void spend(uint64_t ns)
{
    for (uint64_t end = monotonic_ns() + ns; monotonic_ns() < end;)
        ;
}

static admit_error go_in(admit_gate *gate, admit_hold *hold, const struct storm *storm, uint64_t *random)
{
    unsigned way = storm->give_up ? random_below(random, 4) : 0;
    if (way == 1)
        return admit_gate_try(gate, hold);
    if (way >= 2) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)random_below(random, 400) * 1000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        return admit_gate_enter_until(gate, hold, &until);
    }
    return admit_gate_enter(gate, hold);
}

static _Noreturn void work(const struct storm *storm, const char *name, uint64_t random)
{
    admit_gate *gate = admit_gate_open(name, 0);
    int file = open_witness_file(witness_path);
    while (gate != NULL) {
        admit_hold hold;
        admit_error error = go_in(gate, &hold, storm, &random);
        if (error == ADMIT_NO_SLOT || error == ADMIT_TIMED_OUT) {
            atomic_fetch_add(&witness->gave_up, 1);
            continue;
        }
        if (error != ADMIT_OK) {
            fprintf(stderr, "%s\n", admit_last_error_text());
            break;
        }
        if (hold.owner_died)
            atomic_fetch_add(&witness->owner_died, 1);
        witness_enter(witness, file, hold.slot, storm->k);
        if (random_below(&random, 3) != 0)
            spend(random_below(&random, storm->most_us) * 1000);
        witness_leave(file, hold.slot);
        admit_gate_leave(gate, &hold);
    }
    fprintf(stderr, "a worker ended: %s\n", admit_last_error_text());
    atomic_fetch_add(&witness->violations, 1);
    _exit(1);
}

static pid_t start(const struct storm *storm, const char *name, uint64_t random)
{
    pid_t child = fork();
    if (child == 0)
        work(storm, name, random);
    atomic_store(&witness->doomed[child % WITNESS_PIDS], 0);
    return child;
}

static void end(pid_t child)
{
    atomic_store(&witness->doomed[child % WITNESS_PIDS], 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void rage(const struct storm *storm, const char *name, unsigned kills)
{
    uint64_t random = 88172645463325252u + kills + storm->k;
    pid_t worker[64];
    memset(witness, 0, sizeof *witness);
    admit_gate *gate = admit_gate_open(name, storm->k);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    for (unsigned w = 0; w < storm->workers; w++)
        worker[w] = start(storm, name, random + w * 7919);
    for (unsigned kill = 0; kill < kills && atomic_load(&witness->violations) == 0; kill++) {
        unsigned victim = random_below(&random, storm->workers);
        usleep(random_below(&random, 3000));
        end(worker[victim]);
        worker[victim] = start(storm, name, random + kill);
    }
    usleep(20000);
    for (unsigned w = 0; w < storm->workers; w++)
        end(worker[w]);
    admit_view *view = admit_gate_inspect(gate);
    print_message(
        "# k = %u, %u workers, %u kills: %lu entries, %lu violations, %lu recovered, %lu told of a death, longest time "
        "without an entry %.1f ms\n",
        storm->k, storm->workers, kills, (unsigned long)witness->entries, (unsigned long)witness->violations,
        (unsigned long)view->recovered, (unsigned long)witness->owner_died, (double)witness->longest_gap_ns / 1e6);
    admit_view_free(view);
    assert_int_equal(witness->violations, 0);
    assert_true(witness->entries > kills);
    assert_all_slots_are_there(gate, storm->k);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove(name, 0), ADMIT_OK);
}

static unsigned kills(void)
{
    return sized(5000, 800, 150);
}

static void k_1(void **state)
{
    (void)state;
    rage(&(struct storm){.k = 1, .workers = 6, .most_us = 100}, "one", kills());
}

static void k_4(void **state)
{
    (void)state;
    rage(&(struct storm){.k = 4, .workers = 16, .most_us = 300}, "four", kills());
}

static void with_giving_up(void **state)
{
    (void)state;
    rage(&(struct storm){.k = 2, .workers = 8, .most_us = 200, .give_up = true}, "two", kills());
}

int main(void)
{
    test_directory();
    snprintf(witness_path, sizeof witness_path, "%s/witness~", test_directory());
    witness = make_gate_witness();
    const struct CMUnitTest tests[] = {cmocka_unit_test(k_1), cmocka_unit_test(k_4), cmocka_unit_test(with_giving_up)};
    int failed = cmocka_run_group_tests_name("gate storm", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
