/* SPDX-License-Identifier: MIT
 *
 * What a connection does to the process that it is in: its descriptors, SIGPIPE, fork; and waits that end otherwise
 * than by the network.
 */
#include "cluster/http.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

int64_t etcd_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* --- SIGPIPE ------------------------------------------------------------------------------------------------------ */

/* OpenSSL writes to sockets by write, which raises SIGPIPE where the server has hung up, in a libcurl before 7.87;
 * what libcurl sends itself does not. The signal is held back in this thread, to which it goes, and thrown away if
 * it has come meanwhile. To ignore it, as libcurl would, is for the whole process. true: it is to be released. */
bool etcd_http_hold_sigpipe(struct etcd_http *http)
{
    if (!http->options->tls)
        return false;
    sigset_t pipe, pending, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    if (sigismember(&pending, SIGPIPE))
        return false; /* somebody else's, and held back already */
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    http->held_before = sigismember(&before, SIGPIPE);
    return true;
}

void etcd_http_release_sigpipe(struct etcd_http *http, bool held)
{
    if (!held)
        return;
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (sigtimedwait(&pipe, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
        ;
    if (!http->held_before)
        pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
}

/* --- sockets ------------------------------------------------------------------------------------------------------ */

enum { SILENT_S = 5 };

/* Commands that are run do not inherit it. One whose other end is gone without a word, as when a cable is pulled, is
 * noticed in some seconds, also by a watch, which waits for ever. */
static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)purpose;
    struct etcd_http *http = data;
    for (unsigned s = 0; s < HTTP_SOCKETS; s++) {
        if (http->socket[s] >= 0)
            continue;
        const int made = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
        if (made < 0)
            return CURL_SOCKET_BAD;
        const int on = 1, silent = SILENT_S, between = 1, unheard = SILENT_S * 1000;
        setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        setsockopt(made, IPPROTO_TCP, TCP_KEEPIDLE, &silent, sizeof silent);
        setsockopt(made, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
        setsockopt(made, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard, sizeof unheard);
        return http->socket[s] = made;
    }
    return CURL_SOCKET_BAD;
}

static int close_socket(void *data, curl_socket_t socket)
{
    struct etcd_http *http = data;
    for (unsigned s = 0; s < HTTP_SOCKETS; s++)
        if (http->socket[s] == socket)
            http->socket[s] = -1;
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

static CURLM *new_multi(int lowest_free)
{
    bool before[LOOKED_AT];
    for (int d = 0; d < LOOKED_AT; d++)
        before[d] = fcntl(lowest_free + d, F_GETFD) >= 0;
    CURLM *multi = curl_multi_init();
    for (int d = 0; d < LOOKED_AT; d++)
        if (!before[d] && is_bare_socket(lowest_free + d))
            fcntl(lowest_free + d, F_SETFD, FD_CLOEXEC);
    return multi;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static void initialize_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

#define SET(option, value) (curl_easy_setopt(http->easy, option, value) == CURLE_OK)

/* What is the same for all requests. A proxy that the environment names is for the web. */
static bool set_up(struct etcd_http *http)
{
    const struct etcd_options *options = http->options;
    bool done = SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_POST, 1L) && SET(CURLOPT_PROXY, "") &&
                SET(CURLOPT_ERRORBUFFER, http->error) && SET(CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
                SET(CURLOPT_OPENSOCKETDATA, (void *)http) && SET(CURLOPT_CLOSESOCKETFUNCTION, close_socket) &&
                SET(CURLOPT_CLOSESOCKETDATA, (void *)http) && SET(CURLOPT_TCP_NODELAY, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    /* A request that is given up does not wait for the thread that looks for the address of its name: that can take
     * longer than a session lasts. */
    done = done && SET(CURLOPT_QUICK_EXIT, 1L);
#endif
    if (options->ca != NULL)
        done = done && SET(CURLOPT_CAINFO, options->ca) && SET(CURLOPT_CAPATH, NULL);
    if (options->certificate != NULL)
        done = done && SET(CURLOPT_SSLCERT, options->certificate);
    if (options->key != NULL)
        done = done && SET(CURLOPT_SSLKEY, options->key);
    return done;
}

static void set_empty(struct etcd_http *http, const struct etcd_options *options)
{
    *http = (struct etcd_http){.options = options, .process = getpid(), .interrupt = -1, .timer = -1};
    for (unsigned s = 0; s < HTTP_SOCKETS; s++)
        http->socket[s] = -1;
}

bool etcd_http_open(struct etcd_http *http, const struct etcd_options *options)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize_curl);
    set_empty(http, options);
    http->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    const int lowest_free = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    http->interrupt = lowest_free;
    http->multi = lowest_free >= 0 ? new_multi(lowest_free) : NULL;
    http->easy = curl_easy_init();
    if (http->timer >= 0 && http->multi != NULL && http->easy != NULL && set_up(http) &&
        curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)HTTP_SOCKETS / 2) == CURLM_OK)
        return true;
    etcd_http_close(http);
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
    const bool held = etcd_http_hold_sigpipe(http);
    if (http->running)
        curl_multi_remove_handle(http->multi, http->easy);
    curl_easy_cleanup(http->easy);
    curl_multi_cleanup(http->multi);
    etcd_http_release_sigpipe(http, held);
    curl_slist_free_all(http->headers);
    free(http->text);
    close_waits(http);
    set_empty(http, http->options);
}

/* To free libcurl's handles would say goodbye on connections with TLS, which are the parent's as well. They are left
 * as they are, and so are the headers and the text that they may point to. */
void etcd_http_forget(struct etcd_http *http)
{
    for (unsigned s = 0; s < HTTP_SOCKETS; s++)
        if (http->socket[s] >= 0)
            close(http->socket[s]);
    close_waits(http);
    set_empty(http, http->options);
}

/* --- waits -------------------------------------------------------------------------------------------------------- */

/* The eventfd of a forked child is still its parent's. Memory order: none is needed, write and poll are system
 * calls. */
void etcd_http_interrupt(struct etcd_http *http)
{
    const int saved = errno;
    const uint64_t one = 1;
    if (http->process == getpid() && write(http->interrupt, &one, sizeof one) < 0)
        errno = EAGAIN; /* it is full of interruptions */
    errno = saved;
}

void etcd_http_arm(struct etcd_http *http, int64_t until)
{
    const int64_t when = until > 0 ? until : 1; /* 0 would be never */
    const struct itimerspec setting = {.it_value = {.tv_sec = when / 1000000000, .tv_nsec = when % 1000000000}};
    timerfd_settime(http->timer, TFD_TIMER_ABSTIME, &setting, NULL);
}

void etcd_http_calm(struct etcd_http *http)
{
    uint64_t count;
    while (read(http->interrupt, &count, sizeof count) > 0)
        ;
}

bool etcd_http_pause(struct etcd_http *http, int64_t until)
{
    etcd_http_arm(http, until);
    struct pollfd wait[] = {{.fd = http->interrupt, .events = POLLIN}, {.fd = http->timer, .events = POLLIN}};
    while (poll(wait, 2, -1) < 0 && errno == EINTR)
        ;
    if (wait[0].revents == 0)
        return true;
    etcd_http_calm(http);
    return false;
}
