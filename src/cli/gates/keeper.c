/* SPDX-License-Identifier: MIT */
#include "cli/gates/keeper.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* --- the socket ---------------------------------------------------------------------------------------------------- */

static socklen_t address_of(admit_gate *gate, uint64_t ticket, struct sockaddr_un *address)
{
    uint64_t device, inode;
    struct stat namespace = {0};
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    admit_gate_identity(gate, &device, &inode);
    stat("/proc/self/ns/pid", &namespace);
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1,
                          "admit-enter/%" PRIx64 ":%" PRIx64 ":%" PRIx64 "/%" PRIx64, device, inode, ticket,
                          (uint64_t) namespace.st_ino);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static bool peer_of(int connection, struct ucred *peer)
{
    socklen_t size = sizeof *peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0;
}

static int bind_to(admit_gate *gate, uint64_t ticket)
{
    struct sockaddr_un address;
    socklen_t size = address_of(gate, ticket, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, size) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* --- the keeper ---------------------------------------------------------------------------------------------------- */

int keeper_listen(admit_gate *gate, uint64_t ticket)
{
    int fd = bind_to(gate, ticket);
    if (fd >= 0 && listen(fd, SOMAXCONN) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static bool may_dismiss(int connection)
{
    struct ucred peer;
    return peer_of(connection, &peer) && (peer.uid == geteuid() || peer.uid == 0);
}

/* One that was killed meanwhile, or did not want to wait, has not been told that it has left; it shall not have. */
static bool still_waits(int connection)
{
    char nothing;
    return recv(connection, &nothing, sizeof nothing, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

int keeper_stay(const struct shell *shell, int listening)
{
    while (shell_await(shell, listening)) {
        int connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (connection >= 0 && may_dismiss(connection) && still_waits(connection))
            return connection;
        if (connection >= 0)
            close(connection);
        else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            usleep(20000); /* no descriptor is to be had at the moment */
    }
    return -1;
}

static const char left[] = "left";

void keeper_tell_left(int connection)
{
    ssize_t told = send(connection, left, sizeof left, MSG_NOSIGNAL);
    (void)told;
    close(connection);
}

/* --- others --------------------------------------------------------------------------------------------------------- */

/* Whether its keeper lives, and is in this pid namespace: somebody has the name. */
static bool has_keeper(admit_gate *gate, uint64_t ticket)
{
    int fd = bind_to(gate, ticket);
    if (fd >= 0)
        close(fd);
    return fd < 0 && errno == EADDRINUSE;
}

/* Tickets wrap around after 2^47. */
static bool drew_later(const admit_participant *one, const admit_participant *other)
{
    return (int64_t)((one->ticket - other->ticket) << 17) > 0;
}

static bool is_better(const admit_participant *one, const admit_participant *found, const uint64_t *ticket)
{
    if (ticket != NULL && found->ticket == *ticket)
        return false;
    return (ticket != NULL && one->ticket == *ticket) || drew_later(one, found);
}

bool keeper_find(admit_gate *gate, long pid, const uint64_t *ticket, admit_participant *found)
{
    admit_view *view = admit_gate_inspect(gate);
    bool any = false;
    for (unsigned h = 0; view != NULL && h < view->holders; h++) {
        const admit_participant *holder = &view->holder[h];
        if (holder->pid != pid || (any && !is_better(holder, found, ticket)))
            continue;
        if (holder->condition != ADMIT_ORPHAN && !has_keeper(gate, holder->ticket))
            continue;
        *found = *holder;
        any = true;
    }
    admit_view_free(view);
    return any;
}

static bool is_inside(admit_gate *gate, uint64_t ticket)
{
    admit_view *view = admit_gate_inspect(gate);
    bool inside = view == NULL;
    for (unsigned h = 0; view != NULL && h < view->holders; h++)
        inside |= view->holder[h].ticket == ticket && view->holder[h].condition != ADMIT_DIED;
    admit_view_free(view);
    return inside;
}

static int ms_until(const struct timespec *until)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)((until->tv_sec - now.tv_sec) * 1000 + (until->tv_nsec - now.tv_nsec) / 1000000);
}

static bool can_be_read(int fd, int within_ms)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, within_ms) > 0;
}

/* One that is stopped, as by whoever stopped all that there was, would not hear that it is to leave: and to whom it is to
 * listen it may be continued by, too. It is no other process, as long as it has not closed the connection after its number was
 * looked up. */
static void let_it_go_on(int connection, pid_t pid)
{
    int keeper = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (keeper < 0)
        return;
    if (!can_be_read(connection, 0))
        syscall(SYS_pidfd_send_signal, keeper, SIGCONT, NULL, 0);
    close(keeper);
}

/* Until the keeper has left, or ended otherwise: then it does not say so. */
static enum dismissal wait_for_word(int connection, pid_t pid)
{
    enum { LONGEST_S = 5, PATIENCE_MS = 100 };
    char text[sizeof left];
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += LONGEST_S;
    for (size_t length = 0; length < sizeof text;) {
        if (!can_be_read(connection, PATIENCE_MS)) {
            if (ms_until(&until) <= 0)
                return KEEPER_SILENT;
            let_it_go_on(connection, pid);
            continue;
        }
        ssize_t more = recv(connection, text + length, sizeof text - length, 0);
        if (more <= 0 && !(more < 0 && (errno == EINTR || errno == EAGAIN)))
            return KEEPER_KILLED;
        length += more > 0 ? (size_t)more : 0;
    }
    return memcmp(text, left, sizeof left) == 0 ? KEEPER_LEFT : KEEPER_KILLED;
}

enum dismissal keeper_dismiss(admit_gate *gate, const admit_participant *one, long *keeper)
{
    struct sockaddr_un address;
    struct ucred peer;
    socklen_t size = address_of(gate, one->ticket, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    enum dismissal result = KEEPER_KILLED;
    *keeper = 0;
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, size) == 0) {
        /* Another user may have made a socket of that name. */
        if (!peer_of(fd, &peer) || (peer.uid != geteuid() && geteuid() != 0))
            result = KEEPER_NOT_YOURS;
        else
            result = wait_for_word(fd, peer.pid);
        *keeper = result == KEEPER_SILENT ? peer.pid : 0;
    } else if (fd >= 0 && errno == EAGAIN) { /* so many wait for it already */
        result = KEEPER_SILENT;
    }
    if (fd >= 0)
        close(fd);
    return result == KEEPER_KILLED && !is_inside(gate, one->ticket) ? KEEPER_LEFT : result;
}

/* --- one that has yet to leave -------------------------------------------------------------------------------------- */

/* Also one that its parent has not buried yet: the keeper is told of it at the same moment. */
static bool has_ended(long pid)
{
    int end = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (end < 0)
        return errno == ESRCH;
    bool ended = can_be_read(end, 0);
    close(end);
    return ended;
}

/* -1: it has none. It is told to leave by this, which it is about to do. */
static int connect_to(admit_gate *gate, uint64_t ticket)
{
    struct sockaddr_un address;
    socklen_t size = address_of(gate, ticket, &address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* It leaves and ends, and the kernel closes the connection. */
static bool await_leaving(admit_gate *gate, uint64_t ticket, const struct timespec *until)
{
    enum { LOOK_AGAIN_MS = 5 };
    struct pollfd keeper = {.fd = connect_to(gate, ticket), .events = POLLIN};
    const bool has_one = keeper.fd >= 0;
    bool inside;
    for (int left; (inside = is_inside(gate, ticket)) && has_one && (left = ms_until(until)) > 0;)
        if (poll(&keeper, 1, keeper.fd >= 0 || left < LOOK_AGAIN_MS ? left : LOOK_AGAIN_MS) > 0) {
            close(keeper.fd);
            keeper.fd = -1;
        }
    if (keeper.fd >= 0)
        close(keeper.fd);
    return !inside;
}

bool keeper_await_leaving(admit_gate *gate, const struct timespec *until)
{
    admit_view *view = admit_gate_inspect(gate);
    bool left = false;
    for (unsigned h = 0; view != NULL && h < view->holders && !left; h++) {
        const admit_participant *holder = &view->holder[h];
        left = holder->pid > 0 && (holder->condition == ADMIT_LIVES || holder->condition == ADMIT_STOPPED) &&
               has_ended(holder->pid) && await_leaving(gate, holder->ticket, until);
    }
    admit_view_free(view);
    return left;
}
