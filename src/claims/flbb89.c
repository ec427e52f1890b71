/* SPDX-License-Identifier: MIT
 *
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, ACM Transactions on Programming Languages and Systems 11, 1989.
 *
 * N is n here. The problem is stated for k < N, and section 5 assumes N >= k + 2. That a system solves the k-critical
 * section problem is k-exclusion, avoidance of k-deadlock and FIFO enabling together.
 */
#include "bounds/values.h"
#include "claims/claims.h"

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static uint64_t k_itself(unsigned n, unsigned k)
{
    (void)n;
    return k;
}

static uint64_t k_plus_one(unsigned n, unsigned k)
{
    (void)n;
    return k + 1;
}

static uint64_t n_minus_k(unsigned n, unsigned k)
{
    return n - k;
}

static uint64_t one(unsigned n, unsigned k)
{
    (void)n, (void)k;
    return 1;
}

/* k + 1 times those of the line: N + 1, for ISSUE - VALID is from -1 to N - 1. */
static uint64_t values_of_bank(unsigned n, unsigned k)
{
    return (uint64_t)(k + 1) * (n + 1);
}

/* binom(2k, k) */
static uint64_t values_of_quant(unsigned n, unsigned k)
{
    uint64_t result = 1;
    (void)n;
    for (unsigned factor = 1; factor <= k; factor++)
        result = result * (k + factor) / factor;
    return result;
}

/* binom(2k, k) ((k+1) M)^2, with M = 1 + max(k, N-k). */
static uint64_t values_of_colored(unsigned n, unsigned k)
{
    const uint64_t M = 1 + (k > n - k ? k : n - k);
    return values_of_quant(n, k) * (k + 1) * M * (k + 1) * M;
}

/* binom(2k, k) ((k+1) M)^2, with the M of footnote 2. */
static uint64_t values_of_small(unsigned n, unsigned k)
{
    const uint64_t M = k > n - k ? k : n - k;
    return values_of_quant(n, k) * (k + 1) * M * (k + 1) * M;
}

/* The same with a stack of free colors: k^k times as many. */
static uint64_t values_with_stack(unsigned n, unsigned k)
{
    uint64_t result = values_of_colored(n, k);
    for (unsigned factor = 0; factor < k; factor++)
        result *= k;
    return result;
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

/* N up to 5 and k up to 3, and with --full N = 6. With N = k + 1 nobody is in its remainder while another is T-waiting,
 * so that nothing can violate FIFO enabling, and nothing need be asked. */
#define FOR_ALL_SIZES .n = {2, 6}, .k = {1, 3}, .more = 1, .full_from = 6
#define FOR_LARGER_N .n = {3, 6}, .k = {1, 3}, .more = 2, .full_from = 6
#define FOR_SEVERAL_SLOTS .n = {3, 6}, .k = {2, 3}, .more = 1, .full_from = 6

#define SOLVES (P(EXCLUSION) | P(K_DEADLOCK_AVOIDANCE) | P(FIFO_ENABLING))

/* The same sentence, of the Queue Algorithm and of the three that simulate it. */
#define OF_TICKETS(...)                                                                                                \
    {.algorithm = "numbered_ticket", __VA_ARGS__}, {.algorithm = "unbounded_colored_ticket", __VA_ARGS__},             \
    {                                                                                                                  \
        .algorithm = "colored_ticket", __VA_ARGS__                                                                     \
    }
#define OF_ALL_FOUR(...) {.algorithm = "queue", __VA_ARGS__}, OF_TICKETS(__VA_ARGS__)

static const struct statement statements[] = {
    /* --- 1.3, 1.4 ------------------------------------------------------------------------------------------------- */
    {.where = "Section 1.3.1",
     .says = "the semaphore exhibits",
     .algorithm = "semaphore",
     FOR_ALL_SIZES,
     .properties = P(EXCLUSION) | P(K_DEADLOCK_AVOIDANCE)},
    {.where = "Section 1.3.1",
     .says = "COUNT is the correct count of those inside",
     .algorithm = "semaphore",
     FOR_ALL_SIZES,
     .enabled_judge = &counts_those_inside},
    {.where = "Section 1.3.1",
     .says = "so it has k + 1 values",
     .published = UNSAID,
     .algorithm = "semaphore",
     FOR_ALL_SIZES,
     .quantity = &values_in_use,
     .bound_of_k = k_plus_one},
    {.where = "Section 1.3.1",
     .says = "an individual process may be locked out",
     .published = DENIED,
     .algorithm = "semaphore",
     FOR_ALL_SIZES,
     .properties = P(LOCKOUT_FREEDOM)},
    {.where = "Section 1.3.1",
     .says = "no order in which processes enter",
     .published = DENIED,
     .algorithm = "semaphore",
     FOR_ALL_SIZES,
     .properties = P(FIFO_ENABLING)},
    {.where = "Section 1.3.2",
     .says = "the bank reduces k slots to one",
     .algorithm = "bank",
     FOR_ALL_SIZES,
     .properties = P(EXCLUSION)},
    {.where = "Section 1.3.2",
     .says = "shared values increase by a factor of k + 1",
     .algorithm = "bank",
     FOR_ALL_SIZES,
     .quantity = &bounded_values,
     .bound_of_k = k_plus_one},
    {.where = "Section 1.3.2",
     .says = "so no more than k + 1 times those of the line occur",
     .algorithm = "bank",
     FOR_ALL_SIZES,
     .quantity = &values_in_use,
     .bound_of_k = values_of_bank,
     .at_most = true,
     .note = "tickets are counted from the smaller of ISSUE and VALID"},
    {.where = "Section 1.3.2",
     .says = "the order of service is essentially FIFO",
     .algorithm = "bank",
     FOR_LARGER_N,
     .properties = P(FIFO_ENABLING)},
    {.where = "Section 1.3.2",
     .says = "with one teller nobody waits unnecessarily",
     .published = UNSAID,
     .algorithm = "bank",
     .n = {2, 6},
     .k = {1, 1},
     .more = 1,
     .full_from = 6,
     .properties = P(K_DEADLOCK_AVOIDANCE)},
    {.where = "Section 1.3.2",
     .says = "with k >= 2 tellers those behind the first are forced to wait",
     .published = DENIED,
     .algorithm = "bank",
     FOR_SEVERAL_SLOTS,
     .properties = P(K_DEADLOCK_AVOIDANCE)},
    {.where = "Section 1.3.2",
     .says = "one failure at the front ties up all of the system's resources",
     .published = DENIED,
     .algorithm = "bank",
     FOR_SEVERAL_SLOTS,
     .behaviours = CRASH,
     .properties = P(DEADLOCK_FREEDOM)},
    OF_ALL_FOUR(.where = "Section 1.4", .says = "robustness implies a violation of the usual FIFO ordering",
                .published = DENIED, FOR_SEVERAL_SLOTS, .properties = P(FCFS)),

    /* --- 2 -------------------------------------------------------------------------------------------------------- */
    OF_ALL_FOUR(.where = "Section 2.1", .says = "shared memory changes only on entry to trying and to the remainder",
                FOR_ALL_SIZES, .enabled_judge = &writes_at_the_ends),
    {.where = "Section 2.1",
     .says = "enabled when in one of the first k positions",
     .algorithm = "queue",
     FOR_ALL_SIZES,
     .enabled_judge = &first_k_are_enabled},
    OF_ALL_FOUR(.where = "Section 2.1", .says = "once enabled, it remains so until it leaves", FOR_ALL_SIZES,
                .enabled_judge = &stays_enabled),
    OF_ALL_FOUR(.where = "Section 2.1", .says = "enabled in the same order as they entered", FOR_LARGER_N,
                .properties = P(FIFO_ENABLING)),
    OF_ALL_FOUR(.where = "Section 2.1", .says = "nobody is locked out", FOR_ALL_SIZES,
                .properties = P(LOCKOUT_FREEDOM)),
    OF_ALL_FOUR(.where = "Section 2.1", .says = "nor with fewer than k failed", .n = {3, 6}, .k = {2, 2}, .more = 1,
                .behaviours = CRASH, .struck = 1, .full_from = 6, .properties = P(LOCKOUT_FREEDOM)),
    OF_ALL_FOUR(.where = "Section 2.1", .says = "nor with fewer than k failed", .n = {4, 5}, .k = {3, 3}, .more = 1,
                .behaviours = CRASH, .struck = 2, .full_from = 5, .properties = P(LOCKOUT_FREEDOM)),
    OF_TICKETS(.where = "Section 2.2", .says = "at any time exactly k tickets are valid", FOR_ALL_SIZES,
               .enabled_judge = &exactly_k_valid),
    OF_TICKETS(.where = "Section 2.2", .says = "k-exclusion is satisfied", FOR_ALL_SIZES, .properties = P(EXCLUSION)),
    OF_TICKETS(.where = "Section 2.2", .says = "simulates the Queue Algorithm", FOR_ALL_SIZES,
               .calculation = &equivalent_systems, .other = "queue"),
    OF_TICKETS(.where = "Section 2.4", .says = "VALID - ISSUE <= k", FOR_ALL_SIZES, .quantity = &valid_ahead,
               .bound_of_k = k_itself, .at_most = true),
    OF_TICKETS(.where = "Section 2.4", .says = "ISSUE - VALID <= N - k", FOR_ALL_SIZES, .quantity = &issue_ahead,
               .bound_of_k = n_minus_k, .at_most = true),
    OF_TICKETS(.where = "Section 2.4", .says = "footnote 3: ISSUE - VALID <= N - k - 1 before one enters",
               FOR_ALL_SIZES, .enabled_judge = &room_for_one_more),
    {.where = "Section 2.4",
     .says = "colors of VALID and ISSUE differ by at most 1",
     .algorithm = "unbounded_colored_ticket",
     FOR_ALL_SIZES,
     .quantity = &colors_apart,
     .bound_of_k = one,
     .at_most = true},
    {.where = "Section 2.4",
     .says = "simulates the Numbered Ticket Algorithm",
     .algorithm = "unbounded_colored_ticket",
     FOR_ALL_SIZES,
     .calculation = &equivalent_systems,
     .other = "numbered_ticket"},
    {.where = "Section 2.4",
     .says = "only k + 1 colors are used",
     .algorithm = "colored_ticket",
     FOR_ALL_SIZES,
     .quantity = &colors_used,
     .bound_of_k = k_plus_one,
     .at_most = true},
    {.where = "Section 2.4",
     .says = "a free color whenever one is needed; VALID.COLOR is that of a valid ticket",
     .algorithm = "colored_ticket",
     FOR_ALL_SIZES,
     .enabled_judge = &quantities_add_up},
    {.where = "Section 2.4",
     .says = "QUANT has binom(2k, k) values",
     .algorithm = "colored_ticket",
     FOR_ALL_SIZES,
     .quantity = &quantities,
     .bound_of_k = values_of_quant,
     .at_most = true},
    {.where = "Section 2.4",
     .says = "simulates the Unbounded Colored Ticket Algorithm",
     .algorithm = "colored_ticket",
     FOR_ALL_SIZES,
     .calculation = &equivalent_systems,
     .other = "unbounded_colored_ticket"},
    {.where = "Section 2.4",
     .says = "binom(2k, k) ((k+1) M)^2 shared values",
     .algorithm = "colored_ticket",
     FOR_ALL_SIZES,
     .quantity = &values_in_use,
     .bound_of_k = values_of_colored,
     .at_most = true},
    {.where = "Section 2.4",
     .says = "footnote 2: M = max(k, N-k) will do",
     .algorithm = "colored_ticket_small",
     FOR_ALL_SIZES,
     .calculation = &equivalent_systems,
     .other = "queue",
     .note = "also with k = N - k, of which the footnote says nothing; what must be adjusted is the start"},
    {.where = "Section 2.4",
     .says = "footnote 2: and makes for fewer shared values",
     .algorithm = "colored_ticket_small",
     FOR_ALL_SIZES,
     .quantity = &values_in_use,
     .bound_of_k = values_of_small,
     .at_most = true},
    {.where = "Section 2.4",
     .says = "Figure 4 as printed: equal tickets do not lead each other",
     .algorithm = "colored_ticket:printed_leads",
     .n = {2, 4},
     .k = {1, 2},
     .more = 1,
     .calculation = &equivalent_systems,
     .other = "queue"},
    {.where = "Section 2.4",
     .says = "Figure 7 as printed: QUANT is 0 at the start",
     .algorithm = "colored_ticket:printed_quant",
     .n = {2, 4},
     .k = {1, 2},
     .more = 1,
     .calculation = &equivalent_systems,
     .other = "queue"},
    {.where = "Section 2.4",
     .says = "with a stack of free colors k^k times as many",
     .algorithm = "colored_ticket_stack",
     .n = {2, 5},
     .k = {1, 3},
     .more = 1,
     .full_from = 5,
     .quantity = &values_in_use,
     .bound_of_k = values_with_stack,
     .at_most = true},
    {.where = "Section 2.4",
     .says = "the stack changes nothing else",
     .algorithm = "colored_ticket_stack",
     .n = {2, 5},
     .k = {1, 3},
     .more = 1,
     .full_from = 5,
     .calculation = &equivalent_systems,
     .other = "colored_ticket"},

    /* --- 3, 4 ----------------------------------------------------------------------------------------------------- */
    {.where = "Section 3.4",
     .says = "with k-exclusion at most k are C-enabled",
     .algorithm = "semaphore",
     FOR_ALL_SIZES,
     .enabled_judge = &at_most_k_enabled},
    {.where = "Section 3.4",
     .says = "with k-exclusion at most k are C-enabled",
     .algorithm = "bank",
     FOR_ALL_SIZES,
     .enabled_judge = &at_most_k_enabled},
    OF_ALL_FOUR(.where = "Section 3.4", .says = "with k-exclusion at most k are C-enabled", FOR_ALL_SIZES,
                .enabled_judge = &at_most_k_enabled),
    {.where = "Theorem 4.1",
     .says = "proof: solves the k-critical section problem",
     .algorithm = "queue",
     FOR_LARGER_N,
     .properties = SOLVES,
     .together = true},
    {.where = "Theorem 4.1",
     .says = "solves the k-critical section problem",
     .algorithm = "colored_ticket",
     FOR_LARGER_N,
     .properties = SOLVES,
     .together = true},
    {.where = "Theorem 4.1",
     .says = "with k + 1 processes, too",
     .algorithm = "colored_ticket",
     FOR_ALL_SIZES,
     .properties = P(EXCLUSION) | P(K_DEADLOCK_AVOIDANCE)},
    {.where = "Theorem 4.1",
     .says = "uses so many values of shared memory",
     .algorithm = "colored_ticket",
     FOR_ALL_SIZES,
     .quantity = &values_in_use,
     .bound_of_k = values_of_colored,
     .at_most = true,
     .note = "the paper counts what the variables can hold; here, what they do hold in some reachable state"},
    {.where = "Lemma 4.2",
     .says = "what is equivalent to a solution is one",
     .n = {3, 3},
     .calculation = &equivalence_carries_over},
    {.where = "Lemma 4.2",
     .says = "so the others solve it, too",
     .algorithm = "numbered_ticket",
     FOR_LARGER_N,
     .properties = SOLVES,
     .together = true},
    {.where = "Lemma 4.2",
     .says = "so the others solve it, too",
     .algorithm = "unbounded_colored_ticket",
     FOR_LARGER_N,
     .properties = SOLVES,
     .together = true},

    /* --- 5 -------------------------------------------------------------------------------------------------------- */
    OF_ALL_FOUR(.where = "Lemma 5.1", .says = "enabling respects who is ahead", FOR_LARGER_N,
                .enabled_judge = &enabled_in_order),
    OF_ALL_FOUR(.where = "Section 5.1", .says = "footnote 7: the T-waiting are totally ordered", FOR_LARGER_N,
                .enabled_judge = &waiting_in_total_order),
    OF_ALL_FOUR(.where = "Lemma 5.2", .says = "one T-waiting process is ahead of all others", FOR_LARGER_N,
                .enabled_judge = &one_is_first),
    OF_ALL_FOUR(.where = "Lemma 5.3", .says = "(1) if not k-full, nobody is T-waiting", FOR_LARGER_N,
                .enabled_judge = &waits_only_if_full),
    OF_ALL_FOUR(.where = "Lemma 5.3", .says = "(2) nobody is E-waiting", FOR_LARGER_N,
                .enabled_judge = &never_waits_to_leave),
    OF_ALL_FOUR(.where = "Lemma 5.4", .says = "C-enabled only in T or C", FOR_LARGER_N,
                .enabled_judge = &enabled_in_T_or_C),
    OF_ALL_FOUR(.where = "Lemma 5.5", .says = "fewer than k ahead iff C-enabled", FOR_LARGER_N,
                .enabled_judge = &fewer_than_k_ahead),
    OF_ALL_FOUR(.where = "Lemma 5.6", .says = "all can return without steps of those in R", FOR_LARGER_N,
                .enabled_judge = &all_can_return),
    OF_ALL_FOUR(.where = "Lemma 5.7", .says = "all q(i, j) differ in shared memory; Theorem 5.8", .n = {3, 9},
                .k = {1, 4}, .more = 2, .calculation = &values_reached, .bound_of_k = values_needed),
    {.where = "Lemma 5.7",
     .says = "without FIFO enabling they need not differ",
     .published = DENIED,
     .algorithm = "semaphore",
     .n = {4, 9},
     .k = {1, 4},
     .more = 3,
     .calculation = &values_reached,
     .bound_of_k = values_needed},
    {.where = "Lemma 5.7",
     .says = "with k-deadlock they need not be reached",
     .published = DENIED,
     .algorithm = "bank",
     .n = {4, 9},
     .full_from = 8, /* to say who is enabled, replay explores all states */
     .k = {2, 4},
     .more = 2,
     .calculation = &values_reached,
     .bound_of_k = values_needed},
    {.where = "Theorem 5.8",
     .says = "at least k binom(N-k-1, 2) + N-k-1 values",
     .algorithm = "queue",
     FOR_LARGER_N,
     .quantity = &values_in_use,
     .bound_of_k = values_needed,
     .at_least = true},
    {.where = "Theorem 5.8",
     .says = "at least k binom(N-k-1, 2) + N-k-1 values",
     .algorithm = "colored_ticket",
     FOR_LARGER_N,
     .quantity = &values_in_use,
     .bound_of_k = values_needed,
     .at_least = true},
};

static const struct chapter all = {statements, sizeof statements / sizeof statements[0]};

const struct paper flbb89 = {
    .id = "flbb89",
    .cited = "Fischer and others 1989",
    .title = "Fischer, Lynch, Burns, Borodin, Distributed FIFO Allocation of Identical Resources, 1989",
    .chapters = {&all}};
