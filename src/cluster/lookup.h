/* SPDX-License-Identifier: MIT
 *
 * lookup.h - the addresses of a host. An address that is written in numbers is there at once; a name may take as long as it
 * likes, and whoever has asked can give it up at any moment.
 */
#ifndef ADMIT_CLUSTER_LOOKUP_H
#define ADMIT_CLUSTER_LOOKUP_H

#include <stdbool.h>

#include <sys/socket.h>

enum { ADDRESSES_MAX = 8, HOST_MAX = 256 };

struct etcd_addresses {
    unsigned count;
    struct {
        struct sockaddr_storage name;
        socklen_t size;
    } of[ADDRESSES_MAX];
};

/* "HOST:PORT", an IPv6 address in brackets, into two; false: it is something else. */
bool etcd_lookup_split(const char *endpoint, char host[HOST_MAX], char port[8]);
/* False: the host is not written in numbers. */
bool etcd_lookup_numbers(const char *host, const char *port, struct etcd_addresses *addresses);

struct etcd_lookup;

/* By a thread of its own. NULL: there is no memory, or no thread. */
struct etcd_lookup *etcd_lookup_begin(const char *host, const char *port);
bool etcd_lookup_is_of(const struct etcd_lookup *lookup, const char *host, const char *port);
/* Can be read once it has ended. */
int etcd_lookup_descriptor(const struct etcd_lookup *lookup);
/* With no addresses if there are none: `*why` says it then. */
bool etcd_lookup_has_ended(struct etcd_lookup *lookup, struct etcd_addresses *addresses, const char **why);
/* Ended or not; nobody waits for the thread. */
void etcd_lookup_free(struct etcd_lookup *lookup);
/* In a forked child, in which there is no such thread: closes the descriptor. */
void etcd_lookup_forget(struct etcd_lookup *lookup);

#endif
