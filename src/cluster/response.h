/* SPDX-License-Identifier: MIT
 *
 * response.h - the bytes of one answer over HTTP/1.1, as they come, taken apart into status and body.
 *
 * Whoever sends them may be another program, or mean harm: what could be read in two ways is no answer. How they are cut
 * into pieces on the way makes no difference.
 */
#ifndef ADMIT_CLUSTER_RESPONSE_H
#define ADMIT_CLUSTER_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RESPONSE_LINE_MAX = 8 << 10,  /* bytes of one line of a head, */
    RESPONSE_HEAD_MAX = 64 << 10, /* and of all of them, those behind the body too */
};

enum etcd_response_at {
    RESPONSE_STATUS, /* these are made of lines: */
    RESPONSE_FIELDS,
    RESPONSE_CHUNK_SIZE,
    RESPONSE_CHUNK_END,
    RESPONSE_TRAILERS,
    RESPONSE_BODY, /* and these of bytes, `left` of them, */
    RESPONSE_CHUNK,
    RESPONSE_REST, /* or until the connection is closed */
    RESPONSE_ENDED,
    RESPONSE_WRONG, /* it is no answer */
};

struct etcd_response {
    enum etcd_response_at at;
    long status;       /* 0: not known yet */
    bool keeps;        /* once it has ended: the connection can be used for another */
    const char *wrong; /* why it is none */
    bool chunked, has_length;
    uint64_t left;
    size_t head; /* bytes of lines that have come */
    size_t length;
    char line[RESPONSE_LINE_MAX];
};

void etcd_response_begin(struct etcd_response *response);
/* Takes the first of these bytes, at most to the end of a line or of a chunk, and says how many. Those that are the body's are at
 * `*body` then. To be called until it has taken all or is over: what comes behind its end is left. */
size_t etcd_response_take(struct etcd_response *response, const char *bytes, size_t size, const char **body,
                          size_t *body_size);
/* No more will come. */
void etcd_response_close(struct etcd_response *response);
bool etcd_response_is_over(const struct etcd_response *response);

#endif
