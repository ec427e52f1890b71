/* SPDX-License-Identifier: MIT
 *
 * Proposition 3.1 of Afek, Dolev, Gafni, Merritt and Shavit 1994, part by part, and the two facts of Zehavi 2013, asked
 * whenever a Scan ends.
 */
#include "histories/timeline.h"

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
                timeline_expect(
                    timeline, PROPOSITION_1, rank[i] < rank[j],
                    "process %u labelled before %u did, but a later Scan by %u orders them the other way round", i, j,
                    scanner);
        }
    }
}

/* (2) What an earlier Scan by i since its last Label had after i is still after i. */
static void proposition_2(struct timeline *timeline, unsigned i, set after)
{
    struct party *party = &timeline->party[i];
    for (unsigned j = 0; j < timeline->n; j++)
        if (in(party->ahead_of, j))
            timeline_expect(
                timeline, PROPOSITION_2, in(after, j),
                "process %u was ahead of %u in a Scan of its own and has not labelled since, but is no more", i, j, 0);
    party->ahead_of |= after;
}

/* (3) i labelled, then j, then j in a Scan was ahead of m, then i scans. */
static void proposition_3(struct timeline *timeline, unsigned i, set after)
{
    const struct party *party = &timeline->party[i];
    for (unsigned m = 0; m < timeline->n; m++)
        if (in(party->bound_begin, m))
            timeline_expect(timeline, PROPOSITION_3, in(after, m),
                            "process %u labelled before another that then scanned and was ahead of %u, but is itself "
                            "not ahead of %u",
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
            timeline_expect(timeline, PROPOSITION_4, proposition_4_for(timeline, with),
                            "of the processes %#x none of those that labelled last is the last in its own last Scan",
                            with, 0, 0);
            int fifth = proposition_5_for(timeline, with);
            if (fifth >= 0)
                timeline_expect(timeline, PROPOSITION_5, fifth == 1,
                                "of the processes %#x, which have all labelled and then scanned, none was the first",
                                with, 0, 0);
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
            timeline_expect(timeline, SCANS_AGREE, pair->first == p_first,
                            "two Scans order %u and %u differently, though neither has labelled meanwhile", p, i, 0);
        pair->agreed = true;
        pair->first = p_first;
    }
    if (!p_outside)
        return;
    if (pair->lasts && begin > pair->from)
        timeline_expect(
            timeline, SCANS_LAST, p_first,
            "process %u was before %u in a Scan and has not labelled since, but comes after it in a later one", p, i,
            0);
    if (p_first && !pair->lasts) {
        bool labels = of_i.begin != NEVER && of_i.end == NEVER;
        pair->waits = labels;
        pair->lasts = !labels;
        pair->from = of_i.end;
    }
}

static void keep_scan(struct party *party, struct scan_operation scan)
{
    unsigned at = party->scans_count < SCANS_KEPT ? party->scans_count : SCANS_KEPT - 1;
    party->scans[at] = scan;
    party->scans_count++;
}

void timeline_scan_ends(struct timeline *timeline, unsigned i, const unsigned rank[])
{
    struct party *party = &timeline->party[i];
    set before = 0;
    for (unsigned j = 0; j < timeline->n; j++)
        if (rank[j] < rank[i])
            before |= one(j);
    set after = (one(timeline->n) - 1) & ~before & ~one(i);
    keep_scan(party, (struct scan_operation){party->begin, before});
    proposition_1(timeline, i, party->begin, rank);
    proposition_2(timeline, i, after);
    proposition_3(timeline, i, after);
    propositions_4_and_5(timeline, i);
    for (unsigned p = 0; p < timeline->n; p++)
        for (unsigned j = 0; j < timeline->n; j++)
            if (p != j)
                facts(timeline, p, j, party->begin, rank[p] < rank[j]);
}
