/* SPDX-License-Identifier: MIT
 *
 * M. Zehavi, bounded-space k-exclusion from reads and writes, 2013.
 *
 * Algorithm 1 is asked over each of the four timestamp systems. Two processes are explored in all runs, over the linear
 * timestamps with --full only, and without it going through once each; three go through once each, with --full.
 */
#include "claims/afek94.h"

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static uint64_t none(unsigned n)
{
    (void)n;
    return 0;
}

static uint64_t nine(unsigned n)
{
    (void)n;
    return 9;
}

/* Compete, Ignore, Order<, Allow and both cells of Discover for each ordered pair, and Reveal. */
static uint64_t flags(unsigned n)
{
    return 6 * n * (n - 1) + n;
}

/* With what the linear timestamps need. */
static uint64_t bits_with_linear(unsigned n)
{
    return flags(n) + 3 * n * (n - 1) * (n + 2);
}

/* Line 13; both cells, and Compete, for each other. */
static uint64_t exit_steps(unsigned n)
{
    return 1 + 3 * (n - 1);
}

/* Lines 1, 2, 7 and 8 for each other; line 4, whose longest way is 2 + 3 + 4 + 2 + 2 steps; line 5. */
#define DOORWAY_WITH(system)                                                                                           \
    static uint64_t doorway_with_##system(unsigned n)                                                                  \
    {                                                                                                                  \
        return 17 * (n - 1) + 1 + label_of_##system(n) + scan_of_##system(n);                                          \
    }
DOORWAY_WITH(ideal)
DOORWAY_WITH(unbounded)
DOORWAY_WITH(snapshot)
DOORWAY_WITH(linear)

/* From when somebody allows it: what is left of line 11b, all of 11a and 11b, and line 12. */
static uint64_t steps_when_allowed(unsigned n)
{
    return (3 + 5 + 3 + 1) * (n - 1);
}

/* Of a fit to samples, in percent. */
static uint64_t a_tenth(unsigned n)
{
    (void)n;
    return 10;
}

/* --- Observations ------------------------------------------------------------------------------------------------- */

static const struct announcement compete = {
    {"Compete up from 1 to 15", ask_up_between, PROPERTIES, NULL, "Compete", 0}, "1", "15", ""};
static const struct announcement ignore = {{"Ignore up from 2 to 8", ask_up_between, PROPERTIES, NULL, "Ignore", 0},
                                           "2",
                                           "8",
                                           "1|11(a)i|11(a)ii|11b|11(b)i|12|13|14a|14b|15"};
static const struct announcement reveal = {
    {"Reveal up from 5 to 13", ask_up_between, PROPERTIES, NULL, "Reveal", 0},
    "5",
    "13",
    "1|2|Label|Label: read|Label: write|4|4a|4b|4c|4d|4e|4f|4(f)i|4(f)ii|14a|14b|15"};

/* --- settings ----------------------------------------------------------------------------------------------------- */

#define WITH_IDEAL(from, to, ...) .algorithm = "zehavi/ideal", .n = {2, 2}, .k = {from, to}, __VA_ARGS__
#define WITH_UNBOUNDED(from, to, ...) .algorithm = "zehavi/unbounded", .n = {2, 2}, .k = {from, to}, __VA_ARGS__
#define WITH_SNAPSHOT(from, to, ...) .algorithm = "zehavi/snapshot", .n = {2, 2}, .k = {from, to}, __VA_ARGS__
#define WITH_LINEAR(from, to, ...)                                                                                     \
    .algorithm = "zehavi/linear", .n = {2, 2}, .k = {from, to}, .passages = 1, __VA_ARGS__
#define WITH_LINEAR_FULL(from, to, ...)                                                                                \
    .algorithm = "zehavi/linear", .n = {2, 2}, .k = {from, to}, .full_from = 2, __VA_ARGS__
#define WITH_THREE(slots, ...)                                                                                         \
    .algorithm = "zehavi/ideal", .n = {3, 3}, .k = {slots, slots}, .passages = 1, .full_from = 3, __VA_ARGS__
#define OVER_EACH(from, to, ...)                                                                                       \
    {WITH_IDEAL(from, to, __VA_ARGS__)}, {WITH_UNBOUNDED(from, to, __VA_ARGS__)},                                      \
        {WITH_SNAPSHOT(from, to, __VA_ARGS__)}, {WITH_LINEAR(from, to, __VA_ARGS__)},                                  \
    {                                                                                                                  \
        WITH_LINEAR_FULL(from, to, __VA_ARGS__)                                                                        \
    }

/* The same of local spinning, in both models. */
#define SPINS_LOCALLY P(LOCAL_SPIN_CC) | P(LOCAL_SPIN_DSM)

/* Counted in single runs. */
#define COUNTED(id, model, processes, ...)                                                                             \
    {                                                                                                                  \
        .algorithm = id, .n = {processes, processes}, .k = {2, 2}, .calculation = &references_counted, .other = model, \
        __VA_ARGS__                                                                                                    \
    }
#define COUNTED_FOR_ALL(id, model, ...)                                                                                \
    COUNTED(id, model, 4, __VA_ARGS__), COUNTED(id, model, 8, __VA_ARGS__), COUNTED(id, model, 11, __VA_ARGS__)

/* A mutant of Algorithm 1. */
#define WITHOUT(name, what, published_, asked)                                                                         \
    {                                                                                                                  \
        .where = "Section IV", .says = what, .published = published_, .algorithm = "zehavi/ideal:" name, .n = {2, 2},  \
        .k = {1, 1}, .properties = P(asked)                                                                            \
    }

static const struct statement statements[] = {
    /* --- III ------------------------------------------------------------------------------------------------------ */
    {.where = "Section III",
     .says = "the Bakery Algorithm",
     .note = "the text of section III is that of the catalogue's bakery",
     .algorithm = "bakery",
     .n = {2, 3},
     .properties = P(EXCLUSION) | P(LOCKOUT_FREEDOM) | P(FCFS)},
    {.where = "Section III",
     .says = "the Bakery Algorithm is not local-spin in DSM",
     .published = DENIED,
     .algorithm = "bakery",
     .n = {2, 2},
     .properties = P(LOCAL_SPIN_DSM)},
    {.where = "Section III",
     .says = "the Bakery Algorithm is not local-spin in CC",
     .published = DENIED,
     .algorithm = "bakery",
     .n = {2, 2},
     .properties = P(LOCAL_SPIN_CC)},
#define OF_TIMESTAMPS(words, asked)                                                                                    \
    {.where = "Section III",                                                                                           \
     .says = "sample, violations: " words,                                                                             \
     .published = UNSAID,                                                                                              \
     .n = {3, 8},                                                                                                      \
     .history = {.system = "linear", .property = asked}},                                                              \
    {                                                                                                                  \
        .where = "Section III", .says = "sample, violations: " words, .published = UNSAID, .n = {3, 8}, .history = {   \
            .system = "snapshot",                                                                                      \
            .property = asked                                                                                          \
        }                                                                                                              \
    }
    OF_TIMESTAMPS("Scans agree about those outside Label", SCANS_AGREE),
    OF_TIMESTAMPS("who was ordered before stays before", SCANS_LAST),
    OF_TIMESTAMPS("Property 1", PROPOSITION_1),
    OF_TIMESTAMPS("Property 2", PROPOSITION_4),

/* --- V -------------------------------------------------------------------------------------------------------- */
#define OBSERVED(where_, says_, observation)                                                                           \
    {WITH_IDEAL(1, 2, .where = where_, .says = says_, .judge = &observation.judge)},                                   \
    {                                                                                                                  \
        WITH_UNBOUNDED(1, 2, .where = where_, .says = says_, .judge = &observation.judge)                              \
    }
    OBSERVED("Observation 1", "Compete[p][i]: from line 1 to line 15", compete),
    OBSERVED("Observation 2", "Ignore[p][i]: from line 2 to line 8", ignore),
    OBSERVED("Observation 3", "Reveal[p]: from line 5 to line 13", reveal),
    {.where = "Lemma 1",
     .says = "O(n^2) boolean variables beside the timestamps",
     .algorithm = "zehavi/linear",
     .n = {3, 11},
     .k = {1, 1},
     .quantity = &boolean_variables,
     .bound = flags},
    {.where = "Lemma 1",
     .says = "bounded space: bits in all, with linear timestamps",
     .algorithm = "zehavi/linear",
     .n = {2, 11},
     .k = {1, 1},
     .quantity = &bits_in_all,
     .bound = bits_with_linear},
    OVER_EACH(1, 2, .where = "Lemma 2", .says = "bounded exit", .properties = P(BOUNDED_EXIT), .bound = exit_steps),
    {WITH_THREE(2, .where = "Lemma 2", .says = "bounded exit", .properties = P(BOUNDED_EXIT), .bound = exit_steps)},
    {WITH_IDEAL(1, 2, .where = "Section I", .says = "the doorway is bounded", .properties = P(BOUNDED_DOORWAY),
                .bound = doorway_with_ideal, .at_most = true)},
    {WITH_UNBOUNDED(1, 2, .where = "Section I", .says = "the doorway is bounded", .properties = P(BOUNDED_DOORWAY),
                    .bound = doorway_with_unbounded, .at_most = true)},
    {WITH_SNAPSHOT(1, 2, .where = "Section I", .says = "the doorway is bounded", .properties = P(BOUNDED_DOORWAY),
                   .bound = doorway_with_snapshot, .at_most = true)},
    {WITH_LINEAR(1, 2, .where = "Section I", .says = "the doorway is bounded", .properties = P(BOUNDED_DOORWAY),
                 .bound = doorway_with_linear, .at_most = true)},
    {WITH_LINEAR_FULL(1, 2, .where = "Section I", .says = "the doorway is bounded", .properties = P(BOUNDED_DOORWAY),
                      .bound = doorway_with_linear, .at_most = true)},
    OVER_EACH(1, 1, .where = "Lemma 3", .says = "who finds itself discovered was revealed before",
              .judge = &discovered_since_revealed),
    OVER_EACH(1, 1, .where = "Lemma 3", .says = "and stays discovered until it leaves", .judge = &stays_discovered),
    {WITH_THREE(2, .where = "Lemma 3", .says = "who finds itself discovered was revealed before",
                .judge = &discovered_since_revealed)},
    {WITH_THREE(2, .where = "Lemma 3", .says = "and stays discovered until it leaves", .judge = &stays_discovered)},
    OVER_EACH(1, 2, .where = "Lemma 4", .says = "k-exclusion", .properties = P(EXCLUSION)),
    OVER_EACH(2, 2, .where = "Lemma 4", .says = "k-exclusion, with a crash", .behaviours = CRASH,
              .properties = P(EXCLUSION)),
    {WITH_THREE(2, .where = "Lemma 4", .says = "k-exclusion", .properties = P(EXCLUSION))},
    OVER_EACH(2, 2, .where = "Lemma 5", .says = "first in, first enabled in O(n) steps", .properties = P(FIFE),
              .bound = steps_when_allowed, .at_most = true),
    OVER_EACH(1, 1, .where = "Lemma 5", .says = "for k = 1, first come, first served", .properties = P(FCFS)),
    {WITH_THREE(2, .where = "Lemma 5", .says = "first in, first enabled in O(n) steps", .properties = P(FIFE),
                .bound = steps_when_allowed, .at_most = true)},
    OVER_EACH(2, 2, .where = "Lemma 5", .says = "Definition 5.1 of afek94: strong first in, first enabled",
              .published = UNSAID, .properties = P(STRONG_FIFE)),
    {WITH_THREE(2, .where = "Lemma 5", .says = "Definition 5.1 of afek94: strong first in, first enabled",
                .published = UNSAID, .properties = P(STRONG_FIFE))},
    OVER_EACH(1, 2, .where = "Lemma 5", .says = "nobody is overtaken", .properties = P(OVERTAKING), .bound = none),
    OVER_EACH(1, 2, .where = "Lemma 6", .says = "starvation freedom", .properties = P(LOCKOUT_FREEDOM)),
    OVER_EACH(2, 2, .where = "Lemma 6", .says = "starvation freedom, with k - 1 crashes", .behaviours = CRASH,
              .properties = P(LOCKOUT_FREEDOM)),
    {WITH_THREE(2, .where = "Lemma 6", .says = "starvation freedom", .properties = P(LOCKOUT_FREEDOM))},
    {WITH_IDEAL(1, 2, .where = "Lemma 7", .says = "remote references are bounded", .properties = SPINS_LOCALLY)},
    {WITH_UNBOUNDED(1, 2, .where = "Lemma 7", .says = "remote references are bounded", .properties = SPINS_LOCALLY)},
    {WITH_SNAPSHOT(1, 2, .where = "Lemma 7", .says = "remote references are bounded", .properties = SPINS_LOCALLY)},
    {WITH_LINEAR(1, 2, .where = "Lemma 7", .says = "remote references are bounded", .properties = SPINS_LOCALLY)},
    {WITH_LINEAR_FULL(1, 2, .where = "Lemma 7", .says = "remote references are bounded", .properties = SPINS_LOCALLY)},
    {WITH_IDEAL(1, 1, .where = "Lemma 7", .says = "at most nine writes to Discover[i][p] while p waits",
                .quantity = &discovery_writes, .bound = nine, .at_most = true)},
    {WITH_UNBOUNDED(1, 1, .where = "Lemma 7", .says = "at most nine writes to Discover[i][p] while p waits",
                    .quantity = &discovery_writes, .bound = nine, .at_most = true)},
    COUNTED_FOR_ALL("zehavi/linear", "cc", .where = "Lemma 7", .says = "sample: most references of a passage",
                    .published = UNSAID),
    COUNTED_FOR_ALL("zehavi/linear", "dsm", .where = "Lemma 7", .says = "sample: most references of a passage",
                    .published = UNSAID),
    {.where = "Lemma 7",
     .says = "sample: references grow along a line",
     .published = UNSAID,
     .algorithm = "zehavi/linear",
     .n = {11, 11},
     .k = {2, 2},
     .calculation = &references_grow,
     .other = "cc",
     .bound = a_tenth,
     .at_most = true},
    {.where = "Lemma 7",
     .says = "sample: references grow along a line",
     .published = UNSAID,
     .algorithm = "zehavi/linear",
     .n = {11, 11},
     .k = {2, 2},
     .calculation = &references_grow,
     .other = "dsm",
     .bound = a_tenth,
     .at_most = true},

    /* --- IV: the mechanism, and what is needed -------------------------------------------------------------------- */
    WITHOUT("one_cell", "one cell of Discover is not enough", DENIED, EXCLUSION),
    WITHOUT("no_discover", "Discover is needed in line 11a", DENIED, EXCLUSION),
    WITHOUT("no_discover_allow", "Discover is needed in line 11b", DENIED, EXCLUSION),
    WITHOUT("looks_once", "line 4e must look again", UNSAID, EXCLUSION),
    WITHOUT("leaves_traces", "line 14: traces must be deleted", DENIED, EXCLUSION),
    WITHOUT("always_revealed", "Reveal is needed", DENIED, EXCLUSION),
    WITHOUT("stays_revealed", "line 13 must come before line 14", UNSAID, EXCLUSION),
    WITHOUT("reveals_late", "line 5 must come before line 6", UNSAID, LOCKOUT_FREEDOM),
    WITHOUT("no_ignore", "Ignore is needed", DENIED, EXCLUSION),
    WITHOUT("ignore_late", "line 2 must come before line 4", UNSAID, EXCLUSION),
    WITHOUT("ignore_too_short", "line 8 must come after line 7", UNSAID, EXCLUSION),
    WITHOUT("no_compete", "Compete is needed", DENIED, LOCKOUT_FREEDOM),
    WITHOUT("competes_late", "line 1 must come before line 3", UNSAID, EXCLUSION),
    WITHOUT("keeps_allowing", "line 4c: what was allowed must be cancelled", DENIED, EXCLUSION),
#define FROM_TWO_INSIDE(name, what, published_, ...)                                                                   \
    {                                                                                                                  \
        .where = "Section IV", .says = what, .published = published_, .led_to = "from where two are in, one waits",    \
        .steps = "0*54 1*52 2*44", .algorithm = "zehavi/ideal:" name, .n = {4, 4}, .k = {2, 2},                        \
        .passages_of = {__VA_ARGS__}, .properties = P(FIFE)                                                            \
    }
    FROM_TWO_INSIDE("no_allow", "Allow is needed", DENIED, 1, 1, 1, 1),
    FROM_TWO_INSIDE("always_anew", "line 4: discoveries that stand must stay", UNSAID, 1, 1, 1, 2),
    WITHOUT("no_order", "Order< is needed", DENIED, LOCKOUT_FREEDOM),
    WITHOUT("label_late", "line 3 must come before line 4", UNSAID, LOCKOUT_FREEDOM),

    /* --- Table I, and section II ---------------------------------------------------------------------------------- */
    {.where = "Table I",
     .says = "[5]: local-spin in CC",
     .algorithm = "peterson",
     .n = {2, 3},
     .k = {1, 2},
     .properties = P(LOCAL_SPIN_CC)},
    {.where = "Table I",
     .says = "[5]: not local-spin in DSM",
     .published = DENIED,
     .algorithm = "peterson",
     .n = {3, 3},
     .k = {1, 2},
     .properties = P(LOCAL_SPIN_DSM)},
    {.where = "Table I",
     .says = "[5]: not starvation-free",
     .published = DENIED,
     .algorithm = "peterson",
     .n = {3, 3},
     .k = {2, 2},
     .behaviours = CRASH,
     .properties = P(LOCKOUT_FREEDOM)},
    {.where = "Table I",
     .says = "[5]: not first in, first enabled",
     .published = DENIED,
     .algorithm = "peterson",
     .n = {4, 4},
     .k = {2, 2},
     .properties = P(FIFE)},
#define NOT_LOCAL(words, id, asked)                                                                                    \
    {                                                                                                                  \
        .where = "Section II", .says = words, .published = DENIED, .algorithm = id, .n = {3, 3}, .k = {2, 2},          \
        .properties = P(asked)                                                                                         \
    }
    NOT_LOCAL("[11] is not local-spin in DSM", "queue", LOCAL_SPIN_DSM),
    NOT_LOCAL("[11] is not local-spin in CC", "queue", LOCAL_SPIN_CC),
    NOT_LOCAL("[11] is not local-spin in DSM", "colored_ticket", LOCAL_SPIN_DSM),
    NOT_LOCAL("[11] is not local-spin in CC", "colored_ticket", LOCAL_SPIN_CC),
    NOT_LOCAL("[3] is not local-spin in DSM", "afek/ideal", LOCAL_SPIN_DSM),
    NOT_LOCAL("[3] is not local-spin in CC", "afek/ideal", LOCAL_SPIN_CC),
    NOT_LOCAL("[3] is not local-spin in DSM", "afek/unbounded", LOCAL_SPIN_DSM),
    COUNTED("afek/linear", "dsm", 4, .where = "Section IV", .says = "[3]: each Scan costs, and a wait scans for ever",
            .published = DENIED),
    COUNTED("afek/linear", "cc", 4, .where = "Section IV", .says = "[3]: each Scan costs, and a wait scans for ever",
            .published = DENIED),
    COUNTED("afek/linear", "dsm", 11, .where = "Section IV", .says = "[3]: each Scan costs, and a wait scans for ever",
            .published = DENIED),
    COUNTED("afek/linear", "cc", 11, .where = "Section IV", .says = "[3]: each Scan costs, and a wait scans for ever",
            .published = DENIED),
};

static const struct chapter all = {statements, sizeof statements / sizeof statements[0]};

const struct paper zehavi13 = {.id = "zehavi13",
                               .cited = "Zehavi 2013",
                               .title = "Zehavi, bounded-space k-exclusion from reads and writes, 2013",
                               .chapters = {&all}};
