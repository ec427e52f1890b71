/* SPDX-License-Identifier: MIT
 *
 * Transactions.
 */
#include "cluster/client.h"
#include "cluster/message.h"

struct asked {
    const struct etcd_txn *txn;
    struct etcd_answer *answer;
};

static bool read_answer(const json_t *message, void *data)
{
    const struct asked *asked = data;
    return etcd_message_txn_answer(message, asked->txn, asked->answer);
}

static bool only_reads(const struct etcd_op *ops, unsigned count)
{
    for (unsigned o = 0; o < count; o++)
        if (ops[o].deed != ETCD_LIST)
            return false;
    return true;
}

/* Linearizable, which is what a request is that does not say otherwise: a server that has not heard the latest, and
 * may have been cut off, does not answer from what it remembers. */
enum etcd_result etcd_do(struct etcd *etcd, const struct etcd_txn *txn, int64_t until, struct etcd_answer *answer)
{
    *answer = (struct etcd_answer){0};
    struct asked asked = {txn, answer};
    const struct etcd_call call = {.path = "/v3/kv/txn",
                                   .body = etcd_message_txn(txn),
                                   .repeatable =
                                       only_reads(txn->then, txn->thens) && only_reads(txn->otherwise, txn->elses),
                                   .read = read_answer,
                                   .data = &asked};
    return etcd_call(etcd, &call, until);
}
