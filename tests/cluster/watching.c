/* SPDX-License-Identifier: MIT
 *
 * Watches, sessions and interruptions at one server, which is stopped, continued and killed.
 */
#include "nodes.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sys/wait.h>

static struct etcd *etcd;

static int start(void **context)
{
    (void)context;
    nodes = nodes_start(1, NULL, NULL);
    etcd = client_of(nodes);
    return 0;
}

static int stop(void **context)
{
    (void)context;
    etcd_close(etcd);
    nodes_stop(nodes);
    return 0;
}

/* --- watches ------------------------------------------------------------------------------------------------------ */

static void expect_event(struct etcd_watch *watch, bool deleted, const char *key, const char *value, int64_t revision)
{
    struct etcd_event event;
    const enum etcd_news news = etcd_watch_next(watch, in_seconds(10), &event);
    if (news != ETCD_EVENT)
        fail_msg("no event for %s: %d, %s", key, news, etcd_watch_text(watch));
    assert_int_equal(event.deleted, deleted);
    assert_string_equal(event.key, key);
    assert_string_equal(event.value, value);
    if (revision != 0)
        assert_int_equal(event.revision, revision);
}

static void expect_silence(struct etcd_watch *watch)
{
    struct etcd_event event;
    assert_int_equal(etcd_watch_next(watch, in_seconds(0.2), &event), ETCD_NO_NEWS);
}

/* What was before the watch is told from the revision on, what comes later when it happens. */
static void tells_all(void **context)
{
    (void)context;
    put(etcd, "w/before", "x", 0);
    const int64_t from = put(etcd, "w/a", "one", 0);
    put(etcd, "w/a", "two", 0);
    put(etcd, "w0", "another prefix", 0);
    struct etcd_watch *watch = etcd_watch_open(etcd, "w/", from, false);
    expect_event(watch, false, "w/a", "one", from);
    expect_event(watch, false, "w/a", "two", from + 1);
    expect_silence(watch);
    delete_key(etcd, "w/a");
    expect_event(watch, true, "w/a", "", from + 3);
    etcd_watch_close(watch);
}

static void tells_deletions_only(void **context)
{
    (void)context;
    const int64_t from = put(etcd, "d/a", "x", 0);
    int64_t lease;
    unsigned granted;
    assert_done(etcd, etcd_grant(etcd, 60, in_seconds(10), &lease, &granted));
    put(etcd, "d/b", "x", 0);
    delete_key(etcd, "d/a");
    struct etcd_watch *watch = etcd_watch_open(etcd, "d/", from, true);
    expect_event(watch, true, "d/a", "", from + 2);
    put(etcd, "d/c", "x", lease);
    expect_silence(watch);
    delete_key(etcd, "d/b");
    expect_event(watch, true, "d/b", "", 0);
    assert_done(etcd, etcd_revoke(etcd, lease, in_seconds(10)));
    expect_event(watch, true, "d/c", "", 0);
    etcd_watch_close(watch);
}

/* In one transaction, and so in one line of the stream. */
static void tells_many_at_once(void **context)
{
    (void)context;
    enum { KEYS = 200 };
    char key[20];
    for (unsigned k = 0; k < KEYS; k++) {
        snprintf(key, sizeof key, "m/%03u", k);
        put(etcd, key, "x", 0);
    }
    struct etcd_watch *watch = etcd_watch_open(etcd, "m/", 0, true);
    expect_silence(watch);
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_DELETE, .key = "m/", .prefix = true}}};
    struct etcd_answer answer;
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
    for (unsigned k = 0; k < KEYS; k++) {
        snprintf(key, sizeof key, "m/%03u", k);
        expect_event(watch, true, key, "", answer.revision);
    }
    expect_silence(watch);
    etcd_watch_close(watch);
}

/* One that is made from now on, though the store has gone on meanwhile, tells at once; and when it is known to be there, what it
 * has not seen is known, too. */
static void tells_at_once_from_when_it_began(void **context)
{
    (void)context;
    int64_t began = 0;
    put(etcd, "b/before", "", 0);
    struct etcd_watch *watch = etcd_watch_open(etcd, "b/", 0, true);
    delete_key(etcd, "b/before");
    const int64_t last = put(etcd, "b/after", "", 0);
    assert_int_equal(etcd_watch_begin(watch, in_seconds(10), &began), ETCD_WATCH_BEGUN);
    assert_int_equal(began, last);
    assert_true(etcd_watch_is_near(watch, etcd));
    expect_silence(watch);
    delete_key(etcd, "b/after");
    expect_event(watch, true, "b/after", "", last + 1);
    etcd_watch_close(watch);
}

static void ends_where_history_is_compacted(void **context)
{
    (void)context;
    const int64_t old = put(etcd, "h/a", "x", 0), young = put(etcd, "h/a", "y", 0);
    char body[60];
    snprintf(body, sizeof body, "{\"revision\":\"%ld\",\"physical\":true}", (long)young);
    assert_done(etcd, post(etcd, "/v3/kv/compaction", body));
    struct etcd_watch *watch = etcd_watch_open(etcd, "h/", old, false);
    struct etcd_event event;
    for (unsigned times = 0; times < 2; times++)
        assert_int_equal(etcd_watch_next(watch, in_seconds(10), &event), ETCD_WATCH_ENDED);
    assert_non_null(strstr(etcd_watch_text(watch), "compacted"));
    assert_non_null(strstr(etcd_watch_text(watch), nodes->endpoints));
    etcd_watch_close(watch);
}

static void ends_with_the_server(void **context)
{
    (void)context;
    struct etcd_watch *watch = etcd_watch_open(etcd, "e/", 0, true);
    struct etcd_event event;
    expect_silence(watch);
    node_signal(nodes, 0, SIGKILL);
    assert_int_equal(etcd_watch_next(watch, in_seconds(10), &event), ETCD_WATCH_ENDED);
    etcd_watch_close(watch);
    watch = etcd_watch_open(etcd, "e/", 0, true);
    assert_int_equal(etcd_watch_next(watch, in_seconds(10), &event), ETCD_WATCH_ENDED);
    assert_non_null(strstr(etcd_watch_text(watch), nodes->endpoints));
    etcd_watch_close(watch);
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = "e/x", .value = ""}}};
    struct etcd_answer answer;
    assert_int_equal(etcd_do(etcd, &txn, in_seconds(0.5), &answer), ETCD_UNREACHED);
    assert_non_null(strstr(etcd_text(etcd), nodes->endpoints));
    node_restart(nodes, 0);
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(30), &answer)); /* goes on asking until it is up */
}

/* --- sessions ----------------------------------------------------------------------------------------------------- */

static void count_one(void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

static struct etcd_session *session_of(unsigned seconds, atomic_uint *overs)
{
    struct etcd_session *session;
    atomic_store(overs, 0);
    assert_done(etcd, etcd_session_open(etcd, &nodes->options, seconds, in_seconds(10), count_one, overs, &session));
    return session;
}

static void session_lives(void **context)
{
    (void)context;
    static atomic_uint overs;
    struct etcd_session *session = session_of(2, &overs);
    put(etcd, "session/mine", "x", etcd_session_lease(session));
    for (unsigned times = 0; times < 6; times++) {
        assert_true(etcd_session_in_time(session));
        const int64_t deadline = etcd_session_deadline(session);
        assert_true(deadline > etcd_now() && deadline <= in_seconds(3));
        sleep_for(0.5);
    }
    assert_int_equal(count_keys(etcd, "session/"), 1);
    etcd_session_close(session, true);
    assert_int_equal(count_keys(etcd, "session/"), 0);
    session = session_of(60, &overs);
    put(etcd, "session/mine", "x", etcd_session_lease(session));
    const int64_t lease = etcd_session_lease(session);
    etcd_session_close(session, false);
    assert_int_equal(count_keys(etcd, "session/"), 1);
    assert_done(etcd, etcd_revoke(etcd, lease, in_seconds(10)));
    assert_int_equal(atomic_load(&overs), 0);
}

/* It is over here by its own clock, before the server, which has stood still, would end the lease; and it stays so,
 * though the lease is there when the server goes on. */
static void session_is_over_in_silence(void **context)
{
    (void)context;
    static atomic_uint overs;
    struct etcd_session *session = session_of(3, &overs);
    node_signal(nodes, 0, SIGSTOP);
    const int64_t deadline = etcd_session_deadline(session);
    assert_true(deadline <= in_seconds(3));
    while (etcd_session_in_time(session)) {
        assert_true(etcd_now() < deadline + INT64_C(100000000));
        sleep_for(0.005);
    }
    assert_true(etcd_now() >= deadline);
    assert_int_equal(etcd_session_deadline(session), 0);
    node_signal(nodes, 0, SIGCONT);
    sleep_for(1);
    assert_int_equal(atomic_load(&overs), 1);
    assert_false(etcd_session_in_time(session));
    unsigned granted;
    const enum etcd_result late = etcd_keep_alive(etcd, etcd_session_lease(session), in_seconds(10), &granted);
    assert_true(late == ETCD_DONE || etcd_reason(etcd) == ETCD_LEASE_GONE);
    assert_false(etcd_session_in_time(session));
    assert_int_equal(etcd_session_deadline(session), 0);
    etcd_session_close(session, true);
    assert_int_equal(atomic_load(&overs), 1);
}

static void session_ends_with_its_lease(void **context)
{
    (void)context;
    static atomic_uint overs;
    struct etcd_session *session = session_of(3, &overs);
    assert_done(etcd, etcd_revoke(etcd, etcd_session_lease(session), in_seconds(10)));
    const int64_t limit = in_seconds(2.5);
    while (atomic_load(&overs) == 0 && etcd_now() < limit)
        sleep_for(0.01);
    assert_int_equal(atomic_load(&overs), 1);
    assert_false(etcd_session_in_time(session));
    etcd_session_close(session, true);
}

/* The child uses neither the connections nor the lease, and the parent does not notice. */
static void forked(void **context)
{
    (void)context;
    static atomic_uint overs;
    struct etcd_session *session = session_of(2, &overs);
    struct etcd_watch *watch = etcd_watch_open(etcd, "f/", 0, false);
    expect_silence(watch);
    const pid_t child = fork();
    if (child == 0) {
        struct etcd_event event;
        etcd_session_forget(session);
        bool right = etcd_watch_next(watch, in_seconds(1), &event) == ETCD_WATCH_ENDED;
        etcd_watch_close(watch);
        const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = "f/child", .value = "x"}}};
        struct etcd_answer answer;
        right = right && etcd_do(etcd, &txn, in_seconds(10), &answer) == ETCD_DONE;
        etcd_close(etcd);
        _exit(right ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    expect_event(watch, false, "f/child", "x", 0);
    put(etcd, "f/parent", "x", etcd_session_lease(session));
    expect_event(watch, false, "f/parent", "x", 0);
    sleep_for(2.5);
    assert_true(etcd_session_in_time(session));
    etcd_watch_close(watch);
    etcd_session_close(session, true);
}

/* --- interruptions ------------------------------------------------------------------------------------------------ */

static void *interrupt_soon(void *data)
{
    sleep_for(0.3);
    etcd_interrupt(data);
    return NULL;
}

static void *interrupt_watch_soon(void *data)
{
    sleep_for(0.3);
    etcd_watch_interrupt(data);
    return NULL;
}

static struct etcd *waits;

static void interrupt_now(int signal)
{
    (void)signal;
    etcd_interrupt(waits);
}

static void interrupted_by_a_handler(void **context)
{
    (void)context;
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_LIST, .key = "i"}}};
    struct etcd_answer answer;
    waits = etcd;
    node_signal(nodes, 0, SIGSTOP);
    assert_true(signal(SIGALRM, interrupt_now) != SIG_ERR);
    const int64_t began = etcd_now();
    alarm(1);
    assert_int_equal(etcd_do(etcd, &txn, in_seconds(10), &answer), ETCD_INTERRUPTED);
    assert_true(etcd_now() - began < INT64_C(3000000000));
    signal(SIGALRM, SIG_DFL);
    node_signal(nodes, 0, SIGCONT);
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
}

static void interrupted(void **context)
{
    (void)context;
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_LIST, .key = "i"}}};
    struct etcd_answer answer;
    struct etcd_event event;
    pthread_t other;
    node_signal(nodes, 0, SIGSTOP);
    const int64_t began = etcd_now();
    pthread_create(&other, NULL, interrupt_soon, etcd);
    assert_int_equal(etcd_do(etcd, &txn, in_seconds(10), &answer), ETCD_INTERRUPTED);
    pthread_join(other, NULL);
    assert_true(etcd_now() - began < INT64_C(2000000000));
    etcd_interrupt(etcd); /* before the call: it is the next that would wait */
    assert_int_equal(etcd_do(etcd, &txn, in_seconds(10), &answer), ETCD_INTERRUPTED);
    assert_int_equal(etcd_do(etcd, &txn, in_seconds(0.2), &answer), ETCD_UNKNOWN);
    node_signal(nodes, 0, SIGCONT);
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
    struct etcd_watch *watch = etcd_watch_open(etcd, "i/", 0, false);
    expect_silence(watch);
    pthread_create(&other, NULL, interrupt_watch_soon, watch);
    assert_int_equal(etcd_watch_next(watch, INT64_MAX, &event), ETCD_WATCH_STOPPED);
    pthread_join(other, NULL);
    put(etcd, "i/on", "x", 0);
    expect_event(watch, false, "i/on", "x", 0);
    etcd_watch_close(watch);
}

/* --- what is left ------------------------------------------------------------------------------------------------- */

/* Descriptors; `inherited`: only those that a command would have, too. */
static unsigned descriptors(bool inherited)
{
    unsigned count = 0;
    for (int d = 0; d < 1024; d++) {
        const int flags = fcntl(d, F_GETFD);
        count += flags >= 0 && !(inherited && (flags & FD_CLOEXEC) != 0);
    }
    return count;
}

static void leaves_no_descriptors(void **context)
{
    (void)context;
    static atomic_uint overs;
    const unsigned before = descriptors(false), inherited = descriptors(true);
    for (unsigned times = 0; times < 3; times++) {
        struct etcd *another = client_of(nodes);
        struct etcd_session *session = session_of(10, &overs);
        put(another, "n/x", "x", etcd_session_lease(session));
        struct etcd_watch *watch = etcd_watch_open(another, "n/", 0, false);
        expect_silence(watch);
        assert_true(descriptors(false) > before);
        assert_int_equal(descriptors(true), inherited);
        etcd_watch_close(watch);
        etcd_session_close(session, true);
        etcd_close(another);
        assert_int_equal(descriptors(false), before);
    }
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_all),
        cmocka_unit_test(tells_deletions_only),
        cmocka_unit_test(tells_many_at_once),
        cmocka_unit_test(tells_at_once_from_when_it_began),
        cmocka_unit_test(ends_where_history_is_compacted),
        cmocka_unit_test(session_lives),
        cmocka_unit_test(session_is_over_in_silence),
        cmocka_unit_test(session_ends_with_its_lease),
        cmocka_unit_test(forked),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(interrupted_by_a_handler),
        cmocka_unit_test(leaves_no_descriptors),
        cmocka_unit_test(ends_with_the_server),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
