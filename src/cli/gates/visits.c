/* SPDX-License-Identifier: MIT */
#include "cli/gates/visits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finding {
    const struct event *events;
    size_t event_count;
    const struct reckoning *reckoning;
    struct visit *visits; /* as many as there are events have room */
    size_t count;
};

static struct visit *add_visit(struct finding *finding, struct visit visit)
{
    const int64_t first = finding->reckoning->first;
    visit.came = visit.came < first ? first : visit.came;
    finding->visits[finding->count] = visit;
    return &finding->visits[finding->count++];
}

/* Its entry or its exit; NULL: that is not in the log. */
static const struct event *event_of(const struct finding *finding, const struct stay *stay, enum log_event kind)
{
    for (size_t e = 0; e < finding->event_count; e++) {
        const struct event *event = &finding->events[e];
        if (event->event == kind && event->pid == stay->pid && event->ticket == stay->ticket)
            return event;
    }
    return NULL;
}

static bool next_was_told_of_death(const struct finding *finding, const struct stay *stay)
{
    for (size_t e = 0; e < finding->event_count; e++) {
        const struct event *event = &finding->events[e];
        if (event->event == LOG_ENTER && event->slot == stay->slot && event->time == stay->end && event->owner_died)
            return true;
    }
    return false;
}

static void add_stay(struct finding *finding, const struct stay *stay)
{
    static const enum visit_end how[] = {[STAY_WHOLE] = VISIT_LEFT,
                                         [STAY_BEGAN_BEFORE] = VISIT_LEFT,
                                         [STAY_END_UNKNOWN] = VISIT_EXIT_NOT_TOLD,
                                         [STAY_NOT_OVER] = VISIT_STILL_INSIDE};
    const struct event *entry = event_of(finding, stay, LOG_ENTER);
    const struct event *some = entry != NULL ? entry : event_of(finding, stay, LOG_EXIT);
    const bool killed = stay->kind == STAY_END_UNKNOWN && next_was_told_of_death(finding, stay);
    add_visit(finding, (struct visit){.came = entry != NULL ? stay->begin - entry->span : stay->begin,
                                      .entered = stay->begin,
                                      .end = stay->end,
                                      .ticket = stay->ticket,
                                      .pid = stay->pid,
                                      .job = some != NULL ? some->job : 0,
                                      .user = stay->user,
                                      .program = stay->program,
                                      .command = some != NULL ? some->command : NO_NAME,
                                      .slot = stay->slot,
                                      .status = stay->status,
                                      .how = killed ? VISIT_KILLED : how[stay->kind],
                                      .was_inside = true});
}

static bool ends_wait(const struct event *event)
{
    return event->event == LOG_ENTER || event->event == LOG_GIVE_UP;
}

/* Nothing that ends it is told of this process before it waits again. */
static bool is_unended(const struct finding *finding, const struct event *wait)
{
    for (const struct event *event = wait + 1; event < finding->events + finding->event_count; event++)
        if (event->pid == wait->pid && (ends_wait(event) || event->event == LOG_WAIT))
            return !ends_wait(event);
    return true;
}

/* As the reckoning has it: it waits still, unless one that came later has gone in. */
static void add_unended(struct finding *finding, const struct event *wait, int64_t last)
{
    struct visit *visit = add_visit(finding, (struct visit){.came = wait->time,
                                                            .end = last,
                                                            .pid = wait->pid,
                                                            .job = wait->job,
                                                            .user = wait->user,
                                                            .program = wait->program,
                                                            .command = wait->command,
                                                            .status = -1,
                                                            .how = VISIT_STILL_WAITING});
    for (size_t e = 0; e < finding->event_count; e++) {
        const struct event *event = &finding->events[e];
        if (event->event == LOG_ENTER && event->time - event->span > wait->time && event->time <= visit->end) {
            visit->how = VISIT_KILLED_IN_LINE;
            visit->end = event->time;
        }
    }
    visit->entered = visit->end;
}

static void add_event(struct finding *finding, const struct event *event)
{
    if (event->event == LOG_GIVE_UP)
        add_visit(finding, (struct visit){.came = event->time - event->span,
                                          .entered = event->time,
                                          .end = event->time,
                                          .pid = event->pid,
                                          .job = event->job,
                                          .user = event->user,
                                          .program = event->program,
                                          .command = event->command,
                                          .status = event->status,
                                          .how = VISIT_GAVE_UP,
                                          .why = event->why});
    else if (event->event == LOG_WAIT && is_unended(finding, event))
        add_unended(finding, event, finding->reckoning->last);
}

static int by_coming(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;
    if (x->came != y->came)
        return x->came < y->came ? -1 : 1;
    return (x->ticket > y->ticket) - (x->ticket < y->ticket);
}

size_t find_visits(const struct log *log, const struct event *events, size_t count, struct visit visits[VISITS_MAX])
{
    enum { EVENTS_MAX = 4 * VISITS_MAX }; /* each waits, recovers, enters and leaves, at most */
    struct reckoning reckoning;
    struct visit all[EVENTS_MAX];
    if (count > EVENTS_MAX)
        return 0;
    for (size_t e = 0; e < count; e++)
        if (events[e].token)
            return 0;
    reckon(&reckoning, log, events, count);
    struct finding finding = {.events = events, .event_count = count, .reckoning = &reckoning, .visits = all};
    for (size_t s = 0; s < reckoning.stay_count; s++)
        add_stay(&finding, &reckoning.stays[s]);
    for (size_t e = 0; e < count; e++)
        add_event(&finding, &events[e]);
    reckoning_free(&reckoning);
    if (finding.count > VISITS_MAX)
        return 0;
    qsort(all, finding.count, sizeof *all, by_coming);
    memcpy(visits, all, finding.count * sizeof *all);
    return finding.count;
}

const char *name_of_visit(const struct log *log, const struct visit *visit)
{
    const char *command = name_of(&log->commands, visit->command);
    const char *name = command != NULL ? command : name_of(&log->programs, visit->program);
    return name == NULL ? "?" : name[0] == '\0' ? "unnamed" : name;
}

const char *number_of_visit(const struct visit *visit, char buffer[16])
{
    snprintf(buffer, 16, "%s%u", visit->job != 0 ? "@" : "", visit->job != 0 ? visit->job : visit->pid);
    return buffer;
}

const struct visit *heir_of(const struct visit *killed, const struct visit *visits, size_t count)
{
    for (size_t v = 0; v < count; v++)
        if (visits[v].was_inside && visits[v].slot == killed->slot && visits[v].entered == killed->end &&
            &visits[v] != killed)
            return &visits[v];
    return NULL;
}

static unsigned inside_at(int64_t time, const struct visit *visits, size_t count)
{
    unsigned inside = 0;
    for (size_t v = 0; v < count; v++)
        inside += visits[v].was_inside && visits[v].entered <= time && time < visits[v].end;
    return inside;
}

/* By their tickets. */
static bool went_past_somebody(const struct visit *visit, const struct visit *visits, size_t count)
{
    for (size_t v = 0; v < count; v++)
        if (visits[v].was_inside && visits[v].ticket < visit->ticket && visits[v].entered > visit->entered)
            return true;
    return false;
}

struct visits_sum sum_of_visits(const struct visit *visits, size_t count)
{
    struct visits_sum sum = {.in_order = true};
    for (size_t v = 0; v < count; v++) {
        const struct visit *visit = &visits[v];
        sum.killed += visit->how == VISIT_KILLED;
        sum.killed_in_line += visit->how == VISIT_KILLED_IN_LINE;
        if (!visit->was_inside)
            continue;
        const unsigned inside = inside_at(visit->entered, visits, count);
        sum.most_inside = inside > sum.most_inside ? inside : sum.most_inside;
        sum.in_order = sum.in_order && !went_past_somebody(visit, visits, count);
    }
    return sum;
}
