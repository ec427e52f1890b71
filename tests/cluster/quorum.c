/* SPDX-License-Identifier: MIT
 *
 * Three servers of which one or two fail: what is told done is there once, what is told not done is not there, ever,
 * and a server that is gone costs little.
 */
#include "nodes.h"

#include <signal.h>
#include <stdatomic.h>

static void wait_for_all(void)
{
    for (unsigned n = 0; n < nodes->count; n++) {
        struct etcd *etcd = client_of_one(nodes, n);
        while (post(etcd, "/v3/maintenance/status", "{}") != ETCD_DONE)
            sleep_for(0.1);
        count_keys(etcd, "none");
        etcd_close(etcd);
    }
}

/* --- the leader is killed ----------------------------------------------------------------------------------------- */

enum { PUTS_MAX = 20000 };
static enum etcd_result outcome[PUTS_MAX];

/* Not to be repeated: each writes a key that must not be there yet, so that it would fail a second time. */
static enum etcd_result put_once(struct etcd *etcd, unsigned number, double seconds)
{
    char key[24];
    snprintf(key, sizeof key, "once/%05u", number);
    const struct etcd_txn txn = {.conditions = 1,
                                 .condition = {{.key = key, .target = ETCD_CREATED, .relation = ETCD_EQUAL}},
                                 .thens = 1,
                                 .then = {{.deed = ETCD_PUT, .key = key, .value = "x"}}};
    struct etcd_answer answer;
    const enum etcd_result result = etcd_do(etcd, &txn, in_seconds(seconds), &answer);
    if (result == ETCD_DONE)
        assert_true(answer.succeeded); /* nobody has sent it before */
    etcd_answer_free(&answer);
    return result;
}

static void expect_outcomes(struct etcd *etcd, unsigned count)
{
    static bool there[PUTS_MAX];
    memset(there, 0, sizeof there);
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_LIST, .key = "once/", .prefix = true}}};
    struct etcd_answer answer;
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
    for (unsigned p = 0; p < answer.pairs; p++) {
        const int number = atoi(answer.pair[p].key + strlen("once/"));
        assert_in_range(number, 0, count - 1);
        assert_false(there[number]);
        assert_int_equal(answer.pair[p].created, answer.pair[p].modified);
        there[number] = true;
    }
    etcd_answer_free(&answer);
    for (unsigned number = 0; number < count; number++) {
        if (outcome[number] == ETCD_DONE)
            assert_true(there[number]);
        else if (outcome[number] != ETCD_UNKNOWN)
            assert_false(there[number]);
    }
}

static void leader_is_killed(void **context)
{
    (void)context;
    struct etcd *etcd = client_of(nodes);
    const unsigned leader = nodes_leader(nodes);
    const int64_t kill_at = in_seconds(0.7), ends = in_seconds(5);
    int64_t last = etcd_now(), gap = 0;
    unsigned number = 0, count[5] = {0};
    for (bool killed = false; etcd_now() < ends && number < PUTS_MAX; number++) {
        if (!killed && etcd_now() >= kill_at) {
            node_signal(nodes, leader, SIGKILL);
            killed = true;
        }
        outcome[number] = put_once(etcd, number, 10);
        count[outcome[number]]++;
        if (outcome[number] == ETCD_DONE) {
            gap = etcd_now() - last > gap ? etcd_now() - last : gap;
            last = etcd_now();
        }
        sleep_for(0.001);
    }
    printf("# leader killed: %u done, %u unknown, %u unreached, %u refused; longest gap %.2f s\n", count[ETCD_DONE],
           count[ETCD_UNKNOWN], count[ETCD_UNREACHED], count[ETCD_REFUSED], (double)gap / 1e9);
    assert_int_equal(count[ETCD_REFUSED] + count[ETCD_INTERRUPTED], 0);
    assert_true(gap > 0 && gap < INT64_C(6000000000));
    assert_true(count[ETCD_UNKNOWN] <= 5);
    sleep_for(0.5); /* what may be done later has been by now */
    expect_outcomes(etcd, number);
    node_restart(nodes, leader);
    etcd_close(etcd);
    wait_for_all();
}

/* --- one of three is dead, or stands still ------------------------------------------------------------------------ */

static double time_of_put(struct etcd *etcd, enum etcd_result *result)
{
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = "dead", .value = "x"}}};
    struct etcd_answer answer;
    const int64_t began = etcd_now();
    *result = etcd_do(etcd, &txn, in_seconds(10), &answer);
    etcd_answer_free(&answer);
    return (double)(etcd_now() - began) / 1e9;
}

/* Than the first: what a change of leaders costs is another matter. */
static void let_another_lead(void)
{
    if (nodes_leader(nodes) != 0)
        return;
    node_signal(nodes, 0, SIGKILL);
    sleep_for(2.5);
    node_restart(nodes, 0);
    wait_for_all();
}

static void first_is_gone(void **context)
{
    (void)context;
    enum etcd_result result;
    let_another_lead();
    node_signal(nodes, 0, SIGSTOP);
    struct etcd *etcd = client_of(nodes);
    assert_true(time_of_put(etcd, &result) < 3);
    assert_int_equal(result, ETCD_UNKNOWN); /* it was sent */
    assert_non_null(strstr(etcd_text(etcd), "127.0.0.1:"));
    for (unsigned times = 0; times < 20; times++) {
        assert_true(time_of_put(etcd, &result) < 1);
        assert_int_equal(result, ETCD_DONE);
    }
    etcd_close(etcd);
    /* What only reads, or may be done twice, goes to the next by itself. */
    etcd = client_of(nodes);
    assert_int_equal(count_keys(etcd, "dead"), 1);
    etcd_close(etcd);
    node_signal(nodes, 0, SIGKILL);
    etcd = client_of(nodes);
    assert_true(time_of_put(etcd, &result) < 1);
    assert_int_equal(result, ETCD_DONE);
    etcd_close(etcd);
    node_restart(nodes, 0);
    wait_for_all();
}

/* The session lives through both: its thread finds another server in time. */
static void count_one(void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

static void session_outlives_a_leader(void **context)
{
    (void)context;
    static atomic_uint overs;
    struct etcd *etcd = client_of(nodes);
    struct etcd_session *session;
    assert_done(etcd, etcd_session_open(etcd, &nodes->options, 6, in_seconds(10), count_one, &overs, &session));
    put(etcd, "session", "x", etcd_session_lease(session));
    const unsigned leader = nodes_leader(nodes);
    node_signal(nodes, leader, SIGKILL);
    sleep_for(6.5);
    assert_true(etcd_session_in_time(session));
    assert_int_equal(atomic_load(&overs), 0);
    assert_int_equal(count_keys(etcd, "session"), 1);
    etcd_session_close(session, true);
    assert_int_equal(count_keys(etcd, "session"), 0);
    etcd_close(etcd);
    node_restart(nodes, leader);
    wait_for_all();
}

/* Once the session has found another server, the handle that has opened it asks that one, too, and the one that stands still
 * costs it nothing. */
static void goes_where_the_session_is(void **context)
{
    (void)context;
    let_another_lead();
    struct etcd *etcd = client_of(nodes);
    struct etcd_session *session;
    assert_done(etcd, etcd_session_open(etcd, &nodes->options, 4, in_seconds(10), NULL, NULL, &session));
    node_signal(nodes, 0, SIGSTOP);
    for (unsigned times = 0; times < 2; times++) { /* the first may have been answered before */
        const int64_t before = etcd_session_deadline(session);
        while (etcd_session_deadline(session) == before)
            sleep_for(0.02);
    }
    const uint64_t requests = etcd_requests(etcd);
    put(etcd, "moved", "x", etcd_session_lease(session));
    assert_int_equal(etcd_requests(etcd), requests + 1);
    etcd_session_close(session, true);
    assert_int_equal(count_keys(etcd, "moved"), 0);
    etcd_close(etcd);
    nodes_mend(nodes);
}

/* --- no quorum ---------------------------------------------------------------------------------------------------- */

/* One server is left, which can be reached and must neither be believed nor waited for without end. */
static void two_are_gone(void **context)
{
    (void)context;
    static atomic_uint overs;
    struct etcd *etcd = client_of_one(nodes, 2);
    struct etcd_session *session;
    atomic_store(&overs, 0);
    assert_done(etcd, etcd_session_open(etcd, &nodes->options, 3, in_seconds(10), count_one, &overs, &session));
    struct etcd_watch *watch = etcd_watch_open(etcd, "watched/", 0, true);
    struct etcd_event event;
    assert_int_equal(etcd_watch_next(watch, in_seconds(0.3), &event), ETCD_NO_NEWS);
    node_signal(nodes, 0, SIGKILL);
    node_signal(nodes, 1, SIGKILL);
    assert_int_equal(etcd_watch_next(watch, in_seconds(15), &event), ETCD_WATCH_ENDED);
    assert_non_null(strstr(etcd_watch_text(watch), "leader"));
    etcd_watch_close(watch);
    const struct etcd_txn look = {.thens = 1, .then = {{.deed = ETCD_LIST, .key = "dead"}}};
    struct etcd_answer answer;
    assert_int_equal(etcd_do(etcd, &look, in_seconds(1), &answer), ETCD_UNREACHED);
    assert_non_null(strstr(etcd_text(etcd), "leader"));
    outcome[0] = put_once(etcd, PUTS_MAX + 1, 1);
    assert_int_equal(outcome[0], ETCD_UNREACHED);
    const int64_t limit = in_seconds(4);
    while (atomic_load(&overs) == 0 && etcd_now() < limit)
        sleep_for(0.02);
    assert_int_equal(atomic_load(&overs), 1);
    etcd_session_close(session, false);
    node_restart(nodes, 0);
    node_restart(nodes, 1);
    assert_int_equal(count_keys(etcd, "once/20001"), 0);
    etcd_close(etcd);
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(leader_is_killed), cmocka_unit_test(first_is_gone),
                                       cmocka_unit_test(session_outlives_a_leader),
                                       cmocka_unit_test(goes_where_the_session_is), cmocka_unit_test(two_are_gone)};
    return cmocka_run_group_tests(tests, start_three_nodes, stop_nodes);
}
