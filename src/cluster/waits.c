/* SPDX-License-Identifier: MIT
 *
 * Waits that end at a time, whether or not the machine was suspended meanwhile, or when somebody else says so.
 */
#include "cluster/http.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <sys/timerfd.h>

int64_t etcd_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

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

/* Each of them is one that etcd_http_calm would take back. */
bool etcd_http_was_interrupted(struct etcd_http *http)
{
    uint64_t count;
    return read(http->interrupt, &count, sizeof count) > 0;
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
