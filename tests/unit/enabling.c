/* SPDX-License-Identifier: MIT
 *
 * What is said of those who are enabled, of who is ahead, and of packed words (src/claims/enabling.c, ahead_relation.c,
 * packed_words.c): for each an algorithm of which it holds, and one of which it does not. What holds of every algorithm by
 * definition is shown a relation, or a graph, that is none.
 */
#include "unit.h"

#include "claims/claims.h"

struct asked {
    struct explored *explored;
    struct enabled enabled;
};

static void asked_open(struct asked *asked, const char *id, unsigned n, unsigned k)
{
    struct setting setting = setting_of(id, n, k);
    asked->explored = explored_open(&setting);
    enabled_find(&asked->enabled, &asked->explored->exploration.graph);
}

static void asked_close(struct asked *asked)
{
    enabled_close(&asked->enabled);
    explored_close(asked->explored);
}

/* A counterexample can be executed. */
static enum verdict answer_of(const struct enabled_judge *judge, struct asked *asked)
{
    struct finding finding = {.property = PROPERTIES, .verdict = HOLDS};
    judge->ask(&finding, &asked->explored->exploration, &asked->enabled);
    if (finding.verdict == HOLDS && finding.fired == 0)
        finding.verdict = VACUOUS;
    if (finding.verdict == VIOLATED) {
        struct trace trace;
        struct execution execution;
        assert_true(finding.what[0] != '\0' && finding.has_witness);
        trace_of(&trace, &finding, &asked->explored->model);
        assert_true(trace_execute(&trace, &execution));
        assert_int_equal(trace_confirm(&trace, &execution), CONFIRMED);
        execution_close(&execution);
        trace_close(&trace);
    }
    enum verdict verdict = finding.verdict;
    finding_close(&finding);
    return verdict;
}

static enum verdict ask(const struct enabled_judge *judge, const char *id, unsigned n, unsigned k)
{
    struct asked asked;
    asked_open(&asked, id, n, k);
    enum verdict verdict = answer_of(judge, &asked);
    asked_close(&asked);
    return verdict;
}

/* With the last state in which process i is enabled (or is not) changed into one in which it is not (is). */
static enum verdict ask_tampered(const struct enabled_judge *judge, const char *id, unsigned n, unsigned k)
{
    struct asked asked;
    asked_open(&asked, id, n, k);
    const struct graph *graph = &asked.explored->exploration.graph;
    uint32_t state = graph->states - 1;
    while (!(asked.enabled.critical[state] & trying(&graph->standing[state])))
        state--;
    asked.enabled.critical[state] &= (uint16_t)~trying(&graph->standing[state]);
    enum verdict verdict = answer_of(judge, &asked);
    asked_close(&asked);
    return verdict;
}

static void who_is_enabled(void **context)
{
    (void)context;
    assert_int_equal(ask(&at_most_k_enabled, "queue", 4, 2), HOLDS);
    assert_int_equal(ask(&at_most_k_enabled, "bank", 3, 2), HOLDS);
    assert_int_equal(ask(&at_most_k_enabled, "test:walks_in", 2, 1), VIOLATED);
    assert_int_equal(ask(&waits_only_if_full, "queue", 4, 2), HOLDS);
    assert_int_equal(ask(&waits_only_if_full, "bank", 3, 2), VIOLATED);
    assert_int_equal(ask(&waits_only_if_full, "bank", 3, 1), HOLDS);
    assert_int_equal(ask(&never_waits_to_leave, "colored_ticket", 3, 1), HOLDS);
    assert_int_equal(ask(&never_waits_to_leave, "test:two_step_exit", 2, 1), HOLDS);
    assert_int_equal(ask(&never_waits_to_leave, "one_bit:lingers", 2, 1), VIOLATED);
    assert_int_equal(ask(&enabled_in_T_or_C, "queue", 3, 1), HOLDS);
    assert_int_equal(ask(&enabled_in_T_or_C, "test:walks_in", 2, 1), VIOLATED);
}

static void counts(void **context)
{
    (void)context;
    assert_int_equal(ask(&counts_those_inside, "semaphore", 3, 2), HOLDS);
    assert_int_equal(ask(&counts_those_inside, "test:barging", 2, 1), VIOLATED); /* it counts free slots */
    assert_int_equal(ask(&room_for_one_more, "numbered_ticket", 4, 2), HOLDS);
    assert_int_equal(ask(&room_for_one_more, "colored_ticket", 4, 1), HOLDS);
    assert_int_equal(ask(&room_for_one_more, "numbered_ticket:only_if_waiting", 3, 2), VIOLATED);
}

static void steps(void **context)
{
    (void)context;
    assert_int_equal(ask(&stays_enabled, "queue", 3, 2), HOLDS);
    assert_int_equal(ask(&stays_enabled, "bank", 3, 2), HOLDS);
    assert_int_equal(ask_tampered(&stays_enabled, "queue", 3, 2), VIOLATED);
    assert_int_equal(ask(&writes_at_the_ends, "queue", 3, 1), HOLDS);
    assert_int_equal(ask(&writes_at_the_ends, "numbered_ticket", 4, 2), HOLDS);
    assert_int_equal(ask(&writes_at_the_ends, "bank", 3, 1), VIOLATED);
    assert_int_equal(ask(&writes_at_the_ends, "semaphore", 2, 1), VIOLATED);
    assert_int_equal(ask(&all_can_return, "colored_ticket", 4, 2), HOLDS);
    assert_int_equal(ask(&all_can_return, "semaphore", 3, 2), HOLDS);
    assert_int_equal(ask(&all_can_return, "test:flags", 2, 1), VIOLATED);
}

static void who_is_ahead(void **context)
{
    (void)context;
    assert_int_equal(ask(&enabled_in_order, "queue", 4, 2), HOLDS);
    assert_int_equal(ask(&enabled_in_order, "semaphore", 3, 1), VIOLATED);
    assert_int_equal(ask(&waiting_in_total_order, "queue", 3, 1), HOLDS);
    assert_int_equal(ask(&waiting_in_total_order, "colored_ticket", 4, 1), HOLDS);
    assert_int_equal(ask(&waiting_in_total_order, "semaphore", 3, 1), VIOLATED);
    assert_int_equal(ask(&fewer_than_k_ahead, "queue", 4, 2), HOLDS);
    assert_int_equal(ask(&fewer_than_k_ahead, "bank", 3, 2), VIOLATED);
    assert_int_equal(ask(&one_is_first, "queue", 4, 2), HOLDS);
    assert_int_equal(ask(&one_is_first, "semaphore", 4, 2), HOLDS); /* in some run, and so everywhere */
}

/* A graph in which nobody is seen to come. */
static void nobody_is_first(void **context)
{
    (void)context;
    struct asked asked;
    asked_open(&asked, "queue", 3, 1);
    struct graph *graph = &asked.explored->exploration.graph;
    for (uint64_t edge = 0; edge < graph->edges; edge++)
        graph->kinds[edge] &= (uint8_t)~EDGE_ENTERS_DOORWAY;
    struct finding finding = {.property = PROPERTIES, .verdict = HOLDS};
    one_is_first.ask(&finding, &asked.explored->exploration, &asked.enabled);
    assert_int_equal(finding.verdict, VIOLATED);
    finding_close(&finding);
    asked_close(&asked);
}

static void words(void **context)
{
    (void)context;
    assert_int_equal(ask(&first_k_are_enabled, "queue", 3, 2), HOLDS);
    assert_int_equal(ask_tampered(&first_k_are_enabled, "queue", 3, 2), VIOLATED);
    assert_int_equal(ask(&exactly_k_valid, "numbered_ticket", 4, 2), HOLDS);
    assert_int_equal(ask(&exactly_k_valid, "colored_ticket", 4, 1), HOLDS);
    assert_int_equal(ask_tampered(&exactly_k_valid, "numbered_ticket", 3, 1), VIOLATED);
    assert_int_equal(ask(&quantities_add_up, "colored_ticket", 4, 2), HOLDS);
    assert_int_equal(ask(&quantities_add_up, "colored_ticket:forgets_its_color", 3, 2), VIOLATED);
}

static uint64_t count(const struct quantity *quantity, const char *id, unsigned n, unsigned k)
{
    struct setting setting = setting_of(id, n, k);
    struct explored *explored = explored_open(&setting);
    uint64_t result = quantity->explored(&explored->exploration);
    explored_close(explored);
    return result;
}

static void numbers(void **context)
{
    (void)context;
    assert_int_equal(count(&valid_ahead, "numbered_ticket", 5, 2), 2);
    assert_int_equal(count(&issue_ahead, "numbered_ticket", 5, 2), 3);
    assert_int_equal(count(&valid_ahead, "colored_ticket", 4, 2), 2);
    assert_int_equal(count(&issue_ahead, "colored_ticket", 4, 2), 2);
    assert_int_equal(count(&colors_apart, "unbounded_colored_ticket", 4, 2), 1);
    assert_int_equal(count(&colors_used, "colored_ticket", 4, 2), 3);
    assert_int_equal(count(&quantities, "colored_ticket", 4, 1), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(who_is_enabled),  cmocka_unit_test(counts),
                                       cmocka_unit_test(steps),           cmocka_unit_test(who_is_ahead),
                                       cmocka_unit_test(nobody_is_first), cmocka_unit_test(words),
                                       cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
