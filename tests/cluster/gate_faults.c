/* SPDX-License-Identifier: MIT
 *
 * Processes at a gate on three servers that are killed, or stopped for longer than their lease: the next goes in, and
 * whoever runs again learns what it has lost.
 */
#include "crowd.h"

#include <signal.h>

enum { TTL = 2 };

static int tidy(void **context)
{
    (void)context;
    crowds_end();
    nodes_mend(nodes);
    return 0;
}

static const struct member_how stays = {.stays = true, .once = true};

static void holder_is_killed(void **context)
{
    (void)context;
    struct crowd *crowd = crowd_new(nodes, "killed", 1, TTL);
    const unsigned first = crowd_join(crowd, &stays);
    crowd_await(crowd, first, INSIDE, 10);
    const unsigned next = crowd_join(crowd, &stays);
    crowd_await(crowd, next, WAITING, 10);
    sleep_for(0.3);
    assert_int_equal(atomic_load(&crowd_member(crowd, next)->doing), WAITING);
    crowd_signal(crowd, first, SIGKILL);
    printf("# holder killed: the next is inside after %.2f s\n", crowd_await(crowd, next, INSIDE, TTL + 6));
    crowd_expect_well(crowd, 10);
}

/* Also one with several slots: the client that comes has the slot of the client that is dead, and a larger token. */
static void slot_of_killed_comes_back(void **context)
{
    (void)context;
    struct crowd *crowd = crowd_new(nodes, "slots", 3, TTL);
    for (unsigned m = 0; m < 3; m++)
        crowd_await(crowd, crowd_join(crowd, &stays), INSIDE, 10);
    const unsigned next = crowd_join(crowd, &stays);
    crowd_await(crowd, next, WAITING, 10);
    const uint64_t token = atomic_load(&crowd_member(crowd, 1)->token);
    crowd_signal(crowd, 1, SIGKILL);
    crowd_await(crowd, next, INSIDE, TTL + 6);
    assert_true(atomic_load(&crowd_member(crowd, next)->token) > token);
    crowd_expect_well(crowd, 10);
}

static void holder_is_frozen(void **context)
{
    (void)context;
    struct crowd *crowd = crowd_new(nodes, "frozen", 2, TTL);
    const unsigned first = crowd_join(crowd, &stays), second = crowd_join(crowd, &stays);
    crowd_await(crowd, first, INSIDE, 10);
    crowd_await(crowd, second, INSIDE, 10);
    const unsigned next = crowd_join(crowd, &stays);
    crowd_await(crowd, next, WAITING, 10);
    crowd_signal(crowd, first, SIGSTOP);
    const double waited = crowd_await(crowd, next, INSIDE, TTL + 6);
    sleep_for(0.5);
    crowd_signal(crowd, first, SIGCONT);
    const double learned = crowd_await(crowd, first, HAS_LOST, 5);
    printf("# holder frozen: the next is inside after %.2f s; thawed, it knows after %.2f s\n", waited, learned);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->told), 1);
    crowd_let_go(crowd, first);
    crowd_await(crowd, first, HAS_ENDED, 10);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->error), ADMIT_LOST);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->losses), 1);
    assert_int_equal(atomic_load(&crowd_member(crowd, next)->doing), INSIDE); /* it took nothing with it */
    crowd_expect_well(crowd, 10);
    assert_int_equal(crowd_losses(crowd), 1);
}

/* Shorter than the lease: nothing is lost. */
static void holder_stops_for_a_moment(void **context)
{
    (void)context;
    struct crowd *crowd = crowd_new(nodes, "moment", 1, 6);
    const unsigned first = crowd_join(crowd, &stays);
    crowd_await(crowd, first, INSIDE, 10);
    crowd_signal(crowd, first, SIGSTOP);
    sleep_for(1);
    crowd_signal(crowd, first, SIGCONT);
    sleep_for(0.2);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->doing), INSIDE);
    crowd_expect_well(crowd, 10);
    assert_int_equal(crowd_losses(crowd), 0);
}

static void waiter_is_frozen(void **context)
{
    (void)context;
    struct crowd *crowd = crowd_new(nodes, "line", 1, TTL);
    const unsigned first = crowd_join(crowd, &stays);
    crowd_await(crowd, first, INSIDE, 10);
    const unsigned frozen = crowd_join(crowd, &stays);
    crowd_await(crowd, frozen, WAITING, 10);
    sleep_for(0.3);
    const unsigned behind = crowd_join(crowd, &stays);
    crowd_await(crowd, behind, WAITING, 10);
    sleep_for(0.3);
    crowd_signal(crowd, frozen, SIGSTOP);
    crowd_let_go(crowd, first);
    const double waited = crowd_await(crowd, behind, INSIDE, TTL + 6);
    crowd_let_go(crowd, behind);
    crowd_await(crowd, behind, HAS_ENDED, 10); /* now it is free, and yet not for one that has lost its place */
    crowd_signal(crowd, frozen, SIGCONT);
    crowd_await(crowd, frozen, HAS_ENDED, 10);
    printf("# waiter frozen: the one behind is inside after %.2f s\n", waited);
    const struct member *member = crowd_member(crowd, frozen);
    assert_int_equal(atomic_load(&member->error), ADMIT_LOST);
    assert_int_equal(atomic_load(&member->entries), 0);
    assert_int_equal(atomic_load(&member->told), 0);
    assert_non_null(strstr(member->text, "place in line is lost"));
    crowd_expect_well(crowd, 10);
}

/* Inside, or just outside again. */
static void catch_inside(const struct crowd *crowd, unsigned which)
{
    const int64_t until = in_seconds(3);
    while (atomic_load(&crowd_member(crowd, which)->doing) != INSIDE && etcd_now() < until)
        sleep_for(0.001);
}

/* Some are killed and some are stopped, beside others that come and go. */
static void storm(void **context)
{
    (void)context;
    enum { ROUNDS = 6, VICTIMS = 6 };
    static const struct member_how passes = {.stay_ms = 30};
    struct crowd *crowd = crowd_new(nodes, "storm", 3, TTL);
    for (unsigned m = 0; m < VICTIMS + 4; m++)
        crowd_join(crowd, &passes);
    sleep_for(1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned victim = round % VICTIMS;
        catch_inside(crowd, victim);
        crowd_signal(crowd, victim, round % 2 == 0 ? SIGSTOP : SIGKILL);
        sleep_for(0.1);
        if (round % 2 == 1)
            crowd_join(crowd, &passes);
    }
    sleep_for(TTL + 1.5);
    for (unsigned victim = 0; victim < VICTIMS; victim += 2)
        crowd_signal(crowd, victim, SIGCONT);
    sleep_for(0.5);
    const unsigned before = crowd_entries(crowd);
    sleep_for(0.5);
    assert_true(crowd_entries(crowd) > before);
    crowd_expect_well(crowd, 15);
    printf("# storm: %u entries, %u lost\n", crowd_entries(crowd), crowd_losses(crowd));
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(holder_is_killed, tidy),          cmocka_unit_test_teardown(holder_is_frozen, tidy),
        cmocka_unit_test_teardown(slot_of_killed_comes_back, tidy), cmocka_unit_test_teardown(waiter_is_frozen, tidy),
        cmocka_unit_test_teardown(holder_stops_for_a_moment, tidy), cmocka_unit_test_teardown(storm, tidy)};
    return cmocka_run_group_tests(tests, start_three_nodes, stop_nodes);
}
