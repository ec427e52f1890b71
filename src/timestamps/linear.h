/* SPDX-License-Identifier: MIT
 *
 * linear.h - a bounded concurrent timestamp system whose operations take O(n) steps on registers of O(n) bits.
 *
 * The labels are those of labels.h. The views are weak snapshots, in the spirit of the time-lapse snapshot of C. Dwork,
 * M. Herlihy, S. Plotkin, O. Waarts, Time-Lapse Snapshots, 1992; the handshake was designed for this project and is not
 * that paper's.
 *
 * Design summary
 *  - A weak snapshot by i has a moment T. Labels written before T are seen, labels whose update began after T are not;
 *    of an update that is under way at T, each scanner sees the new label or the old one, as it happens.
 *  - Colours tell. i shows each j a new colour, COL[i][j], all of them by one write: that moment is T. An update of j
 *    reads COL[i], announces what it has read, ANN[j], and reads COL[i] again. If it has read a colour twice that it
 *    has not answered yet, it saves its old label for i, SAV[j][i], answers with the colour, ACK[j], and then writes
 *    its label.
 *  - Whoever finds its colour answered takes the saved label: the answer came from an update that began after T.
 *  - So that an old answer is never taken for a new one, i's colour differs from what j has announced, from what j has
 *    answered, and from i's last one: four colours.
 *
 * Registers, all single-writer and atomic: LABEL[i]; SAV[i][j] for each other j; COL[i], ANN[i], ACK[i], of 2 bits for
 * each other process. A process reads none of its own.
 *
 * What matters of the order of accesses; each of these, the other way round, is a mutant that the checks reject:
 *  - ANN[j] before ACK[j] when a colour is chosen: an update announces before it answers, so that one or the other is
 *    seen;
 *  - COL[i] is one register and written by one step: T is the same for all updaters;
 *  - LABEL[j] before ACK[j] in the view: a label without an answer then comes from an update that began before T;
 *  - in an update, the first reading of COL after its own view: a label is not visible before all labels that it was
 *    chosen above have been written; and the writes in the order SAV, ACK, LABEL.
 * Native: all of these orders are between different registers, and two of them, COL before LABEL in a view and ANN
 * before COL in an update, are a store before a load. Every access is therefore sequentially consistent, as everywhere;
 * own() is none.
 *
 * Steps: Scan at most 5(n-1) reads and 1 write, Label at most 7(n-1) reads and n+3 writes. Nobody waits for anybody.
 */
#include "timestamps/labels.h"

#define TIMESTAMPS_MAX_N LABELS_MAX_N
#define TIMESTAMPS_FRAMES union       /* no process is in a Label and in a Scan at the same time */
#define TIMESTAMPS_MOMENT "view: COL" /* T, for checks */
#define TIMESTAMPS_BITS "3 * n * (n - 1) * (n + 2)"

struct timestamps {
    array LABEL, SAV, COL, ANN, ACK;
};
#define LABEL (S->LABEL)
#define SAV(i, j) (S->SAV[(i) * (n - 1) + other(i, j)]) /* there is none for j = i */
#define COL (S->COL)
#define ANN (S->ANN)
#define ACK (S->ACK)

/* A weak snapshot. */
struct weak_snap {
    position at;
    proc j;
    number announced;
    procset todo;
    word colours;
    label view[LABELS_MAX_N];
};

/* A Label and a Scan begin alike, so that in a union their views are in one place (linear_alike.h). */
struct Label {
    position at;
    struct weak_snap snap;
    proc j;
    procset todo, answered;
    word colours; /* that the scanners showed */
    label new;
};

struct Scan {
    position at;
    struct weak_snap snap;
    proc rank[LABELS_MAX_N];
};
#include "timestamps/ranks.h"

/* The place of j among the others of i. */
static inline unsigned other(unsigned i, unsigned j)
{
    return j - (j > i);
}

enum { COLOUR_BITS = 2, COLOURS = 1 << COLOUR_BITS };

/* What a row of colours by process i has for process j. */
static inline unsigned colour(word colours, unsigned i, unsigned j)
{
    return colours >> COLOUR_BITS * other(i, j) & (COLOURS - 1);
}

static inline word coloured(unsigned c, unsigned i, unsigned j)
{
    return (word)c << COLOUR_BITS * other(i, j);
}

/* The answers of process i, with new ones to some. */
static inline word answers(word answers, word colours, procset some, unsigned i, unsigned n)
{
    for (unsigned j = 0; j < n; j++)
        if (has(some, j))
            answers ^= coloured(colour(answers, i, j) ^ colour(colours, i, j), i, j);
    return answers;
}

/* Going round from the answered one: no colour is special (linear_alike.h). */
static inline unsigned fresh_colour(unsigned announced, unsigned answered, unsigned shown)
{
    unsigned fresh = answered;
    while (fresh == announced || fresh == answered || fresh == shown)
        fresh = (fresh + 1) % COLOURS;
    return fresh;
}

/* For checks: the label of process i, as its first register has it. */
static inline label label_in(word value, unsigned i, unsigned n)
{
    return (void)i, (void)n, (label)value;
}

static void show_label(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    (void)k;
    text[0] = '\0'; /* n = 1 has no digits */
    for (unsigned h = 1; h < n && h < size; h++)
        snprintf(text + h - 1, 2, "%u", digit((label)value, h, n));
}

static void name_others(char *name, size_t size, unsigned n, unsigned row, unsigned column)
{
    (void)n;
    snprintf(name, size, "[%u][%u]", row, column + (column >= row));
}

#define shared timestamps
#define declare timestamps_declare
DECLARE
{
    uint64_t colourings = word_values(COLOUR_BITS * (n - 1));
    LABEL = registers("LABEL", n, word_values(label_bits(n)), first_label(n), .writer = OWN_ELEMENT, .remembered = true,
                      .shown = show_label);
    S->SAV = register_rows("SAV", n, n - 1, word_values(label_bits(n)), first_label(n), .writer = OWN_ROW,
                           .elements = name_others, .shown = show_label);
    COL = registers("COL", n, colourings, 0, .writer = OWN_ELEMENT, .remembered = true);
    ANN = registers("ANN", n, colourings, 0, .writer = OWN_ELEMENT);
    ACK = registers("ACK", n, colourings, 0, .writer = OWN_ELEMENT, .remembered = true);
}

PROCEDURE(weak_snap)
BEGIN
    local(L.colours);
    L.colours = 0;
    for_all_others ("view: ANN", L.j) {
        local(L.announced);
        L.announced = (number)colour(get(ANN[L.j]), L.j, i);
        AT("view: ACK")
        unsigned answered = colour(get(ACK[L.j]), L.j, i);
        L.colours |= coloured(fresh_colour(L.announced, answered, colour(own(COL[i]), i, L.j)), i, L.j);
    }
    if (n > 1) {
        AT("view: COL")
        put(COL[i], L.colours); /* T */
    }
    forget(L.colours);
    for_all_others ("view: LABEL", L.j) {
        L.view[L.j] = (label)get(LABEL[L.j]);
        AT("view: answer")
        if (colour(get(ACK[L.j]), L.j, i) == colour(own(COL[i]), i, L.j)) {
            AT("view: SAV")
            L.view[L.j] = (label)get(SAV(L.j, i));
        }
    }
    L.view[i] = (label)own(LABEL[i]);
END

PROCEDURE(Label)
BEGIN
    CALL(weak_snap, L.snap);
    if (maximum_of(L.snap.view, n) != i) {
        local(L.new, L.colours, L.answered);
        L.new = next_label(L.snap.view, i, n);
        L.colours = 0;
        for_all_others ("Label: COL", L.j)
            L.colours |= coloured(colour(get(COL[L.j]), L.j, i), i, L.j);
        AT("Label: ANN")
        put(ANN[i], L.colours);
        L.answered = 0;
        for_all_others ("Label: COL again", L.j) {
            unsigned shown = colour(get(COL[L.j]), L.j, i);
            if (shown == colour(L.colours, i, L.j) && shown != colour(own(ACK[i]), i, L.j))
                L.answered |= only(L.j);
        }
        for_all_in ("Label: SAV", L.j, L.answered)
            put(SAV(i, L.j), own(LABEL[i]));
        if (L.answered != 0) {
            AT("Label: ACK")
            put(ACK[i], answers(own(ACK[i]), L.colours, L.answered, i, n));
        }
        forget(L.colours, L.answered);
        AT("Label: LABEL")
        put(LABEL[i], L.new);
    }
END

PROCEDURE(Scan)
BEGIN
    CALL(weak_snap, L.snap);
    order(L.snap.view, n, L.rank);
END
#undef shared
#undef declare
#undef LABEL
#undef SAV
#undef COL
#undef ANN
#undef ACK
