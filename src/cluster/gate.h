/* SPDX-License-Identifier: MIT
 *
 * gate.h - gates on etcd, as elsewhere.h of libadmit asks for them: what the files of this folder share that know of gates.
 *
 * The keys of a gate, each below admit/GATE/:
 *
 *   k            the present k; declared: the one that it was declared with
 *   line/LEASE   a participant's place in line, by the number of its lease; the revision at which it was created is the ticket.
 *                The value tells who it is (struct told), and with which k it was drawn
 *   slot/NUMBER  whose lease has this slot, where k is more than 1, or has been another
 *   resized      there is such a key once k has been changed
 *   passages/LEASE   modified whenever that participant has drawn a place
 *
 * line/0 is nobody's place: it goes in the transaction that changes k, so that all who wait hear of it.
 */
#ifndef ADMIT_CLUSTER_GATE_H
#define ADMIT_CLUSTER_GATE_H

#include "cluster/etcd.h"
#include "gate/file/elsewhere.h"

#include <admit.h>

/* Notes an error for admit_last_error_text, and returns it. */
extern admit_error (*gate_fails)(admit_error error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- where it is: address.c ----------------------------------------------------------------------------------------- */

enum { KEY_SIZE = 128, DEFAULT_TTL = 10 };

/* "etcd://HOST:PORT,.../GATE", or "etcd:GATE" with the rest in the environment. */
struct address {
    struct etcd_options options; /* what it points to is in `text` */
    char text[4096];
    char gate[65]; /* "": of the cluster alone */
};

/* ADMIT_BAD_NAME, ADMIT_BAD_OPTION: noted. */
admit_error address_read(struct address *address, const char *name, bool with_gate);
/* Of a failed call on this handle: which error it is, noted. */
admit_error gate_etcd_failed(const char *gate, const struct etcd *etcd, enum etcd_result result);

/* "admit/GATE/" and what follows. */
void key_of(char key[KEY_SIZE], const char *gate, const char *rest);
/* Of "admit/GATE/line/LEASE"; 0: it is nobody's. */
int64_t lease_in(const char *key);

/* A number of slots as it is written to a store; 0: it is none. */
unsigned gate_number(const char *text);

/* --- what participants tell of themselves: told.c ------------------------------------------------------------------- */

struct told {
    char host[ADMIT_HOST_SIZE], user_name[ADMIT_USER_SIZE], command[ADMIT_COMMAND_SIZE];
    long pid;
    int64_t user, since; /* nanoseconds of CLOCK_REALTIME */
    unsigned k;          /* with which it stands in line */
};

/* Of this process; but for the command. */
void told_of_process(struct told *told);
/* As JSON, to be freed; NULL: no memory. */
char *told_write(const struct told *told);
/* What is missing or not as it should be is as if it was not told. */
void told_read(struct told *told, const char *text);

#endif
