/* SPDX-License-Identifier: MIT
 *
 * admit bound values: what is reached is what Figure 10 of Fischer, Lynch, Burns, Borodin 1989 shows. Every schedule is
 * executed again from the start, by steps alone, and everybody must be where the figure has it.
 */
#include "unit.h"

#include "bounds/values.h"

static void insist_on_region(const struct configuration *q, unsigned p, enum section section)
{
    enum section at = (enum section)q->process[p].section;
    assert_int_equal(at == DOORWAY ? WAITING_ROOM : at, section);
}

/* P_1 and P_{j+1}, ..., P_i are home, P_2, ..., P_k inside, all others try. */
static void look_at_regions(const struct configuration *q, const struct values_level *level,
                            const struct shared_value *value, unsigned all)
{
    for (unsigned number = 1; number <= all; number++) {
        const bool home = number == 1 || (number > value->j && number <= value->i);
        const bool inside = number > 1 && number <= level->k;
        insist_on_region(q, number - 1, home ? REMAINDER : inside ? CRITICAL : WAITING_ROOM);
    }
}

static void look_at(const struct values_bound *bound, const struct values_level *level,
                    const struct shared_value *value)
{
    struct configuration q;
    configuration_start(&q, &bound->instance);
    for (size_t s = 0; s < value->walk.history.count; s++)
        take_step(&q, value->walk.history.steps[s]);
    assert_true(same_configuration(&q, &value->walk.now));
    look_at_regions(&q, level, value, bound->instance.setting.n);
    configuration_close(&q);
}

static void expect(const char *id, unsigned n, unsigned k)
{
    struct setting setting = setting_of(id, n, k);
    struct values_bound bound;
    bound_values(&bound, &setting);
    assert_int_equal(bound.outcome, VALUES_CONFIRMED);
    assert_int_equal(bound.level_count, k);
    uint64_t counted = 0;
    for (unsigned l = 0; l < k; l++) {
        const struct values_level *level = &bound.levels[l];
        assert_int_equal(level->n, n - l);
        assert_int_equal(level->k, k - l);
        assert_int_equal(level->count, values_of_lemma(level->n, level->k));
        counted += level->counted;
        for (unsigned v = 0; v < level->count; v++)
            look_at(&bound, level, &level->values[v]);
    }
    assert_int_equal(counted, values_needed(n, k));
    assert_int_equal(bound.distinct, values_needed(n, k));
    values_bound_close(&bound);
}

static void figure_10(void **context)
{
    (void)context;
    static const char *const solutions[] = {"queue", "numbered_ticket", "unbounded_colored_ticket", "colored_ticket",
                                            "test:ticket"};
    for (unsigned s = 0; s < sizeof solutions / sizeof solutions[0]; s++)
        for (unsigned k = 1; k <= 4; k++)
            for (unsigned n = k + 2; n <= 9; n++)
                expect(solutions[s], n, k);
}

/* The base of the induction is Pascal's rule, and each step adds C(N-k-1, 2). */
static void formulas(void **context)
{
    (void)context;
    for (unsigned n = 3; n <= 16; n++) {
        assert_int_equal(values_needed(n, 1), values_of_lemma(n, 1));
        for (unsigned k = 2; k + 2 <= n; k++) {
            const uint64_t added = (uint64_t)(n - k - 1) * (n - k - 2) / 2;
            assert_int_equal(values_needed(n, k), values_needed(n - 1, k - 1) + added);
            assert_true(values_needed(n, k) >= values_of_lemma(n, k));
        }
    }
}

/* What has gone wrong is confirmed by a run, and what was reached before is kept. */
static void violations(void **context)
{
    (void)context;
    static const struct {
        const char *id;
        unsigned n, k;
        enum property property;
        unsigned levels;
    } expected[] = {{"semaphore", 5, 2, FIFO_ENABLING, 1},
                    {"semaphore", 4, 2, FIFO_ENABLING, 2},
                    {"test:forgets_arrivals", 5, 1, FIFO_ENABLING, 1},
                    {"numbered_ticket:one_too_many", 5, 2, EXCLUSION, 1},
                    {"bank", 5, 3, K_DEADLOCK_AVOIDANCE, 2}};
    for (unsigned e = 0; e < sizeof expected / sizeof expected[0]; e++) {
        struct setting setting = setting_of(expected[e].id, expected[e].n, expected[e].k);
        struct values_bound bound;
        struct execution execution;
        bound_values(&bound, &setting);
        assert_int_equal(bound.outcome, VALUES_VIOLATED);
        assert_int_equal(bound.violation.property, expected[e].property);
        assert_int_equal(bound.level_count, expected[e].levels);
        assert_true(trace_execute(&bound.violation, &execution));
        assert_int_not_equal(trace_confirm(&bound.violation, &execution), NOT_CONFIRMED);
        execution_close(&execution);
        values_bound_close(&bound);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figure_10), cmocka_unit_test(formulas),
                                       cmocka_unit_test(violations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
