/* SPDX-License-Identifier: MIT
 *
 * Requests with TLS, by libcurl. HTTP/1.1 always: its HTTP/2 breaks on connections that are used again.
 *
 * A request that may have been received is not sent again, and not by libcurl either: when a kept connection turns out
 * to be closed, libcurl sends the request once more, unless it would need the body a second time and cannot have it. So
 * the body is given by a function, which gives it once. (Of a request without its whole body no server does anything.)
 */
#include "cluster/curl.h"
#include "cluster/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/socket.h>

enum { SOCKETS = 16 };

struct tls {
    const struct etcd_curl *curl;
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    int socket[SOCKETS];
    CURLcode code;
    const char *body;
    size_t body_size, body_given;
    char error[CURL_ERROR_SIZE];
};

/* --- SIGPIPE ------------------------------------------------------------------------------------------------------ */

/* OpenSSL writes to sockets by write, which raises SIGPIPE where the server has hung up, in a libcurl before 7.87;
 * what libcurl sends itself does not. The signal is held back in this thread, to which it goes, and thrown away if
 * it has come meanwhile. To ignore it, as libcurl would, is for the whole process. */
struct sigpipe {
    bool is_held;     /* it is to be released, */
    bool was_blocked; /* but it had been held back before */
};

static struct sigpipe hold_sigpipe(void)
{
    sigset_t pipe, pending, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    if (sigismember(&pending, SIGPIPE))
        return (struct sigpipe){0}; /* somebody else's, and held back already */
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    return (struct sigpipe){true, sigismember(&before, SIGPIPE)};
}

static void release_sigpipe(struct sigpipe held)
{
    if (!held.is_held)
        return;
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (sigtimedwait(&pipe, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
        ;
    if (!held.was_blocked)
        pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
}

/* --- sockets ------------------------------------------------------------------------------------------------------ */

static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)purpose;
    struct tls *tls = data;
    for (unsigned s = 0; s < SOCKETS; s++) {
        if (tls->socket[s] >= 0)
            continue;
        const int made = etcd_http_socket(address->family, address->socktype, address->protocol);
        if (made < 0)
            return CURL_SOCKET_BAD;
        return tls->socket[s] = made;
    }
    return CURL_SOCKET_BAD;
}

static int close_socket(void *data, curl_socket_t socket)
{
    struct tls *tls = data;
    for (unsigned s = 0; s < SOCKETS; s++)
        if (tls->socket[s] == socket)
            tls->socket[s] = -1;
    return close(socket);
}

/* libcurl has a pair of sockets in each multi handle, by which other threads wake it, and 7.88 lets commands inherit
 * them. They are the sockets that had no number before and have one now; a socket that another thread makes in
 * between counts as one, which is what its maker most likely wants, too. */
enum { LOOKED_AT = 64 };

static bool is_bare_socket(int descriptor)
{
    int type;
    socklen_t size = sizeof type;
    const int flags = fcntl(descriptor, F_GETFD);
    return flags >= 0 && (flags & FD_CLOEXEC) == 0 && getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

static CURLM *new_multi(const struct etcd_curl *curl, int from)
{
    bool before[LOOKED_AT];
    for (int d = 0; d < LOOKED_AT; d++)
        before[d] = fcntl(from + d, F_GETFD) >= 0;
    CURLM *multi = curl->multi_init();
    for (int d = 0; d < LOOKED_AT; d++)
        if (!before[d] && is_bare_socket(from + d))
            fcntl(from + d, F_SETFD, FD_CLOEXEC);
    return multi;
}

/* --- the request and its answer ----------------------------------------------------------------------------------- */

static size_t give_body(char *to, size_t size, size_t count, void *data)
{
    struct tls *tls = data;
    size_t given = tls->body_size - tls->body_given;
    if (given > size * count)
        given = size * count;
    memcpy(to, tls->body + tls->body_given, given);
    tls->body_given += given;
    return given > 0 ? given : CURL_READFUNC_ABORT;
}

static size_t take_text(char *from, size_t size, size_t count, void *data)
{
    struct etcd_http *http = data;
    const struct tls *tls = http->connection;
    curl_off_t whole = 0; /* -1: it is not said */
    tls->curl->easy_getinfo(tls->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &whole);
    if (http->size == 0 && whole > 0 && !etcd_http_expect(http, (uint64_t)whole))
        return 0;
    return etcd_http_take(http, from, size * count) ? size * count : 0;
}

static bool add_header(struct tls *tls, const char *header)
{
    struct curl_slist *longer = tls->curl->slist_append(tls->headers, header);
    if (longer != NULL)
        tls->headers = longer;
    return longer != NULL;
}

static bool set_headers(struct tls *tls, const char *token)
{
    tls->curl->slist_free_all(tls->headers);
    tls->headers = NULL;
    char *authorization = NULL;
    if (token != NULL && *token != '\0' && asprintf(&authorization, "Authorization: %s", token) < 0)
        return false;
    const bool added = add_header(tls, HTTP_CONTENT_TYPE) && add_header(tls, HTTP_HAS_LEADER) &&
                       add_header(tls, "Expect:") && (authorization == NULL || add_header(tls, authorization));
    free(authorization);
    return added;
}

#define SET(option, value) (tls->curl->easy_setopt(tls->easy, option, value) == CURLE_OK)

static bool begin(struct etcd_http *http, const struct etcd_http_request *request)
{
    struct tls *tls = http->connection;
    char url[400];
    if (snprintf(url, sizeof url, "https://%s%s", request->endpoint, request->path) >= (int)sizeof url)
        return etcd_http_fail(http, "its name is too long");
    tls->body = request->body;
    tls->body_size = strlen(request->body);
    tls->body_given = 0;
    tls->code = CURLE_OK;
    tls->error[0] = '\0';
    if (!set_headers(tls, request->token) || !SET(CURLOPT_URL, url) || !SET(CURLOPT_HTTPHEADER, tls->headers) ||
        !SET(CURLOPT_POSTFIELDSIZE, (long)tls->body_size) ||
        tls->curl->multi_add_handle(tls->multi, tls->easy) != CURLM_OK)
        return etcd_http_fail(http, "out of memory");
    return true;
}

static void note_end(struct etcd_http *http, CURLcode code)
{
    struct tls *tls = http->connection;
    tls->code = code;
    if (code != CURLE_OK && !http->over)
        etcd_http_fail(http, *tls->error != '\0' ? tls->error : tls->curl->easy_strerror(code));
    http->whole = code == CURLE_OK;
    http->over = true;
}

static void advance(struct etcd_http *http)
{
    const struct tls *tls = http->connection;
    int running, left;
    if (tls->curl->multi_perform(tls->multi, &running) != CURLM_OK)
        note_end(http, CURLE_OUT_OF_MEMORY);
    for (CURLMsg *message; (message = tls->curl->multi_info_read(tls->multi, &left)) != NULL;)
        if (message->msg == CURLMSG_DONE)
            note_end(http, message->data.result);
}

static enum etcd_http_state wait_until(struct etcd_http *http, int64_t until)
{
    const struct tls *tls = http->connection;
    const size_t size = http->size;
    etcd_http_arm(http, until);
    for (;;) {
        advance(http);
        if (http->over)
            return HTTP_ENDED;
        if (http->size != size || etcd_now() >= until)
            return HTTP_RUNS;
        struct curl_waitfd also[] = {{.fd = http->interrupt, .events = CURL_WAIT_POLLIN},
                                     {.fd = http->timer, .events = CURL_WAIT_POLLIN}};
        if (tls->curl->multi_poll(tls->multi, also, 2, 60000, NULL) != CURLM_OK) {
            note_end(http, CURLE_OUT_OF_MEMORY);
            return HTTP_ENDED;
        }
        if (also[0].revents != 0) {
            etcd_http_calm(http);
            return HTTP_INTERRUPTED;
        }
    }
}

static enum etcd_http_state wait_for(struct etcd_http *http, int64_t until)
{
    const struct sigpipe held = hold_sigpipe();
    const enum etcd_http_state state = wait_until(http, until);
    release_sigpipe(held);
    return state;
}

/* In TLS 1.3 the client hears that its certificate is not accepted when it has sent the request already. An alert
 * about a certificate ends the handshake for the server, so that it has not read the request. */
static bool is_about_certificates(const struct tls *tls)
{
    switch (tls->code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return true;
    default:
        return strstr(tls->error, "alert") != NULL &&
               (strstr(tls->error, "certificate") != NULL || strstr(tls->error, "unknown ca") != NULL);
    }
}

static enum etcd_http_outcome end(struct etcd_http *http, long *status)
{
    struct tls *tls = http->connection;
    long sent = 1;
    tls->curl->easy_getinfo(tls->easy, CURLINFO_REQUEST_SIZE, &sent);
    tls->curl->easy_getinfo(tls->easy, CURLINFO_RESPONSE_CODE, status);
    const struct sigpipe held = hold_sigpipe();
    /* And closes the connection, if an answer is still due on it. */
    tls->curl->multi_remove_handle(tls->multi, tls->easy);
    release_sigpipe(held);
    if (http->over && http->whole)
        return HTTP_ANSWERED;
    if (http->over && is_about_certificates(tls))
        return HTTP_DISTRUSTED;
    return sent == 0 ? HTTP_NOT_SENT : HTTP_UNANSWERED;
}

/* --- handles ------------------------------------------------------------------------------------------------------ */

/* What is the same for all requests. A proxy that the environment names is for the web. */
static bool set_up(struct etcd_http *http)
{
    struct tls *tls = http->connection;
    const struct etcd_options *options = http->options;
    bool done = SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_POST, 1L) && SET(CURLOPT_PROXY, "") &&
                SET(CURLOPT_ERRORBUFFER, tls->error) && SET(CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
                SET(CURLOPT_OPENSOCKETDATA, (void *)tls) && SET(CURLOPT_CLOSESOCKETFUNCTION, close_socket) &&
                SET(CURLOPT_CLOSESOCKETDATA, (void *)tls) && SET(CURLOPT_READFUNCTION, give_body) &&
                SET(CURLOPT_READDATA, (void *)tls) && SET(CURLOPT_WRITEFUNCTION, take_text) &&
                SET(CURLOPT_WRITEDATA, (void *)http) && SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) &&
                SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
                tls->curl->multi_setopt(tls->multi, CURLMOPT_MAXCONNECTS, (long)SOCKETS / 2) == CURLM_OK;
#if LIBCURL_VERSION_NUM >= 0x075700
    /* A request that is given up does not wait for the thread that looks for the address of its name: that can take
     * longer than a session lasts. A libcurl that is older than its header does not know it, and does wait. */
    tls->curl->easy_setopt(tls->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    if (options->ca != NULL)
        done = done && SET(CURLOPT_CAINFO, options->ca) && SET(CURLOPT_CAPATH, NULL);
    if (options->certificate != NULL)
        done = done && SET(CURLOPT_SSLCERT, options->certificate);
    if (options->key != NULL)
        done = done && SET(CURLOPT_SSLKEY, options->key);
    return done;
}

static void close_tls(struct etcd_http *http)
{
    struct tls *tls = http->connection;
    const struct sigpipe held = hold_sigpipe();
    if (http->running)
        tls->curl->multi_remove_handle(tls->multi, tls->easy);
    tls->curl->easy_cleanup(tls->easy);
    tls->curl->multi_cleanup(tls->multi);
    release_sigpipe(held);
    tls->curl->slist_free_all(tls->headers);
    free(tls);
}

static bool open_tls(struct etcd_http *http)
{
    const char *why;
    const struct etcd_curl *curl = etcd_curl(&why);
    if (curl == NULL)
        return etcd_http_fail(http, why);
    struct tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL)
        return false;
    http->connection = tls;
    for (unsigned s = 0; s < SOCKETS; s++)
        tls->socket[s] = -1;
    tls->curl = curl;
    tls->multi = new_multi(curl, http->interrupt + 1);
    tls->easy = curl->easy_init();
    return tls->multi != NULL && tls->easy != NULL && set_up(http);
}

/* To free libcurl's handles would say goodbye on connections, which are the parent's as well. They are left as they are, and
 * so are the headers and the text that they may point to. */
static void forget_tls(struct etcd_http *http)
{
    const struct tls *tls = http->connection;
    for (unsigned s = 0; s < SOCKETS; s++)
        if (tls->socket[s] >= 0)
            close(tls->socket[s]);
}

const struct etcd_transport etcd_tls = {open_tls, close_tls, forget_tls, begin, wait_for, end};
