/* SPDX-License-Identifier: MIT
 *
 * Answers over HTTP as they are taken apart: each whole, cut in two at every byte, and byte by byte, which must make no
 * difference; cut off at every byte; and those that are none. Needs no server.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/response.h"

static struct etcd_response response;

struct told {
    char body[400];
    size_t size, taken;
};

/* All of it, in pieces of this size at most. */
static void feed(struct told *told, const char *bytes, size_t size, size_t piece)
{
    while (size > 0 && !etcd_response_is_over(&response)) {
        const char *body;
        size_t body_size;
        const size_t taken = etcd_response_take(&response, bytes, size < piece ? size : piece, &body, &body_size);
        assert_true(taken > 0 && taken <= size && taken <= piece && body_size <= taken);
        assert_true(body_size == 0 || (body == bytes && told->size + body_size < sizeof told->body));
        memcpy(told->body + told->size, body, body_size);
        told->size += body_size;
        told->taken += taken;
        bytes += taken;
        size -= taken;
    }
}

#define HEAD "HTTP/1.1 200 OK\r\n"
#define LENGTH "Content-Length: "
#define CHUNKED "Transfer-Encoding: chunked\r\n"

static const struct known {
    const char *text;
    long status;
    const char *body;
    bool keeps;
    const char *behind; /* its end */
} known[] = {
    {HEAD LENGTH "5\r\n\r\nhello", 200, "hello", true, ""},
    {HEAD LENGTH "5\r\n\r\nhello and more", 200, "hello", true, " and more"},
    {HEAD "content-LENGTH:\t 05 \r\n\r\nhello", 200, "hello", true, ""},
    {HEAD LENGTH "0\r\n\r\nHTTP", 200, "", true, "HTTP"},
    {"HTTP/1.1 404 Not Found\r\n" LENGTH "2\r\n\r\n{}", 404, "{}", true, ""},
    {"HTTP/1.1 404\r\n" LENGTH "2\r\n\r\n{}", 404, "{}", true, ""},
    {"HTTP/1.1 599 \r\n" LENGTH "2\r\n\r\n{}", 599, "{}", true, ""},
    {"HTTP/1.1 200 \xc3\xa9\r\n" LENGTH "2\r\n\r\n{}", 200, "{}", true, ""},
    {"HTTP/1.0 200 OK\r\n" LENGTH "2\r\n\r\n{}", 200, "{}", false, ""},
    {HEAD LENGTH "2\r\nConnection: close\r\n\r\n{}", 200, "{}", false, ""},
    {HEAD LENGTH "2\r\nConnection: keep-alive ,\tCLOSE\r\n\r\n{}", 200, "{}", false, ""},
    {HEAD LENGTH "2\r\nConnection: keep-alive, closed,\r\n\r\n{}", 200, "{}", true, ""},
    {HEAD "X-Connection: close\r\nEmpty:\r\n" LENGTH "2\r\n\r\n{}", 200, "{}", true, ""},
    {HEAD CHUNKED "\r\n5\r\nhello\r\n0\r\n\r\n", 200, "hello", true, ""},
    {HEAD CHUNKED "\r\n5\r\nhello\r\n00A;name=\"value\"\r\n, everyone\r\n1 ;x\r\n!\r\n0\r\nGrpc-Trailer: a\r\n\r\nX",
     200, "hello, everyone!", true, "X"},
    {HEAD "transfer-encoding: Chunked\r\n\r\n00000000000000f\r\n012345678901234\r\n0000\r\n\r\n", 200,
     "012345678901234", true, ""},
    {"HTTP/1.1 100 Continue\r\n" LENGTH "7\r\nConnection: close\r\n\r\n" HEAD LENGTH "2\r\n\r\n{}", 200, "{}", true,
     ""},
    {"HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" HEAD CHUNKED "\r\n0\r\n\r\n", 200, "", true, ""},
    {"HTTP/1.1 204 No Content\r\n\r\nmore", 204, "", true, "more"},
    {"HTTP/1.1 304 Not Modified\r\n" LENGTH "5\r\n\r\nmore", 304, "", true, "more"},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static void expect(const struct known *is, const struct told *told)
{
    const size_t whole = strlen(is->text);
    if (response.at != RESPONSE_ENDED)
        fail_msg("%s: %s", response.wrong != NULL ? response.wrong : "it has no end", is->text);
    assert_int_equal(response.status, is->status);
    assert_int_equal(told->size, strlen(is->body));
    assert_memory_equal(told->body, is->body, told->size);
    assert_int_equal(response.keeps, is->keeps);
    assert_string_equal(is->text + told->taken, is->behind);
    assert_true(told->taken <= whole);
}

static void however_it_is_cut(void **context)
{
    (void)context;
    for (size_t k = 0; k < KNOWN; k++) {
        const size_t size = strlen(known[k].text);
        for (size_t piece = 1; piece <= size; piece++) {
            struct told told = {.size = 0};
            etcd_response_begin(&response);
            feed(&told, known[k].text, size, piece);
            expect(&known[k], &told);
        }
        for (size_t cut = 0; cut <= size; cut++) {
            struct told told = {.size = 0};
            etcd_response_begin(&response);
            feed(&told, known[k].text, cut, cut);
            feed(&told, known[k].text + cut, size - cut, size);
            expect(&known[k], &told);
        }
    }
}

static void cut_off(void **context)
{
    (void)context;
    for (size_t k = 0; k < KNOWN; k++)
        for (size_t size = 0; size < strlen(known[k].text) - strlen(known[k].behind); size++) {
            struct told told = {.size = 0};
            etcd_response_begin(&response);
            feed(&told, known[k].text, size, size);
            assert_false(etcd_response_is_over(&response));
            etcd_response_close(&response);
            assert_int_equal(response.at, RESPONSE_WRONG);
            assert_non_null(response.wrong);
        }
}

/* Without a length it goes to the end of the connection. */
static void to_the_end(void **context)
{
    (void)context;
    static const char text[] = HEAD "\r\nall\0of it\r\n";
    struct told told = {.size = 0};
    etcd_response_begin(&response);
    feed(&told, text, sizeof text - 1, 4);
    assert_int_equal(response.at, RESPONSE_REST);
    etcd_response_close(&response);
    assert_int_equal(response.at, RESPONSE_ENDED);
    assert_false(response.keeps);
    assert_int_equal(told.size, 11);
    assert_memory_equal(told.body, "all\0of it\r\n", 11);
}

#define OF(text)                                                                                                       \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }

static const struct {
    const char *text;
    size_t size;
} none[] = {
    OF("SSH-2.0-OpenSSH_9.2\r\n"),
    OF("\r\n"),
    OF("\n"),
    OF("\r\n" HEAD),
    OF(" " HEAD),
    OF("http/1.1 200 OK\r\n"),
    OF("HTTP/1.2 200 OK\r\n"),
    OF("HTTP/2 200 OK\r\n"),
    OF("HTTP/11 200 OK\r\n"),
    OF("HTTP/1.1  200 OK\r\n"),
    OF("HTTP/1.1\t200 OK\r\n"),
    OF("HTTP/1.1 20\r\n"),
    OF("HTTP/1.1 2000\r\n"),
    OF("HTTP/1.1 099 Low\r\n"),
    OF("HTTP/1.1 600 High\r\n"),
    OF("HTTP/1.1 +20 OK\r\n"),
    OF("HTTP/1.1 200 OK\n"),
    OF("HTTP/1.1 200 O\rK\r\n"),
    OF("HTTP/1.1 200 O\0K\r\n"),
    OF("HTTP/1.1 200 \x1b[31mred\r\n"),
    OF(HEAD LENGTH "2\n"),
    OF(HEAD "\n"),
    OF(HEAD "\r\r\n"),
    OF(HEAD "no colon\r\n"),
    OF(HEAD ": no name\r\n"),
    OF(HEAD "Content-Length : 2\r\n"),
    OF(HEAD "Content Length: 2\r\n"),
    OF(HEAD "Content-Length\0: 2\r\n"),
    OF(HEAD "\xc3\xa9: 2\r\n"),
    OF(HEAD "Name: value\r\n folded\r\n"),
    OF(HEAD "Name: va\0lue\r\n"),
    OF(HEAD "Name: va\rlue\r\n"),
    OF(HEAD LENGTH "\r\n"),
    OF(HEAD LENGTH "-1\r\n"),
    OF(HEAD LENGTH "+1\r\n"),
    OF(HEAD LENGTH "0x10\r\n"),
    OF(HEAD LENGTH "1 0\r\n"),
    OF(HEAD LENGTH "5, 5\r\n"),
    OF(HEAD LENGTH "1e3\r\n"),
    OF(HEAD LENGTH "18446744073709551621\r\n"),
    OF(HEAD LENGTH "0000000000000000005\r\n"),
    OF(HEAD LENGTH "5\r\n" LENGTH "6\r\n"),
    OF(HEAD LENGTH "5\r\n" LENGTH "5\r\n"),
    OF(HEAD LENGTH "5\r\n" CHUNKED "\r\n"),
    OF(HEAD CHUNKED LENGTH "0\r\n\r\n"),
    OF(HEAD CHUNKED CHUNKED),
    OF(HEAD "Transfer-Encoding: gzip, chunked\r\n"),
    OF(HEAD "Transfer-Encoding: identity\r\n"),
    OF(HEAD "Transfer-Encoding: xchunked\r\n"),
    OF(HEAD "Transfer-Encoding:\r\n"),
    OF("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
    OF("HTTP/1.1 100 Continue\r\n" LENGTH "5\r\n" CHUNKED "\r\n"),
    OF("HTTP/1.1 100 Continue\r\n\r\n{}\r\n"),
    OF(HEAD CHUNKED "\r\n\r\n"),
    OF(HEAD CHUNKED "\r\n;x\r\n"),
    OF(HEAD CHUNKED "\r\n-5\r\n"),
    OF(HEAD CHUNKED "\r\n+5\r\n"),
    OF(HEAD CHUNKED "\r\n 5\r\n"),
    OF(HEAD CHUNKED "\r\n0x5\r\n"),
    OF(HEAD CHUNKED "\r\n5g\r\n"),
    OF(HEAD CHUNKED "\r\n5 5\r\n"),
    OF(HEAD CHUNKED "\r\n5\n"),
    OF(HEAD CHUNKED "\r\n5\0\r\n"),
    OF(HEAD CHUNKED "\r\n10000000000000000\r\n"),
    OF(HEAD CHUNKED "\r\n0000000000000005\r\n"),
    OF(HEAD CHUNKED "\r\nffffffffffffffff\r\n"),
    OF(HEAD CHUNKED "\r\n5\r\nhello!\r\n"),
    OF(HEAD CHUNKED "\r\n5\r\nhello\n"),
    OF(HEAD CHUNKED "\r\n5\r\nhello0\r\n"),
    OF(HEAD CHUNKED "\r\n0\r\nno trailer\r\n"),
    OF(HEAD CHUNKED "\r\n0\r\n\n"),
};

static void no_answers(void **context)
{
    (void)context;
    for (size_t n = 0; n < sizeof none / sizeof none[0]; n++)
        for (size_t piece = 1; piece <= none[n].size; piece++) {
            struct told told = {.size = 0};
            etcd_response_begin(&response);
            feed(&told, none[n].text, none[n].size, piece);
            if (response.at != RESPONSE_WRONG)
                fail_msg("%zu is taken, in pieces of %zu: %s", n, piece, none[n].text);
            assert_non_null(response.wrong);
        }
}

/* What never ends comes to an end here. */
static void endless(void **context)
{
    (void)context;
    static const char *const begins[] = {"HTTP/1.1 200 ",          HEAD "Name: ",        HEAD, "",
                                         HEAD CHUNKED "\r\n0\r\n", HEAD CHUNKED "\r\n1;"};
    static const char *const goes_on[] = {
        "words ", "value ", "Name: value\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "Name: value\r\n", "name=value "};
    for (size_t b = 0; b < sizeof begins / sizeof begins[0]; b++) {
        struct told told = {.size = 0};
        etcd_response_begin(&response);
        feed(&told, begins[b], strlen(begins[b]), 100);
        while (!etcd_response_is_over(&response)) {
            feed(&told, goes_on[b], strlen(goes_on[b]), 100);
            assert_true(told.taken < RESPONSE_HEAD_MAX + 100);
        }
        assert_int_equal(response.at, RESPONSE_WRONG);
    }
}

/* A stream goes on for as long as it likes, and so does a body of a length that is told. */
static void long_ones(void **context)
{
    (void)context;
    const char *body;
    size_t body_size;
    struct told told = {.size = 0};
    static char zeros[1 << 16];
    etcd_response_begin(&response);
    feed(&told, HEAD CHUNKED "\r\n", strlen(HEAD CHUNKED "\r\n"), 100);
    for (unsigned chunk = 0; chunk < 100000; chunk++) {
        feed(&told, "1\r\nx\r\n", 6, 6);
        told.size = 0;
    }
    assert_int_equal(response.at, RESPONSE_CHUNK_SIZE);
    etcd_response_begin(&response);
    static const char head[] = HEAD LENGTH "5000000000\r\n\r\n";
    feed(&told, head, sizeof head - 1, 100);
    uint64_t size = 0;
    while (!etcd_response_is_over(&response)) {
        etcd_response_take(&response, zeros, sizeof zeros, &body, &body_size);
        size += body_size;
    }
    assert_int_equal(response.at, RESPONSE_ENDED);
    assert_int_equal(size, 5000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(however_it_is_cut), cmocka_unit_test(cut_off), cmocka_unit_test(to_the_end),
        cmocka_unit_test(no_answers),        cmocka_unit_test(endless), cmocka_unit_test(long_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
