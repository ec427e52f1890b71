/* SPDX-License-Identifier: MIT
 *
 * One request after the other, by libcurl. HTTP/1.1 always: its HTTP/2 breaks on connections that are used again.
 *
 * A request that may have been received is not sent again, and not by libcurl either: when a kept connection turns out
 * to be closed, libcurl sends the request once more, unless it would need the body a second time and cannot have it. So
 * the body is given by a function, which gives it once. (Of a request without its whole body no server does anything.)
 */
#include "cluster/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ANSWER_MAX = 64 << 20, /* bytes: more is not an answer */
    CONNECT_MS = 1000,     /* with name and TLS: what one dead endpoint of three costs at most */
    ENDS_SOON_MS = 100,
};

static size_t give_body(char *to, size_t size, size_t count, void *data)
{
    struct etcd_http *http = data;
    size_t given = http->body_size - http->body_given;
    if (given > size * count)
        given = size * count;
    memcpy(to, http->body + http->body_given, given);
    http->body_given += given;
    return given > 0 ? given : CURL_READFUNC_ABORT;
}

static size_t take_text(char *from, size_t size, size_t count, void *data)
{
    struct etcd_http *http = data;
    const size_t more = size * count, needed = http->size + more + 1;
    if (needed > ANSWER_MAX) {
        http->too_long = true;
        return 0;
    }
    if (needed > http->room) {
        const size_t room = needed > 2 * http->room ? needed : 2 * http->room;
        char *text = realloc(http->text, room);
        if (text == NULL)
            return 0;
        http->text = text;
        http->room = room;
    }
    memcpy(http->text + http->size, from, more);
    http->size += more;
    http->text[http->size] = '\0';
    return more;
}

void etcd_http_taken(struct etcd_http *http, size_t bytes)
{
    if (bytes == 0)
        return;
    http->size -= bytes;
    memmove(http->text, http->text + bytes, http->size + 1);
}

static bool add_header(struct etcd_http *http, const char *header)
{
    struct curl_slist *longer = curl_slist_append(http->headers, header);
    if (longer != NULL)
        http->headers = longer;
    return longer != NULL;
}

/* A server without a leader says so at once, instead of waiting for one: then another is asked. */
static bool set_headers(struct etcd_http *http, const char *token)
{
    curl_slist_free_all(http->headers);
    http->headers = NULL;
    char *authorization = NULL;
    if (token != NULL && *token != '\0' && asprintf(&authorization, "Authorization: %s", token) < 0)
        return false;
    const bool added = add_header(http, "Content-Type: application/json") &&
                       add_header(http, "Grpc-Metadata-hasleader: true") && add_header(http, "Expect:") &&
                       (authorization == NULL || add_header(http, authorization));
    free(authorization);
    return added;
}

#define SET(option, value) (curl_easy_setopt(http->easy, option, value) == CURLE_OK)

bool etcd_http_begin(struct etcd_http *http, const struct etcd_http_request *request)
{
    char url[400];
    if (snprintf(url, sizeof url, "http%s://%s%s", http->options->tls ? "s" : "", request->endpoint, request->path) >=
        (int)sizeof url)
        return false;
    if (http->process != getpid()) {
        const struct etcd_options *options = http->options;
        etcd_http_forget(http);
        if (!etcd_http_open(http, options))
            return false;
    }
    if (http->easy == NULL) /* it was forgotten, and there was no memory for another */
        return false;
    http->over = http->too_long = false;
    http->size = http->body_given = 0;
    http->body = request->body;
    http->body_size = strlen(request->body);
    http->error[0] = '\0';
    if (!set_headers(http, request->token) || !SET(CURLOPT_URL, url) || !SET(CURLOPT_HTTPHEADER, http->headers) ||
        !SET(CURLOPT_POSTFIELDSIZE, (long)http->body_size) || !SET(CURLOPT_READFUNCTION, give_body) ||
        !SET(CURLOPT_READDATA, (void *)http) || !SET(CURLOPT_WRITEFUNCTION, take_text) ||
        !SET(CURLOPT_WRITEDATA, (void *)http) || !SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) ||
        !SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) ||
        curl_multi_add_handle(http->multi, http->easy) != CURLM_OK)
        return false;
    http->running = true;
    return true;
}

static void advance(struct etcd_http *http)
{
    int running, left;
    if (curl_multi_perform(http->multi, &running) != CURLM_OK) {
        http->over = true;
        http->code = CURLE_OUT_OF_MEMORY;
    }
    for (CURLMsg *message; (message = curl_multi_info_read(http->multi, &left)) != NULL;)
        if (message->msg == CURLMSG_DONE) {
            http->over = true;
            http->code = message->data.result;
        }
}

enum etcd_http_state etcd_http_wait(struct etcd_http *http, int64_t until)
{
    const size_t size = http->size;
    enum etcd_http_state state = HTTP_RUNS;
    const bool held = etcd_http_hold_sigpipe(http);
    etcd_http_arm(http, until);
    for (;;) {
        advance(http);
        if (http->over)
            state = HTTP_ENDED;
        if (http->over || http->size != size || etcd_now() >= until)
            break;
        struct curl_waitfd also[] = {{.fd = http->interrupt, .events = CURL_WAIT_POLLIN},
                                     {.fd = http->timer, .events = CURL_WAIT_POLLIN}};
        if (curl_multi_poll(http->multi, also, 2, 60000, NULL) != CURLM_OK) {
            http->over = true;
            http->code = CURLE_OUT_OF_MEMORY;
            state = HTTP_ENDED;
            break;
        }
        if (also[0].revents != 0) {
            etcd_http_calm(http);
            state = HTTP_INTERRUPTED;
            break;
        }
    }
    etcd_http_release_sigpipe(http, held);
    return state;
}

/* In TLS 1.3 the client hears that its certificate is not accepted when it has sent the request already. An alert
 * about a certificate ends the handshake for the server, so that it has not read the request. */
static bool is_about_certificates(const struct etcd_http *http)
{
    switch (http->code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return true;
    default:
        return strstr(http->error, "alert") != NULL &&
               (strstr(http->error, "certificate") != NULL || strstr(http->error, "unknown ca") != NULL);
    }
}

enum etcd_http_outcome etcd_http_end(struct etcd_http *http, long *status)
{
    *status = 0;
    if (!http->running)
        return HTTP_NOT_SENT;
    long sent = 1;
    curl_easy_getinfo(http->easy, CURLINFO_REQUEST_SIZE, &sent);
    curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, status);
    const bool held = etcd_http_hold_sigpipe(http);
    curl_multi_remove_handle(http->multi, http->easy); /* and closes the connection if an answer is still due on it */
    etcd_http_release_sigpipe(http, held);
    http->running = false;
    if (http->over && http->code == CURLE_OK)
        return HTTP_ANSWERED;
    if (http->over && is_about_certificates(http))
        return HTTP_DISTRUSTED;
    return sent == 0 ? HTTP_NOT_SENT : HTTP_UNANSWERED;
}

const char *etcd_http_error(const struct etcd_http *http)
{
    if (!http->over)
        return "no answer in time";
    if (http->too_long)
        return "its answer is too long";
    return *http->error != '\0' ? http->error : curl_easy_strerror(http->code);
}

static bool has_line(const struct etcd_http *http)
{
    return http->size > 0 && memchr(http->text, '\n', http->size) != NULL;
}

enum etcd_http_outcome etcd_http_post(struct etcd_http *http, const struct etcd_http_request *request, bool first_line,
                                      int64_t until, long *status)
{
    *status = 0;
    if (!etcd_http_begin(http, request)) {
        http->over = true;
        http->code = CURLE_OUT_OF_MEMORY;
        http->error[0] = '\0';
        return HTTP_NOT_SENT;
    }
    bool enough = false;
    for (;;) {
        switch (etcd_http_wait(http, until)) {
        case HTTP_ENDED:
            return etcd_http_end(http, status);
        case HTTP_INTERRUPTED:
            etcd_http_end(http, status);
            if (!enough)
                return HTTP_STOPPED;
            etcd_http_interrupt(http); /* for the next one that waits */
            return HTTP_ANSWERED;
        case HTTP_RUNS:
            break;
        }
        /* That the stream ends after its line is waited for a little, since then the connection can be kept. */
        if (!enough && first_line && has_line(http)) {
            const int64_t soon = etcd_now() + ENDS_SOON_MS * INT64_C(1000000);
            enough = true;
            until = soon < until ? soon : until;
        }
        if (etcd_now() >= until) {
            const enum etcd_http_outcome outcome = etcd_http_end(http, status);
            return enough ? HTTP_ANSWERED : outcome;
        }
    }
}
