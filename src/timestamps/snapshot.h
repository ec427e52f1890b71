/* SPDX-License-Identifier: MIT
 *
 * snapshot.h - a bounded concurrent timestamp system from an atomic snapshot: O(n^2) steps on registers of O(n^2) bits.
 *
 * The labels are those of labels.h, after R. Gawlick, N. Lynch, N. Shavit, Concurrent Timestamping Made Simple, 1992;
 * the views are bounded atomic snapshots after Y. Afek, H. Attiya, D. Dolev, E. Gafni, M. Merritt, N. Shavit, Atomic
 * Snapshots of Shared Memory, JACM 40(4), 1993.
 *
 * Design summary
 *  - R[i]: the label of i; the view that it was chosen from; a bit hp for each other process; a toggle. One register,
 *    written by one step. Q[i]: a bit for each other process.
 *  - To look (a round): copy the bits hp[i] of all others into Q[i], and read all R twice. Whoever has changed its
 *    hp[i] or its toggle meanwhile has moved. If nobody has, the second reading is a view that existed.
 *  - A Label begins by reading the complements of all Q[j][i], which become its hp[j]. So one that begins after Q[j]
 *    was written changes hp[j]; one that began before shows by its toggle; a second write between the two readings has
 *    begun after the first.
 *  - A process that is seen moving in two rounds has done a whole Label within this view, and the view stored with it
 *    is borrowed. So there are at most n rounds.
 *
 * What matters of the order of accesses: Q is written by a view before R is read, and R is written by one step.
 *
 * Steps: Scan at most 3n(n-1) reads and n writes; Label at most (n-1) + 3n(n-1) reads and n+1 writes.
 *
 * R has 3(n-1)(n+1) + n bits, which is 49 for n = 4 and more than a word beyond. So n is up to 4, natively and in the
 * checker; with WIDE_RECORDS, where the system itself is checked, up to 8 (kept_records.h).
 */
#include "timestamps/labels.h"

#ifdef WIDE_RECORDS
enum { SNAPSHOT_MAX_N = 8 };
#else
enum { SNAPSHOT_MAX_N = 4 };
#endif
#define TIMESTAMPS_MAX_N SNAPSHOT_MAX_N
#define TIMESTAMPS_FRAMES union
#define TIMESTAMPS_BITS "n * (3 * (n - 1) * (n + 1) + n) + n * (n - 1)"

struct timestamps {
    array R, Q;
};
#define R (S->R)
#define Q (S->Q)

/* What R[i] holds. */
struct record {
    label label, view[SNAPSHOT_MAX_N];
    procset hp; /* of the others */
    flag toggle;
};

struct snap {
    position at;
    proc j;
    procset todo, moved, movers;       /* in the rounds before, and in this one */
    procset q, first_hp, first_toggle; /* of R[j], by j: what was copied, and what the first reading found */
    word second[SNAPSHOT_MAX_N];       /* R[j] in the second reading */
    label view[SNAPSHOT_MAX_N];
};

struct Label {
    position at;
    proc j;
    procset todo, hp;
    struct snap snap;
};

struct Scan {
    position at;
    struct snap snap;
    proc rank[PROCESSES_MAX];
};
#include "timestamps/ranks.h"

static inline unsigned record_bits(unsigned n)
{
#ifdef WIDE_RECORDS
    return (void)n, 62;
#else
    return digits_bits(n) * (n + 1) + n;
#endif
}

/* A set of others of i in n-1 bits, without i itself, and back. */
static inline word without_own(procset set, unsigned i)
{
    return (set & (only(i) - 1u)) | (word)(set >> i >> 1) << i;
}

static inline procset with_own(word bits, unsigned i)
{
    return (procset)((bits & (only(i) - 1u)) | bits >> i << i << 1);
}

#ifdef WIDE_RECORDS
#include "timestamps/kept_records.h"
#else

/* R[i] as a record. From the lowest bit on: toggle, hp, label, view. */
static inline struct record record_of(word value, unsigned i, unsigned n)
{
    const word label_mask = ((word)1 << digits_bits(n)) - 1;
    struct record record = {.toggle = value & 1, .hp = with_own(value >> 1 & (only(n - 1) - 1u), i)};
    record.label = (label)(value >> n & label_mask);
    for (unsigned j = 0; j < n; j++)
        record.view[j] = (label)(value >> (n + (j + 1) * digits_bits(n)) & label_mask);
    return record;
}

static inline word record_word(const struct record *record, unsigned i, unsigned n)
{
    word value = record->toggle | without_own(record->hp, i) << 1 | (word)record->label << n;
    for (unsigned j = 0; j < n; j++)
        value |= (word)record->view[j] << (n + (j + 1) * digits_bits(n));
    return value;
}
#endif

/* For checks: the label of process i, as its first register has it. */
static inline label label_in(word value, unsigned i, unsigned n)
{
    return record_of(value, i, n).label;
}

static inline word first_record(unsigned i, unsigned n)
{
    struct record record;
    memset(&record, 0, sizeof record); /* also between its members: records are compared as they are */
    record.label = first_label(n);
    for (unsigned j = 0; j < n; j++)
        record.view[j] = first_label(n);
    return record_word(&record, i, n);
}

/* The others that have moved since the bits q were copied. */
static inline procset movers(const struct snap *snap, unsigned i, unsigned n)
{
    procset moved = snap->first_hp ^ snap->q;
    for (unsigned j = 0; j < n; j++) {
        if (j == i)
            continue;
        struct record second = record_of(snap->second[j], j, n);
        if (has(second.hp, i) != has(snap->q, j) || second.toggle != has(snap->first_toggle, j))
            moved |= only(j);
    }
    return moved;
}

/* The view: the second reading, or, if somebody has moved again, that of the last of these. */
static inline void see(struct snap *snap, word own_record, unsigned i, unsigned n)
{
    procset lenders = snap->movers & snap->moved;
    for (unsigned j = 0; j < n; j++) {
        struct record record = record_of(j == i ? own_record : snap->second[j], j, n);
        if (lenders == 0)
            snap->view[j] = record.label;
        else if (has(lenders, j))
            memcpy(snap->view, record.view, sizeof snap->view);
    }
}

static inline word next_record(const label view[], procset hp, word old, unsigned i, unsigned n)
{
    struct record next;
    memset(&next, 0, sizeof next);
    next.label = next_label(view, i, n);
    memcpy(next.view, view, sizeof next.view);
    next.hp = hp;
    next.toggle = !record_of(old, i, n).toggle;
    return record_word(&next, i, n);
}

static void show_record(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    (void)k;
    struct record record = record_of(value, n - 1, n); /* whose it is, is not known here: hp is left out */
    int used = snprintf(text, size, "label=");
    for (unsigned h = 1; h < n && used > 0 && (size_t)used < size; h++)
        used += snprintf(text + used, size - (size_t)used, "%u", digit(record.label, h, n));
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " toggle=%u", (unsigned)record.toggle);
}

#define shared timestamps
#define declare timestamps_declare
DECLARE
{
    R = registers("R", n, word_values(record_bits(n)), first_record(0, n), .writer = OWN_ELEMENT, .remembered = true,
                  .shown = show_record);
    Q = registers("Q", n, word_values(n - 1), 0, .writer = OWN_ELEMENT);
}

PROCEDURE(snap)
BEGIN
    local(L.moved, L.movers, L.q, L.first_hp, L.first_toggle, L.second);
    L.moved = 0;
round:
    L.q = L.first_hp = L.first_toggle = 0;
    for_all_others ("view: hp", L.j)
        L.q |= has(record_of(get(R[L.j]), L.j, n).hp, i) ? only(L.j) : 0;
    if (n > 1) {
        AT("view: Q")
        put(Q[i], without_own(L.q, i));
    }
    for_all_others ("view: first R", L.j) {
        struct record first = record_of(get(R[L.j]), L.j, n);
        L.first_hp |= has(first.hp, i) ? only(L.j) : 0;
        L.first_toggle |= first.toggle ? only(L.j) : 0;
    }
    for_all_others ("view: second R", L.j)
        L.second[L.j] = get(R[L.j]);
    L.movers = movers(frame, i, n);
    if (L.movers != 0 && (L.movers & L.moved) == 0) {
        L.moved |= L.movers;
        forget(L.second);
        goto round;
    }
    see(frame, own(R[i]), i, n);
END

PROCEDURE(Label)
BEGIN
    local(L.hp);
    L.hp = 0;
    for_all_others ("Label: Q", L.j)
        L.hp |= has(with_own(get(Q[L.j]), L.j), i) ? 0 : only(L.j);
    CALL(snap, L.snap);
    lasts(L.snap);
    if (maximum_of(L.snap.view, n) != i) {
        AT("Label: R")
        put(R[i], next_record(L.snap.view, L.hp, own(R[i]), i, n));
    }
END

PROCEDURE(Scan)
BEGIN
    CALL(snap, L.snap);
    order(L.snap.view, n, L.rank);
END
#undef shared
#undef declare
#undef R
#undef Q
