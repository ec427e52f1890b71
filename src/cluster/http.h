/* SPDX-License-Identifier: MIT
 *
 * http.h - requests over HTTP/1.1, one at a time, each to the endpoint that it names, and waits that somebody else can
 * end.
 *
 * A connection is kept for the next request. Nothing is sent twice. For one thread at a time, but for
 * etcd_http_interrupt.
 */
#ifndef ADMIT_CLUSTER_HTTP_H
#define ADMIT_CLUSTER_HTTP_H

#include "cluster/etcd.h"

#include <sys/types.h>

struct etcd_transport;

struct etcd_http {
    const struct etcd_options *options; /* its owner's; NULL: it is not open */
    pid_t process;                      /* to which the connections belong */
    int interrupt, timer;               /* eventfd, timerfd */
    const struct etcd_transport *transport;
    void *connection; /* the transport's own */
    bool running;     /* a request is under way, */
    bool over;        /* or has ended so: */
    bool whole;       /* with the whole of its answer; otherwise `error` says why not */
    char error[256];
    char *text; /* what has come of the answer; with a 0 behind */
    size_t size, room;
};

struct etcd_http_request {
    const char *endpoint, *path, *body;
    const char *token; /* NULL or empty: none */
};

enum etcd_http_state {
    HTTP_RUNS, /* there is something new in `text`; or `until` */
    HTTP_ENDED,
    HTTP_INTERRUPTED,
};

enum etcd_http_outcome {
    HTTP_ANSWERED,   /* `status`, and the answer is in `text` */
    HTTP_NOT_SENT,   /* not a byte of it */
    HTTP_DISTRUSTED, /* not sent, since one side does not trust the other's certificate, or there is none */
    HTTP_UNANSWERED, /* or not to its end */
    HTTP_STOPPED,    /* by etcd_http_interrupt */
};

/* False: `error` says why. It is closed then. */
bool etcd_http_open(struct etcd_http *http, const struct etcd_options *options);
void etcd_http_close(struct etcd_http *http);
/* In a forked child: closes its descriptors, without a word on the connections, and leaves alone what another thread
 * of the parent may have been changing. */
void etcd_http_forget(struct etcd_http *http);

/* The whole of a request. `first_line`: the answer is its first line, and is there with it. */
enum etcd_http_outcome etcd_http_post(struct etcd_http *http, const struct etcd_http_request *request, bool first_line,
                                      int64_t until, long *status);

/* One by parts: etcd_http_wait as long as it runs, etcd_http_end in any case. */
bool etcd_http_begin(struct etcd_http *http, const struct etcd_http_request *request);
enum etcd_http_state etcd_http_wait(struct etcd_http *http, int64_t until);
/* The first bytes of the answer are not needed any more. */
void etcd_http_taken(struct etcd_http *http, size_t bytes);
enum etcd_http_outcome etcd_http_end(struct etcd_http *http, long *status);
/* Why it ended, for people. */
const char *etcd_http_error(const struct etcd_http *http);

/* --- waits: waits.c ----------------------------------------------------------------------------------------------- */

void etcd_http_interrupt(struct etcd_http *http);
/* An interruption that has come for nobody is taken back. */
void etcd_http_calm(struct etcd_http *http);
/* One has come, and is taken back. */
bool etcd_http_was_interrupted(struct etcd_http *http);
/* `timer` can be read from that time on. */
void etcd_http_arm(struct etcd_http *http, int64_t until);
/* Nothing but time passes: false if it was interrupted. */
bool etcd_http_pause(struct etcd_http *http, int64_t until);

#endif
