/* SPDX-License-Identifier: MIT
 *
 * Cycles of processes (algorithms/cycles.h): the paper's own examples, Lemma 3 for every cycle and every function up
 * to n = 6, and the numbering of CYC(i). Elements are numbered from 0; the paper's examples use its numbers, which
 * are fine too.
 */
#include "unit.h"

#include "algorithms/cycles.h"

#include <stdlib.h>

#define CYCLE(...) ((struct cycle){.length = sizeof((uint8_t[]){__VA_ARGS__}), .element = {__VA_ARGS__}})

/* Identical except for a cyclic permutation: each element has the same one before it. */
static bool same_cycle(const struct cycle *a, const struct cycle *b)
{
    if (a->length != b->length)
        return false;
    for (unsigned e = 0; e < a->length; e++) {
        unsigned i = a->element[e];
        if (cycle_place(b, i) == b->length || cycle_before(a, i) != cycle_before(b, i))
            return false;
    }
    return true;
}

static uint64_t set_of(const struct cycle *cycle)
{
    uint64_t set = 0;
    for (unsigned e = 0; e < cycle->length; e++)
        set |= UINT64_C(1) << cycle->element[e];
    return set;
}

/* Whether it is ORD S for the set of its elements: each has the next lower one before it. */
static bool is_ordered(const struct cycle *cycle)
{
    for (unsigned e = 0; e < cycle->length; e++)
        if (cycle_before(cycle, cycle->element[e]) != ord_before(set_of(cycle), cycle->element[e]))
            return false;
    return true;
}

/* CG for a function v that is given whole, as the set of elements at which it is true. */
static bool changes_at(uint64_t v, const struct cycle *cycle, unsigned i)
{
    return CG(v >> i & 1, v >> cycle_before(cycle, i) & 1, cycle_first(cycle), i);
}

static void the_papers_examples(void **state)
{
    (void)state;
    struct cycle a = CYCLE(1, 3, 5, 7), b = CYCLE(5, 7, 1, 3), c = CYCLE(1, 5, 3, 7);
    assert_true(same_cycle(&a, &b));
    assert_false(same_cycle(&a, &c));
    assert_int_equal(cycle_first(&b), 1);
    assert_int_equal(cycle_before(&b, 1), 7);
    assert_int_equal(cycle_before(&c, 1), 7);
    assert_int_equal(cycle_before(&c, 7), 3);
    struct cycle ordered = CYCLE(5, 7, 2, 3), not_ordered = CYCLE(2, 5, 3, 7);
    assert_true(is_ordered(&ordered));
    assert_false(is_ordered(&not_ordered));
    struct cycle of_three = CYCLE(1, 3, 5);
    for (uint64_t v = 0; v < 64; v++) {
        bool z1 = v >> 1 & 1, z3 = v >> 3 & 1, z5 = v >> 5 & 1;
        assert_int_equal(changes_at(v, &of_three, 3), z1 != z3);
        assert_int_equal(changes_at(v, &of_three, 1), z1 == z5);
    }
}

static void ordered_cycles(void **state)
{
    (void)state;
    for (uint64_t set = 1; set < 1 << 8; set++) {
        struct cycle cycle = {0};
        for (unsigned i = 0; i < 8; i++)
            if (set >> i & 1)
                cycle.element[cycle.length++] = (uint8_t)i;
        assert_true(is_ordered(&cycle));
        assert_int_equal(ord_first(set), cycle_first(&cycle));
        assert_int_equal(ord_last(set), cycle.element[cycle.length - 1]);
    }
    assert_int_equal(ord_before(UINT64_C(1) << 63 | 1, 0), 63);
    assert_int_equal(ord_before(UINT64_C(1) << 63 | 1, 63), 0);
}

/* Of a cycle of one element, too: it is always its turn. */
static void every_function_changes_somewhere(void **state)
{
    (void)state;
    enum { N = 6 };
    unsigned cycles = 0;
    for (unsigned i = 0; i < N; i++) {
        struct cycle alone = CYCLE(0);
        alone.element[0] = (uint8_t)i;
        assert_true(changes_at(0, &alone, i) && changes_at(UINT64_C(1) << i, &alone, i));
        for (unsigned c = 0; c < cyc_count(N); c++) {
            struct cycle cycle = cyc(N, i, c);
            if (cycle_first(&cycle) != i)
                continue; /* that of another i, turned round */
            cycles++;
            for (uint64_t v = 0; v < 1 << N; v++) {
                unsigned turns = 0;
                for (unsigned e = 0; e < cycle.length; e++)
                    turns += changes_at(v, &cycle, cycle.element[e]);
                assert_true(turns > 0);
                /* All equal: exactly one turn, the first element's. */
                if ((v & set_of(&cycle)) == 0)
                    assert_true(turns == 1 && changes_at(v, &cycle, i));
            }
        }
    }
    /* Cycles of m of 6 elements: 6! / (6-m)! / m. */
    assert_int_equal(cycles, 15 + 40 + 90 + 144 + 120);
}

static void as_many_as_there_are(void **state)
{
    (void)state;
    static const unsigned expected[] = {0, 1, 4, 15, 64, 325, 1956, 13699, 109600};
    for (unsigned n = 1; n <= 9; n++) {
        assert_int_equal(cyc_count(n), expected[n - 1]);
        if (n > 1)
            assert_int_equal((n - 1) * cyc_count_before(n), cyc_count(n));
    }
}

/* Every number is that of one cycle, which is proper, and no two cycles have the same. */
static void numbers_and_cycles_correspond(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 8; n++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned c = 0; c < cyc_count(n); c++) {
                struct cycle cycle = cyc(n, i, c);
                assert_in_range(cycle.length, 2, n);
                assert_int_equal(__builtin_popcountll(set_of(&cycle)), cycle.length);
                assert_true(set_of(&cycle) < UINT64_C(1) << n && set_of(&cycle) >> i & 1);
                assert_int_equal(cyc_number(n, i, &cycle), c);
                /* The same cycle, as another of its elements finds it. */
                unsigned j = cycle_before(&cycle, i);
                struct cycle others = cyc(n, j, cyc_number(n, j, &cycle));
                assert_true(same_cycle(&cycle, &others));
            }
}

static void predecessors_have_neighbouring_numbers(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 7; n++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < n; j++)
                for (unsigned c = 0; c < cyc_count(n) && j != i; c++) {
                    struct cycle cycle = cyc(n, i, c);
                    bool in_range = c >= cyc_start(n, j, i) && c < cyc_start(n, j, i) + cyc_count_before(n);
                    assert_int_equal(in_range, cycle_before(&cycle, i) == j);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_examples),
        cmocka_unit_test(ordered_cycles),
        cmocka_unit_test(every_function_changes_somewhere),
        cmocka_unit_test(as_many_as_there_are),
        cmocka_unit_test(numbers_and_cycles_correspond),
        cmocka_unit_test(predecessors_have_neighbouring_numbers),
    };
    return cmocka_run_group_tests_name("cycles", tests, NULL, NULL);
}
