/* SPDX-License-Identifier: MIT */
#include "cli/gates/changes.h"

#include "base/die.h"
#include "cli/gates/pairs.h"
#include "cli/gates/view.h"

#include <stdlib.h>

/* How much was counted since then that is not accounted for. */
struct counted {
    unsigned inside, waiting; /* gone, and it is open how */
    uint64_t recovered, recovered_least, abandoned;
};

struct look {
    struct comparison *comparison;
    const admit_view *now;
    int64_t at;
    note_change *note;
    void *context;
    struct change unseen;
};

/* --- what is told of one ---------------------------------------------------------------------------------------------- */

static void tell(const struct look *look, enum change_kind kind, const struct one *one, enum admit_condition was,
                 int64_t lasted)
{
    look->note(look->context, &(struct change){.kind = kind,
                                               .who = one->is,
                                               .is_inside = one->is_inside,
                                               .number = one->number,
                                               .was = was,
                                               .lasted = lasted > 0 ? lasted : -1});
}

/* On etcd, where nothing is counted, it is noted only since when one has been there: in line and inside together. */
static bool is_on_etcd(const struct look *look)
{
    return look->now->recovered == ADMIT_NOT_COUNTED;
}

static void tell_gone(const struct look *look, enum change_kind kind, const struct one *one)
{
    const bool is_known = one->is->since != 0 && !(one->is_inside && is_on_etcd(look));
    tell(look, kind, one, one->is->condition, is_known ? look->at - one->is->since : -1);
}

/* It comes back by a recovery or not at all: nobody is there to give it back. */
static bool is_left_behind(const struct one *one)
{
    return one->is->condition == ADMIT_DIED || one->is->condition == ADMIT_ORPHAN ||
           one->is->condition == ADMIT_UNKNOWN;
}

static void tell_condition(const struct look *look, const struct pair *pair)
{
    const enum admit_condition was = pair->before.is != NULL ? pair->before.is->condition : ADMIT_LIVES,
                               is = pair->now.is->condition;
    if (was == is || (was == ADMIT_ORPHAN && is == ADMIT_UNKNOWN) || (was == ADMIT_UNKNOWN && is == ADMIT_ORPHAN))
        return;
    if (is == ADMIT_DIED)
        tell(look, CHANGE_DIED, &pair->now, was, -1);
    else if (is == ADMIT_ORPHAN || is == ADMIT_UNKNOWN)
        tell(look, CHANGE_ORPHANED, &pair->now, was, -1);
    else if (is == ADMIT_STOPPED)
        tell(look, CHANGE_STOPPED, &pair->now, was, -1);
    else if (was == ADMIT_STOPPED)
        tell(look, CHANGE_GOES_ON, &pair->now, was, -1);
}

static void tell_entry(const struct look *look, const struct pair *pair)
{
    const struct one *before = &pair->before, *now = &pair->now;
    const bool waited = before->is != NULL && before->is->since != 0 && now->is->since != 0;
    const int64_t until = is_on_etcd(look) ? look->at : now->is->since;
    tell(look, CHANGE_ENTERED, now, ADMIT_LIVES, waited ? until - before->is->since : -1);
}

/* --- what became of those who are gone -------------------------------------------------------------------------------- */

static void tell_pending(const struct look *look, enum change_kind kind)
{
    struct comparison *comparison = look->comparison;
    for (unsigned p = 0; p < comparison->pendings; p++) {
        const struct one one = {.is = &comparison->pending[p], .number = NO_NUMBER};
        tell_gone(look, kind, &one);
    }
    comparison->pendings = 0;
}

static void keep_pending(struct comparison *comparison, const struct one *one)
{
    comparison->pending =
        must_reallocate(comparison->pending, (comparison->pendings + 1) * sizeof *comparison->pending);
    comparison->pending[comparison->pendings++] = *one->is;
}

static bool is_open(const struct pair *pair)
{
    return pair->now.is == NULL && !is_left_behind(&pair->before);
}

/* The dead and the orphans among them are sure; the others are counted. */
static struct counted tell_left_behind(const struct look *look, const struct pairs *pairs)
{
    struct comparison *comparison = look->comparison;
    struct counted counted = {0};
    unsigned lying = 0;
    for (unsigned p = 0; p < pairs->count; p++) {
        const struct pair *pair = &pairs->pair[p];
        if (is_open(pair)) {
            counted.inside += pair->before.is_inside;
            counted.waiting += !pair->before.is_inside;
        } else if (pair->now.is == NULL) {
            tell_gone(look, CHANGE_RECOVERED, &pair->before);
            comparison->recovered += !is_on_etcd(look);
        } else {
            lying += pair->now.is->condition == ADMIT_DIED;
        }
    }
    if (is_on_etcd(look))
        return counted;
    if (comparison->recovered > look->now->recovered)
        comparison->recovered = look->now->recovered;
    counted.recovered = look->now->recovered - comparison->recovered;
    /* The death of one that lies there may have been counted already. */
    counted.recovered_least = counted.recovered > lying ? counted.recovered - lying : 0;
    counted.abandoned = look->now->abandoned > comparison->abandoned ? look->now->abandoned - comparison->abandoned : 0;
    return counted;
}

/* Of a process that is gone. A place is given up before it is counted: so one that left the line, and nothing was counted, is judged
 * at the next look. */
static enum change_kind kind_of_end(const struct look *look, const struct counted *counted, bool is_inside)
{
    const unsigned gone = counted->inside + counted->waiting + look->comparison->pendings;
    if (is_on_etcd(look))
        return CHANGE_GONE;
    if (counted->recovered > 0 && (counted->recovered_least != gone || counted->recovered != gone))
        return CHANGE_GONE;
    if (counted->recovered > 0)
        return CHANGE_RECOVERED;
    if (is_inside)
        return CHANGE_LEFT;
    if (counted->abandoned == 0)
        return CHANGE_PASSED;
    return counted->abandoned == counted->waiting + look->comparison->pendings ? CHANGE_GAVE_UP : CHANGE_GONE;
}

static void tell_open(struct look *look, const struct pairs *pairs, const struct counted *counted)
{
    struct comparison *comparison = look->comparison;
    const enum change_kind inside = kind_of_end(look, counted, true), waiting = kind_of_end(look, counted, false);
    const unsigned waited = counted->waiting + comparison->pendings, gone = counted->inside + waited;
    const bool all_recovered = gone > 0 && inside == CHANGE_RECOVERED;
    comparison->entered += waiting == CHANGE_PASSED ? comparison->pendings : 0;
    tell_pending(look, waiting);
    for (unsigned p = 0; p < pairs->count; p++) {
        const struct one *before = &pairs->pair[p].before;
        if (!is_open(&pairs->pair[p]))
            continue;
        if (!before->is_inside && waiting == CHANGE_PASSED)
            keep_pending(comparison, before);
        else
            tell_gone(look, before->is_inside ? inside : waiting, before);
    }
    if (is_on_etcd(look))
        return;
    look->unseen.recovered = all_recovered ? 0 : counted->recovered_least;
    look->unseen.abandoned = waiting == CHANGE_GAVE_UP && waited > 0 ? 0 : counted->abandoned;
    comparison->recovered += counted->recovered_least;
    comparison->abandoned = look->now->abandoned;
}

/* --- all of it ---------------------------------------------------------------------------------------------------------- */

static unsigned without_slot(const admit_view *view)
{
    unsigned count = 0;
    for (unsigned h = 0; h < view->holders; h++)
        count += view->holder[h].slot >= view->most_k;
    return count;
}

static unsigned tell_those_there(const struct look *look, const struct pairs *pairs)
{
    unsigned entries = 0;
    for (unsigned p = 0; p < pairs->count; p++) {
        const struct pair *pair = &pairs->pair[p];
        if (pair->now.is != NULL && pair->now.is_inside && !pair->before.is_inside) {
            tell_entry(look, pair);
            entries++;
        }
    }
    for (unsigned p = 0; p < pairs->count; p++) {
        const struct pair *pair = &pairs->pair[p];
        if (pair->before.is == NULL && !pair->now.is_inside)
            tell(look, CHANGE_WAITS, &pair->now, ADMIT_LIVES, -1);
        if (pair->now.is != NULL)
            tell_condition(look, pair);
    }
    return entries;
}

/* The pictures stop nobody: an entry may be counted at one look, and be seen at the next. */
static void count_unseen(struct look *look, unsigned entries)
{
    struct comparison *comparison = look->comparison;
    if (is_on_etcd(look))
        return;
    comparison->entered += entries;
    const uint64_t with_slot = look->now->entered - without_slot(look->now);
    const uint64_t open = with_slot > comparison->entered && with_slot - comparison->entered < UINT64_C(1) << 46
                              ? with_slot - comparison->entered
                              : 0;
    look->unseen.entered = open < comparison->unseen ? open : comparison->unseen;
    comparison->entered += look->unseen.entered;
    comparison->unseen = open - look->unseen.entered;
}

static void tell_numbers(const struct look *look, const admit_view *before)
{
    const admit_view *now = look->now;
    const struct change *unseen = &look->unseen;
    if (before->k != now->k)
        look->note(look->context, &(struct change){.kind = CHANGE_RESIZED, .from = before->k, .to = now->k});
    if ((before->outside == 0) != (now->outside == 0))
        look->note(look->context,
                   &(struct change){.kind = CHANGE_OUTSIDE, .from = before->outside, .to = now->outside});
    if (unseen->entered > 0 || unseen->recovered > 0 || unseen->abandoned > 0)
        look->note(look->context, unseen);
}

static bool shows_otherwise(const admit_view *before, const admit_view *now, const struct pairs *pairs)
{
    bool is_other = before->k != now->k || before->declared_k != now->declared_k || before->outside != now->outside ||
                    before->entered != now->entered || before->recovered != now->recovered ||
                    before->abandoned != now->abandoned;
    for (unsigned p = 0; p < pairs->count && !is_other; p++)
        is_other = !pair_is_same(&pairs->pair[p]);
    return is_other;
}

void comparison_begin(struct comparison *comparison, const admit_view *now)
{
    comparison_close(comparison);
    comparison->entered = now->entered - without_slot(now);
    comparison->recovered = now->recovered;
    comparison->abandoned = now->abandoned;
}

/* What was counted before it was seen is passed over: it may be a gate that has been moved here. */
void comparison_begin_empty(struct comparison *comparison, const admit_view *now, int64_t at, note_change *note,
                            void *context)
{
    admit_view nobody = *now;
    nobody.holders = nobody.waiters = nobody.outside = 0;
    comparison_begin(comparison, now);
    comparison->entered -= now->holders - without_slot(now);
    changes_find(comparison, &nobody, now, at, note, context);
}

bool changes_find(struct comparison *comparison, const admit_view *before, const admit_view *now, int64_t at,
                  note_change *note, void *context)
{
    struct look look = {comparison, now, at, note, context, {.kind = CHANGE_UNSEEN}};
    struct pairs pairs = pairs_of(before, now);
    const bool was_pending = comparison->pendings > 0;
    const struct counted counted = tell_left_behind(&look, &pairs);
    tell_open(&look, &pairs, &counted);
    count_unseen(&look, tell_those_there(&look, &pairs));
    tell_numbers(&look, before);
    const bool is_other = shows_otherwise(before, now, &pairs) || was_pending || look.unseen.entered > 0;
    free(pairs.pair);
    return is_other;
}

void comparison_close(struct comparison *comparison)
{
    free(comparison->pending);
    *comparison = (struct comparison){0};
}
