/* SPDX-License-Identifier: MIT
 *
 * J. E. Burns, N. A. Lynch, Bounds on Shared Memory for Mutual Exclusion, Information and Computation 107, 1993.
 *
 * Global progress, of which the paper speaks, is deadlock-freedom together with a bounded exit (P2 in
 * docs/properties.md). Where a sentence is about reads in any order, for-all loops are explored in every order.
 */
#include "claims/claims.h"

static uint64_t n_itself(unsigned n)
{
    return n;
}

static uint64_t two_to_the_n(unsigned n)
{
    return UINT64_C(1) << n;
}

static uint64_t n_times_three_to_the_n(unsigned n)
{
    uint64_t result = n;
    for (unsigned factor = 0; factor < n; factor++)
        result *= 3;
    return result;
}

/* Fig. 1 and the proof of Theorem 4.1. */
static const struct judge flag_up_in_gateway = {
    "Flag is up in the gateway", ask_value_at_label, PROPERTIES, "Gateway", "Flag", true};
static const struct judge flag_down_in_subentry = {
    "Flag is down in the subentry", ask_value_at_label, PROPERTIES, "Subentry", "Flag", false};
static const struct judge flag_up_inside = {"Flag is up inside", ask_value_inside, PROPERTIES, NULL, "Flag", true};

static const struct statement statements[] = {
    {.where = "Section 1",
     .says = "Dijkstra's solution has n 3^n shared states",
     .algorithm = "test:dijkstra",
     .n = {2, 4},
     .full_from = 4,
     .quantity = &values_in_use,
     .bound = n_times_three_to_the_n,
     .note = "the paper counts what the variables can hold; here, what they do hold in some reachable state"},
    {.where = "Section 1",
     .says = "Dijkstra's solution: mutual exclusion with global progress",
     .algorithm = "test:dijkstra",
     .n = {2, 4},
     .full_from = 4,
     .properties = P(EXCLUSION) | P(DEADLOCK_FREEDOM)},
    {.where = "Section 1",
     .says = "the variables of the upper bound take on all their values",
     .algorithm = "burns_lynch",
     .n = {1, 6},
     .full_from = 6,
     .quantity = &values_in_use,
     .bound = two_to_the_n},
    {.where = "Section 1",
     .says = "the upper bound is not free of starvation",
     .published = DENIED,
     .algorithm = "burns_lynch",
     .n = {2, 5},
     .properties = P(LOCKOUT_FREEDOM)},
    {.where = "Section 4",
     .says = "found by Lamport as well: n bits suffice",
     .algorithm = "one_bit",
     .n = {1, 5},
     .quantity = &binary_variables,
     .bound = n_itself},
    {.where = "Section 4",
     .says = "reads in any order",
     .algorithm = "burns_lynch",
     .n = {1, 5},
     .any_order = true,
     .properties = P(EXCLUSION) | P(DEADLOCK_FREEDOM)},
    {.where = "Theorem 4.1",
     .says = "n binary shared variables",
     .algorithm = "burns_lynch",
     .n = {1, 7},
     .quantity = &binary_variables,
     .bound = n_itself},
    {.where = "Theorem 4.1",
     .algorithm = "burns_lynch",
     .n = {1, 7},
     .full_from = 6,
     .properties = P(EXCLUSION) | P(DEADLOCK_FREEDOM)},
    {.where = "Theorem 4.1",
     .says = "progress also on the way out",
     .algorithm = "burns_lynch",
     .n = {1, 6},
     .full_from = 6,
     .properties = P(BOUNDED_EXIT)},
    {.where = "Theorem 4.1",
     .says = "proof: the flag is up in the gateway",
     .algorithm = "burns_lynch",
     .n = {2, 5},
     .judge = &flag_up_in_gateway},
    {.where = "Theorem 4.1",
     .says = "proof: the flag is down in the subentry",
     .algorithm = "burns_lynch",
     .n = {2, 5},
     .judge = &flag_down_in_subentry},
    {.where = "Theorem 4.1",
     .says = "proof: the flag is up from its last raising to the critical region",
     .algorithm = "burns_lynch",
     .n = {2, 5},
     .judge = &flag_up_inside},
    {.where = "Section 5",
     .says = "every process writes before it enters",
     .algorithm = "burns_lynch",
     .n = {2, 5},
     .judge = &writes_before_entering},
    {.where = "Section 5",
     .says = "every process writes before it enters",
     .algorithm = "one_bit",
     .n = {2, 5},
     .judge = &writes_before_entering},
    {.where = "Section 5",
     .says = "every process writes before it enters",
     .algorithm = "bakery",
     .n = {2, 3},
     .judge = &writes_before_entering},
    {.where = "Section 5",
     .says = "every process writes before it enters",
     .algorithm = "test:dijkstra",
     .n = {2, 3},
     .judge = &writes_before_entering},
    {.where = "Theorem 5.1",
     .says = "n variables are nullified",
     .algorithm = "burns_lynch",
     .n = {2, 5},
     .calculation = &nullified_variables,
     .bound = n_itself},
    {.where = "Theorem 5.1",
     .says = "n variables are nullified",
     .algorithm = "one_bit",
     .n = {2, 5},
     .calculation = &nullified_variables,
     .bound = n_itself},
    {.where = "Theorem 5.1",
     .says = "n variables are nullified",
     .algorithm = "test:dijkstra",
     .n = {2, 4},
     .calculation = &nullified_variables,
     .bound = n_itself},
    {.where = "Section 6",
     .says = "p_0 is never locked out",
     .algorithm = "burns_lynch",
     .n = {2, 6},
     .full_from = 6,
     .judge = &first_is_never_locked_out},
    {.where = "Section 6",
     .says = "p_0 is never locked out, reads in any order",
     .algorithm = "burns_lynch",
     .n = {2, 4},
     .any_order = true,
     .judge = &first_is_never_locked_out},
    {.where = "Section 6",
     .says = "static priority: the last can be locked out",
     .published = DENIED,
     .algorithm = "burns_lynch",
     .n = {2, 5},
     .judge = &last_is_never_locked_out},
};

const struct paper bl93 = {.id = "bl93",
                           .title = "Burns, Lynch, Bounds on Shared Memory for Mutual Exclusion, 1993",
                           .statements = statements,
                           .count = sizeof statements / sizeof statements[0]};
