/* SPDX-License-Identifier: MIT
 *
 * Transactions and leases at one server: what each condition means, in which order lists come, what the end of a lease
 * does.
 */
#include "nodes.h"

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

/* --- conditions --------------------------------------------------------------------------------------------------- */

static bool holds(struct etcd_condition condition)
{
    const struct etcd_txn txn = {.conditions = 1, .condition = {condition}};
    struct etcd_answer answer;
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
    assert_int_equal(answer.pairs, 0);
    return answer.succeeded;
}

/* What `number` is compared with is `actual`: in each relation it must come out as the numbers do. */
static void expect_number(const char *key, enum etcd_target target, int64_t actual)
{
    for (int64_t number = actual - 1; number <= actual + 1; number++) {
        const bool expected[] = {[ETCD_EQUAL] = actual == number,
                                 [ETCD_UNEQUAL] = actual != number,
                                 [ETCD_LESS] = actual<number, [ETCD_GREATER] = actual> number};
        for (enum etcd_relation relation = ETCD_EQUAL; relation <= ETCD_GREATER; relation++)
            if (holds((struct etcd_condition){key, false, target, relation, number, NULL}) != expected[relation])
                fail_msg("%s: target %d, relation %d, %ld for %ld", key, target, relation, (long)number, (long)actual);
    }
}

static void conditions_on_numbers(void **context)
{
    (void)context;
    int64_t lease;
    unsigned granted;
    assert_done(etcd, etcd_grant(etcd, 60, in_seconds(10), &lease, &granted));
    const int64_t created = put(etcd, "c/there", "one", 0), modified = put(etcd, "c/there", "two", lease);
    assert_int_equal(modified, created + 1);
    expect_number("c/there", ETCD_CREATED, created);
    expect_number("c/there", ETCD_MODIFIED, modified);
    expect_number("c/there", ETCD_LEASE, lease);
    expect_number("c/absent", ETCD_CREATED, 0);
    expect_number("c/absent", ETCD_MODIFIED, 0);
    expect_number("c/absent", ETCD_LEASE, 0);
    assert_done(etcd, etcd_revoke(etcd, lease, in_seconds(10)));
}

static void conditions_on_values(void **context)
{
    (void)context;
    static const char *const values[] = {"", "4", "5", "50"};
    put(etcd, "v/there", "5", 0);
    for (unsigned v = 0; v < sizeof values / sizeof values[0]; v++) {
        const int order = strcmp("5", values[v]);
        const bool expected[] = {order == 0, order != 0, order<0, order> 0};
        for (enum etcd_relation relation = ETCD_EQUAL; relation <= ETCD_GREATER; relation++) {
            assert_int_equal(holds((struct etcd_condition){"v/there", false, ETCD_VALUE, relation, 0, values[v]}),
                             expected[relation]);
            assert_false(holds((struct etcd_condition){"v/absent", false, ETCD_VALUE, relation, 0, values[v]}));
        }
    }
}

/* All keys that begin so, and no other. */
static void conditions_on_prefixes(void **context)
{
    (void)context;
    put(etcd, "p/b", "5", 0);
    put(etcd, "p/c", "5", 0);
    put(etcd, "p0", "6", 0); /* the least that does not begin so */
    const struct etcd_condition equal = {"p/", true, ETCD_VALUE, ETCD_EQUAL, 0, "5"};
    assert_true(holds(equal));
    put(etcd, "p/d", "6", 0);
    assert_false(holds(equal));
    assert_true(holds((struct etcd_condition){"p/d", true, ETCD_CREATED, ETCD_GREATER, 0, NULL}));
    assert_true(holds((struct etcd_condition){"p/e", true, ETCD_CREATED, ETCD_EQUAL, 0, NULL}));
    assert_false(holds((struct etcd_condition){"", true, ETCD_CREATED, ETCD_EQUAL, 0, NULL}));
    put(etcd, "\xff\xff/x", "5", 0);
    assert_true(holds((struct etcd_condition){"\xff\xff", true, ETCD_VALUE, ETCD_EQUAL, 0, "5"}));
    assert_true(holds((struct etcd_condition){"\xff\xff", true, ETCD_CREATED, ETCD_GREATER, 0, NULL}));
    delete_key(etcd, "\xff\xff/x");
}

static void several_conditions(void **context)
{
    (void)context;
    put(etcd, "s/a", "1", 0);
    struct etcd_txn txn = {
        .conditions = 2,
        .condition = {{"s/a", false, ETCD_VALUE, ETCD_EQUAL, 0, "1"},
                      {"s/b", false, ETCD_CREATED, ETCD_EQUAL, 0, NULL}},
        .thens = 3,
        .then = {{.deed = ETCD_PUT, .key = "s/b", .value = "then"},
                 {.deed = ETCD_DELETE, .key = "s/a"},
                 {.deed = ETCD_LIST, .key = "s/", .prefix = true}},
        .elses = 2,
        .otherwise = {{.deed = ETCD_LIST, .key = "s/b"}, {.deed = ETCD_LIST, .key = "s/", .prefix = true}}};
    struct etcd_answer answer;
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
    assert_true(answer.succeeded);
    assert_int_equal(answer.pairs, 1);
    assert_string_equal(answer.pair[0].key, "s/b");
    assert_string_equal(answer.pair[0].value, "then");
    assert_int_equal(answer.pair[0].created, answer.revision);
    const int64_t revision = answer.revision;
    etcd_answer_free(&answer);
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
    assert_false(answer.succeeded);
    assert_int_equal(answer.revision, revision);
    assert_int_equal(answer.pairs, 2); /* of each list */
    etcd_answer_free(&answer);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static void in_order_of_creation(void **context)
{
    (void)context;
    static const char *const keys[] = {"o/m", "o/a", "o/z", "o/b"};
    for (unsigned k = 0; k < 4; k++)
        put(etcd, keys[k], "x", 0);
    put(etcd, "o/m", "changed", 0); /* does not go to the end of the line */
    struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_LIST, .key = "o/", .prefix = true}}};
    for (unsigned without_values = 0; without_values < 2; without_values++) {
        struct etcd_answer answer;
        txn.then[0].keys_only = without_values;
        assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
        assert_int_equal(answer.pairs, 4);
        for (unsigned p = 0; p < 4; p++) {
            assert_string_equal(answer.pair[p].key, keys[p]);
            assert_true(p == 0 || answer.pair[p].created > answer.pair[p - 1].created);
            assert_string_equal(answer.pair[p].value, without_values ? "" : p == 0 ? "changed" : "x");
        }
        etcd_answer_free(&answer);
    }
}

/* The place in line that a request has got stays the same, however often it is sent. */
static void repetition_changes_nothing(void **context)
{
    (void)context;
    struct etcd_txn txn = {
        .conditions = 1,
        .condition = {{.key = "r/me", .target = ETCD_CREATED, .relation = ETCD_EQUAL}},
        .thens = 2,
        .then = {{.deed = ETCD_PUT, .key = "r/me", .value = "here"}, {.deed = ETCD_LIST, .key = "r/", .prefix = true}},
        .elses = 1,
        .otherwise = {{.deed = ETCD_LIST, .key = "r/", .prefix = true}}};
    put(etcd, "r/before", "x", 0);
    int64_t created = 0;
    for (unsigned times = 0; times < 4; times++) {
        struct etcd_answer answer;
        assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
        assert_int_equal(answer.succeeded, times == 0);
        assert_int_equal(answer.pairs, times < 1 ? 2 : 1 + times);
        assert_string_equal(answer.pair[1].key, "r/me");
        assert_int_equal(answer.pair[1].created, times == 0 ? answer.revision : created);
        created = answer.pair[1].created;
        etcd_answer_free(&answer);
        char key[16];
        snprintf(key, sizeof key, "r/behind%u", times);
        if (times > 0)
            put(etcd, key, "x", 0);
    }
}

/* --- the first that is free --------------------------------------------------------------------------------------- */

/* Its number; `below`: none. What is listed in the same transaction has it already. */
static unsigned put_first_free(unsigned from, unsigned below, int64_t lease)
{
    const struct etcd_txn txn = {
        .thens = 2,
        .then = {
            {.deed = ETCD_PUT_FIRST_FREE, .key = "f/", .from = from, .below = below, .value = "me", .lease = lease},
            {.deed = ETCD_LIST, .key = "f/", .prefix = true}}};
    struct etcd_answer answer;
    unsigned number = below;
    assert_done(etcd, etcd_do(etcd, &txn, in_seconds(10), &answer));
    for (unsigned p = 0; p < answer.pairs; p++)
        if (answer.pair[p].modified == answer.revision && answer.pair[p].lease == lease)
            number = (unsigned)strtoul(answer.pair[p].key + strlen("f/"), NULL, 10);
    etcd_answer_free(&answer);
    return number;
}

static void the_first_that_is_free(void **context)
{
    (void)context;
    int64_t lease;
    unsigned granted;
    assert_done(etcd, etcd_grant(etcd, 60, in_seconds(10), &lease, &granted));
    put(etcd, "f/1", "x", 0);
    put(etcd, "f/10", "x", 0);
    assert_int_equal(put_first_free(0, 3, lease), 0);
    assert_int_equal(put_first_free(0, 3, lease), 2);
    assert_int_equal(count_keys(etcd, "f/"), 4);
    put(etcd, "f/later", "x", 0);
    assert_int_equal(put_first_free(0, 3, lease), 3); /* none: nothing is put */
    assert_int_equal(put_first_free(10, 12, lease), 11);
    assert_int_equal(put_first_free(1, 120, lease), 3); /* so many are taken within each other */
    /* Whether one of them has this lease. */
    assert_false(holds((struct etcd_condition){"f/", true, ETCD_LEASE, ETCD_UNEQUAL, lease, NULL}));
    assert_done(etcd, etcd_revoke(etcd, lease, in_seconds(10)));
    assert_true(holds((struct etcd_condition){"f/", true, ETCD_LEASE, ETCD_UNEQUAL, lease, NULL}));
    assert_int_equal(count_keys(etcd, "f/"), 3);
}

/* --- leases ------------------------------------------------------------------------------------------------------- */

static void end_of_a_lease(void **context)
{
    (void)context;
    int64_t lease, other;
    unsigned granted;
    assert_done(etcd, etcd_grant(etcd, 1, in_seconds(10), &lease, &granted));
    assert_true(lease != 0 && granted >= 1);
    const int64_t ends = in_seconds(granted);
    put(etcd, "l/ends", "x", lease);
    assert_done(etcd, etcd_grant(etcd, 60, in_seconds(10), &other, &granted));
    put(etcd, "l/stays", "x", other);
    assert_int_equal(count_keys(etcd, "l/"), 2);
    while (count_keys(etcd, "l/") == 2 && etcd_now() < ends + INT64_C(5000000000))
        sleep_for(0.05);
    assert_true(etcd_now() >= ends - INT64_C(100000000));
    assert_int_equal(count_keys(etcd, "l/"), 1);
    /* Nothing is done with it any more. */
    const struct etcd_txn txn = {.thens = 2,
                                 .then = {{.deed = ETCD_PUT, .key = "l/first", .value = "x"},
                                          {.deed = ETCD_PUT, .key = "l/late", .value = "x", .lease = lease}}};
    struct etcd_answer answer;
    assert_int_equal(etcd_do(etcd, &txn, in_seconds(10), &answer), ETCD_REFUSED);
    assert_int_equal(etcd_reason(etcd), ETCD_LEASE_GONE);
    assert_non_null(strstr(etcd_text(etcd), nodes->endpoints));
    assert_int_equal(count_keys(etcd, "l/"), 1);
    assert_int_equal(etcd_keep_alive(etcd, lease, in_seconds(10), &granted), ETCD_REFUSED);
    assert_int_equal(etcd_reason(etcd), ETCD_LEASE_GONE);
    assert_int_equal(etcd_revoke(etcd, lease, in_seconds(10)), ETCD_REFUSED);
    assert_int_equal(etcd_reason(etcd), ETCD_LEASE_GONE);
    /* And the other lives until it is ended. */
    assert_done(etcd, etcd_keep_alive(etcd, other, in_seconds(10), &granted));
    assert_int_equal(granted, 60);
    assert_done(etcd, etcd_revoke(etcd, other, in_seconds(10)));
    assert_int_equal(count_keys(etcd, "l/"), 0);
}

static void kept_alive(void **context)
{
    (void)context;
    int64_t lease;
    unsigned granted;
    assert_done(etcd, etcd_grant(etcd, 2, in_seconds(10), &lease, &granted));
    put(etcd, "k/kept", "x", lease);
    const uint64_t before = etcd_requests(etcd);
    for (unsigned times = 0; times < 6; times++) {
        sleep_for(0.5);
        assert_done(etcd, etcd_keep_alive(etcd, lease, in_seconds(10), &granted));
    }
    assert_int_equal(etcd_requests(etcd) - before, 6);
    assert_int_equal(count_keys(etcd, "k/"), 1);
    assert_done(etcd, etcd_revoke(etcd, lease, in_seconds(10)));
}

/* How long a transaction takes, for people to read; the bound is generous. */
static int by_size(const void *one, const void *other)
{
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return a < b ? -1 : a > b;
}

static void quick_enough(void **context)
{
    (void)context;
    enum { TIMES = 300 };
    static int64_t took[TIMES];
    const int64_t began = etcd_now();
    for (unsigned t = 0; t < TIMES; t++) {
        const int64_t before = etcd_now();
        put(etcd, "q/key", "value", 0);
        took[t] = etcd_now() - before;
    }
    const double seconds = (double)(etcd_now() - began) / 1e9;
    qsort(took, TIMES, sizeof took[0], by_size);
    printf("# a transaction takes %.2f ms (median); %.0f a second\n", (double)took[TIMES / 2] / 1e6, TIMES / seconds);
    assert_true(took[TIMES / 2] < INT64_C(100000000));
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_on_numbers),
        cmocka_unit_test(conditions_on_values),
        cmocka_unit_test(conditions_on_prefixes),
        cmocka_unit_test(several_conditions),
        cmocka_unit_test(in_order_of_creation),
        cmocka_unit_test(repetition_changes_nothing),
        cmocka_unit_test(the_first_that_is_free),
        cmocka_unit_test(end_of_a_lease),
        cmocka_unit_test(kept_alive),
        cmocka_unit_test(quick_enough),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
