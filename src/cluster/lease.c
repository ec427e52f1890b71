/* SPDX-License-Identifier: MIT
 *
 * Leases.
 */
#include "cluster/client.h"
#include "cluster/message.h"

#include <stdio.h>

struct told {
    int64_t lease, seconds;
};

static bool read_lease(const json_t *message, void *data)
{
    struct told *told = data;
    return etcd_message_lease_answer(message, &told->lease, &told->seconds);
}

static bool read_granted(const json_t *message, void *data)
{
    const struct told *told = data;
    return read_lease(message, data) && told->lease != 0 && told->seconds > 0 && told->seconds <= INT32_MAX;
}

/* A lease that was granted by an answer that is of no use: nobody keeps it, but it would last as long as the server believes. */
static void give_back(struct etcd *etcd, int64_t lease)
{
    char why[TEXT_ROOM];
    const enum etcd_reason reason = etcd->reason;
    snprintf(why, sizeof why, "%s", etcd->text);
    etcd_revoke(etcd, lease, etcd_now() + INT64_C(1000000000));
    etcd_note(etcd, reason, "%s", why);
}

enum etcd_result etcd_grant(struct etcd *etcd, unsigned seconds, int64_t until, int64_t *lease, unsigned *granted)
{
    struct told told = {0};
    const struct etcd_call call = {
        .path = "/v3/lease/grant", .body = etcd_message_grant(seconds), .read = read_granted, .data = &told};
    const enum etcd_result result = etcd_call(etcd, &call, until);
    if (result == ETCD_UNKNOWN && told.lease != 0)
        give_back(etcd, told.lease);
    *lease = result == ETCD_DONE ? told.lease : 0;
    *granted = result == ETCD_DONE ? (unsigned)told.seconds : 0;
    return result;
}

/* A lease that has ended is answered for, too, but has no time left. */
enum etcd_result etcd_keep_alive(struct etcd *etcd, int64_t lease, int64_t until, unsigned *granted)
{
    struct told told = {0};
    const struct etcd_call call = {.path = "/v3/lease/keepalive",
                                   .body = etcd_message_lease(lease),
                                   .repeatable = true,
                                   .first_line = true,
                                   .read = read_lease,
                                   .data = &told};
    *granted = 0;
    const enum etcd_result result = etcd_call(etcd, &call, until);
    if (result != ETCD_DONE)
        return result;
    const char *name = etcd->endpoint[etcd->favourite].name;
    if (told.lease != lease || told.seconds > INT32_MAX)
        return etcd_fail(etcd, ETCD_UNKNOWN, ETCD_OTHER_REASON, "etcd at %s has answered for another lease", name);
    if (told.seconds <= 0)
        return etcd_fail(etcd, ETCD_REFUSED, ETCD_LEASE_GONE, "etcd at %s: the lease has ended", name);
    *granted = (unsigned)told.seconds;
    return ETCD_DONE;
}

enum etcd_result etcd_revoke(struct etcd *etcd, int64_t lease, int64_t until)
{
    struct told told;
    const struct etcd_call call = {.path = "/v3/lease/revoke",
                                   .body = etcd_message_lease(lease),
                                   .repeatable = true,
                                   .read = read_lease,
                                   .data = &told};
    return etcd_call(etcd, &call, until);
}
