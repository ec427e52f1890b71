/* SPDX-License-Identifier: MIT
 *
 * Requests in the clear, over sockets, before a server of the test's own: what is sent again and what is not, connections that are
 * kept and that are not, answers in pieces, early, late and without end. Needs no etcd.
 */
#include "nodes.h"
#include "server.h"

#include <errno.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/* --- the server --------------------------------------------------------------------------------------------------- */

static struct server server;
static const char *reply;  /* to each request */
static size_t piece;       /* in which it says it */
static bool hangs_up;      /* after each */
static bool does_not_read; /* but answers; and later reads */
static atomic_bool reads_now;
static bool speaks_first; /* before it is asked anything */

#define HEAD "HTTP/1.1 200 OK\r\n"
#define DONE                                                                                                           \
    HEAD "Content-Length: 78\r\n\r\n"                                                                                  \
         "{\"header\":{\"revision\":\"3\"},\"succeeded\":true,\"responses\":[{\"response_put\":{}}]}"
#define IN_CHUNKS                                                                                                      \
    HEAD "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n4b;x=y\r\n\"header\":{\"revision\":\"3\"},\"succeeded\":true,"   \
         "\"responses\":[{\"response_put\":{}}\r\n2\r\n]}\r\n1\r\n\n\r\n0\r\nTrailer: x\r\n\r\n"

static void say(int connection)
{
    const char *const text = reply;
    const size_t size = strlen(text), most = piece;
    const int on = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (size_t at = 0; at < size; at += most)
        server_says(connection, text + at, size - at < most ? size - at : most);
}

static void serve(struct server *here, int connection)
{
    static char text[1 << 16];
    if (speaks_first)
        say(connection);
    if (does_not_read) {
        say(connection);
        while (!atomic_load(&reads_now))
            usleep(1000);
        while (recv(connection, text, sizeof text, 0) > 0)
            ;
        return;
    }
    while (server_takes(here, connection)) {
        say(connection);
        if (hangs_up)
            break;
    }
}

static int start(void **context)
{
    (void)context;
    reply = DONE;
    piece = 10000;
    hangs_up = does_not_read = speaks_first = false;
    server_start(&server, serve);
    return 0;
}

static int stop(void **context)
{
    (void)context;
    server_stop(&server);
    return 0;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static const struct etcd_txn write_one = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = "a", .value = "x"}}};

static struct etcd *client(void)
{
    struct etcd *etcd = etcd_open(&(struct etcd_options){.endpoints = server.endpoint});
    assert_non_null(etcd);
    return etcd;
}

static void expect(struct etcd *etcd, enum etcd_result expected, double seconds)
{
    struct etcd_answer answer;
    const enum etcd_result result = etcd_do(etcd, &write_one, in_seconds(seconds), &answer);
    if (result != expected)
        fail_msg("%d, not %d: %s", result, expected, etcd_text(etcd));
    etcd_answer_free(&answer);
}

static void expect_served(unsigned connections, unsigned requests)
{
    assert_int_equal(atomic_load(&server.connections), connections);
    assert_int_equal(atomic_load(&server.bodies), requests);
}

/* --- the tests ---------------------------------------------------------------------------------------------------- */

static void in_pieces(void **context)
{
    (void)context;
    static const char *const replies[] = {DONE, IN_CHUNKS};
    struct etcd *etcd = client();
    for (unsigned r = 0; r < 2; r++)
        for (piece = 1; piece < 8; piece++) {
            reply = replies[r];
            expect(etcd, ETCD_DONE, 10);
        }
    expect_served(1, 14);
    etcd_close(etcd);
}

/* Closed meanwhile, before a byte was sent: on another. */
static void closed_while_it_was_kept(void **context)
{
    (void)context;
    struct etcd *etcd = client();
    hangs_up = true;
    for (unsigned times = 1; times <= 5; times++) {
        expect(etcd, ETCD_DONE, 10);
        while (atomic_load(&server.closed) < times)
            usleep(1000);
        usleep(50000); /* and here it is known */
    }
    expect_served(5, 5);
    etcd_close(etcd);
}

/* In place of libc's: may fail as where the other side has hung up just before. */
static _Thread_local unsigned fails_at_sending;

ssize_t send(int socket, const void *bytes, size_t size, int flags)
{
    if (fails_at_sending == 0)
        return sendto(socket, bytes, size, flags, NULL, 0);
    fails_at_sending--;
    errno = EPIPE;
    return -1;
}

/* On a connection that was kept that may be so without anybody's fault; on a new one it is what it is. */
static void closed_just_before(void **context)
{
    (void)context;
    struct etcd *etcd = client();
    const struct etcd_http_request request = {server.endpoint, "/v3/kv/txn", "{}", NULL};
    long status;
    for (unsigned times = 0; times < 2; times++)
        assert_int_equal(etcd_http_post(&etcd->http, &request, false, in_seconds(10), &status), HTTP_ANSWERED);
    fails_at_sending = 1;
    assert_int_equal(etcd_http_post(&etcd->http, &request, false, in_seconds(10), &status), HTTP_ANSWERED);
    expect_served(2, 3);
    fails_at_sending = 2;
    assert_int_equal(etcd_http_post(&etcd->http, &request, false, in_seconds(10), &status), HTTP_NOT_SENT);
    assert_string_equal(etcd_http_error(&etcd->http), strerror(EPIPE));
    assert_int_equal(fails_at_sending, 0);
    etcd_close(etcd);
    assert_int_equal(atomic_load(&server.bodies), 3);
}

static void not_kept(void **context)
{
    (void)context;
    static const char done[] = DONE;
    char closes[300];
    snprintf(closes, sizeof closes, HEAD "Connection: close\r\n%s", &done[strlen(HEAD)]);
    const char *const replies[] = {closes, DONE "{}", DONE HEAD};
    for (unsigned r = 0; r < 3; r++) {
        struct etcd *etcd = client();
        const unsigned connections = atomic_load(&server.connections);
        reply = replies[r];
        for (unsigned times = 0; times < 3; times++)
            expect(etcd, ETCD_DONE, 10);
        assert_int_equal(atomic_load(&server.connections), connections + 3);
        etcd_close(etcd);
    }
}

/* An answer that is there before the request is: it is to nobody's question. */
static void spoken_to_first(void **context)
{
    (void)context;
    speaks_first = true;
    reply = "220 mail.test ESMTP\r\n";
    struct etcd *etcd = client();
    expect(etcd, ETCD_UNKNOWN, 10);
    etcd_close(etcd);
}

/* Who does not want to read all of it may say so. */
static void answered_early(void **context)
{
    (void)context;
    does_not_read = true;
    reply = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    char *value = malloc((16 << 20) + 1);
    memset(value, 'x', 16 << 20);
    value[16 << 20] = '\0';
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = "a", .value = value}}};
    struct etcd *etcd = client();
    struct etcd_answer answer;
    assert_int_equal(etcd_do(etcd, &txn, in_seconds(20), &answer), ETCD_REFUSED);
    atomic_store(&reads_now, true);
    etcd_close(etcd);
    free(value);
}

/* In its head, or in its body. */
static void endless(void **context)
{
    (void)context;
    static const char *const heads[] = {HEAD, HEAD "Content-Length: 4000000000\r\n\r\n"};
    const size_t size = 70 << 20;
    char *much = malloc(size);
    piece = 1 << 20;
    for (unsigned h = 0; h < 2; h++) {
        struct etcd *etcd = client();
        memset(much, 'x', size - 1);
        much[size - 1] = '\0';
        memcpy(much, heads[h], strlen(heads[h]));
        reply = much;
        expect(etcd, ETCD_UNKNOWN, 20);
        assert_non_null(strstr(etcd_text(etcd), "too long"));
        etcd_close(etcd);
        while (atomic_load(&server.closed) <= h)
            usleep(1000);
    }
    free(much);
}

/* Nothing that comes from outside makes another line of the head, or another request. */
static void no_second_line(void **context)
{
    (void)context;
    static const char *const tokens[] = {"x\r\nHost: evil", "x\ny", "x y", "x\ty", "\x7f", "\xc3\xa9"};
    struct etcd *etcd = client();
    long status;
    for (size_t t = 0; t < sizeof tokens / sizeof tokens[0]; t++) {
        const struct etcd_http_request requests[] = {{server.endpoint, "/v3/kv/txn", "{}", tokens[t]},
                                                     {server.endpoint, tokens[t], "{}", NULL},
                                                     {tokens[t], "/", "{}", NULL}};
        for (unsigned r = 0; r < 3; r++) {
            assert_int_equal(etcd_http_post(&etcd->http, &requests[r], false, in_seconds(10), &status), HTTP_NOT_SENT);
            assert_true(*etcd_http_error(&etcd->http) != '\0');
        }
    }
    expect_served(0, 0);
    expect(etcd, ETCD_DONE, 10);
    etcd_close(etcd);
}

static void no_proxy(void **context)
{
    (void)context;
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    struct etcd *etcd = client();
    expect(etcd, ETCD_DONE, 10);
    etcd_close(etcd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(in_pieces), TEST(closed_while_it_was_kept), TEST(closed_just_before),
        TEST(not_kept),  TEST(spoken_to_first),          TEST(answered_early),
        TEST(endless),   TEST(no_second_line),           TEST(no_proxy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
