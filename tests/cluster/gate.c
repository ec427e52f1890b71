/* SPDX-License-Identifier: MIT
 *
 * The calls of admit.h on a gate that is on etcd: threads, forks, deadlines, what is told while one waits, views, and a hold
 * that is lost.
 */
#include "nodes.h"

#include <admit.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int start(void **context)
{
    (void)context;
    nodes = nodes_start(1, NULL, NULL);
    setenv("ADMIT_ETCD", nodes->endpoints, 1);
    return 0;
}

static admit_gate *opened(const char *name, unsigned k)
{
    admit_gate *gate = admit_gate_open(name, k);
    if (gate == NULL)
        fail_msg("%s: %s", name, admit_last_error_text());
    return gate;
}

static void assert_well(admit_error error)
{
    if (error != ADMIT_OK)
        fail_msg("%s", admit_last_error_text());
}

static struct timespec from_now(long ms)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += ms / 1000;
    time.tv_nsec += ms % 1000 * 1000000;
    if (time.tv_nsec >= 1000000000)
        time.tv_sec++, time.tv_nsec -= 1000000000;
    return time;
}

/* --- one after the other ---------------------------------------------------------------------------------------------- */

static void in_and_out(void **context)
{
    (void)context;
    admit_gate *gate = opened("etcd:in_and_out", 2);
    admit_hold one, two, three;
    assert_well(admit_gate_enter(gate, &one));
    assert_well(admit_gate_enter(gate, &two));
    assert_int_equal(one.slot + two.slot, 1);
    assert_true(one.ticket < two.ticket);
    assert_true(admit_gate_token(gate, &two) > admit_gate_token(gate, &one));
    assert_true(admit_gate_time_left(gate, &one) > 0);
    assert_int_equal(admit_gate_try(gate, &three), ADMIT_NO_SLOT);
    const struct timespec soon = from_now(100), past = {0};
    assert_int_equal(admit_gate_enter_until(gate, &three, &soon), ADMIT_TIMED_OUT);
    assert_int_equal(admit_gate_enter_until(gate, &three, &past), ADMIT_TIMED_OUT);
    assert_int_equal(admit_gate_waiters(gate), 0);
    const uint64_t token = admit_gate_token(gate, &one);
    assert_well(admit_gate_leave(gate, &one));
    assert_int_equal(admit_gate_leave(gate, &one), ADMIT_NOT_HOLDING);
    assert_int_equal(admit_gate_token(gate, &one), 0);
    assert_int_equal(admit_gate_time_left(gate, &one), 0);
    assert_well(admit_gate_try(gate, &three));
    assert_int_equal(three.slot, one.slot);
    assert_true(admit_gate_token(gate, &three) > token);
    assert_well(admit_gate_leave(gate, &three));
    assert_well(admit_gate_leave(gate, &two));
    admit_gate_close(gate);
}

static void what_it_is(void **context)
{
    (void)context;
    admit_gate *gate = opened("etcd:what", 3);
    uint64_t device, inode, other;
    char path[64];
    assert_string_equal(admit_gate_name(gate), "etcd:what");
    assert_int_equal(admit_gate_k(gate), 3);
    assert_int_equal(admit_gate_declared_k(gate), 3);
    assert_int_equal(admit_gate_most_k(gate), ADMIT_GATE_K_MAX);
    assert_int_equal(admit_gate_capacity(gate), 0);
    assert_well(admit_gate_resolve("etcd:what", path, sizeof path));
    assert_string_equal(path, "etcd:what");
    assert_null(admit_gate_open("etcd:what", 4));
    assert_int_equal(admit_last_error(), ADMIT_OTHER_K);
    assert_null(admit_gate_open("etcd:missing", 0));
    assert_int_equal(admit_last_error(), ADMIT_NO_GATE);
    assert_null(admit_gate_open_with("etcd:what", &(admit_gate_options){.ttl = 1}));
    assert_int_equal(admit_last_error(), ADMIT_BAD_OPTION);
    admit_gate_identity(gate, &device, &inode);
    admit_gate *another = opened("etcd:another", 1);
    admit_gate_identity(another, &device, &other);
    assert_true(inode != other);
    admit_hold hold;
    assert_well(admit_gate_enter(gate, &hold));
    assert_int_equal(admit_gate_bequeath(gate, &hold, 0), ADMIT_UNSUPPORTED);
    assert_int_equal(admit_gate_inherit(gate, &hold), ADMIT_UNSUPPORTED);
    assert_int_equal(admit_gate_family(gate), -1);
    assert_well(admit_gate_leave(gate, &hold));
    admit_gate_close(another);
    admit_gate_close(gate);
}

static void seen(void **context)
{
    (void)context;
    admit_gate *gate = opened("etcd:seen", 2);
    admit_hold hold;
    assert_well(admit_gate_describe(gate, "caf\xe9 \"quoted\"")); /* no UTF-8 */
    assert_well(admit_gate_enter(gate, &hold));
    admit_view *view = admit_gate_inspect(gate);
    assert_non_null(view);
    assert_int_equal(view->k, 2);
    assert_int_equal(view->holders, 1);
    assert_int_equal(view->waiters, 0);
    assert_true(view->entered == ADMIT_NOT_COUNTED);
    assert_int_equal(view->holder[0].slot, hold.slot);
    assert_int_equal(view->holder[0].pid, getpid());
    assert_int_equal(view->holder[0].user, geteuid());
    assert_string_equal(view->holder[0].host, "");
    assert_string_equal(view->holder[0].command, "caf\xc3\xa9 \"quoted\"");
    assert_true(view->holder[0].since > 0);
    admit_view_free(view);
    assert_int_equal(admit_gate_remove("etcd:seen", 0), ADMIT_BUSY);
    assert_well(admit_gate_leave(gate, &hold));
    assert_well(admit_gate_remove("etcd:seen", 0));
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_REMOVED);
    assert_int_equal(admit_gate_resize(gate, 1), ADMIT_REMOVED);
    admit_gate_close(gate);
}

/* --- threads ---------------------------------------------------------------------------------------------------------- */

enum { THREADS = 6, TIMES = 15, SLOTS_HERE = 2 };

static struct {
    admit_gate *gate;
    atomic_uint inside, most, entries;
    atomic_bool used[SLOTS_HERE];
} crowd;

/* In a thread, where an assertion cannot end the case. */
static atomic_uint wrong;

static void *went_wrong(void)
{
    atomic_fetch_add(&wrong, 1);
    return NULL;
}

static void *visits(void *data)
{
    (void)data;
    for (unsigned t = 0; t < TIMES; t++) {
        admit_hold hold;
        if (admit_gate_enter(crowd.gate, &hold) != ADMIT_OK || atomic_fetch_add(&crowd.inside, 1) >= SLOTS_HERE ||
            atomic_exchange(&crowd.used[hold.slot], true))
            return went_wrong();
        sched_yield();
        atomic_store(&crowd.used[hold.slot], false);
        atomic_fetch_sub(&crowd.inside, 1);
        atomic_fetch_add(&crowd.entries, 1);
        if (admit_gate_leave(crowd.gate, &hold) != ADMIT_OK)
            return went_wrong();
    }
    return NULL;
}

static void threads(void **context)
{
    (void)context;
    pthread_t thread[THREADS];
    crowd.gate = opened("etcd:threads", SLOTS_HERE);
    for (unsigned t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, visits, NULL), 0);
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    assert_int_equal(atomic_load(&crowd.entries), THREADS * TIMES);
    admit_gate_close(crowd.gate);
}

/* Whoever has a slot has it alone, also while k is changed, to 1 and back; and its token is larger than those before. */
enum { RESIZES = 40, MOST_K = 3 };

static struct {
    atomic_bool over, used[MOST_K];
    _Atomic uint64_t token[MOST_K];
    atomic_uint entries;
} changing;

static void *comes_and_goes(void *data)
{
    admit_gate *gate = admit_gate_open(data, 0);
    while (gate != NULL && !atomic_load(&changing.over)) {
        admit_hold hold;
        if (admit_gate_enter(gate, &hold) != ADMIT_OK || hold.slot >= MOST_K ||
            atomic_exchange(&changing.used[hold.slot], true))
            return went_wrong();
        const uint64_t token = admit_gate_token(gate, &hold);
        if (token <= atomic_exchange(&changing.token[hold.slot], token))
            return went_wrong();
        sleep_for(0.002);
        atomic_store(&changing.used[hold.slot], false);
        atomic_fetch_add(&changing.entries, 1);
        if (admit_gate_leave(gate, &hold) != ADMIT_OK)
            return went_wrong();
    }
    admit_gate_close(gate);
    return gate != NULL ? NULL : went_wrong();
}

static void k_changes_all_the_time(void **context)
{
    (void)context;
    static char name[] = "etcd:changing";
    static const unsigned ks[] = {2, 1, 3, 1, 2, 3, 2, 1, 1, 3};
    pthread_t thread[THREADS];
    admit_gate *gate = opened(name, 1);
    for (unsigned t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, comes_and_goes, name), 0);
    for (unsigned r = 0; r < RESIZES; r++) {
        assert_well(admit_gate_resize(gate, ks[r % (sizeof ks / sizeof ks[0])]));
        sleep_for(0.02 * (r % 4));
    }
    atomic_store(&changing.over, true);
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    printf("# k was changed %d times in %u passages\n", RESIZES, atomic_load(&changing.entries));
    struct etcd *etcd = client_of(nodes);
    assert_int_equal(count_keys(etcd, "admit/changing/slot/"), 0);
    assert_int_equal(count_keys(etcd, "admit/changing/line/"), 0);
    etcd_close(etcd);
    admit_gate_close(gate);
}

struct waiter {
    admit_gate *gate;
    admit_error error;
    atomic_uint asked, place;
    unsigned gives_up_after; /* 0: never */
};

static int asked(void *data, unsigned place)
{
    struct waiter *waiter = data;
    atomic_store(&waiter->place, place);
    return atomic_fetch_add(&waiter->asked, 1) + 1 == waiter->gives_up_after;
}

static void *waits(void *data)
{
    struct waiter *waiter = data;
    admit_hold hold;
    waiter->error =
        admit_gate_enter_with(waiter->gate, &hold, &(admit_wait){.waiting = asked, .data = waiter, .interruptible = 1});
    if (waiter->error == ADMIT_OK)
        admit_gate_leave(waiter->gate, &hold);
    return NULL;
}

static void interrupted(void **context)
{
    (void)context;
    admit_gate *gate = opened("etcd:interrupted", 1);
    admit_hold hold;
    pthread_t thread[2];
    struct waiter waiter[2] = {{.gate = gate}, {.gate = gate, .gives_up_after = 2}};
    assert_well(admit_gate_enter(gate, &hold));
    for (unsigned w = 0; w < 2; w++) {
        assert_int_equal(pthread_create(&thread[w], NULL, waits, &waiter[w]), 0);
        while (atomic_load(&waiter[w].asked) == 0)
            sleep_for(0.01);
    }
    assert_int_equal(atomic_load(&waiter[0].place), 1);
    assert_int_equal(atomic_load(&waiter[1].place), 2);
    pthread_join(thread[1], NULL); /* its own function ends it */
    assert_int_equal(waiter[1].error, ADMIT_INTERRUPTED);
    assert_int_equal(admit_gate_waiters(gate), 1);
    admit_gate_interrupt(gate);
    pthread_join(thread[0], NULL);
    assert_int_equal(waiter[0].error, ADMIT_INTERRUPTED);
    assert_int_equal(admit_gate_waiters(gate), 0);
    /* One that comes afterwards is not. */
    assert_int_equal(pthread_create(&thread[0], NULL, waits, &waiter[0]), 0);
    while (admit_gate_waiters(gate) == 0)
        sleep_for(0.01);
    assert_well(admit_gate_leave(gate, &hold));
    pthread_join(thread[0], NULL);
    assert_int_equal(waiter[0].error, ADMIT_OK);
    admit_gate_close(gate);
}

static void grows_while_they_wait(void **context)
{
    (void)context;
    admit_gate *gate = opened("etcd:grows", 1);
    admit_hold hold;
    pthread_t thread;
    struct waiter waiter = {.gate = gate};
    assert_well(admit_gate_enter(gate, &hold));
    assert_int_equal(pthread_create(&thread, NULL, waits, &waiter), 0);
    while (atomic_load(&waiter.asked) == 0)
        sleep_for(0.01);
    assert_well(admit_gate_resize(gate, 2));
    pthread_join(thread, NULL);
    assert_int_equal(waiter.error, ADMIT_OK);
    assert_int_equal(admit_gate_k(gate), 2);
    assert_int_equal(admit_gate_declared_k(gate), 1);
    assert_well(admit_gate_declare(gate, 3));
    assert_int_equal(admit_gate_declared_k(gate), 3);
    assert_well(admit_gate_leave(gate, &hold));
    admit_gate_close(gate);
}

/* --- processes -------------------------------------------------------------------------------------------------------- */

static void forked(void **context)
{
    (void)context;
    admit_gate *gate = opened("etcd:forked", 1);
    admit_hold hold;
    int status;
    assert_well(admit_gate_enter(gate, &hold));
    const pid_t child = fork();
    if (child == 0) {
        admit_hold other;
        bool well = admit_gate_leave(gate, &hold) == ADMIT_NOT_HOLDING && admit_gate_time_left(gate, &hold) == 0 &&
                    admit_gate_enter(gate, &other) == ADMIT_UNSUPPORTED;
        admit_gate_close(gate);
        gate = admit_gate_open("etcd:forked", 0);
        well = well && gate != NULL && admit_gate_try(gate, &other) == ADMIT_NO_SLOT;
        _exit(well ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(admit_gate_time_left(gate, &hold) > 0);
    assert_well(admit_gate_leave(gate, &hold));
    admit_gate_close(gate);
}

static atomic_uint times_lost;

static void lost(void *data)
{
    assert_ptr_equal(data, nodes);
    atomic_fetch_add(&times_lost, 1);
}

static void a_hold_is_lost(void **context)
{
    (void)context;
    admit_gate *gate = admit_gate_open_with("etcd:lost", &(admit_gate_options){.k = 1, .ttl = 2});
    admit_hold hold;
    assert_non_null(gate);
    assert_well(admit_gate_enter_with(gate, &hold, &(admit_wait){.lost = lost, .data = nodes}));
    node_signal(nodes, 0, SIGSTOP);
    while (atomic_load(&times_lost) == 0)
        sleep_for(0.05);
    assert_int_equal(admit_gate_time_left(gate, &hold), 0);
    node_signal(nodes, 0, SIGCONT);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_LOST);
    assert_int_equal(atomic_load(&times_lost), 1);
    /* And it can go in again, once the server has noticed. */
    assert_well(admit_gate_enter_with(gate, &hold, &(admit_wait){.lost = lost, .data = nodes}));
    assert_well(admit_gate_leave(gate, &hold));
    assert_int_equal(atomic_load(&times_lost), 1);
    admit_gate_close(gate);
}

static int one_more(void *data, const char *name, const char *path)
{
    unsigned *count = data;
    assert_string_equal(path, "");
    *count += strcmp(name, "etcd:threads") == 0;
    return 0;
}

static void scribbled(void **context)
{
    (void)context;
    admit_gate *gate = opened("etcd:scribbled", 2);
    struct etcd *etcd = client_of(nodes);
    admit_hold hold;
    /* All slots are a stranger's: it is not asked for ever. */
    put(etcd, "admit/scribbled/slot/0", "x", 0);
    put(etcd, "admit/scribbled/slot/1", "x", 0);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_GATE_CORRUPT);
    delete_key(etcd, "admit/scribbled/slot/1");
    put(etcd, "admit/scribbled/line/zzz", "{\"k\": \"x\", \"pid\": -1}", 0); /* nobody's */
    assert_well(admit_gate_enter(gate, &hold));
    assert_int_equal(hold.slot, 1);
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->holders, 1);
    admit_view_free(view);
    assert_well(admit_gate_leave(gate, &hold));
    put(etcd, "admit/scribbled/k", "banana", 0);
    assert_null(admit_gate_open("etcd:scribbled", 0));
    assert_int_equal(admit_last_error(), ADMIT_GATE_CORRUPT);
    assert_well(admit_gate_remove("etcd:scribbled", 1));
    etcd_close(etcd);
    admit_gate_close(gate);
}

static void put_slots(struct etcd *etcd, const char *gate, unsigned from, unsigned below)
{
    for (char key[64]; from < below; from++) {
        snprintf(key, sizeof key, "admit/%s/slot/%u", gate, from);
        put(etcd, key, "x", 0);
    }
}

/* More than one request asks for. And where k has been larger somebody may be left who has what would be free. */
static void slots_that_are_far_up(void **context)
{
    (void)context;
    enum { MANY = 35 };
    admit_gate *gate = opened("etcd:far_up", MANY);
    struct etcd *etcd = client_of(nodes);
    admit_hold hold;
    put_slots(etcd, "far_up", 0, MANY - 1);
    assert_well(admit_gate_enter(gate, &hold));
    assert_int_equal(hold.slot, MANY - 1);
    assert_well(admit_gate_leave(gate, &hold));
    put_slots(etcd, "far_up", MANY - 1, MANY);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_GATE_CORRUPT);
    for (unsigned k = 2; k > 0; k--) {
        assert_well(admit_gate_resize(gate, k));
        assert_well(admit_gate_enter(gate, &hold));
        assert_int_equal(hold.slot, MANY);
        assert_well(admit_gate_leave(gate, &hold));
    }
    assert_int_equal(count_keys(etcd, "admit/far_up/slot/"), MANY);
    assert_int_equal(count_keys(etcd, "admit/far_up/line/"), 0);
    assert_well(admit_gate_remove("etcd:far_up", 1));
    etcd_close(etcd);
    admit_gate_close(gate);
}

static void all_gates(void **context)
{
    (void)context;
    unsigned count = 0;
    assert_well(admit_gate_list_of("etcd:", one_more, &count));
    assert_int_equal(count, 1);
    assert_int_equal(admit_gate_list_of("gpu", one_more, &count), ADMIT_BAD_NAME);
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_and_out),
        cmocka_unit_test(what_it_is),
        cmocka_unit_test(seen),
        cmocka_unit_test(threads),
        cmocka_unit_test(k_changes_all_the_time),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(grows_while_they_wait),
        cmocka_unit_test(forked),
        cmocka_unit_test(a_hold_is_lost),
        cmocka_unit_test(scribbled),
        cmocka_unit_test(slots_that_are_far_up),
        cmocka_unit_test(all_gates),
    };
    return cmocka_run_group_tests(tests, start, stop_nodes);
}
