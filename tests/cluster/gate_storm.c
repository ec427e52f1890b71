/* SPDX-License-Identifier: MIT
 *
 * All at once, at random: of three servers one after the other is killed or stands still, sometimes two, and so do those
 * who use the gate. With ADMIT_TEST_FULL for minutes; ADMIT_TEST_SEED repeats the order of the faults, as far as time lets it.
 */
#include "crowd.h"

#include <signal.h>

enum { K = 3, TTL = 3, MEMBERS = 12 };

static int tidy(void **context)
{
    (void)context;
    crowds_end();
    return 0;
}

static unsigned below(unsigned limit)
{
    return (unsigned)rand() % limit;
}

static unsigned seed_given(void)
{
    const char *seed = getenv("ADMIT_TEST_SEED");
    return seed != NULL ? (unsigned)strtoul(seed, NULL, 10) : (unsigned)getpid();
}

/* What stands still already does not stop once more. Of servers, since when. */
static int64_t server_stands[NODES_MAX];
static bool member_stands[MEMBERS];

static void fail_server(void)
{
    const unsigned server = below(3);
    const bool is_killed = below(2) == 0;
    if (nodes->process[server] == 0 || server_stands[server] != 0)
        return;
    node_signal(nodes, server, is_killed ? SIGKILL : SIGSTOP);
    server_stands[server] = is_killed ? 0 : etcd_now();
}

/* Up to 3.4.30 and 3.5.12 a leader that has stood still for as long as a lease asks, when it goes on, that those leases
 * be revoked which it has not seen renewed, and the new leader does so, though they were renewed there: issue 15247 of
 * etcd. Then a slot is given away whose owner cannot know yet. Nothing that a client does prevents it; so a server that
 * has stood still for long does not go on here, but begins anew. */
static void mend_servers(void)
{
    const int64_t long_ago = etcd_now() - INT64_C(1000000000);
    for (unsigned n = 0; n < nodes->count; n++)
        if (server_stands[n] != 0 && server_stands[n] < long_ago)
            node_signal(nodes, n, SIGKILL);
    for (unsigned n = 0; n < nodes->count; n++)
        if (nodes->process[n] == 0)
            node_restart(nodes, n);
        else
            node_signal(nodes, n, SIGCONT);
    memset(server_stands, 0, sizeof server_stands);
}

/* Stopped for less than its lease, or for longer. */
static void stop_members(struct crowd *crowd)
{
    for (unsigned times = below(3); times > 0; times--) {
        const unsigned which = below(MEMBERS);
        if (!member_stands[which])
            crowd_signal(crowd, which, SIGSTOP);
        member_stands[which] = true;
    }
}

static void go_on(struct crowd *crowd)
{
    for (unsigned m = 0; m < crowd->count; m++)
        crowd_signal(crowd, m, SIGCONT);
    memset(member_stands, 0, sizeof member_stands);
}

static void everything_fails(void **context)
{
    (void)context;
    const unsigned seed = seed_given();
    struct crowd *crowd = crowd_new(nodes, "storm", K, TTL);
    const int64_t until = in_seconds(getenv("ADMIT_TEST_FULL") != NULL ? 120 : 8);
    srand(seed);
    for (unsigned m = 0; m < MEMBERS; m++)
        crowd_join(crowd, &(struct member_how){.stay_ms = 5 + 40 * (m % 3)});
    while (etcd_now() < until && !atomic_load(&crowd->memory->is_violated)) {
        sleep_for(0.5 + below(10) / 10.0);
        fail_server();
        stop_members(crowd);
        sleep_for(below(20) / 10.0);
        if (below(3) == 0)
            fail_server();
        sleep_for(below(40) / 10.0);
        mend_servers();
        go_on(crowd);
    }
    nodes_mend(nodes);
    const unsigned before = crowd_entries(crowd);
    const int64_t limit = in_seconds(30);
    while (crowd_entries(crowd) < before + 20 && etcd_now() < limit)
        sleep_for(0.05);
    printf("# seed %u: %u entries, %u lost\n", seed, crowd_entries(crowd), crowd_losses(crowd));
    assert_true(crowd_entries(crowd) >= before + 20);
    crowd_expect_well(crowd, 20);
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(everything_fails, tidy)};
    return cmocka_run_group_tests(tests, start_three_nodes, stop_nodes);
}
