/* SPDX-License-Identifier: MIT
 *
 * A gate on three servers, in a network that comes apart: a server is cut off, or a client, or both together, where the
 * server is the leader and does not know yet that it is none any more.
 */
#include "crowd.h"

#include "network.h"

#include <signal.h>

enum { SERVERS = 3, CLIENT = SERVERS, HOMES }; /* homes: of three servers, and one of clients */
static struct network network;
static int start(void **context)
{
    (void)context;
    nodes = nodes_start_in(&network, SERVERS);
    return 0;
}

static int tidy(void **context)
{
    (void)context;
    crowds_end();
    for (unsigned home = 0; home < network.homes; home++)
        network_join(&network, home);
    nodes_mend(nodes);
    return 0;
}

static const int *far_away(void)
{
    return &network.home[CLIENT].namespace;
}

/* --- a server ------------------------------------------------------------------------------------------------------- */

/* Others go on by those that are left, and nobody loses anything. */
static void cut_server(const char *gate, const char *told, unsigned server)
{
    enum { CLIENTS = 8, TTL = 8, MANY = 60 };
    static const struct member_how passes = {.stay_ms = 10};
    struct crowd *crowd = crowd_new(nodes, gate, 3, TTL);
    for (unsigned m = 0; m < CLIENTS; m++)
        crowd_join(crowd, &passes);
    while (crowd_entries(crowd) < CLIENTS)
        sleep_for(0.05);
    sleep_for(0.3);
    const unsigned before = crowd_entries(crowd);
    const int64_t began = etcd_now();
    atomic_store(&crowd->memory->longest_gap, 0);
    network_cut(&network, server);
    while (crowd_entries(crowd) < before + MANY) {
        assert_true(etcd_now() < began + INT64_C(20000000000));
        sleep_for(0.05);
    }
    const double took = (double)(etcd_now() - began) / 1e9,
                 gap = (double)atomic_load(&crowd->memory->longest_gap) / 1e9;
    network_join(&network, server);
    sleep_for(1);
    crowd_expect_well(crowd, 20);
    printf("# %s cut off: %d passes in %.2f s; longest gap %.2f s; %u lost\n", told, MANY, took, gap,
           crowd_losses(crowd));
    assert_int_equal(crowd_losses(crowd), 0);
}

/* All clients ask the first server first. */
static void first_is_cut_off(void **context)
{
    (void)context;
    cut_server("first", nodes_leader(nodes) == 0 ? "the first, which is the leader," : "the first, a follower,", 0);
}

static void leader_is_cut_off(void **context)
{
    (void)context;
    cut_server("leader", "the leader", nodes_leader(nodes));
}

/* --- a client ------------------------------------------------------------------------------------------------------- */

/* The a client that is cut off knows before the next goes in, which the witness sees to. */
static void lose_client(const char *gate, const char *told, bool with_leader)
{
    enum { TTL = 3 };
    struct crowd *crowd = crowd_new(nodes, gate, 1, TTL);
    const unsigned first = crowd_join(crowd, &(struct member_how){.stays = true, .once = true, .home = far_away()});
    crowd_await(crowd, first, INSIDE, 10);
    const unsigned next = crowd_join(crowd, &(struct member_how){.stays = true, .once = true});
    crowd_await(crowd, next, WAITING, 10);
    sleep_for(0.5);
    const unsigned leader = nodes_leader(nodes);
    network_cut(&network, CLIENT);
    if (with_leader)
        network_cut(&network, leader);
    const double lost = crowd_await(crowd, first, HAS_LOST, TTL + 3);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->told), 1);
    const double waited = lost + crowd_await(crowd, next, INSIDE, 15);
    printf("# %s cut off: it knows after %.2f s, the next is inside after %.2f s\n", told, lost, waited);
    network_join(&network, CLIENT);
    if (with_leader)
        network_join(&network, leader);
    crowd_let_go(crowd, first);
    crowd_await(crowd, first, HAS_ENDED, 15);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->error), ADMIT_LOST);
    assert_int_equal(atomic_load(&crowd_member(crowd, next)->doing), INSIDE);
    crowd_expect_well(crowd, 10);
    assert_int_equal(crowd_losses(crowd), 1);
}

static void client_is_cut_off(void **context)
{
    (void)context;
    lose_client("client", "client", false);
}

static void client_is_cut_off_with_leader(void **context)
{
    (void)context;
    lose_client("island", "client and leader together", true);
}

/* Shorter than the lease: it does not even notice. */
static void cable_is_loose(void **context)
{
    (void)context;
    struct crowd *crowd = crowd_new(nodes, "loose", 1, 8);
    const unsigned first = crowd_join(crowd, &(struct member_how){.stays = true, .once = true, .home = far_away()});
    crowd_await(crowd, first, INSIDE, 10);
    network_cut(&network, CLIENT);
    sleep_for(2);
    network_join(&network, CLIENT);
    sleep_for(1);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->doing), INSIDE);
    crowd_expect_well(crowd, 15);
    assert_int_equal(crowd_losses(crowd), 0);
}

static void waiter_is_cut_off(void **context)
{
    (void)context;
    enum { TTL = 3 };
    static const struct member_how stays = {.stays = true, .once = true};
    struct crowd *crowd = crowd_new(nodes, "waits", 1, TTL);
    const unsigned first = crowd_join(crowd, &stays);
    crowd_await(crowd, first, INSIDE, 10);
    const unsigned cut = crowd_join(crowd, &(struct member_how){.stays = true, .once = true, .home = far_away()});
    crowd_await(crowd, cut, WAITING, 10);
    sleep_for(0.5);
    network_cut(&network, CLIENT);
    crowd_await(crowd, cut, HAS_ENDED, TTL + 5); /* and not only when it is joined again */
    network_join(&network, CLIENT);
    assert_int_equal(atomic_load(&crowd_member(crowd, cut)->error), ADMIT_LOST);
    assert_int_equal(atomic_load(&crowd_member(crowd, cut)->entries), 0);
    const unsigned last = crowd_join(crowd, &stays);
    crowd_await(crowd, last, WAITING, 10);
    crowd_let_go(crowd, first);
    crowd_await(crowd, last, INSIDE, 10);
    crowd_expect_well(crowd, 10);
}

int main(void)
{
    char why[160];
    if (nodes_missing())
        return 0;
    if (!network_make(&network, HOMES, why, sizeof why)) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(first_is_cut_off, tidy),
                                       cmocka_unit_test_teardown(leader_is_cut_off, tidy),
                                       cmocka_unit_test_teardown(client_is_cut_off, tidy),
                                       cmocka_unit_test_teardown(client_is_cut_off_with_leader, tidy),
                                       cmocka_unit_test_teardown(waiter_is_cut_off, tidy),
                                       cmocka_unit_test_teardown(cable_is_loose, tidy)};
    return cmocka_run_group_tests(tests, start, stop_nodes);
}
