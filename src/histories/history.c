/* SPDX-License-Identifier: MIT */
#include "histories/history.h"

#include "base/die.h"
#include "histories/timeline.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const history_property_name[HISTORY_PROPERTIES] = {
    [DEFINITION] = "Definition 3.1",
    [PROPOSITION_1] = "Proposition 3.1 (1)",
    [PROPOSITION_2] = "Proposition 3.1 (2)",
    [PROPOSITION_3] = "Proposition 3.1 (3)",
    [PROPOSITION_4] = "Proposition 3.1 (4)",
    [PROPOSITION_5] = "Proposition 3.1 (5)",
    [SCANS_AGREE] = "scans agree",
    [SCANS_LAST] = "scans last",
    [SNAPSHOTS] = "snapshots",
};

struct timeline *timeline_open(unsigned n, enum views views)
{
    struct timeline *timeline = must_allocate(sizeof *timeline);
    timeline->n = n;
    timeline->views = views;
    timeline->graph = label_graph_open(n);
    timeline->first_violated = HISTORY_PROPERTIES;
    return timeline;
}

void timeline_close(struct timeline *timeline)
{
    label_graph_close(timeline->graph);
    free(timeline->events);
    free(timeline->writers);
    free(timeline);
}

void timeline_restart(struct timeline *timeline)
{
    timeline->now = timeline->written = 0;
    memset(timeline->current, 0, sizeof timeline->current);
    memset(timeline->party, 0, sizeof timeline->party);
    memset(timeline->pair, 0, sizeof timeline->pair);
    label_graph_restart(timeline->graph);
    timeline->event_count = 0;
    timeline->first_violated = HISTORY_PROPERTIES;
}

void timeline_ask_not(struct timeline *timeline, enum history_property property)
{
    timeline->ask_not[property] = true;
}

uint64_t timeline_premises(const struct timeline *timeline, enum history_property property)
{
    return timeline->premises[property];
}

bool timeline_violated(const struct timeline *timeline)
{
    return timeline->first_violated != HISTORY_PROPERTIES;
}

enum history_property timeline_first_violated(const struct timeline *timeline)
{
    return timeline->first_violated;
}

const char *timeline_complaint(const struct timeline *timeline)
{
    return timeline->complaint;
}

uint64_t timeline_operations(const struct timeline *timeline, enum operation operation)
{
    return timeline->operations[operation];
}

/* --- words for people --------------------------------------------------------------------------------------------- */

static size_t append(char *text, size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = used < COMPLAINT_SIZE ? vsnprintf(text + used, COMPLAINT_SIZE - used, format, arguments) : 0;
    va_end(arguments);
    return used + (more > 0 ? (size_t)more : 0);
}

static size_t append_event(const struct timeline *timeline, size_t number, char *text, size_t used)
{
    const struct event *event = &timeline->events[number];
    const char *name = event->operation == LABEL_OPERATION ? "Label" : "Scan";
    used = append(text, used, "%6zu  process %u %s %s", number + 1, event->process, event->begins ? "begins" : "ends",
                  name);
    if (!event->begins && event->operation == LABEL_OPERATION && timeline->views != NO_VIEWS && !event->wrote)
        used = append(text, used, ", writing nothing");
    for (unsigned rank = 0; !event->begins && event->operation == SCAN_OPERATION && rank < timeline->n; rank++)
        for (unsigned j = 0; j < timeline->n; j++)
            if (event->rank[j] == rank)
                used = append(text, used, "%s%u", rank == 0 ? ": " : " < ", j);
    return append(text, used, "\n");
}

static void complain(struct timeline *timeline, enum history_property property, const char *what)
{
    if (timeline_violated(timeline))
        return;
    timeline->first_violated = property;
    size_t used = append(timeline->complaint, 0, "%s: %s\n", history_property_name[property], what);
    size_t from = timeline->event_count > EVENTS_SHOWN ? timeline->event_count - EVENTS_SHOWN : 0;
    if (from > 0)
        used = append(timeline->complaint, used, "  after %zu events more:\n", from);
    for (size_t e = from; e < timeline->event_count; e++)
        used = append_event(timeline, e, timeline->complaint, used);
}

void timeline_expect(struct timeline *timeline, enum history_property property, bool holds, const char *format,
                     unsigned a, unsigned b, unsigned c)
{
    char what[160];
    if (timeline->ask_not[property])
        return;
    timeline->premises[property]++;
    if (holds)
        return;
    snprintf(what, sizeof what, format, a, b, c);
    complain(timeline, property, what);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static struct event *note(struct timeline *timeline, unsigned i, bool begins)
{
    if (timeline->event_count == timeline->event_capacity) {
        timeline->event_capacity = timeline->event_capacity == 0 ? 256 : 2 * timeline->event_capacity;
        timeline->events = must_reallocate(timeline->events, timeline->event_capacity * sizeof *timeline->events);
    }
    struct event *event = &timeline->events[timeline->event_count++];
    *event =
        (struct event){.process = (uint8_t)i, .operation = (uint8_t)timeline->party[i].operation, .begins = begins};
    return event;
}

static void forget_pairs_of(struct timeline *timeline, unsigned i, bool begins)
{
    for (unsigned j = 0; j < timeline->n; j++) {
        timeline->pair[i][j].agreed = timeline->pair[j][i].agreed = false;
        if (begins) {
            timeline->pair[i][j].lasts = timeline->pair[i][j].waits = false;
        } else if (timeline->pair[j][i].waits) {
            timeline->pair[j][i].waits = false;
            timeline->pair[j][i].lasts = true;
            timeline->pair[j][i].from = timeline->now;
        }
    }
}

void timeline_begin(struct timeline *timeline, unsigned i, enum operation operation)
{
    struct party *party = &timeline->party[i];
    timeline->now++;
    timeline->operations[operation]++;
    party->active = true;
    party->operation = operation;
    party->begin = timeline->now;
    memcpy(party->at_begin, timeline->current, sizeof party->at_begin);
    party->written_before = timeline->written;
    for (unsigned j = 0; j < timeline->n; j++)
        party->completed[j] = timeline->party[j].completed_label;
    if (operation == LABEL_OPERATION) {
        party->last_label = (struct label_operation){.begin = timeline->now, .end = NEVER};
        party->scans_count = 0;
        party->ahead_of = party->bound_to = 0;
        forget_pairs_of(timeline, i, true);
    } else {
        party->bound_begin = party->bound_to;
    }
    note(timeline, i, true);
}

static bool is_permutation(const unsigned rank[], unsigned n)
{
    set seen = 0;
    for (unsigned j = 0; j < n; j++)
        seen |= rank[j] < n ? one(rank[j]) : 0;
    return seen == one(n) - 1;
}

/* Whether all labels of the view were current together at some moment since the operation began. */
static bool is_atomic(const struct timeline *timeline, const struct party *party, const uint32_t serial[])
{
    uint32_t vector[HISTORY_PROCESSES_MAX];
    memcpy(vector, party->at_begin, sizeof vector);
    for (uint32_t w = party->written_before; w < timeline->written; w++) {
        if (memcmp(vector, serial, timeline->n * sizeof *vector) == 0)
            return true;
        vector[timeline->writers[w]]++;
    }
    return memcmp(vector, serial, timeline->n * sizeof *vector) == 0;
}

static void look_at_view(struct timeline *timeline, unsigned i, bool wrote, const struct view *view)
{
    const struct party *party = &timeline->party[i];
    /* Its own label is the one that it had; its new one, if any, came later. */
    for (unsigned j = 0; j < timeline->n; j++) {
        uint32_t seen = view->serial[j], then = party->at_moment[j];
        timeline_expect(timeline, DEFINITION, seen >= party->at_begin[j] && seen <= timeline->current[j],
                        "process %u saw label %u of process %u, which was not its label at any moment of the operation",
                        i, seen, j);
        if (timeline->views == WEAK_VIEWS)
            timeline_expect(timeline, SNAPSHOTS, seen == then || (seen == then + 1 && in(party->labelling, j)),
                            "process %u saw label %u of process %u, which was not of the moment of its view", i, seen,
                            j);
    }
    if (timeline->views == ATOMIC_VIEWS)
        timeline_expect(timeline, SNAPSHOTS, is_atomic(timeline, party, view->serial),
                        "what process %u saw was never so at one moment", i, 0, 0);
    if (party->operation == SCAN_OPERATION)
        label_graph_scan(timeline->graph, view->rank, view->serial);
    else
        label_graph_label(timeline->graph, i, wrote, view->rank, view->serial);
}

void timeline_labelled(struct timeline *timeline, unsigned i)
{
    if (timeline->written == timeline->writers_capacity) {
        timeline->writers_capacity = timeline->writers_capacity == 0 ? 256 : 2 * timeline->writers_capacity;
        timeline->writers = must_reallocate(timeline->writers, timeline->writers_capacity);
    }
    timeline->writers[timeline->written++] = (uint8_t)i;
    timeline->current[i]++;
}

void timeline_moment(struct timeline *timeline, unsigned i)
{
    struct party *party = &timeline->party[i];
    memcpy(party->at_moment, timeline->current, sizeof party->at_moment);
    party->labelling = 0;
    for (unsigned j = 0; j < timeline->n; j++)
        if (timeline->party[j].active && timeline->party[j].operation == LABEL_OPERATION)
            party->labelling |= one(j);
}

void timeline_end(struct timeline *timeline, unsigned i, bool wrote, const struct view *view)
{
    struct party *party = &timeline->party[i];
    timeline->now++;
    struct event *event = note(timeline, i, false);
    event->wrote = wrote;
    if (view != NULL) {
        memcpy(event->rank, view->rank, sizeof event->rank);
        if (is_permutation(view->rank, timeline->n)) {
            if (timeline->views != NO_VIEWS)
                look_at_view(timeline, i, wrote, view);
        } else {
            complain(timeline, DEFINITION, "what an operation saw is not ordered: labels go round in a circle");
        }
    }
    party->active = false;
    if (party->operation == SCAN_OPERATION) {
        timeline_scan_ends(timeline, i, view->rank);
        return;
    }
    party->last_label.end = timeline->now;
    party->completed_label = party->last_label;
    forget_pairs_of(timeline, i, false);
}

void timeline_finish(struct timeline *timeline)
{
    char cycle[512];
    if (!timeline_violated(timeline) && timeline->views != NO_VIEWS &&
        !label_graph_is_acyclic(timeline->graph, cycle, sizeof cycle))
        complain(timeline, DEFINITION, cycle);
}
