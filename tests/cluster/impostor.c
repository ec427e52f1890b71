/* SPDX-License-Identifier: MIT
 *
 * A server that is none: hangs up, answers half, or something else. What counts is how often a request has arrived, and
 * that none is called done. Needs no etcd.
 */
#include "nodes.h"
#include "server.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <sys/socket.h>

/* --- the server --------------------------------------------------------------------------------------------------- */

/* One reply for each request, the last one again and again: "STATUS TEXT"; "cut TEXT", which says that there is more
 * to come and hangs up; "raw TEXT", which is not HTTP; "hang up", which is nothing. NULL is the end. */
static const char *const *replies_left;
static struct server impostor;

static void answer(int connection, const char *reply)
{
    const char *text = strchr(reply, ' ') + 1;
    char head[100] = "";
    if (*reply == 'c')
        strcpy(head, "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n");
    else if (*reply != 'r')
        snprintf(head, sizeof head, "HTTP/1.1 %d So\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: %zu\r\n\r\n",
                 atoi(reply), strlen(text));
    server_says(connection, head, strlen(head));
    server_says(connection, text, strlen(text));
}

static void serve(struct server *server, int connection)
{
    while (server_takes(server, connection)) {
        const char *reply = *replies_left;
        if (replies_left[1] != NULL)
            replies_left++;
        if (*reply != 'h')
            answer(connection, reply);
        if (*reply < '0' || *reply > '9')
            break;
    }
}

static struct etcd *meet(const char *const *replies)
{
    replies_left = replies;
    server_start(&impostor, serve);
    struct etcd *etcd = etcd_open(&(struct etcd_options){.endpoints = impostor.endpoint});
    assert_non_null(etcd);
    return etcd;
}

static void part(struct etcd *etcd)
{
    etcd_close(etcd);
    server_stop(&impostor);
}

/* --- what it is asked --------------------------------------------------------------------------------------------- */

static const struct etcd_txn write_one = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = "a", .value = "x"}}};
static const struct etcd_txn read_one = {.thens = 1, .then = {{.deed = ETCD_LIST, .key = "a"}}};

static enum etcd_result try_it(struct etcd *etcd, const struct etcd_txn *txn, double seconds)
{
    struct etcd_answer answer;
    const enum etcd_result result = etcd_do(etcd, txn, etcd_now() + (int64_t)(seconds * 1e9), &answer);
    if (result != ETCD_DONE) {
        assert_null(answer.pair);
        assert_non_null(strstr(etcd_text(etcd), impostor.endpoint));
        for (const char *c = etcd_text(etcd); *c != '\0'; c++)
            assert_in_range(*c, ' ', '~');
    }
    etcd_answer_free(&answer);
    return result;
}

#define DONE_BODY "{\"header\":{\"revision\":\"3\"},\"succeeded\":true,\"responses\":[{\"response_put\":{}}]}"
#define DONE "200 " DONE_BODY

/* On a connection that was kept, and is closed instead of an answer, the request is not sent once more, by nobody. */
static void not_sent_twice(void **context)
{
    (void)context;
    static const char *const replies[] = {DONE, DONE, "hang up", DONE, NULL};
    struct etcd *etcd = meet(replies);
    for (unsigned times = 0; times < 2; times++)
        assert_int_equal(try_it(etcd, &write_one, 5), ETCD_DONE);
    assert_int_equal(try_it(etcd, &write_one, 5), ETCD_UNKNOWN);
    usleep(200000);
    assert_int_equal(atomic_load(&impostor.bodies), 3);
    assert_int_equal(atomic_load(&impostor.requests), 3);
    assert_int_equal(etcd_requests(etcd), 3);
    assert_int_equal(try_it(etcd, &write_one, 5), ETCD_DONE);
    assert_int_equal(atomic_load(&impostor.bodies), 4);
    part(etcd);
}

/* What only reads is. */
static void reads_are_repeated(void **context)
{
    (void)context;
    static const char *const replies[] = {
        "hang up", "cut {}",
        "200 {\"header\":{\"revision\":\"3\"},\"succeeded\":true,\"responses\":[{\"response_range\":{}}]}", NULL};
    struct etcd *etcd = meet(replies);
    assert_int_equal(try_it(etcd, &read_one, 5), ETCD_DONE);
    assert_int_equal(atomic_load(&impostor.bodies), 3);
    assert_int_equal(etcd_requests(etcd), 3);
    part(etcd);
}

/* Each of these is no answer, and whether it is one that says no is told by the status, or by etcd's own words. */
static void no_answers(void **context)
{
    (void)context;
    static const struct {
        const char *reply;
        enum etcd_result result;
    } cases[] = {
        {"cut " DONE_BODY, ETCD_UNKNOWN}, /* and hangs up before its end */
        {"200 {\"header\":", ETCD_UNKNOWN},
        {"200 {}", ETCD_UNKNOWN},
        {"200 ", ETCD_UNKNOWN},
        {"200 <html>", ETCD_UNKNOWN},
        {"500 \x01\x02\x1b[31mred", ETCD_UNKNOWN},
        {"502 <html>", ETCD_UNKNOWN},
        {"307 x", ETCD_UNKNOWN},
        {"404 <html>", ETCD_REFUSED},
        {"408 <html>", ETCD_UNKNOWN},
        {"503 {\"error\":\"etcdserver: request timed "
         "out\",\"code\":14,\"a\":\"x\"}",
         ETCD_UNKNOWN},
        {"503 {\"error\":\"etcdserver: no leader\",\"code\":14}", ETCD_UNREACHED},
        {"400 {\"error\":\"what?\",\"code\":3 }", ETCD_REFUSED},
        {"200 {\"error\":\"what?\",\"code\":2 }", ETCD_UNKNOWN},
        {"raw SSH-2.0-OpenSSH_9.2\r\n", ETCD_UNKNOWN},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *const replies[] = {cases[c].reply, NULL};
        struct etcd *etcd = meet(replies);
        const enum etcd_result result = try_it(etcd, &write_one, 0.3);
        if (result != cases[c].result)
            fail_msg("%d, %s: %s", result, etcd_text(etcd), cases[c].reply);
        if (result != ETCD_UNREACHED)
            assert_int_equal(atomic_load(&impostor.bodies), 1);
        part(etcd);
    }
}

#define REVOKED "200 {\"header\":{\"revision\":\"3\"}}"

/* To a lease that was not asked for, or for as long as nobody lives. */
static void leases(void **context)
{
    (void)context;
    static const char *const replies[] = {"200 {\"header\":{},\"ID\":\"7\",\"TTL\":\"-1\"}",
                                          REVOKED,
                                          "200 {\"header\":{},\"ID\":\"7\",\"TTL\":\"9999999999999\"}",
                                          REVOKED,
                                          "200 {\"result\":{\"header\":{},\"ID\":\"8\",\"TTL\":\"9\"}}",
                                          NULL};
    struct etcd *etcd = meet(replies);
    const int64_t until = etcd_now() + INT64_C(2000000000);
    int64_t lease;
    unsigned granted;
    for (unsigned times = 0; times < 2; times++) {
        assert_int_equal(etcd_grant(etcd, 9, until, &lease, &granted), ETCD_UNKNOWN);
        assert_int_equal(lease, 0);
    }
    assert_int_equal(etcd_keep_alive(etcd, 7, until, &granted), ETCD_UNKNOWN);
    assert_int_equal(granted, 0);
    part(etcd);
}

/* A lease that was granted, but by an answer of no use, is revoked, if it is known which; and why it is of no use is told. */
static void leases_given_back(void **context)
{
    (void)context;
    static const struct {
        const char *reply;
        unsigned requests;
    } cases[] = {
        {"200 {\"header\":{},\"ID\":\"7\",\"TTL\":\"0\"}", 2},
        {"200 {\"header\":{},\"ID\":\"7\",\"TTL\":\"99999999999999999999\"}", 2},
        {"200 {\"header\":{},\"ID\":\"0\",\"TTL\":\"9\"}", 1},
        {"200 {\"header\":{},\"ID\":\"7x\",\"TTL\":\"9\"}", 1},
        {"200 {\"ID\":\"7\",\"TTL\":\"9\"}", 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *const replies[] = {cases[c].reply, REVOKED, NULL};
        struct etcd *etcd = meet(replies);
        int64_t lease;
        unsigned granted;
        assert_int_equal(etcd_grant(etcd, 9, in_seconds(5), &lease, &granted), ETCD_UNKNOWN);
        assert_non_null(strstr(etcd_text(etcd), "is not etcd"));
        assert_int_equal(atomic_load(&impostor.requests), cases[c].requests);
        part(etcd);
    }
}

/* Whoever asks again at once, as what failed may have been the network, is answered by a pause, which is a tenth of a second. */
static void wrong_answers_take_time(void **context)
{
    (void)context;
    static const char *const wrong[] = {
        "200 {\"header\":{\"revision\":\"3\"},\"succeeded\":true}",
        "200 "
        "{\"header\":{\"revision\":\"3\"},\"succeeded\":true,\"responses\":[{\"response_put\":{}},{\"response_put\":{}}"
        "]}",
        "raw HTTP/1.1 200 OK\r\n\r\n<html>",
    };
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        const char *const replies[] = {wrong[w], NULL};
        struct etcd *etcd = meet(replies);
        const int64_t begun = etcd_now(), until = in_seconds(0.25);
        while (etcd_now() < until)
            assert_in_range(try_it(etcd, &write_one, 5), ETCD_UNKNOWN, ETCD_UNREACHED);
        assert_in_range(atomic_load(&impostor.requests), 1, (etcd_now() - begun) / 100000000 + 1);
        part(etcd);
    }
}

static void watch(void **context)
{
    (void)context;
#define CREATED "{\"result\":{\"header\":{\"revision\":\"3\"},\"created\":true}}\n"
    static const char *const streams[] = {
        CREATED "{\"result\":{\"header\":{},\"events\":[{\"kv\":{}}]}}\n",
        CREATED "{\"result\":{\"header\":{},\"even",
        "{\"result\":5}\n",
        "\n",
        "{\"error\":{\"grpc_code\":14,\"message\":\"etcdserver: no leader\"}}\n",
    };
    for (size_t s = 0; s < sizeof streams / sizeof streams[0]; s++) {
        char reply[400];
        snprintf(reply, sizeof reply, "cut %s", streams[s]);
        const char *const replies[] = {reply, NULL};
        struct etcd *etcd = meet(replies);
        struct etcd_watch *watch = etcd_watch_open(etcd, "a", 0, false);
        struct etcd_event event;
        assert_int_equal(etcd_watch_next(watch, etcd_now() + INT64_C(2000000000), &event), ETCD_WATCH_ENDED);
        assert_non_null(strstr(etcd_watch_text(watch), impostor.endpoint));
        etcd_watch_close(watch);
        part(etcd);
    }
}

/* --- without end --------------------------------------------------------------------------------------------------- */

/* What is said again and again after the head, as fast as it is taken. */
static const char *said_for_ever;

static void talk(struct server *server, int connection)
{
    static const char head[] = "HTTP/1.1 200 OK\r\n\r\n";
    char much[32 << 10] = "";
    const size_t size = strlen(said_for_ever), room = sizeof much / size * size;
    for (size_t at = 0; at < room; at += size)
        memcpy(much + at, said_for_ever, size);
    if (!server_takes(server, connection))
        return;
    server_says(connection, head, strlen(head));
    while (send(connection, much, room, MSG_NOSIGNAL) > 0)
        ;
}

static void *interrupt_soon(void *data)
{
    poll(NULL, 0, 100);
    etcd_watch_interrupt(data);
    return NULL;
}

/* However fast lines without events come, a watch hears of an interruption, and of the time at which whoever asks wants to
 * do something else. */
static void talks_without_end(void **context)
{
    (void)context;
    static const char *const lines[] = {
        CREATED,
        "{\"result\":{\"header\":{\"revision\":\"3\"}}}\n",
        "{\"result\":{\"header\":{\"revision\":\"3\"},\"events\":[]}}\n",
    };
    for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++) {
        struct etcd_event event;
        pthread_t thread;
        said_for_ever = lines[l];
        server_start(&impostor, talk);
        struct etcd *etcd = etcd_open(&(struct etcd_options){.endpoints = impostor.endpoint});
        struct etcd_watch *watch = etcd_watch_open(etcd, "a", 0, false);
        assert_int_equal(etcd_watch_next(watch, in_seconds(0.1), &event), ETCD_NO_NEWS);
        assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, watch), 0);
        assert_int_equal(etcd_watch_next(watch, INT64_MAX, &event), ETCD_WATCH_STOPPED);
        pthread_join(thread, NULL);
        assert_int_equal(etcd_watch_next(watch, in_seconds(0.1), &event), ETCD_NO_NEWS);
        etcd_watch_close(watch);
        part(etcd);
    }
}

/* What says in its head that it is longer than an answer is refused by that, before it has come; what says nothing, when it is. */
static void answers_too_long(void **context)
{
    (void)context;
    static const char *const heads[] = {"raw HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n",
                                        "raw HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n900000\r\n"};
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        const char *const replies[] = {heads[h], NULL};
        struct etcd *etcd = meet(replies);
        assert_int_equal(try_it(etcd, &write_one, 60), ETCD_UNKNOWN);
        assert_non_null(strstr(etcd_text(etcd), "its answer is too long"));
        part(etcd);
    }
    said_for_ever = " ";
    server_start(&impostor, talk);
    struct etcd *etcd = etcd_open(&(struct etcd_options){.endpoints = impostor.endpoint});
    assert_int_equal(try_it(etcd, &write_one, 60), ETCD_UNKNOWN);
    assert_non_null(strstr(etcd_text(etcd), "its answer is too long"));
    part(etcd);
}

/* --- options ------------------------------------------------------------------------------------------------------ */

static void options_that_make_no_sense(void **context)
{
    (void)context;
    static const char *const endpoints[] = {"",      "a",        ":1",       "a:",         "a:0",   "a:65536", "a:1,",
                                            ",a:1",  "a:1,,b:2", "a:1 ",     "http://a:1", "a/b:1", "a@b:1",   "[]:1",
                                            "[::1]", "a:1x",     "a:123456", "a\n:1",      "a?b:1", "[::1:1",  "a#:1"};
    for (size_t e = 0; e < sizeof endpoints / sizeof endpoints[0]; e++) {
        struct etcd *etcd = etcd_open(&(struct etcd_options){.endpoints = endpoints[e]});
        if (etcd != NULL)
            fail_msg("taken: %s", endpoints[e]);
        assert_true(*etcd_open_failure() != '\0');
    }
    assert_null(etcd_open(&(struct etcd_options){0}));
    assert_null(etcd_open(&(struct etcd_options){.endpoints = "a:1", .user = "a"}));
    assert_null(etcd_open(&(struct etcd_options){.endpoints = "a:1", .ca = "a"}));
    assert_null(etcd_open(&(struct etcd_options){.endpoints = "a:1", .tls = true, .key = "a"}));
    struct etcd *etcd =
        etcd_open(&(struct etcd_options){.endpoints = "a.b-c_d:1,[::1]:65535,[fe80::1%eth0]:2,10.0.0.1:2379"});
    assert_non_null(etcd);
    etcd_close(etcd);
}

/* SIGPIPE ends a program that does not expect it. */
static void no_sigpipe(void **context)
{
    (void)context;
    static const char *const replies[] = {"hang up", NULL};
    assert_true(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
    struct etcd *etcd = meet(replies);
    for (unsigned times = 0; times < 20; times++)
        assert_int_equal(try_it(etcd, &write_one, 0.5), ETCD_UNKNOWN);
    part(etcd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_sent_twice),
        cmocka_unit_test(reads_are_repeated),
        cmocka_unit_test(no_answers),
        cmocka_unit_test(leases),
        cmocka_unit_test(leases_given_back),
        cmocka_unit_test(wrong_answers_take_time),
        cmocka_unit_test(watch),
        cmocka_unit_test(talks_without_end),
        cmocka_unit_test(answers_too_long),
        cmocka_unit_test(options_that_make_no_sense),
        cmocka_unit_test(no_sigpipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
