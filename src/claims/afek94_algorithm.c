/* SPDX-License-Identifier: MIT
 *
 * What Afek et al. (1994) say of l-exclusion and of their algorithm, Figure 2; see afek94.c.
 *
 * All runs of two and three processes over the ideal and the unbounded timestamps, and of two over the snapshot and the
 * linear ones.
 */
#include "claims/afek94.h"

/* --- step counts -------------------------------------------------------------------------------------------------- */

/* Doorway: x, Label, then a look at every other x. Exit: x, Label. Two passes of the waiting room, each a look at the x
 * in S and a Scan. */
#define STEPS_WITH(system)                                                                                             \
    static uint64_t doorway_with_##system(unsigned n)                                                                  \
    {                                                                                                                  \
        return 1 + label_of_##system(n) + n - 1;                                                                       \
    }                                                                                                                  \
    static uint64_t exit_with_##system(unsigned n)                                                                     \
    {                                                                                                                  \
        return 1 + label_of_##system(n);                                                                               \
    }                                                                                                                  \
    static uint64_t two_passes_with_##system(unsigned n)                                                               \
    {                                                                                                                  \
        return 2 * (n + scan_of_##system(n));                                                                          \
    }
STEPS_WITH(ideal)
STEPS_WITH(unbounded)
STEPS_WITH(snapshot)
STEPS_WITH(linear)

static uint64_t none(unsigned n)
{
    (void)n;
    return 0;
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

/* The same sentence over each timestamp system, for these l. */
#define WITH_IDEAL(from, to, ...) .algorithm = "afek/ideal", .n = {2, 3}, .k = {from, to}, __VA_ARGS__
#define WITH_UNBOUNDED(from, to, ...) .algorithm = "afek/unbounded", .n = {2, 3}, .k = {from, to}, __VA_ARGS__
#define WITH_SNAPSHOT(from, to, ...) .algorithm = "afek/snapshot", .n = {2, 2}, .k = {from, to}, __VA_ARGS__
#define WITH_LINEAR(from, to, ...) .algorithm = "afek/linear", .n = {2, 2}, .k = {from, to}, __VA_ARGS__
#define OVER_EACH(from, to, ...)                                                                                       \
    {WITH_IDEAL(from, to, __VA_ARGS__)}, {WITH_UNBOUNDED(from, to, __VA_ARGS__)},                                      \
        {WITH_SNAPSHOT(from, to, __VA_ARGS__)},                                                                        \
    {                                                                                                                  \
        WITH_LINEAR(from, to, __VA_ARGS__)                                                                             \
    }
/* With a bound that depends on the system. */
#define OVER_EACH_WITHIN(bound_, from, to, ...)                                                                        \
    {WITH_IDEAL(from, to, .bound = bound_##_with_ideal, .at_most = true, __VA_ARGS__)},                                \
        {WITH_UNBOUNDED(from, to, .bound = bound_##_with_unbounded, .at_most = true, __VA_ARGS__)},                    \
        {WITH_SNAPSHOT(from, to, .bound = bound_##_with_snapshot, .at_most = true, __VA_ARGS__)},                      \
    {                                                                                                                  \
        WITH_LINEAR(from, to, .bound = bound_##_with_linear, .at_most = true, __VA_ARGS__)                             \
    }

/* A mutant of Figure 2: what it drops, and what becomes of it. */
#define WITHOUT(name, what, processes, slots, often, published_, asked)                                                \
    {                                                                                                                  \
        .where = "Figure 2", .says = what, .published = published_, .algorithm = name, .n = {processes, processes},    \
        .k = {slots, slots}, .passages = often, .properties = P(asked)                                                 \
    }

static const struct statement statements[] = {
    /* --- 2 -------------------------------------------------------------------------------------------------------- */
    {.where = "Section 2",
     .says = "whoever is first come, first served",
     .note = "bakery as an algorithm for l = 2: it lets in even fewer",
     .algorithm = "bakery",
     .n = {3, 3},
     .k = {2, 2},
     .behaviours = CRASH,
     .properties = P(FCFS)},
    {.where = "Section 2",
     .says = "is locked out by one crash, and so for l > 1 no l-exclusion",
     .published = DENIED,
     .note = "bakery as an algorithm for l = 2: it lets in even fewer",
     .algorithm = "bakery",
     .n = {3, 3},
     .k = {2, 2},
     .behaviours = CRASH,
     .properties = P(LOCKOUT_FREEDOM)},
    OVER_EACH(2, 2, .where = "Section 2", .says = "conversely, for l > 1: no lockout, so not first come, first served",
              .published = DENIED, .properties = P(FCFS)),
    OVER_EACH(1, 1, .where = "Section 2", .says = "for l = 1, first in, first enabled means first come, first served",
              .properties = P(FCFS)),
    OVER_EACH(1, 2, .where = "Section 2", .says = "an enabled process remains enabled until it enters",
              .enabled_judge = &stays_enabled),
    OVER_EACH(1, 2, .where = "Section 2", .says = "first in, first enabled is 0-overtaking",
              .properties = P(OVERTAKING), .bound = none),

    /* --- 3.2, 4 --------------------------------------------------------------------------------------------------- */
    OVER_EACH_WITHIN(doorway, 1, 2, .where = "Section 2", .says = "the doorway: x, a Label, the others' x",
                     .properties = P(BOUNDED_DOORWAY)),
    OVER_EACH_WITHIN(exit, 1, 2, .where = "Figure 2", .says = "the exit: x, a Label", .properties = P(BOUNDED_EXIT)),
    OVER_EACH(1, 2, .where = "Lemma 4.1", .says = "l-exclusion", .properties = P(EXCLUSION)),
    OVER_EACH(2, 2, .where = "Lemma 4.1", .says = "l-exclusion, with a crash", .behaviours = CRASH,
              .properties = P(EXCLUSION)),
    {.where = "Lemma 4.2",
     .says = "Test does not grow",
     .note = "in this variant of afek/ideal, whose Test grows waits for ever",
     .algorithm = "test:watched_ideal",
     .n = {2, 3},
     .k = {1, 2},
     .properties = P(LOCKOUT_FREEDOM)},
    {.where = "Lemma 4.2",
     .says = "Test does not grow",
     .note = "in this variant of afek/unbounded, whose Test grows waits for ever",
     .algorithm = "test:watched_unbounded",
     .n = {2, 3},
     .k = {1, 2},
     .properties = P(LOCKOUT_FREEDOM)},
    {.where = "Lemma 4.2",
     .says = "Test does not grow",
     .note = "in this variant of afek/snapshot, whose Test grows waits for ever",
     .algorithm = "test:watched_snapshot",
     .n = {2, 2},
     .k = {1, 1},
     .properties = P(LOCKOUT_FREEDOM)},
    {.where = "Lemma 4.2",
     .says = "Test does not grow",
     .note = "in this variant of afek/linear, whose Test grows waits for ever",
     .algorithm = "test:watched_linear",
     .n = {2, 2},
     .k = {1, 1},
     .properties = P(LOCKOUT_FREEDOM)},
    OVER_EACH(1, 2, .where = "Lemma 4.3", .says = "l-lockout avoidance", .properties = P(LOCKOUT_FREEDOM)),
    OVER_EACH(2, 2, .where = "Lemma 4.3", .says = "l-lockout avoidance, with l - 1 crashes", .behaviours = CRASH,
              .properties = P(LOCKOUT_FREEDOM)),
    OVER_EACH_WITHIN(two_passes, 2, 2, .where = "Lemma 4.4", .says = "first in, first enabled: at most two more passes",
                     .properties = P(FIFE)),
    OVER_EACH_WITHIN(two_passes, 2, 2, .where = "Lemma 4.4",
                     .says = "first in, first enabled: at most two more passes, with a crash", .behaviours = CRASH,
                     .properties = P(FIFE)),

    {WITH_IDEAL(1, 2, .where = "Figure 2", .says = "for all j in any order", .any_order = true,
                .properties = P(EXCLUSION) | P(LOCKOUT_FREEDOM) | P(BOUNDED_DOORWAY))},
    {WITH_IDEAL(2, 2, .where = "Figure 2", .says = "for all j in any order", .any_order = true, .properties = P(FIFE))},
    {WITH_UNBOUNDED(1, 2, .where = "Figure 2", .says = "for all j in any order", .any_order = true, .full_from = 3,
                    .properties = P(EXCLUSION) | P(LOCKOUT_FREEDOM) | P(BOUNDED_DOORWAY))},
    {WITH_UNBOUNDED(2, 2, .where = "Figure 2", .says = "for all j in any order", .any_order = true, .full_from = 3,
                    .properties = P(FIFE))},

    /* --- 5 -------------------------------------------------------------------------------------------------------- */
    {WITH_UNBOUNDED(2, 2, .where = "Definition 5.1", .says = "stronger: whoever is enabled, those before it are",
                    .behaviours = NORMALLY | CRASH, .properties = P(STRONG_FIFE))},
    {WITH_IDEAL(2, 2, .where = "Definition 5.1", .says = "stronger: whoever is enabled, those before it are",
                .published = UNSAID, .behaviours = NORMALLY | CRASH, .properties = P(STRONG_FIFE))},
    {WITH_SNAPSHOT(2, 2, .where = "Definition 5.1", .says = "open: the same over snapshot timestamps",
                   .published = UNSAID, .behaviours = NORMALLY | CRASH, .properties = P(STRONG_FIFE))},
    {WITH_LINEAR(2, 2, .where = "Definition 5.1", .says = "open: the same over linear timestamps", .published = UNSAID,
                 .behaviours = NORMALLY | CRASH, .properties = P(STRONG_FIFE))},
    {.where = "Definition 5.1",
     .says = "the same with four processes",
     .published = UNSAID,
     .algorithm = "afek/ideal",
     .n = {4, 4},
     .k = {2, 3},
     .full_from = 4,
     .passages = 1,
     .properties = P(STRONG_FIFE) | P(FIFE)},

    /* --- what is needed ------------------------------------------------------------------------------------------- */
    WITHOUT("afek/ideal:no_first_label", "line 2 is needed", 2, 1, 0, UNSAID, EXCLUSION),
    WITHOUT("afek/ideal:labels_first", "line 2 must come after line 1", 2, 1, 0, DENIED, EXCLUSION),
    WITHOUT("afek/ideal:looks_first", "line 4 must come after line 2", 2, 1, 0, DENIED, EXCLUSION),
    WITHOUT("afek/unbounded:labels_first", "line 2 must come after line 1", 2, 1, 0, DENIED, EXCLUSION),
    WITHOUT("afek/snapshot:labels_first", "line 2 must come after line 1", 2, 1, 0, DENIED, EXCLUSION),
    WITHOUT("afek/linear:labels_first", "line 2 must come after line 1", 2, 1, 1, DENIED, EXCLUSION),
    WITHOUT("afek/ideal:no_set", "S, the set of lines 3 and 4, is needed", 4, 2, 1, UNSAID, FIFE),
    WITHOUT("afek/ideal:no_second_look", "line 6 is needed", 4, 2, 1, UNSAID, FIFE),
    {.where = "Figure 2",
     .says = "line 12, the second Label, is needed",
     .published = DENIED,
     .led_to = "from where one has seen two",
     .steps = "3*3 2*4 3*2 0*5",
     .algorithm = "afek/ideal:no_second_label",
     .n = {4, 4},
     .k = {2, 2},
     .passages_of = {1, 1, 2, 2},
     .properties = P(FIFE)},
    {.where = "Figure 2",
     .says = "without line 12, fewer processes",
     .published = UNSAID,
     .algorithm = "afek/ideal:no_second_label",
     .n = {2, 3},
     .k = {1, 2},
     .properties = P(EXCLUSION) | P(LOCKOUT_FREEDOM)},
    WITHOUT("test:watched_ideal:no_second_label", "line 12: without it Test can grow", 3, 1, 0, DENIED,
            LOCKOUT_FREEDOM),
};

const struct chapter afek94_algorithm = {statements, sizeof statements / sizeof statements[0]};
