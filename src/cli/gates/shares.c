/* SPDX-License-Identifier: MIT */
#include "cli/gates/shares.h"

#include "base/die.h"

#include <stdlib.h>

static int by_use(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->used != y->used)
        return x->used > y->used ? -1 : 1;
    if (x->left != y->left)
        return x->left > y->left ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

unsigned largest_shares(const struct log *log, const struct event *events, size_t count, bool by_user,
                        struct share *largest, unsigned most)
{
    const uint32_t names = by_user ? log->users.count : log->programs.count;
    struct share *shares = must_allocate((names + 1) * sizeof *shares);
    unsigned filled = 0;
    for (uint32_t n = 0; n <= names; n++)
        shares[n].number = n < names ? n : NO_NAME;
    for (size_t e = 0; e < count; e++)
        if (events[e].event == LOG_EXIT) {
            const uint32_t number = by_user ? events[e].user : events[e].program;
            struct share *share = &shares[number < names ? number : names];
            share->left++;
            share->used += events[e].span;
        }
    qsort(shares, names + 1, sizeof *shares, by_use);
    while (filled < most && filled <= names && shares[filled].left > 0) {
        largest[filled] = shares[filled];
        filled++;
    }
    free(shares);
    return filled;
}
