/* SPDX-License-Identifier: MIT */
#include "timestamps/history.h"

#include "checker/die.h"
#include "timestamps/label_graph.h"

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

typedef uint32_t set; /* of processes */

enum { NEVER = 0, SCANS_KEPT = 32, EVENTS_SHOWN = 60, COMPLAINT_SIZE = 16 << 10 };

/* Times are numbers of events, from 1 on. */
struct label_operation {
    uint32_t begin, end;
};

struct scan_operation {
    uint32_t begin, end;
    set before; /* those ordered before the scanner */
};

/* What has to be known of a process. */
struct party {
    bool active;
    enum operation operation;
    uint32_t begin;
    /* When it began, and at the moment of its view: the labels, and who was labelling. */
    uint32_t at_begin[HISTORY_PROCESSES_MAX], at_moment[HISTORY_PROCESSES_MAX], written_before;
    set labelling;
    struct label_operation last_label;      /* the last that has begun; end is NEVER while it is under way */
    struct label_operation completed_label; /* the last that has ended; end is NEVER if none has */
    struct label_operation completed[HISTORY_PROCESSES_MAX]; /* of all, when its operation began */
    struct scan_operation scans[SCANS_KEPT]; /* the first ones since the last Label began, and the very last */
    unsigned scans_count;
    set ahead_of;              /* (2): whom its Scans since then ordered after it */
    set bound_to, bound_begin; /* (3): whom it must be ahead of; and at the begin of its Scan */
};

/* What Scans have said of a pair p, i. */
struct pair {
    bool agreed, first; /* since both are outside Label a Scan has ordered them: p first */
    bool lasts, waits;  /* p < i holds on; it will when i's Label has ended */
    uint32_t from;      /* for Scans that begin after this */
};

struct event {
    uint8_t process, operation;
    bool begins, wrote;
    unsigned rank[HISTORY_PROCESSES_MAX];
};

struct timeline {
    unsigned n;
    enum views views;
    uint32_t now;
    uint32_t current[HISTORY_PROCESSES_MAX]; /* labels, by their serial numbers */
    uint8_t *writers;                        /* of all labels, in order */
    uint32_t written, writers_capacity;
    struct party party[HISTORY_PROCESSES_MAX];
    struct pair pair[HISTORY_PROCESSES_MAX][HISTORY_PROCESSES_MAX];
    struct label_graph *graph;
    struct event *events;
    size_t event_count, event_capacity;
    bool ask_not[HISTORY_PROPERTIES];
    uint64_t premises[HISTORY_PROPERTIES], operations[OPERATIONS];
    enum history_property first_violated;
    char complaint[COMPLAINT_SIZE];
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

/* --- the five parts, and the two facts ---------------------------------------------------------------------------- */

static bool in(set all, unsigned v)
{
    return all >> v & 1;
}

static set one(unsigned v)
{
    return (set)1 << v;
}

/* Counts a premise, and sees that its conclusion holds. */
static void expect(struct timeline *timeline, enum history_property property, bool holds, const char *format,
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

/* (1) i's last Label ended before a Label of j began; this Scan came after both, and i has begun no other. */
static void proposition_1(struct timeline *timeline, unsigned scanner, uint32_t begin, const unsigned rank[])
{
    for (unsigned i = 0; i < timeline->n; i++) {
        struct label_operation first = timeline->party[i].last_label;
        if (first.end == NEVER || first.end >= begin)
            continue;
        for (unsigned j = 0; j < timeline->n; j++) {
            struct label_operation second = timeline->party[scanner].completed[j];
            if (j != i && second.end != NEVER && second.begin > first.end)
                expect(timeline, PROPOSITION_1, rank[i] < rank[j],
                       "process %u labelled before %u did, but a later Scan by %u orders them the other way round", i,
                       j, scanner);
        }
    }
}

/* (2) What an earlier Scan by i since its last Label had after i is still after i. */
static void proposition_2(struct timeline *timeline, unsigned i, set after)
{
    struct party *party = &timeline->party[i];
    for (unsigned j = 0; j < timeline->n; j++)
        if (in(party->ahead_of, j))
            expect(timeline, PROPOSITION_2, in(after, j),
                   "process %u was ahead of %u in a Scan of its own and has not labelled since, but is no more", i, j,
                   0);
    party->ahead_of |= after;
}

/* (3) i labelled, then j, then j in a Scan was ahead of m, then i scans. */
static void proposition_3(struct timeline *timeline, unsigned i, set after)
{
    const struct party *party = &timeline->party[i];
    for (unsigned m = 0; m < timeline->n; m++)
        if (in(party->bound_begin, m))
            expect(timeline, PROPOSITION_3, in(after, m),
                   "process %u labelled before one who then scanned and was ahead of %u, but is itself not ahead of %u",
                   i, m, m);
    for (unsigned other = 0; other < timeline->n; other++) {
        struct label_operation first = timeline->party[other].last_label;
        bool labelled_before = first.end != NEVER && party->last_label.begin > first.end;
        if (other != i && labelled_before)
            timeline->party[other].bound_to |= after & ~one(other);
    }
}

/* Those who have labelled, scanned since, and not begun to label again; every set C of (4) and (5) is among them. */
static set settled(const struct timeline *timeline)
{
    set all = 0;
    for (unsigned i = 0; i < timeline->n; i++)
        if (timeline->party[i].last_label.end != NEVER && timeline->party[i].scans_count > 0)
            all |= one(i);
    return all;
}

static const struct scan_operation *last_scan(const struct party *party)
{
    unsigned count = party->scans_count < SCANS_KEPT ? party->scans_count : SCANS_KEPT;
    return &party->scans[count - 1];
}

static bool proposition_4_for(const struct timeline *timeline, set C)
{
    uint32_t last_begin = 0;
    for (unsigned i = 0; i < timeline->n; i++)
        if (in(C, i) && timeline->party[i].last_label.begin > last_begin)
            last_begin = timeline->party[i].last_label.begin;
    for (unsigned i = 0; i < timeline->n; i++)
        if (in(C, i) && timeline->party[i].last_label.end > last_begin &&
            (last_scan(&timeline->party[i])->before & C) == (C & ~one(i)))
            return true;
    return false;
}

/* Whether every Scan of i that began after `from` ordered it before all others of C; *any: there is one. */
static bool first_in_all(const struct party *party, unsigned i, set C, uint32_t from, bool *any)
{
    unsigned count = party->scans_count < SCANS_KEPT ? party->scans_count : SCANS_KEPT;
    bool first = true;
    *any = false;
    for (unsigned s = 0; s < count; s++) {
        if (party->scans[s].begin <= from)
            continue;
        *any = true;
        first &= (party->scans[s].before & C & ~one(i)) == 0;
    }
    return first;
}

/* 1 holds, 0 does not, -1: somebody has not scanned since the last of these Labels ended. */
static int proposition_5_for(const struct timeline *timeline, set C)
{
    uint32_t last_end = 0;
    bool holds = false;
    for (unsigned i = 0; i < timeline->n; i++)
        if (in(C, i) && timeline->party[i].last_label.end > last_end)
            last_end = timeline->party[i].last_label.end;
    for (unsigned i = 0; i < timeline->n; i++) {
        bool any;
        if (!in(C, i))
            continue;
        holds |= first_in_all(&timeline->party[i], i, C, last_end, &any);
        if (!any)
            return -1;
    }
    return holds;
}

/* (4) and (5), for every set C that has the scanner in it: others have been asked about before. */
static void propositions_4_and_5(struct timeline *timeline, unsigned scanner)
{
    set all = settled(timeline) & ~one(scanner);
    if (!in(settled(timeline), scanner))
        return;
    for (set C = all;; C = (C - 1) & all) {
        set with = C | one(scanner);
        if (C != 0) {
            expect(timeline, PROPOSITION_4, proposition_4_for(timeline, with),
                   "of the processes %#x none of those that labelled last is the last in its own last Scan", with, 0,
                   0);
            int fifth = proposition_5_for(timeline, with);
            if (fifth >= 0)
                expect(timeline, PROPOSITION_5, fifth == 1,
                       "of the processes %#x, which have all labelled and then scanned, none was the first", with, 0,
                       0);
        }
        if (C == 0)
            break;
    }
}

/* The facts, for the pair p, i. */
static void facts(struct timeline *timeline, unsigned p, unsigned i, uint32_t begin, bool p_first)
{
    struct pair *pair = &timeline->pair[p][i];
    struct label_operation of_p = timeline->party[p].last_label, of_i = timeline->party[i].last_label;
    bool p_outside = of_p.begin == NEVER || (of_p.end != NEVER && of_p.end < begin);
    bool i_outside = of_i.begin == NEVER || (of_i.end != NEVER && of_i.end < begin);
    if (p < i && p_outside && i_outside) {
        if (pair->agreed)
            expect(timeline, SCANS_AGREE, pair->first == p_first,
                   "two Scans order %u and %u differently, though neither has labelled meanwhile", p, i, 0);
        pair->agreed = true;
        pair->first = p_first;
    }
    if (!p_outside)
        return;
    if (pair->lasts && begin > pair->from)
        expect(timeline, SCANS_LAST, p_first,
               "process %u was before %u in a Scan and has not labelled since, but comes after it in a later one", p, i,
               0);
    if (p_first && !pair->lasts) {
        bool labels = of_i.begin != NEVER && of_i.end == NEVER;
        pair->waits = labels;
        pair->lasts = !labels;
        pair->from = of_i.end;
    }
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

static void keep_scan(struct party *party, struct scan_operation scan)
{
    unsigned at = party->scans_count < SCANS_KEPT ? party->scans_count : SCANS_KEPT - 1;
    party->scans[at] = scan;
    party->scans_count++;
}

static void scan_ends(struct timeline *timeline, unsigned i, const unsigned rank[])
{
    struct party *party = &timeline->party[i];
    set before = 0;
    for (unsigned j = 0; j < timeline->n; j++)
        if (rank[j] < rank[i])
            before |= one(j);
    set after = (one(timeline->n) - 1) & ~before & ~one(i);
    keep_scan(party, (struct scan_operation){party->begin, timeline->now, before});
    proposition_1(timeline, i, party->begin, rank);
    proposition_2(timeline, i, after);
    proposition_3(timeline, i, after);
    propositions_4_and_5(timeline, i);
    for (unsigned p = 0; p < timeline->n; p++)
        for (unsigned j = 0; j < timeline->n; j++)
            if (p != j)
                facts(timeline, p, j, party->begin, rank[p] < rank[j]);
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
        expect(timeline, DEFINITION, seen >= party->at_begin[j] && seen <= timeline->current[j],
               "process %u saw label %u of process %u, which was not its label at any moment of the operation", i, seen,
               j);
        if (timeline->views == WEAK_VIEWS)
            expect(timeline, SNAPSHOTS, seen == then || (seen == then + 1 && in(party->labelling, j)),
                   "process %u saw label %u of process %u, which was not of the moment of its view", i, seen, j);
    }
    if (timeline->views == ATOMIC_VIEWS)
        expect(timeline, SNAPSHOTS, is_atomic(timeline, party, view->serial),
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
        scan_ends(timeline, i, view->rank);
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
