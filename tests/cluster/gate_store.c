/* SPDX-License-Identifier: MIT
 *
 * A gate in a store that is full, or has forgotten its history while somebody waits; and on machines whose clock is set
 * while they use it.
 */
#include "crowd.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <sys/syscall.h>
#include <sys/time.h>

/* --- a clock that others set ---------------------------------------------------------------------------------------- */

/* Seconds that CLOCK_REALTIME is ahead, for all processes of this program and the libraries that they use. NULL: none. */
static _Atomic int64_t *step;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && step != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += (time_t)atomic_load(step);
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *also)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (also != NULL)
        *also = now.tv_sec;
    return now.tv_sec;
}

/* A day forth and a day back, and so on, for some seconds. */
static void set_clock_for(double seconds)
{
    const int64_t until = in_seconds(seconds);
    for (int64_t day = 86400; etcd_now() < until; day = -day) {
        atomic_store(step, day);
        sleep_for(0.2);
        atomic_store(step, 0);
        sleep_for(0.1);
    }
}

/* --- the cases ------------------------------------------------------------------------------------------------------ */

enum { TTL = 2 };
static const struct member_how stays = {.stays = true, .once = true};

static int tidy(void **context)
{
    (void)context;
    step = NULL;
    crowds_end();
    nodes_mend(nodes);
    return 0;
}

/* Leases are kept and end as if nothing was; and nobody is told that a hold is lost. */
static void clock_is_set(void **context)
{
    (void)context;
    struct crowd *crowd = crowd_new(nodes, "clock", 2, TTL);
    step = &crowd->memory->clock_step;
    const unsigned first = crowd_join(crowd, &stays);
    for (unsigned m = 0; m < 4; m++)
        crowd_join(crowd, &(struct member_how){.stay_ms = 5});
    crowd_await(crowd, first, INSIDE, 10);
    const unsigned before = crowd_entries(crowd);
    set_clock_for(TTL * 2);
    assert_true(crowd_entries(crowd) > before);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->doing), INSIDE);
    assert_int_equal(crowd_losses(crowd), 0);
    crowd_signal(crowd, first, SIGSTOP); /* its lease ends, when it should */
    set_clock_for(TTL + 2);
    crowd_signal(crowd, first, SIGCONT);
    crowd_await(crowd, first, HAS_LOST, 5);
    crowd_expect_well(crowd, 10);
    assert_int_equal(crowd_losses(crowd), 1);
}

/* What a waiter has not heard of yet is forgotten: its server stands still while that happens. */
static void history_is_forgotten(void **context)
{
    (void)context;
    struct nodes *three = nodes_start(3, NULL, NULL);
    struct crowd *crowd = crowd_new(three, "forgotten", 1, 8);
    struct etcd *etcd = client_of_one(three, 1);
    const unsigned first = crowd_join(crowd, &stays);
    crowd_await(crowd, first, INSIDE, 10);
    const unsigned next = crowd_join(crowd, &stays);
    crowd_await(crowd, next, WAITING, 10);
    sleep_for(0.3);
    char body[64];
    crowd_signal(crowd, next, SIGSTOP); /* so that it does not look meanwhile */
    crowd_let_go(crowd, first);
    crowd_await(crowd, first, HAS_ENDED, 10);
    node_signal(three, 0, SIGKILL); /* and its watch with it */
    nodes_leader(three);
    for (unsigned p = 0; p < 20; p++) {
        const int64_t revision = put(etcd, "other", "x", 0);
        snprintf(body, sizeof body, "{\"revision\":\"%lld\",\"physical\":true}", (long long)revision);
    }
    assert_done(etcd, post(etcd, "/v3/kv/compaction", body));
    node_restart(three, 0);
    crowd_signal(crowd, next, SIGCONT);
    crowd_await(crowd, next, INSIDE, 10);
    crowd_expect_well(crowd, 10);
    assert_int_equal(crowd_losses(crowd), 0);
    etcd_close(etcd);
    crowds_end();
    nodes_stop(three);
}

/* The same between a look at the line and the watch that follows it, which is too short a moment to be met by one. */
static void history_is_always_forgotten(void **context)
{
    (void)context;
    struct crowd *crowd = crowd_new(nodes, "always", 1, 8);
    struct etcd *etcd = client_of(nodes);
    char body[64];
    for (unsigned m = 0; m < 8; m++)
        crowd_join(crowd, &(struct member_how){.stay_ms = 5});
    for (const int64_t until = in_seconds(3); etcd_now() < until;) {
        const int64_t revision = put(etcd, "other", "x", 0);
        snprintf(body, sizeof body, "{\"revision\":\"%lld\"}", (long long)revision);
        post(etcd, "/v3/kv/compaction", body);
        sleep_for(0.002);
    }
    printf("# compacted again and again: %u passes, longest gap %.2f s\n", crowd_entries(crowd),
           (double)atomic_load(&crowd->memory->longest_gap) / 1e9);
    for (unsigned m = 0; m < 8; m++)
        assert_true(atomic_load(&crowd_member(crowd, m)->entries) > 1);
    crowd_expect_well(crowd, 15);
    assert_int_equal(crowd_losses(crowd), 0);
    etcd_close(etcd);
}

/* --- full ----------------------------------------------------------------------------------------------------------- */

static void fill(struct etcd *etcd)
{
    static char much[100001];
    struct etcd_answer answer;
    memset(much, 'x', sizeof much - 1);
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = "much", .value = much}}};
    for (unsigned times = 0; times < 1000; times++) {
        const enum etcd_result result = etcd_do(etcd, &txn, in_seconds(10), &answer);
        etcd_answer_free(&answer);
        if (result != ETCD_DONE) {
            assert_int_equal(etcd_reason(etcd), ETCD_NO_SPACE);
            return;
        }
    }
    fail_msg("it does not become full");
}

static void empty(struct etcd *etcd)
{
    char body[128];
    json_t *status;
    assert_done(etcd, post_for(etcd, "/v3/maintenance/status", "{}", &status));
    const json_t *header = json_object_get(status, "header");
    snprintf(body, sizeof body, "{\"revision\":\"%s\",\"physical\":true}",
             json_string_value(json_object_get(header, "revision")));
    assert_done(etcd, post(etcd, "/v3/kv/compaction", body));
    assert_done(etcd, post(etcd, "/v3/maintenance/defragment", "{}"));
    snprintf(body, sizeof body, "{\"action\":\"DEACTIVATE\",\"alarm\":\"NOSPACE\",\"memberID\":\"%s\"}",
             json_string_value(json_object_get(header, "member_id")));
    assert_done(etcd, post(etcd, "/v3/maintenance/alarm", body));
    json_decref(status);
}

static void store_is_full(void **context)
{
    (void)context;
    static const char *const small[] = {"--quota-backend-bytes=1000000", NULL};
    struct nodes *one = nodes_start(1, small, NULL);
    struct etcd *etcd = client_of(one);
    struct crowd *crowd = crowd_new(one, "full", 2, TTL);
    const unsigned first = crowd_join(crowd, &stays), second = crowd_join(crowd, &stays);
    crowd_await(crowd, first, INSIDE, 10);
    crowd_await(crowd, second, INSIDE, 10);
    const unsigned waits = crowd_join(crowd, &stays);
    crowd_await(crowd, waits, WAITING, 10);
    sleep_for(0.3);
    fill(etcd);
    sleep_for(TTL + 1); /* leases are kept all the same */
    assert_int_equal(crowd_how_many(crowd, INSIDE), 2);
    assert_int_equal(crowd_losses(crowd), 0);
    const unsigned late = crowd_join(crowd, &stays);
    crowd_await(crowd, late, HAS_ENDED, 20);
    assert_int_equal(atomic_load(&crowd_member(crowd, late)->error), ADMIT_DISK_FULL);
    printf("# store full: %s\n", crowd_member(crowd, late)->text);
    assert_non_null(strstr(crowd_member(crowd, late)->text, "space"));
    crowd_let_go(crowd, first); /* its place goes, at once */
    crowd_await(crowd, first, HAS_ENDED, 5);
    assert_int_equal(atomic_load(&crowd_member(crowd, first)->exits), 1);
    /* Enabled now, it can note its slot: what a transaction puts within another etcd does not weigh. */
    crowd_await(crowd, waits, INSIDE, 20);
    empty(etcd);
    crowd_let_go(crowd, waits);
    const unsigned again = crowd_join(crowd, &stays);
    crowd_await(crowd, again, INSIDE, 10);
    assert_int_equal(atomic_load(&crowd_member(crowd, second)->doing), INSIDE);
    crowd_expect_well(crowd, 10);
    assert_int_equal(crowd_losses(crowd), 0);
    etcd_close(etcd);
    crowds_end();
    nodes_stop(one);
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(store_is_full, tidy), cmocka_unit_test_teardown(history_is_forgotten, tidy),
        cmocka_unit_test_teardown(history_is_always_forgotten, tidy), cmocka_unit_test_teardown(clock_is_set, tidy)};
    return cmocka_run_group_tests(tests, start_one_node, stop_nodes);
}
