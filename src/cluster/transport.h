/* SPDX-License-Identifier: MIT
 *
 * transport.h - what carries requests: a socket in the clear (plain.c), or libcurl with TLS (tls.c), which is loaded when the
 * first handle needs it. Between them and whoever asks is http.c.
 */
#ifndef ADMIT_CLUSTER_TRANSPORT_H
#define ADMIT_CLUSTER_TRANSPORT_H

#include "cluster/http.h"

/* With name and TLS: what one dead endpoint of three costs at most. */
enum { CONNECT_MS = 1000 };

struct etcd_transport {
    /* Makes `connection`; false: `error` says why not. */
    bool (*open)(struct etcd_http *http);
    void (*close)(struct etcd_http *http);
    void (*forget)(struct etcd_http *http);
    bool (*begin)(struct etcd_http *http, const struct etcd_http_request *request);
    enum etcd_http_state (*wait)(struct etcd_http *http, int64_t until);
    enum etcd_http_outcome (*end)(struct etcd_http *http, long *status);
};

extern const struct etcd_transport etcd_plain, etcd_tls;

/* Lines of every request's head. A server without a leader says so at once, instead of waiting for one: then another is asked. */
#define HTTP_CONTENT_TYPE "Content-Type: application/json"
#define HTTP_HAS_LEADER "Grpc-Metadata-hasleader: true"

/* Commands that are run do not inherit it. One whose other end is gone without a word, as when a cable is pulled, is
 * noticed in some seconds, also by a watch, which waits for ever. -1: errno says why. */
int etcd_http_socket(int family, int type, int protocol);

/* Bytes of an answer that is read as a whole; docs/cluster.md says how many clients that is. */
enum { ANSWER_MAX = 8 << 20 };

/* The answer says that so much will come. False: the request is over, since that is too long. */
bool etcd_http_expect(struct etcd_http *http, uint64_t more);
/* More of the answer has come. False: the request is over, since it is too long, or there is no memory for it. */
bool etcd_http_take(struct etcd_http *http, const char *from, size_t more);
/* It is over, for that reason; false. */
bool etcd_http_fail(struct etcd_http *http, const char *why);

#endif
