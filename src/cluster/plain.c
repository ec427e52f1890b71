/* SPDX-License-Identifier: MIT
 *
 * Requests in the clear, over one socket, which is kept for the next request to the same endpoint.
 *
 * A request that may have been received is not sent again. Of one that was to go on a kept connection, which turns out to be
 * closed before a byte could be sent, that is certain; so it goes on a new one. The rest is for whoever asks.
 */
#include "cluster/lookup.h"
#include "cluster/response.h"
#include "cluster/transport.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/socket.h>

enum {
    ENDPOINT_MAX = HOST_MAX + 10,
    READ_MAX = 16 << 10,
    READS_MAX = 16, /* then it is looked whether somebody has interrupted it */
};

enum doing { LOOKS_UP, CONNECTS, TALKS };

struct plain {
    int socket;                  /* -1: none */
    bool kept;                   /* an answer has come by it already */
    char endpoint[ENDPOINT_MAX]; /* to which it leads */
    enum doing doing;
    struct etcd_lookup *lookup; /* NULL: none; that of a request that was given up may be the next one's */
    struct etcd_addresses addresses;
    unsigned address;            /* that is tried */
    int64_t until, next_address; /* when to give up to connect, and that address */
    char *request;
    size_t size, sent;
    struct etcd_response response;
};

/* --- the socket --------------------------------------------------------------------------------------------------- */

/* Before it is closed it is nobody's: a child that is forked meanwhile closes what is written there, and the number may be
 * another's by then. */
static void hang_up(struct plain *plain)
{
    const int was = plain->socket;
    plain->socket = -1;
    plain->kept = false;
    if (was >= 0)
        close(was);
}

/* In the same order, for the same reason. */
static void drop_lookup(struct plain *plain)
{
    struct etcd_lookup *was = plain->lookup;
    plain->lookup = NULL;
    etcd_lookup_free(was);
}

/* Nothing has come on it, not even its end. */
static bool is_quiet(int socket)
{
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Where nobody listens, the kernel may give a connection the very port that it calls at, which is answered then by itself. */
static bool is_with_itself(int socket)
{
    struct sockaddr_storage own, other;
    socklen_t own_size = sizeof own, other_size = sizeof other;
    return getsockname(socket, (struct sockaddr *)&own, &own_size) == 0 &&
           getpeername(socket, (struct sockaddr *)&other, &other_size) == 0 && own_size == other_size &&
           memcmp(&own, &other, own_size) == 0;
}

/* --- connecting --------------------------------------------------------------------------------------------------- */

/* One after the other, each with its part of the time that is left: the first may be one that nobody answers at. */
static void try_next_address(struct etcd_http *http, const char *why)
{
    struct plain *plain = http->connection;
    hang_up(plain);
    for (; plain->address < plain->addresses.count; plain->address++) {
        const struct sockaddr *name = (const struct sockaddr *)&plain->addresses.of[plain->address].name;
        const int64_t now = etcd_now(), left = plain->until - now;
        if (left <= 0) {
            why = "no connection in time";
            break;
        }
        plain->socket = etcd_http_socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (plain->socket >= 0 && (connect(plain->socket, name, plain->addresses.of[plain->address].size) == 0 ||
                                   errno == EINPROGRESS || errno == EINTR)) {
            plain->next_address = now + left / (plain->addresses.count - plain->address);
            plain->doing = CONNECTS;
            return;
        }
        why = strerror(errno);
        hang_up(plain);
    }
    etcd_http_fail(http, why);
}

/* Linux answers a second connect by what has come of the first. */
static void see_connection(struct etcd_http *http)
{
    struct plain *plain = http->connection;
    const struct sockaddr *name = (const struct sockaddr *)&plain->addresses.of[plain->address].name;
    const char *why = NULL;
    if (connect(plain->socket, name, plain->addresses.of[plain->address].size) == 0 || errno == EISCONN)
        why = is_with_itself(plain->socket) ? strerror(ECONNREFUSED) : NULL;
    else if (errno != EALREADY && errno != EINPROGRESS && errno != EINTR)
        why = strerror(errno);
    else if (etcd_now() >= plain->next_address)
        why = "no connection in time";
    else
        return;
    if (why == NULL) {
        plain->doing = TALKS;
        return;
    }
    plain->address++;
    try_next_address(http, why);
}

static void see_addresses(struct etcd_http *http)
{
    struct plain *plain = http->connection;
    const char *why = NULL;
    if (etcd_lookup_has_ended(plain->lookup, &plain->addresses, &why)) {
        drop_lookup(plain);
        plain->address = 0;
        try_next_address(http, why);
    } else if (etcd_now() >= plain->until) {
        etcd_http_fail(http, "its name was not found in time");
    }
}

/* To plain->endpoint. */
static bool call(struct etcd_http *http)
{
    struct plain *plain = http->connection;
    char host[HOST_MAX], port[8];
    if (!etcd_lookup_split(plain->endpoint, host, port))
        return etcd_http_fail(http, "it is not HOST:PORT");
    plain->until = etcd_now() + CONNECT_MS * INT64_C(1000000);
    plain->address = 0;
    if (etcd_lookup_numbers(host, port, &plain->addresses)) {
        try_next_address(http, "");
        return true;
    }
    if (plain->lookup != NULL && !etcd_lookup_is_of(plain->lookup, host, port))
        drop_lookup(plain);
    if (plain->lookup == NULL && (plain->lookup = etcd_lookup_begin(host, port)) == NULL)
        return etcd_http_fail(http, "there is no memory, or no thread, to look up its name");
    plain->doing = LOOKS_UP;
    return true;
}

/* --- the request -------------------------------------------------------------------------------------------------- */

/* What comes from outside must not end a line of the head, nor a word of it. */
static bool is_one_word(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

/* The other side is told no zone: what stands behind '%' in an address is an interface of this machine. */
static bool write_request(struct etcd_http *http, const struct etcd_http_request *request)
{
    struct plain *plain = http->connection;
    const char *token = request->token != NULL ? request->token : "", *zone = strchr(request->endpoint, '%');
    const char *rest = zone != NULL ? zone + strcspn(zone, "]") : "";
    if (!is_one_word(request->endpoint) || !is_one_word(request->path) || !is_one_word(token))
        return etcd_http_fail(http, "there are characters in its address or in a token that do not belong there");
    const int size = asprintf(&plain->request,
                              "POST %s HTTP/1.1\r\n"
                              "Host: %.*s%s\r\n" HTTP_CONTENT_TYPE "\r\n" HTTP_HAS_LEADER "\r\n"
                              "%s%s%s"
                              "Content-Length: %zu\r\n\r\n"
                              "%s",
                              request->path, (int)strcspn(request->endpoint, "%"), request->endpoint, rest,
                              *token != '\0' ? "Authorization: " : "", token, *token != '\0' ? "\r\n" : "",
                              strlen(request->body), request->body);
    if (size < 0) {
        plain->request = NULL;
        return etcd_http_fail(http, "out of memory");
    }
    plain->size = (size_t)size;
    return true;
}

/* It may have a password in it. */
static void free_request(struct plain *plain)
{
    if (plain->request != NULL)
        explicit_bzero(plain->request, plain->size);
    free(plain->request);
    plain->request = NULL;
    plain->size = 0;
}

static bool begin(struct etcd_http *http, const struct etcd_http_request *request)
{
    struct plain *plain = http->connection;
    plain->sent = 0;
    if (strlen(request->endpoint) >= sizeof plain->endpoint)
        return etcd_http_fail(http, "its name is too long");
    if (!write_request(http, request))
        return false;
    etcd_response_begin(&plain->response);
    const bool is_there = plain->socket >= 0 && strcmp(plain->endpoint, request->endpoint) == 0;
    if (is_there && is_quiet(plain->socket)) {
        plain->doing = TALKS;
        return true;
    }
    hang_up(plain);
    strcpy(plain->endpoint, request->endpoint);
    return call(http);
}

/* False: there is nothing more to do now. */
static bool send_some(struct etcd_http *http)
{
    struct plain *plain = http->connection;
    if (plain->sent == plain->size)
        return false;
    const ssize_t sent = send(plain->socket, plain->request + plain->sent, plain->size - plain->sent, MSG_NOSIGNAL);
    if (sent > 0) {
        plain->sent += (size_t)sent;
        return true;
    }
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK && plain->sent == 0) {
        const char *why = strerror(errno);
        const bool was_kept = plain->kept;
        hang_up(plain);
        if (was_kept)
            call(http);
        else
            etcd_http_fail(http, why);
    }
    return false; /* what else has gone wrong is told by what can be read */
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

static void take(struct etcd_http *http, const char *bytes, size_t size)
{
    struct plain *plain = http->connection;
    struct etcd_response *response = &plain->response;
    while (size > 0 && !http->over && !etcd_response_is_over(response)) {
        const char *body;
        size_t body_size;
        const size_t taken = etcd_response_take(response, bytes, size, &body, &body_size);
        if (body_size > 0)
            etcd_http_take(http, body, body_size);
        if (!http->over && (response->at == RESPONSE_BODY || response->at == RESPONSE_CHUNK))
            etcd_http_expect(http, response->left);
        bytes += taken;
        size -= taken;
    }
    if (size > 0) /* behind its end, or what it has begun to say is wrong */
        response->keeps = false;
}

static void see_end(struct etcd_http *http)
{
    const struct plain *plain = http->connection;
    if (http->over)
        return;
    if (plain->response.at == RESPONSE_WRONG)
        etcd_http_fail(http, plain->response.wrong);
    http->whole = plain->response.at == RESPONSE_ENDED;
    http->over |= http->whole;
}

/* False: there is nothing more to do now. */
static bool receive_some(struct etcd_http *http)
{
    struct plain *plain = http->connection;
    char bytes[READ_MAX];
    const ssize_t came = recv(plain->socket, bytes, sizeof bytes, 0);
    if (came < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
        etcd_http_fail(http, strerror(errno));
    else if (came == 0)
        etcd_response_close(&plain->response);
    else if (came > 0)
        take(http, bytes, (size_t)came);
    see_end(http);
    return !http->over && (came > 0 || errno == EINTR);
}

static void advance(struct etcd_http *http)
{
    struct plain *plain = http->connection;
    if (plain->doing == LOOKS_UP && !http->over)
        see_addresses(http);
    if (plain->doing == CONNECTS && !http->over)
        see_connection(http);
    while (plain->doing == TALKS && !http->over && send_some(http))
        ;
    for (unsigned reads = 0; plain->doing == TALKS && !http->over && reads < READS_MAX && receive_some(http); reads++)
        ;
}

static struct pollfd awaited(const struct plain *plain)
{
    switch (plain->doing) {
    case LOOKS_UP:
        return (struct pollfd){.fd = etcd_lookup_descriptor(plain->lookup), .events = POLLIN};
    case CONNECTS:
        return (struct pollfd){.fd = plain->socket, .events = POLLOUT};
    default:
        return (struct pollfd){.fd = plain->socket, .events = plain->sent < plain->size ? POLLIN | POLLOUT : POLLIN};
    }
}

static enum etcd_http_state wait_for(struct etcd_http *http, int64_t until)
{
    const struct plain *plain = http->connection;
    const size_t size = http->size;
    for (;;) {
        advance(http);
        if (http->over)
            return HTTP_ENDED;
        if (http->size != size || etcd_now() >= until)
            return HTTP_RUNS;
        int64_t limit = plain->doing == LOOKS_UP   ? plain->until
                        : plain->doing == CONNECTS ? plain->next_address
                                                   : until;
        etcd_http_arm(http, limit < until ? limit : until);
        struct pollfd wait[] = {
            awaited(plain), {.fd = http->interrupt, .events = POLLIN}, {.fd = http->timer, .events = POLLIN}};
        if (poll(wait, 3, -1) < 0) {
            if (errno != EINTR)
                etcd_http_fail(http, strerror(errno));
        } else if (wait[1].revents != 0) {
            etcd_http_calm(http);
            return HTTP_INTERRUPTED;
        }
    }
}

static enum etcd_http_outcome end(struct etcd_http *http, long *status)
{
    struct plain *plain = http->connection;
    *status = plain->response.status;
    plain->kept = http->over && http->whole && plain->response.keeps && plain->sent == plain->size;
    if (!plain->kept)
        hang_up(plain);
    free_request(plain);
    if (http->over && http->whole)
        return HTTP_ANSWERED;
    return plain->sent == 0 ? HTTP_NOT_SENT : HTTP_UNANSWERED;
}

/* --- handles ------------------------------------------------------------------------------------------------------ */

static bool open_plain(struct etcd_http *http)
{
    struct plain *plain = calloc(1, sizeof *plain);
    if (plain != NULL)
        plain->socket = -1;
    http->connection = plain;
    return plain != NULL;
}

static void close_plain(struct etcd_http *http)
{
    struct plain *plain = http->connection;
    http->connection = NULL;
    hang_up(plain);
    drop_lookup(plain);
    free_request(plain);
    free(plain);
}

static void forget_plain(struct etcd_http *http)
{
    struct plain *plain = http->connection;
    if (plain->socket >= 0)
        close(plain->socket);
    etcd_lookup_forget(plain->lookup);
    free(plain);
}

const struct etcd_transport etcd_plain = {open_plain, close_plain, forget_plain, begin, wait_for, end};
