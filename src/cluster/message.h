/* SPDX-License-Identifier: MIT
 *
 * message.h - what is said to etcd, and what its answers mean: text to text, without a connection. Answers may be
 * anything: cut off, of another program, or made to do harm.
 */
#ifndef ADMIT_CLUSTER_MESSAGE_H
#define ADMIT_CLUSTER_MESSAGE_H

#include "cluster/etcd.h"

#include <jansson.h>

/* Requests: NULL if there is no memory; the caller frees them. */
char *etcd_message_txn(const struct etcd_txn *txn);
char *etcd_message_grant(unsigned seconds);
char *etcd_message_lease(int64_t lease);
char *etcd_message_watch(const char *prefix, int64_t from, bool deletions_only);
char *etcd_message_login(const char *user, const char *password); /* NULL also: not UTF-8 */

/* An answer, or one line of an answer that goes on. NULL: it is no JSON object, or one that would take too much memory. Streams have the answer as `result`. */
json_t *etcd_message_read(const char *text, size_t size);

/* Whether an answer is one that says that something went wrong, and what, in printable characters. */
struct etcd_complaint {
    int code; /* of gRPC; -1: it has none */
    char text[200];
};
bool etcd_message_complains(const json_t *message, struct etcd_complaint *complaint);
/* What somebody else has said, as one line of printable ASCII. */
void etcd_message_quote(const char *from, size_t length, char *text, size_t room);

/* Answers: false if this is none, to that transaction, or there is no memory; then there is nothing to free. */
bool etcd_message_txn_answer(const json_t *message, const struct etcd_txn *txn, struct etcd_answer *answer);
/* A field that is not there is 0. */
bool etcd_message_lease_answer(const json_t *message, int64_t *lease, int64_t *seconds);
char *etcd_message_token(const json_t *message);

/* What a watch tells: that it has been made, that it ends, or any number of events. */
bool etcd_message_watch_ended(const json_t *message, char *why, size_t room);
size_t etcd_message_events(const json_t *message);
/* The store's, when it was said. 0: it says none. */
int64_t etcd_message_revision(const json_t *message);
/* Event number `which`; `pair` has its key, its value if it was put, and the revision as `modified`. */
bool etcd_message_event(const json_t *message, size_t which, bool *deleted, struct etcd_pair *pair);

void etcd_pair_free(struct etcd_pair *pair);

#endif
