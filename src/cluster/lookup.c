/* SPDX-License-Identifier: MIT
 *
 * getaddrinfo cannot be interrupted, and takes half a minute where a name server is silent. So a thread calls it that shares
 * nothing with whoever asks but one small record, which the last of the two frees.
 */
#include "cluster/lookup.h"

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/eventfd.h>

struct etcd_lookup {
    char host[HOST_MAX], port[8];
    int ended;         /* eventfd */
    atomic_uint users; /* the thread, and whoever asks */
    atomic_bool has_ended;
    const char *why;
    struct etcd_addresses addresses;
};

bool etcd_lookup_split(const char *endpoint, char host[HOST_MAX], char port[8])
{
    const char *colon = strrchr(endpoint, ':');
    if (colon == NULL)
        return false;
    const bool in_brackets = *endpoint == '[' && colon > endpoint + 1 && colon[-1] == ']';
    const char *begin = endpoint + in_brackets;
    const size_t length = (size_t)(colon - begin) - in_brackets, digits = strlen(colon + 1);
    if (length == 0 || length >= HOST_MAX || digits == 0 || digits >= 8)
        return false;
    memcpy(host, begin, length);
    host[length] = '\0';
    memcpy(port, colon + 1, digits + 1);
    return true;
}

static const char *look_up(const char *host, const char *port, int flags, struct etcd_addresses *addresses)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    addresses->count = 0;
    const int error = getaddrinfo(host, port, &wanted, &found);
    if (error != 0)
        return gai_strerror(error);
    for (const struct addrinfo *one = found; one != NULL && addresses->count < ADDRESSES_MAX; one = one->ai_next) {
        if (one->ai_addrlen > sizeof addresses->of[0].name)
            continue;
        memcpy(&addresses->of[addresses->count].name, one->ai_addr, one->ai_addrlen);
        addresses->of[addresses->count++].size = one->ai_addrlen;
    }
    freeaddrinfo(found);
    return "the name has no address";
}

bool etcd_lookup_numbers(const char *host, const char *port, struct etcd_addresses *addresses)
{
    look_up(host, port, AI_NUMERICHOST, addresses);
    return addresses->count > 0;
}

static void leave(struct etcd_lookup *lookup)
{
    if (atomic_fetch_sub(&lookup->users, 1) > 1)
        return;
    close(lookup->ended);
    free(lookup);
}

static void *thread_of(void *data)
{
    struct etcd_lookup *lookup = data;
    const uint64_t one = 1;
    lookup->why = look_up(lookup->host, lookup->port, 0, &lookup->addresses);
    atomic_store(&lookup->has_ended, true);
    if (write(lookup->ended, &one, sizeof one) < 0)
        abort(); /* it is empty */
    leave(lookup);
    return NULL;
}

/* Signals are for the other threads: none of the program's handlers runs in this one. */
static bool start(struct etcd_lookup *lookup)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, NULL, thread_of, lookup) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    return started;
}

struct etcd_lookup *etcd_lookup_begin(const char *host, const char *port)
{
    struct etcd_lookup *lookup = calloc(1, sizeof *lookup);
    if (lookup == NULL)
        return NULL;
    strncpy(lookup->host, host, sizeof lookup->host - 1);
    strncpy(lookup->port, port, sizeof lookup->port - 1);
    atomic_init(&lookup->users, 2);
    lookup->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (lookup->ended >= 0 && start(lookup))
        return lookup;
    if (lookup->ended >= 0)
        close(lookup->ended);
    free(lookup);
    return NULL;
}

bool etcd_lookup_is_of(const struct etcd_lookup *lookup, const char *host, const char *port)
{
    return strcmp(lookup->host, host) == 0 && strcmp(lookup->port, port) == 0;
}

int etcd_lookup_descriptor(const struct etcd_lookup *lookup)
{
    return lookup->ended;
}

bool etcd_lookup_has_ended(struct etcd_lookup *lookup, struct etcd_addresses *addresses, const char **why)
{
    if (!atomic_load(&lookup->has_ended))
        return false;
    *addresses = lookup->addresses;
    *why = lookup->why;
    return true;
}

void etcd_lookup_free(struct etcd_lookup *lookup)
{
    if (lookup != NULL)
        leave(lookup);
}

void etcd_lookup_forget(struct etcd_lookup *lookup)
{
    if (lookup != NULL)
        close(lookup->ended);
}
