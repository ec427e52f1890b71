/* SPDX-License-Identifier: MIT
 *
 * claims.h - what a paper says of its algorithms, sentence by sentence, and what is found when it is asked.
 *
 * A paper is a table of statements (one file each, or one for each chapter of it). A statement is one sentence of it,
 * about one algorithm, for a range of settings; each of those settings, with each property, is a row. Rows that have the
 * same setting are answered by one exploration, wherever they stand in the tables.
 *
 * How to add a paper: write its table, and add it to PAPERS. An algorithm may name it from then on (.paper).
 */
#ifndef ADMIT_CLAIMS_H
#define ADMIT_CLAIMS_H

#include "checker/model/fault_info.h"
#include "checker/question.h"
#include "checker/show/trace.h"
#include "histories/history.h"

#define PAPERS(PAPER)                                                                                                  \
    PAPER(lamport86)                                                                                                   \
    PAPER(bl93)                                                                                                        \
    PAPER(flbb89)                                                                                                      \
    PAPER(afek94)                                                                                                      \
    PAPER(zehavi13)

/* --- the tables --------------------------------------------------------------------------------------------------- */

/* Beside the bits of enum fault, and none of them: no fault at all. */
enum { NORMALLY = 1 << STEPS_WITHOUT_TEXT };

/* As bits, for the fields below. */
#define P(property) (1u << (property))
_Static_assert(PROPERTIES <= 32, "there is a bit for each");
#define ON_ATOMIC (1u << ATOMIC)
#define ON_REGULAR (1u << REGULAR)
#define ON_SAFE (1u << SAFE)
#define ON_ALL (ON_ATOMIC | ON_REGULAR | ON_SAFE)

struct range {
    unsigned from, to;
};

/* A number that a paper gives, as a formula in n, or in n and k. */
typedef uint64_t formula(unsigned n);
typedef uint64_t formula_of_k(unsigned n, unsigned k);

struct judge;
struct enabled_judge;
struct quantity;
struct calculation;
struct row;

/* What the paper says: it holds, it does not; or nothing, but the row belongs to the others. */
enum published { AFFIRMED, DENIED, UNSAID };

/* Histories of a timestamp system (histories/drive.h). */
struct histories {
    const char *system;             /* NULL: none is asked */
    const char *plan;               /* every interleaving of it; NULL: random runs, a sample */
    enum history_property property; /* what random runs are judged by; those of a plan are judged by DEFINITION */
};

struct statement {
    const char *where; /* "Theorem 3": statements with the same stand together and are shown together */
    const char *says;  /* NULL: the words for its property and its faults; of several, these are added to it */
    const char *note;  /* may be NULL */
    enum published published;
    unsigned full_from; /* rows from this n on take long: only with --full; 0: none does */

    const char *algorithm; /* NULL: it is about none */
    struct range n, k;     /* k: {0} stands for the algorithm's own */
    unsigned more;         /* only n >= k + more; 0: n >= k */
    unsigned registers;    /* bits; 0: atomic */
    unsigned behaviours;   /* faults, each for itself, and NORMALLY; 0: NORMALLY */
    unsigned struck;       /* how many processes a fault strikes; 0: as papers_mean_all in fault_info.h says */
    bool any_order;
    unsigned passages;          /* how often each goes through; 0: without end */
    uint8_t passages_of[4];     /* of each process, if they differ; then n is at most 4 */
    const char *led_to, *steps; /* where it is explored from, if not from the start, and the steps there (schedule.h) */

    /* What is asked: one of these. */
    unsigned properties; /* bits */
    const struct judge *judge;
    const struct enabled_judge *enabled_judge;
    const struct quantity *quantity;
    const struct calculation *calculation;
    const char *other; /* another algorithm, for a calculation about two */
    struct histories history;

    bool together; /* one row for all the properties: do all of them hold? */
    formula *bound;
    formula_of_k *bound_of_k;
    bool at_most, at_least; /* the bound is not to be exceeded, or to be reached; otherwise it is to be met */
};

/* A question of its own for an explored graph: like those of checker/judge/properties.h, but about one algorithm's labels and
 * registers, or of interest for one sentence only. */
struct judge {
    const char *name; /* in the column of properties */
    void (*ask)(struct finding *finding, const struct exploration *exploration, const struct judge *judge);
    enum property shows; /* its counterexample violates this one too, and replay confirms that; PROPERTIES: none */
    /* What it is about, where it needs to be told. */
    const char *label; /* where a process stands in its text: one of these, with "|" between them */
    const char *array;
    uint64_t value;
};

/* The same with the enabled relation at hand. Its counterexample is a run to the state, or the step, in question. */
struct enabled_judge {
    const char *name;
    void (*ask)(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled);
};

/* A flag that each process has for each other, or for all: that it is up exactly from where the text raises it to where
 * it lowers it. */
struct announcement {
    struct judge judge;
    const char *raised_at, *lowered_at; /* markers of the text */
    const char *down_at;                /* those at which it is down; at all others, outside the remainder, it is up */
};

/* A number that is counted. */
struct quantity {
    const char *name;
    /* Exactly one: from the declarations alone, or from all states. */
    uint64_t (*declared)(const struct instance *instance);
    uint64_t (*explored)(const struct exploration *exploration);
};

/* What needs no exploration, or makes its own: fills in what was found. */
struct calculation {
    const char *name;
    void (*compute)(struct row *row, uint64_t memory_limit);
};

/* What a reader finishes in one sitting of a paper's table. */
struct chapter {
    const struct statement *statements;
    unsigned count;
};

enum { CHAPTERS_MAX = 4 };

struct paper {
    const char *id, *title;
    const char *cited; /* "Lamport 1986": where an algorithm is printed (tests/catalogue.sh) */
    const struct chapter *chapters[CHAPTERS_MAX]; /* in the order of the paper; NULL where there are no more */
};

#define DECLARE_PAPER(id) extern const struct paper id;
PAPERS(DECLARE_PAPER)
#undef DECLARE_PAPER

#define ONE_MORE(id) +1
enum { PAPER_COUNT = PAPERS(ONE_MORE) };
#undef ONE_MORE

extern const struct paper *const papers[PAPER_COUNT];

/* NULL: there is none of this name. */
const struct paper *paper_find(const char *id);

/* --- the rows ----------------------------------------------------------------------------------------------------- */

struct row {
    const struct paper *paper;
    const struct statement *statement;
    char claim[160];
    char property[80]; /* its name, or that of what is asked instead */
    bool full;
    struct setting setting; /* algorithm NULL and n 0 where there is none */
    unsigned properties;    /* bits */

    enum verdict found;
    bool has_measured, has_bound;
    uint64_t measured, bound;
    bool has_states;
    uint64_t states;
    double seconds; /* of the exploration and all that it was asked, so the same for all rows that share it */
    char note[240];
    bool has_trace;
    struct trace trace; /* of a violated one, if it was asked for */
};

struct rows {
    struct row *row;
    unsigned count, room;
    bool lacks_mutants; /* some rows are about mutants, and this program was built without those */
};

/* Adds the rows of a paper; the long ones only if `full`, and only those that `only`, if not NULL, is part of: of the
 * claim, the algorithm or the property, upper and lower case alike. */
void rows_add(struct rows *rows, const struct paper *paper, bool full, const char *only);
void rows_close(struct rows *rows);

struct asking {
    bool traces;                                                       /* keep counterexamples */
    void (*report)(const struct row *row, unsigned done, unsigned of); /* before each exploration; may be NULL */
    void (*progress)(const struct progress *progress);
};

/* Finds out. */
void rows_answer(struct rows *rows, const struct asking *asking);

enum agreement { AGREES, DISAGREES, NEITHER };
/* NEITHER: the paper says nothing, or the row is undecided, or vacuous, which is neither to hold nor to be violated. */
enum agreement row_agreement(const struct row *row);

/* --- what rows are made of: all other files here ------------------------------------------------------------------ */

extern const struct judge lowest_trier_enters, progress_if_all_try, takes_turns, starts_first_enters_first;
extern const struct judge first_is_never_locked_out, last_is_never_locked_out, writes_before_entering;
extern const struct judge rests_with_defaults, returns_to_normal;

void ask_label_is_left(struct finding *finding, const struct exploration *exploration, const struct judge *judge);
void ask_value_at_label(struct finding *finding, const struct exploration *exploration, const struct judge *judge);
void ask_value_inside(struct finding *finding, const struct exploration *exploration, const struct judge *judge);
void ask_stabilizes_without_entries(struct finding *finding, const struct exploration *exploration,
                                    const struct judge *judge);
void ask_read_by_column(struct finding *finding, const struct exploration *exploration, const struct judge *judge);
/* Processes that have the value in `array` have 0 in the array named by `label`. */
void ask_implied_false(struct finding *finding, const struct exploration *exploration, const struct judge *judge);

extern const struct enabled_judge at_most_k_enabled, waits_only_if_full, never_waits_to_leave, enabled_in_T_or_C;
extern const struct enabled_judge stays_enabled, writes_at_the_ends, all_can_return;
extern const struct enabled_judge enabled_in_order, one_is_first, waiting_in_total_order, fewer_than_k_ahead;

extern const struct enabled_judge exactly_k_valid, quantities_add_up, first_k_are_enabled, room_for_one_more;
extern const struct enabled_judge counts_those_inside;

extern const struct quantity valid_ahead, issue_ahead, colors_apart, colors_used, quantities, bounded_values;
extern const struct quantity variables_per_process, single_reader_variables, binary_variables, values_in_use;

extern const struct calculation fcfs_and_no_deadlock, costs_increase, changes_somewhere, cycles_with_i;
extern const struct calculation nullified_variables;
void ask_up_between(struct finding *finding, const struct exploration *exploration, const struct judge *judge);
extern const struct judge discovered_since_revealed, stays_discovered;
extern const struct quantity discovery_writes, bits_in_all, bits_of_each, largest_register, boolean_variables;
extern const struct calculation order_example, references_counted, references_grow;
/* What a statement's history asks. */
void ask_history(struct row *row);
void history_name(const struct statement *statement, char *name, size_t size);

extern const struct calculation equivalent_systems, equivalence_carries_over, values_reached;

#endif
