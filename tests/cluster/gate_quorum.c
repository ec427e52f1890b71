/* SPDX-License-Identifier: MIT
 *
 * A gate on three servers of which the leader is killed under load, or two stand still or are killed: never more than k
 * inside, whoever cannot be sure any more is told so in time, and afterwards it goes on.
 */
#include "crowd.h"

#include <signal.h>

static int tidy(void **context)
{
    (void)context;
    crowds_end();
    nodes_mend(nodes);
    return 0;
}

static const struct member_how stays = {.stays = true, .once = true};
static const struct member_how passes = {.stay_ms = 3};

/* --- the leader is killed under load -------------------------------------------------------------------------------- */

static void leader_is_killed(void **context)
{
    (void)context;
    enum { CLIENTS = 16, TTL = 6 };
    struct crowd *crowd = crowd_new(nodes, "load", 4, TTL);
    for (unsigned m = 0; m < CLIENTS; m++)
        crowd_join(crowd, &passes);
    while (crowd_entries(crowd) < CLIENTS)
        sleep_for(0.05);
    sleep_for(1);
    const unsigned leader = nodes_leader(nodes), before = crowd_entries(crowd);
    atomic_store(&crowd->memory->longest_gap, 0);
    node_signal(nodes, leader, SIGKILL);
    sleep_for(5);
    const unsigned meanwhile = crowd_entries(crowd) - before;
    const double gap = (double)atomic_load(&crowd->memory->longest_gap) / 1e9;
    node_restart(nodes, leader);
    sleep_for(1);
    crowd_expect_well(crowd, 20);
    printf("# leader killed: %u passes before, %u in the 5 s after; longest gap %.2f s; %u lost\n", before, meanwhile,
           gap, crowd_losses(crowd));
    assert_int_equal(crowd_losses(crowd), 0);
    for (unsigned m = 0; m < CLIENTS; m++) {
        const struct member *member = crowd_member(crowd, m);
        assert_true(atomic_load(&member->entries) > 0);
        if (atomic_load(&member->failed) > 1) /* one: when all end */
            fail_msg("member %u was turned away: %s", m, member->text);
    }
    assert_true(meanwhile > 0);
    assert_true(gap < 15);
}

/* --- no quorum ------------------------------------------------------------------------------------------------------ */

/* Two inside, two in line. Signalled are all but one of the servers; until `mended` nobody goes in. */
static void lose_quorum(const char *gate, int signal, const char *told)
{
    enum { TTL = 3 };
    struct crowd *crowd = crowd_new(nodes, gate, 2, TTL);
    unsigned inside[2], line[2];
    for (unsigned m = 0; m < 2; m++)
        crowd_await(crowd, inside[m] = crowd_join(crowd, &stays), INSIDE, 10);
    for (unsigned m = 0; m < 2; m++) {
        line[m] = crowd_join(crowd, &(struct member_how){.stay_ms = 50});
        crowd_await(crowd, line[m], WAITING, 10);
    }
    sleep_for(0.5);
    node_signal(nodes, 0, signal);
    node_signal(nodes, 1, signal);
    const int64_t began = etcd_now();
    for (unsigned m = 0; m < 2; m++)
        crowd_await(crowd, inside[m], HAS_LOST, TTL + 3);
    printf("# %s: those inside know after %.2f s\n", told, (double)(etcd_now() - began) / 1e9);
    for (unsigned m = 0; m < 2; m++)
        assert_int_equal(atomic_load(&crowd_member(crowd, inside[m])->told), 1);
    crowd_let_go(crowd, inside[0]); /* one leaves while nobody answers; the other later */
    sleep_for(2);
    assert_int_equal(crowd_how_many(crowd, INSIDE), 0);
    assert_int_equal(crowd_entries(crowd), 2);
    nodes_mend(nodes);
    const int64_t mended = etcd_now();
    while (atomic_load(&crowd_member(crowd, line[0])->exits) == 0 ||
           atomic_load(&crowd_member(crowd, line[1])->exits) == 0) {
        assert_true(etcd_now() < mended + INT64_C(20000000000));
        sleep_for(0.02);
    }
    printf("# %s: works again %.2f s after all servers answer\n", told, (double)(etcd_now() - mended) / 1e9);
    crowd_let_go(crowd, inside[1]);
    crowd_await(crowd, inside[1], HAS_ENDED, 10);
    for (unsigned m = 0; m < 2; m++)
        assert_int_equal(atomic_load(&crowd_member(crowd, inside[m])->error), ADMIT_LOST);
    crowd_expect_well(crowd, 15);
    assert_int_equal(crowd_losses(crowd), 2);
}

static void two_stand_still(void **context)
{
    (void)context;
    lose_quorum("still", SIGSTOP, "two of three stopped");
}

static void two_are_killed(void **context)
{
    (void)context;
    lose_quorum("dead", SIGKILL, "two of three killed");
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(leader_is_killed, tidy),
                                       cmocka_unit_test_teardown(two_stand_still, tidy),
                                       cmocka_unit_test_teardown(two_are_killed, tidy)};
    return cmocka_run_group_tests(tests, start_three_nodes, stop_nodes);
}
