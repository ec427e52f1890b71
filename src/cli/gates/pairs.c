/* SPDX-License-Identifier: MIT */
#include "cli/gates/pairs.h"

#include "base/die.h"
#include "cli/gates/view.h"

#include <stdlib.h>
#include <string.h>

struct crowd {
    struct one *one;
    unsigned count;
    const admit_view *view;
};

static void add_one(void *context, enum view_list list, int number, const admit_participant *participant)
{
    struct crowd *crowd = context;
    const bool inside = participant >= crowd->view->holder && participant < crowd->view->holder + crowd->view->holders;
    const bool has_slot = inside && participant->slot < crowd->view->most_k;
    (void)list;
    crowd->one[crowd->count++] = (struct one){participant, has_slot, has_slot ? (int)participant->slot : number};
}

static int by_ticket(const void *a, const void *b)
{
    const struct one *one = a, *other = b;
    return (one->is->ticket > other->is->ticket) - (one->is->ticket < other->is->ticket);
}

static struct crowd crowd_of(const admit_view *view)
{
    struct crowd crowd = {.view = view};
    crowd.one = must_allocate((view->holders + view->waiters + 1) * sizeof *crowd.one);
    for (enum view_list list = LIST_INSIDE; list <= LIST_DEAD; list++)
        view_each(view, list, add_one, &crowd);
    qsort(crowd.one, crowd.count, sizeof *crowd.one, by_ticket);
    return crowd;
}

struct pairs pairs_of(const admit_view *before, const admit_view *now)
{
    struct crowd old = crowd_of(before), new = crowd_of(now);
    struct pairs pairs = {.pair = must_allocate((old.count + new.count + 1) * sizeof *pairs.pair)};
    for (unsigned o = 0, n = 0; o < old.count || n < new.count;) {
        const int order = o == old.count ? 1 : n == new.count ? -1 : by_ticket(&old.one[o], &new.one[n]);
        struct pair *pair = &pairs.pair[pairs.count++];
        *pair = (struct pair){.before = {.is = NULL}, .now = {.is = NULL}};
        if (order <= 0)
            pair->before = old.one[o++];
        if (order >= 0)
            pair->now = new.one[n++];
    }
    free(old.one);
    free(new.one);
    return pairs;
}

bool pair_is_same(const struct pair *pair)
{
    const struct one *before = &pair->before, *now = &pair->now;
    return before->is != NULL && now->is != NULL && before->is_inside == now->is_inside &&
           before->number == now->number && before->is->pid == now->is->pid && before->is->since == now->is->since &&
           before->is->condition == now->is->condition && strcmp(before->is->command, now->is->command) == 0;
}
