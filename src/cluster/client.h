/* SPDX-License-Identifier: MIT
 *
 * client.h - what a handle is, and one call on it: a request to one endpoint after the other, until it is known what
 * came of it.
 */
#ifndef ADMIT_CLUSTER_CLIENT_H
#define ADMIT_CLUSTER_CLIENT_H

#include "cluster/etcd.h"
#include "cluster/http.h"

#include <stdatomic.h>

#include <jansson.h>

enum { ENDPOINTS_MAX = 64, TEXT_ROOM = 320 };

struct etcd_endpoint {
    char *name;
    int64_t failed; /* when, last; 0: never */
};

/* To which endpoint the keeping of a session has gone over: the next call of the handle that has opened it begins there, too,
 * instead of learning for itself that the other is gone. */
struct etcd_moved {
    atomic_uint users; /* the session and the handle: the last frees it */
    atomic_int to;     /* -1: nowhere, since it was asked last */
};
void etcd_moved_leave(struct etcd_moved *moved);

struct etcd {
    struct etcd_options options; /* its own copies */
    struct etcd_http http;
    unsigned endpoints, favourite; /* the one that answered last, or is to be tried next */
    struct etcd_endpoint endpoint[ENDPOINTS_MAX];
    struct etcd_moved *moved; /* NULL: it has opened no session */
    char *token;              /* NULL: must be asked for, if there is a user; empty: the cluster wants none */
    int64_t patience;         /* how long an endpoint may take for an answer; nanoseconds */
    int64_t sent;             /* when the last request was */
    uint64_t requests;
    enum etcd_reason reason;
    char text[TEXT_ROOM];
};

struct etcd_call {
    const char *path;
    char *body;                                      /* freed by etcd_call; NULL: there was no memory for it */
    bool repeatable;                                 /* it does no harm to do it twice */
    bool first_line;                                 /* of a stream that is the answer */
    bool (*read)(const json_t *message, void *data); /* false: that is no answer */
    void *data;
};

enum etcd_result etcd_call(struct etcd *etcd, const struct etcd_call *call, int64_t until);

/* Notes what a call failed by; and is the result. */
void etcd_note(struct etcd *etcd, enum etcd_reason reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define etcd_fail(etcd, result, ...) (etcd_note(etcd, __VA_ARGS__), (result))

#endif
