/* SPDX-License-Identifier: MIT
 *
 * What Afek et al. (1994) say of concurrent timestamp systems, in section 3.1; see afek94.c.
 *
 * Definition 3.1 is asked in every interleaving of some plans (L a Label, S a Scan, processes separated by slashes) and
 * of random runs, as is each part of Proposition 3.1. Rows about random runs are samples: they count violations.
 */
#include "claims/afek94.h"

/* Every interleaving of a plan; those that take longer only with --full. */
#define PLAN(processes, system_, plan_)                                                                                \
    {                                                                                                                  \
        .where = "Definition 3.1", .says = "its histories are those of the unbounded system, in all runs of a plan",   \
        .n = {processes, processes}, .history = {                                                                      \
            .system = system_,                                                                                         \
            .plan = plan_                                                                                              \
        }                                                                                                              \
    }
#define LONG_PLAN(processes, system_, plan_)                                                                           \
    {                                                                                                                  \
        .where = "Definition 3.1", .says = "its histories are those of the unbounded system, in all runs of a plan",   \
        .n = {processes, processes}, .full_from = 2, .history = {                                                      \
            .system = system_,                                                                                         \
            .plan = plan_                                                                                              \
        }                                                                                                              \
    }

/* Proposition 3.1 in every schedule of a plan, of systems whose histories are all that can be seen. */
#define VERIFIED(processes, system_, plan_, where_, says_, asked)                                                      \
    {                                                                                                                  \
        .where = where_, .says = says_, .n = {processes, processes}, .history = {                                      \
            .system = system_,                                                                                         \
            .plan = plan_,                                                                                             \
            .property = asked                                                                                          \
        }                                                                                                              \
    }
#define VERIFIED_FOR_THREE(plan, where, says, property)                                                                \
    VERIFIED(3, "unbounded", plan, where, says, property), VERIFIED(3, "ideal", "LSS/LSS/LS", where, says, property)
#define VERIFIED_FOR_TWO(where, says, property) VERIFIED(2, "unbounded", "LSS/LSS", where, says, property)

/* Random runs of each system. */
#define SAMPLE(system_, from, to, where_, says_, property_)                                                            \
    {                                                                                                                  \
        .where = where_, .says = "sample, violations: " says_, .published = UNSAID, .n = {from, to}, .history = {      \
            .system = system_,                                                                                         \
            .property = property_                                                                                      \
        }                                                                                                              \
    }
#define SAMPLES(where, says, property)                                                                                 \
    SAMPLE("unbounded", 3, 5, where, says, property), SAMPLE("ideal", 3, 4, where, says, property),                    \
        SAMPLE("snapshot", 3, 8, where, says, property), SAMPLE("linear", 3, 8, where, says, property)

/* --- numbers ------------------------------------------------------------------------------------------------------ */

/* Of construction S: R[i], a label, a view and the handshake bits; and Q[i]. */
static uint64_t bits_of_snapshot(unsigned n)
{
    return 3 * (n - 1) * (n + 1) + n + (n - 1) + 1;
}

static uint64_t register_of_snapshot(unsigned n)
{
    return 3 * (n - 1) * (n + 1) + n;
}

/* Of construction U, with the flag x. */
static uint64_t bits_of_linear(unsigned n)
{
    return 3 * (n - 1) * (n + 2) + 1;
}

static uint64_t register_of_linear(unsigned n)
{
    return 3 * (n - 1);
}

static const struct statement statements[] = {
    {.where = "Section 3.1",
     .says = "the example of order() is (2, 3, 1, 4)",
     .n = {4, 4},
     .calculation = &order_example},
    {.where = "Figure 1",
     .says = "as printed: whoever has the largest value need not write",
     .n = {2, 2},
     .history = {.system = "unbounded:as_printed", .plan = "LS/LS", .property = PROPOSITION_1}},

    PLAN(2, "snapshot", "LS/LS"),
    PLAN(2, "snapshot", "LLLL/LSLS"),
    PLAN(3, "snapshot", "LL/S/S"),
    PLAN(3, "snapshot", "L/L/L"),
    PLAN(3, "snapshot", "LS/L/S"),
    LONG_PLAN(3, "snapshot", "LS/LS/S"),
    PLAN(2, "linear", "LS/LS"),
    PLAN(2, "linear", "LLS/LLS"),
    PLAN(3, "linear", "LL/S/S"),
    PLAN(3, "linear", "L/L/S"),
    LONG_PLAN(2, "linear", "LLLL/LSLS"),
    LONG_PLAN(3, "linear", "L/L/L"),
    LONG_PLAN(3, "linear", "LS/L/S"),

    SAMPLES("Definition 3.1", "its histories are those of the unbounded system", DEFINITION),
    VERIFIED_FOR_TWO("Proposition 3.1 (1)", "j labels after i: Scans after that have i before j", PROPOSITION_1),
    VERIFIED_FOR_THREE("LS/LS/L", "Proposition 3.1 (1)", "j labels after i: Scans after that have i before j",
                       PROPOSITION_1),
    SAMPLES("Proposition 3.1 (1)", "j labels after i: Scans after that have i before j", PROPOSITION_1),
    VERIFIED_FOR_TWO("Proposition 3.1 (2)", "who is behind i in a Scan by i stays there until i labels", PROPOSITION_2),
    VERIFIED_FOR_THREE("SS/L/LS", "Proposition 3.1 (2)", "who is behind i in a Scan by i stays there until i labels",
                       PROPOSITION_2),
    SAMPLES("Proposition 3.1 (2)", "who is behind i in a Scan by i stays there until i labels", PROPOSITION_2),
    VERIFIED_FOR_THREE("LS/LS/L", "Proposition 3.1 (3)", "i labels before j, whom j has before k: i is before k",
                       PROPOSITION_3),
    SAMPLES("Proposition 3.1 (3)", "i labels before j, whom j has before k: i is before k", PROPOSITION_3),
    VERIFIED_FOR_TWO("Proposition 3.1 (4)", "of any set, somebody finds itself the last", PROPOSITION_4),
    VERIFIED_FOR_THREE("LS/LS/L", "Proposition 3.1 (4)", "of any set, somebody finds itself the last", PROPOSITION_4),
    SAMPLES("Proposition 3.1 (4)", "of any set, somebody finds itself the last", PROPOSITION_4),
    VERIFIED_FOR_TWO("Proposition 3.1 (5)", "of any set, somebody finds itself the first", PROPOSITION_5),
    VERIFIED_FOR_THREE("LS/LS/L", "Proposition 3.1 (5)", "of any set, somebody finds itself the first", PROPOSITION_5),
    SAMPLES("Proposition 3.1 (5)", "of any set, somebody finds itself the first", PROPOSITION_5),

    /* What the constructions here take. Those that the paper cites are others. */
    {.where = "Section 1",
     .says = "bounded: bits of each process, with snapshot timestamps",
     .published = UNSAID,
     .algorithm = "afek/snapshot",
     .n = {2, 4},
     .quantity = &bits_of_each,
     .bound = bits_of_snapshot},
    {.where = "Section 1",
     .says = "bounded: bits of each process, with linear timestamps",
     .note = "the paper has O(n) for the constructions that it cites; this one is another, with O(n^2)",
     .published = UNSAID,
     .algorithm = "afek/linear",
     .n = {2, 8},
     .quantity = &bits_of_each,
     .bound = bits_of_linear},
    {.where = "Section 3.1",
     .says = "footnote 3: labels and snapshots need registers of O(n^2) bits",
     .algorithm = "afek/snapshot",
     .n = {2, 4},
     .quantity = &largest_register,
     .bound = register_of_snapshot},
    {.where = "Section 3.1",
     .says = "footnote 3: registers of O(n) bits are enough",
     .algorithm = "afek/linear",
     .n = {2, 11},
     .quantity = &largest_register,
     .bound = register_of_linear},
};

const struct chapter afek94_timestamps = {statements, sizeof statements / sizeof statements[0]};
