/* SPDX-License-Identifier: MIT
 *
 * One request after the other, by whichever transport: handles, answers, and when an answer is enough.
 */
#include "cluster/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

enum {
    KEPT_MAX = 64 << 10, /* bytes, for the next answer */
    ENDS_SOON_MS = 100,
    SILENT_S = 5,
};

/* --- handles ------------------------------------------------------------------------------------------------------ */

static void set_empty(struct etcd_http *http, const struct etcd_options *options)
{
    *http = (struct etcd_http){.options = options,
                               .process = getpid(),
                               .interrupt = -1,
                               .timer = -1,
                               .transport = options->tls ? &etcd_tls : &etcd_plain};
}

bool etcd_http_open(struct etcd_http *http, const struct etcd_options *options)
{
    set_empty(http, options);
    http->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    http->interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    strcpy(http->error, "out of memory or descriptors");
    if (http->timer >= 0 && http->interrupt >= 0 && http->transport->open(http))
        return true;
    char why[sizeof http->error];
    memcpy(why, http->error, sizeof why);
    etcd_http_close(http);
    memcpy(http->error, why, sizeof why);
    return false;
}

static void close_waits(struct etcd_http *http)
{
    if (http->timer >= 0)
        close(http->timer);
    if (http->interrupt >= 0)
        close(http->interrupt);
    http->timer = http->interrupt = -1;
}

void etcd_http_close(struct etcd_http *http)
{
    if (http->process != getpid()) {
        etcd_http_forget(http);
        return;
    }
    if (http->connection != NULL)
        http->transport->close(http);
    free(http->text);
    close_waits(http);
    set_empty(http, http->options);
}

void etcd_http_forget(struct etcd_http *http)
{
    if (http->connection != NULL)
        http->transport->forget(http);
    close_waits(http);
    set_empty(http, http->options);
}

/* --- sockets ------------------------------------------------------------------------------------------------------ */

int etcd_http_socket(int family, int type, int protocol)
{
    const int made = socket(family, type | SOCK_CLOEXEC, protocol);
    const int on = 1, silent = SILENT_S, between = 1, unheard = SILENT_S * 1000;
    if (made < 0)
        return -1;
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(made, IPPROTO_TCP, TCP_KEEPIDLE, &silent, sizeof silent);
    setsockopt(made, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
    setsockopt(made, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard, sizeof unheard);
    return made;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

bool etcd_http_fail(struct etcd_http *http, const char *why)
{
    http->over = true;
    http->whole = false;
    snprintf(http->error, sizeof http->error, "%s", why);
    return false;
}

bool etcd_http_expect(struct etcd_http *http, uint64_t more)
{
    return more <= ANSWER_MAX - http->size || etcd_http_fail(http, "its answer is too long");
}

bool etcd_http_take(struct etcd_http *http, const char *from, size_t more)
{
    const size_t needed = http->size + more + 1;
    if (!etcd_http_expect(http, more))
        return false;
    if (needed > http->room) {
        const size_t room = needed > 2 * http->room ? needed : 2 * http->room;
        char *text = realloc(http->text, room);
        if (text == NULL)
            return etcd_http_fail(http, "there is no memory for its answer");
        http->text = text;
        http->room = room;
    }
    memcpy(http->text + http->size, from, more);
    http->size += more;
    http->text[http->size] = '\0';
    return true;
}

void etcd_http_taken(struct etcd_http *http, size_t bytes)
{
    if (bytes == 0)
        return;
    http->size -= bytes;
    memmove(http->text, http->text + bytes, http->size + 1);
    if (http->size == 0 && http->room > KEPT_MAX) {
        free(http->text);
        http->text = NULL;
        http->room = 0;
    }
}

const char *etcd_http_error(const struct etcd_http *http)
{
    return http->over ? http->error : "no answer in time";
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

bool etcd_http_begin(struct etcd_http *http, const struct etcd_http_request *request)
{
    if (http->process != getpid()) {
        const struct etcd_options *options = http->options;
        etcd_http_forget(http);
        etcd_http_open(http, options);
    }
    http->over = http->connection == NULL; /* it was forgotten, and could not be made again */
    http->whole = false;
    if (http->over)
        return false;
    http->size = 0;
    http->error[0] = '\0';
    http->running = http->transport->begin(http, request);
    return http->running;
}

/* A transport looks at interruptions when there is nothing to read; where there always is, it never does. */
enum etcd_http_state etcd_http_wait(struct etcd_http *http, int64_t until)
{
    const enum etcd_http_state state = http->transport->wait(http, until);
    return state == HTTP_RUNS && etcd_http_was_interrupted(http) ? HTTP_INTERRUPTED : state;
}

enum etcd_http_outcome etcd_http_end(struct etcd_http *http, long *status)
{
    *status = 0;
    if (!http->running)
        return HTTP_NOT_SENT;
    http->running = false;
    return http->transport->end(http, status);
}

static bool has_line(const struct etcd_http *http)
{
    return http->size > 0 && memchr(http->text, '\n', http->size) != NULL;
}

enum etcd_http_outcome etcd_http_post(struct etcd_http *http, const struct etcd_http_request *request, bool first_line,
                                      int64_t until, long *status)
{
    *status = 0;
    if (!etcd_http_begin(http, request))
        return HTTP_NOT_SENT;
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
