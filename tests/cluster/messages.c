/* SPDX-License-Identifier: MIT
 *
 * Requests as they are written, and answers as they must not be believed: cut off at every byte, changed at random, of
 * another program, or right in every field but one. Needs no server.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/base64.h"
#include "cluster/message.h"

/* --- base64 ------------------------------------------------------------------------------------------------------- */

static char *encoded(const char *bytes, size_t size)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    etcd_base64_write(out, bytes, size);
    fclose(out);
    return text;
}

static void base64(void **context)
{
    (void)context;
    static const char *const known[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    static const char *const none[] = {
        "Z", "Zg", "Zg=", "Zg=a", "Z===", "====", "=AAA", "Zm9v\n", "Zm-v", "Zm9vZg=!", "\xff\xff\xff\xff"};
    size_t size;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        char *text = encoded(known[k][0], strlen(known[k][0]));
        assert_string_equal(text, known[k][1]);
        char *bytes = etcd_base64_read(text, strlen(text), &size);
        assert_int_equal(size, strlen(known[k][0]));
        assert_string_equal(bytes, known[k][0]);
        free(bytes);
        free(text);
    }
    for (size_t n = 0; n < sizeof none / sizeof none[0]; n++)
        assert_null(etcd_base64_read(none[n], strlen(none[n]), &size));
    char all[256];
    for (unsigned b = 0; b < 256; b++)
        all[b] = (char)b;
    for (size_t length = 0; length <= 256; length++) {
        char *text = encoded(all, length), *bytes = etcd_base64_read(text, strlen(text), &size);
        assert_int_equal(size, length);
        assert_memory_equal(bytes, all, length);
        assert_int_equal(bytes[length], 0);
        free(bytes);
        free(text);
    }
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static void expect_text(char *text, const char *expected)
{
    assert_string_equal(text, expected);
    free(text);
}

static void requests(void **context)
{
    (void)context;
    const struct etcd_txn txn = {
        .conditions = 2,
        .condition = {{"a", false, ETCD_CREATED, ETCD_EQUAL, 0, NULL}, {"b/", true, ETCD_VALUE, ETCD_UNEQUAL, 0, "v"}},
        .thens = 2,
        .then = {{.deed = ETCD_PUT, .key = "a", .value = "", .lease = INT64_MAX},
                 {.deed = ETCD_DELETE, .key = "", .prefix = true}},
        .elses = 1,
        .otherwise = {{.deed = ETCD_LIST, .key = "\xff", .prefix = true, .keys_only = true}}};
    expect_text(
        etcd_message_txn(&txn),
        "{\"compare\":[{\"result\":\"EQUAL\",\"target\":\"CREATE\",\"create_revision\":\"0\",\"key\":\"YQ==\"},"
        "{\"result\":\"NOT_EQUAL\",\"target\":\"VALUE\",\"value\":\"dg==\",\"key\":\"Yi8=\",\"range_end\":\"YjA=\"}],"
        "\"success\":[{\"request_put\":{\"key\":\"YQ==\",\"value\":\"\",\"lease\":\"9223372036854775807\"}},"
        "{\"request_delete_range\":{\"key\":\"AA==\",\"range_end\":\"AA==\"}}],"
        "\"failure\":[{\"request_range\":{\"sort_order\":\"ASCEND\",\"sort_target\":\"CREATE\",\"keys_only\":true,"
        "\"key\":\"/w==\",\"range_end\":\"AA==\"}}]}");
    const struct etcd_txn first_free = {
        .thens = 1,
        .then = {{.deed = ETCD_PUT_FIRST_FREE, .key = "a", .from = 9, .below = 11, .value = "v", .lease = 1}}};
    expect_text(
        etcd_message_txn(&first_free),
        "{\"compare\":[],\"success\":["
        "{\"request_txn\":{\"compare\":[{\"result\":\"EQUAL\",\"target\":\"CREATE\",\"create_revision\":\"0\",\"key\":"
        "\"YTk=\"}],"
        "\"success\":[{\"request_put\":{\"key\":\"YTk=\",\"value\":\"dg==\",\"lease\":\"1\"}}],\"failure\":["
        "{\"request_txn\":{\"compare\":[{\"result\":\"EQUAL\",\"target\":\"CREATE\",\"create_revision\":\"0\",\"key\":"
        "\"YTEw\"}],"
        "\"success\":[{\"request_put\":{\"key\":\"YTEw\",\"value\":\"dg==\",\"lease\":\"1\"}}],\"failure\":[]}}]}}],"
        "\"failure\":[]}");
    expect_text(etcd_message_grant(10), "{\"TTL\":\"10\"}");
    expect_text(etcd_message_lease(-1), "{\"ID\":\"-1\"}");
    expect_text(etcd_message_watch("a/", 7, true), "{\"create_request\":{\"key\":\"YS8=\",\"range_end\":\"YTA=\","
                                                   "\"start_revision\":\"7\",\"filters\":[\"NOPUT\"]}}");
    expect_text(etcd_message_login("a\"", "b\\"), "{\"name\":\"a\\\"\",\"password\":\"b\\\\\"}");
    assert_null(etcd_message_login("a", "\xff"));
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static const struct etcd_txn lists = {
    .thens = 2,
    .then = {{.deed = ETCD_PUT, .key = "a", .value = "x"}, {.deed = ETCD_LIST, .key = "a", .prefix = true}},
    .elses = 1,
    .otherwise = {{.deed = ETCD_LIST, .key = "a"}}};

static const char *const samples[] = {
    "{\"header\":{\"cluster_id\":\"1\",\"revision\":\"12\",\"raft_term\":\"2\"},\"succeeded\":true,\"responses\":["
    "{\"response_put\":{\"header\":{\"revision\":\"12\"}}},{\"response_range\":{\"header\":{\"revision\":\"12\"},"
    "\"kvs\":["
    "{\"key\":\"YQ==\",\"create_revision\":\"3\",\"mod_revision\":\"12\",\"version\":\"4\",\"value\":\"eA==\"},"
    "{\"key\":\"YWE=\",\"create_revision\":\"9\",\"mod_revision\":\"9\",\"lease\":\"7587869\"}],\"count\":\"2\"}}]}",
    "{\"header\":{\"revision\":\"12\"},\"responses\":[{\"response_range\":{}}]}",
    "{\"result\":{\"header\":{\"revision\":\"12\"},\"ID\":\"7587869\",\"TTL\":\"10\"}}",
    "{\"header\":{\"revision\":\"12\"},\"ID\":\"7587869\",\"TTL\":\"10\"}",
    "{\"result\":{\"header\":{\"revision\":\"12\"},\"created\":true}}",
    "{\"result\":{\"header\":{\"revision\":\"12\"},\"events\":[{\"kv\":{\"key\":\"YQ==\",\"mod_revision\":\"12\","
    "\"value\":\"eA==\"}},"
    "{\"type\":\"DELETE\",\"kv\":{\"key\":\"YQ==\",\"mod_revision\":\"13\"}}]}}",
    "{\"result\":{\"header\":{},\"canceled\":true,\"compact_revision\":\"5\",\"cancel_reason\":\"old\"}}",
    "{\"error\":\"etcdserver: no leader\",\"message\":\"etcdserver: no leader\",\"code\":14}",
    "{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":\"etcdserver: no leader\",\"http_status\":\"x\"}}",
    "{\"header\":{\"revision\":\"12\"},\"token\":\"abc.12\"}",
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Reads a text as each kind of answer; what is read must be whole. Returns how many kinds it could be. */
static unsigned read_as_all(const char *text, size_t size)
{
    unsigned kinds = 0;
    char *exact = malloc(size > 0 ? size : 1); /* so that a sanitizer sees who reads beyond */
    memcpy(exact, text, size);
    json_t *message = etcd_message_read(exact, size);
    free(exact);
    if (message == NULL)
        return 0;
    struct etcd_answer answer;
    struct etcd_complaint complaint;
    int64_t lease, seconds;
    char why[40];
    if (etcd_message_txn_answer(message, &lists, &answer)) {
        kinds++;
        assert_true(answer.revision > 0);
        for (unsigned p = 0; p < answer.pairs; p++) {
            assert_true(strlen(answer.pair[p].key) <= size);
            assert_int_equal(answer.pair[p].value[answer.pair[p].value_size], 0);
        }
        etcd_answer_free(&answer);
    } else {
        assert_null(answer.pair);
    }
    if (etcd_message_complains(message, &complaint)) {
        kinds++;
        for (const char *c = complaint.text; *c != '\0'; c++)
            assert_in_range(*c, ' ', '~');
    }
    kinds += etcd_message_lease_answer(message, &lease, &seconds);
    char *token = etcd_message_token(message);
    kinds += token != NULL;
    free(token);
    kinds += !etcd_message_watch_ended(message, why, sizeof why);
    const size_t events = etcd_message_events(message);
    for (size_t e = 0; e <= events; e++) { /* one too many is none */
        bool deleted;
        struct etcd_pair pair;
        if (etcd_message_event(message, e, &deleted, &pair)) {
            assert_true(e < events);
            etcd_pair_free(&pair);
        }
    }
    json_decref(message);
    return kinds;
}

static void cut_off(void **context)
{
    (void)context;
    for (unsigned s = 0; s < SAMPLES; s++) {
        const size_t size = strlen(samples[s]);
        assert_true(read_as_all(samples[s], size) > 0 || s == 6);
        for (size_t length = 0; length < size; length++)
            assert_int_equal(read_as_all(samples[s], length), 0);
    }
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
    return *random;
}

static void changed_at_random(void **context)
{
    (void)context;
    static const char *const pieces[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         "\"",
                                         ":",
                                         ",",
                                         "null",
                                         "-1",
                                         "1e99",
                                         "\\u0000",
                                         "\xff",
                                         "\"99999999999999999999\"",
                                         "{\"key\":1}",
                                         "\"kvs\":",
                                         "true",
                                         "[[[[[[[["};
    uint64_t random = 88172645463325252u;
    char text[1200];
    for (unsigned times = 0; times < 30000; times++) {
        const char *sample = samples[next_random(&random) % SAMPLES];
        size_t size = strlen(sample);
        memcpy(text, sample, size);
        for (uint64_t changes = next_random(&random) % 4 + 1; changes > 0; changes--) {
            const size_t at = next_random(&random) % size;
            const char *piece = pieces[next_random(&random) % (sizeof pieces / sizeof pieces[0])];
            const size_t length = strlen(piece), cut = next_random(&random) % 12;
            switch (next_random(&random) % 3) {
            case 0:
                text[at] = (char)next_random(&random);
                break;
            case 1:
                memmove(text + at + length, text + at, size - at);
                memcpy(text + at, piece, length);
                size += length;
                break;
            default:
                if (at + cut < size) {
                    memmove(text + at, text + at + cut, size - at - cut);
                    size -= cut;
                }
            }
        }
        read_as_all(text, size);
    }
}

#define LISTED(kv) "{\"header\":{\"revision\":\"3\"},\"responses\":[{\"response_range\":{\"kvs\":[" kv "]}}]}"

/* What etcd never says: each would be an admission, a lease or an event that there is not. */
static void believed_by_nobody(void **context)
{
    (void)context;
    static const char *const answers[] = {
        "{}",
        "{\"succeeded\":true}",
        "{\"header\":{}}",
        "{\"header\":{\"revision\":\"0\"},\"responses\":[{\"response_range\":{}}]}",
        "{\"header\":{\"revision\":\"-3\"},\"responses\":[{\"response_range\":{}}]}",
        "{\"header\":{\"revision\":\"3x\"},\"responses\":[{\"response_range\":{}}]}",
        "{\"header\":{\"revision\":\" 3\"},\"responses\":[{\"response_range\":{}}]}",
        "{\"header\":{\"revision\":\"9223372036854775808\"},\"responses\":[{\"response_range\":{}}]}",
        "{\"header\":{\"revision\":\"3\"}}", /* where is the list? */
        "{\"header\":{\"revision\":\"3\"},\"responses\":[]}",
        "{\"header\":{\"revision\":\"3\"},\"responses\":[{\"response_put\":{}}]}",
        "{\"header\":{\"revision\":\"3\"},\"responses\":[{\"response_range\":{}},{\"response_range\":{}}]}",
        "{\"header\":{\"revision\":\"3\"},\"responses\":{\"response_range\":{}}}",
        "{\"header\":{\"revision\":\"3\"},\"succeeded\":true,\"responses\":[{\"response_range\":{}}]}",
        "{\"header\":{\"revision\":\"3\"},\"succeeded\":\"true\",\"responses\":[{\"response_range\":{}}]}",
        "{\"header\":{\"revision\":\"3\"},\"responses\":[{\"response_range\":{\"kvs\":{}}}]}",
        LISTED("{}"),
        LISTED("{\"key\":\"!\"}"),
        LISTED("{\"key\":\"YQ==\",\"lease\":{}}"),
    };
    for (size_t a = 0; a < sizeof answers / sizeof answers[0]; a++) {
        struct etcd_answer answer;
        json_t *message = etcd_message_read(answers[a], strlen(answers[a]));
        assert_non_null(message);
        if (etcd_message_txn_answer(message, &lists, &answer))
            fail_msg("believed: %s", answers[a]);
        json_decref(message);
    }
    static const char *const tokens[] = {"{\"token\":\"a\\r\\nb: c\"}", "{\"token\":\"\"}", "{\"token\":5}",
                                         "{\"token\":\"a b\"}"};
    for (size_t t = 0; t < sizeof tokens / sizeof tokens[0]; t++) {
        json_t *message = etcd_message_read(tokens[t], strlen(tokens[t]));
        assert_null(etcd_message_token(message));
        json_decref(message);
    }
    static const char *const nothing[] = {"",      "null",   "[]",         "5",
                                          "\"x\"", "<html>", "{\"a\":1}x", "{\"a\":\"\\u0000\"}"};
    for (size_t n = 0; n < sizeof nothing / sizeof nothing[0]; n++)
        assert_null(etcd_message_read(nothing[n], strlen(nothing[n])));
}

/* So deep that a reader which calls itself would end with its stack. */
static void too_deep(void **context)
{
    (void)context;
    enum { DEEP = 500000 };
    char *text = malloc(DEEP);
    memset(text, '[', DEEP);
    memcpy(text, "{\"header\":", strlen("{\"header\":"));
    assert_null(etcd_message_read(text, DEEP));
    free(text);
}

/* "{}," takes as much memory as a key: an answer of nothing else would take a hundred times its size. One that has as many keys as
 * can be is read. */
static void too_many(void **context)
{
    (void)context;
    static const char key[] =
        "{\"key\":\"YWRtaXQvZy9r\",\"create_revision\":\"5\",\"mod_revision\":\"5\",\"version\":\"1\"},";
    enum { LONG = 8 << 20 };
    static const char *const parts[] = {"{},", "[],", "0,", key};
    char *text = malloc(LONG + 200);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        size_t at = (size_t)sprintf(text, "{\"kvs\":[");
        for (; at < LONG - 200; at += strlen(parts[p]))
            strcpy(text + at, parts[p]);
        at += (size_t)sprintf(text + at, "{}]}");
        json_t *message = etcd_message_read(text, at);
        assert_int_equal(message != NULL, parts[p] == key);
        json_decref(message);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(base64),
                                       cmocka_unit_test(requests),
                                       cmocka_unit_test(cut_off),
                                       cmocka_unit_test(changed_at_random),
                                       cmocka_unit_test(believed_by_nobody),
                                       cmocka_unit_test(too_deep),
                                       cmocka_unit_test(too_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
