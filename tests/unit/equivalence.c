/* SPDX-License-Identifier: MIT
 *
 * Equivalence, (E1) to (E3) in docs/properties.md, on pairs small enough to know the answer.
 */
#include "unit.h"

#include "checker/compare/equivalence.h"

static const struct equivalence_limits no_limits = {.count_states = true};

static struct equivalence compared(const char *a, const char *b, unsigned n, unsigned k)
{
    struct setting one = setting_of(a, n, k), other = setting_of(b, n, k);
    struct equivalence equivalence;
    equivalence_find(&equivalence, &one, &other, &no_limits);
    return equivalence;
}

static void assert_same(const char *a, const char *b, unsigned n, unsigned k)
{
    struct setting one = setting_of(a, n, k), other = setting_of(b, n, k);
    struct equivalence equivalence = compared(a, b, n, k);
    assert_int_equal(equivalence.outcome, SYSTEMS_SAME);
    assert_null(equivalence.schedule);
    /* Every schedule was followed, so that all states of both came up. */
    assert_int_equal(equivalence.states[0], states_of(&one));
    assert_int_equal(equivalence.states[1], states_of(&other));
    assert_true(equivalence.pairs >= equivalence.states[0] && equivalence.pairs >= equivalence.states[1]);
    equivalence_close(&equivalence);
}

/* The last step is by a process that is at last in these regions, and all others are in the same. */
static void assert_differ(const char *a, const char *b, unsigned n, unsigned k, size_t length, enum region in_a,
                          enum region in_b)
{
    struct equivalence equivalence = compared(a, b, n, k);
    assert_int_equal(equivalence.outcome, SYSTEMS_DIFFER);
    assert_int_equal(equivalence.length, length);
    assert_int_equal(equivalence.process, equivalence.schedule[length - 1]);
    for (unsigned i = 0; i < n; i++) {
        if (i == equivalence.process) {
            assert_int_equal(equivalence.regions[0][i], in_a);
            assert_int_equal(equivalence.regions[1][i], in_b);
        } else {
            assert_int_equal(equivalence.regions[0][i], equivalence.regions[1][i]);
        }
    }
    equivalence_close(&equivalence);
}

static void to_itself(void **state)
{
    (void)state;
    assert_same("test:ticket", "test:ticket", 3, 2);
    assert_same("bakery", "bakery", 2, 1);
    assert_same("one_bit", "one_bit", 4, 1);
    assert_same("burns_lynch", "burns_lynch", 3, 1);
}

/* The states of two processes: both rest; one is inside and the other rests, or tries; nobody is inside and one tries.
 * The register follows from that in both. */
static void texts_differ_and_regions_do_not(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 5; n++)
        assert_same("test:lock_bit", "test:lock_holder", n, 1);
    struct equivalence equivalence = compared("test:lock_bit", "test:lock_holder", 2, 1);
    assert_int_equal(equivalence.pairs, 7);
    assert_int_equal(equivalence.states[0], 7);
    assert_int_equal(equivalence.states[1], 7);
    equivalence_close(&equivalence);
}

/* Two steps a passage, twenty passages, one step in; the next leads out of lock_bit and into the exit of the other. */
static void a_difference_far_away(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 3; n++) {
        assert_differ("test:lock_bit", "test:wears_out", n, 1, 2 * 20 + 2, REMAINDER_REGION, EXIT_REGION);
        assert_differ("test:wears_out", "test:lock_holder", n, 1, 2 * 20 + 2, EXIT_REGION, REMAINDER_REGION);
    }
    assert_same("test:wears_out", "test:wears_out", 2, 1);
}

/* Draw, wait: the ticket lock lets in; the mutants have one more test, or one more step, to go, or an idle slot. With
 * two slots, the first ticket is two below the valid ones, so that it takes a second one to notice the idle slot. */
static void mutants_of_the_ticket_lock(void **state)
{
    (void)state;
    assert_differ("test:ticket", "test:ticket:in_turn", 2, 1, 2, CRITICAL_REGION, TRYING_REGION);
    assert_differ("test:ticket", "test:ticket:short_doorway", 2, 1, 2, CRITICAL_REGION, TRYING_REGION);
    assert_differ("test:ticket", "test:ticket:one_too_few", 2, 1, 2, CRITICAL_REGION, TRYING_REGION);
    assert_differ("test:ticket", "test:ticket:one_too_few", 2, 2, 3, CRITICAL_REGION, TRYING_REGION);
    assert_differ("test:ticket", "test:ticket:one_too_few", 4, 3, 4, CRITICAL_REGION, TRYING_REGION);
}

/* The doorway and the waiting room are one region; an order of a for_all that is not the native one is not asked. */
static void what_regions_do_not_show(void **state)
{
    (void)state;
    assert_same("bakery", "bakery:short_doorway", 2, 1);
    assert_same("burns_lynch", "burns_lynch:counts_on_order", 3, 1);
}

/* The schedule is a run of each; both runs are as the comparison says. */
static void the_schedule_can_be_executed(void **state)
{
    (void)state;
    struct equivalence equivalence = compared("one_bit", "burns_lynch", 3, 1);
    assert_int_equal(equivalence.outcome, SYSTEMS_DIFFER);
    for (unsigned system = 0; system < 2; system++) {
        struct trace trace;
        struct execution execution;
        equivalence_trace(&equivalence, system, &trace);
        assert_true(trace_execute(&trace, &execution));
        assert_int_equal(execution.count, equivalence.length + 1);
        for (unsigned i = 0; i < 3; i++) {
            const struct moment *last = &execution.moments[equivalence.length];
            assert_int_equal(region_of(last->process[i].section), equivalence.regions[system][i]);
        }
        execution_close(&execution);
        trace_close(&trace);
    }
    equivalence_close(&equivalence);
}

static void assert_refused(const struct setting *a, const struct setting *b)
{
    struct equivalence equivalence;
    equivalence_find(&equivalence, a, b, &no_limits);
    assert_int_equal(equivalence.outcome, SYSTEMS_REFUSED);
    assert_true(equivalence.why[0] != '\0');
    equivalence_close(&equivalence);
}

static void what_is_not_deterministic_is_refused(void **state)
{
    (void)state;
    const struct setting one_bit = setting_of("one_bit", 3, 1);
    struct setting other = one_bit;
    other.n = 2;
    assert_refused(&one_bit, &other);
    other = one_bit;
    other.any_order = true;
    assert_refused(&one_bit, &other);
    other = one_bit;
    other.registers = REGULAR;
    assert_refused(&other, &one_bit);
    other = one_bit;
    other.crashes = 1;
    assert_refused(&other, &one_bit);
    other = one_bit;
    other.transient = true;
    assert_refused(&one_bit, &other);
    other = setting_of("three_bit", 3, 1); /* z has no declared initial value */
    assert_refused(&one_bit, &other);
}

static void a_limit_leaves_it_undecided(void **state)
{
    (void)state;
    struct setting one = setting_of("test:lock_bit", 2, 1), other = setting_of("test:wears_out", 2, 1);
    struct equivalence equivalence;
    equivalence_find(&equivalence, &one, &other, &(struct equivalence_limits){.max_pairs = 10});
    assert_int_equal(equivalence.outcome, SYSTEMS_UNDECIDED);
    assert_int_equal(equivalence.states[0], 0);
    equivalence_close(&equivalence);
    equivalence_find(&equivalence, &one, &other, &(struct equivalence_limits){.memory_limit = 1});
    assert_int_equal(equivalence.outcome, SYSTEMS_UNDECIDED);
    equivalence_close(&equivalence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_itself),
        cmocka_unit_test(texts_differ_and_regions_do_not),
        cmocka_unit_test(a_difference_far_away),
        cmocka_unit_test(mutants_of_the_ticket_lock),
        cmocka_unit_test(what_regions_do_not_show),
        cmocka_unit_test(the_schedule_can_be_executed),
        cmocka_unit_test(what_is_not_deterministic_is_refused),
        cmocka_unit_test(a_limit_leaves_it_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
