/* SPDX-License-Identifier: MIT
 *
 * The enabled relation: counted by hand for two processes, and compared with its definition.
 */
#include "unit.h"

#include "checker/judge/properties.h"

static bool enabled_in(const struct enabled *enabled, uint32_t state, unsigned i)
{
    return enabled->critical[state] >> i & 1;
}

static unsigned count_enabled(const struct explored *explored, const struct enabled *enabled, unsigned i)
{
    unsigned count = 0;
    for (uint32_t state = 0; state < explored->exploration.graph.states; state++)
        count += enabled_in(enabled, state, i);
    return count;
}

/* --- the ticket lock, one passage each ------------------------------------------------------------------------------
 *
 * A process is in its remainder (R), waits with ticket 0 or 1 (W0, W1), is inside (C) or has finished (F). ISSUE and
 * VALID follow from that. Written process 0 first.
 *
 * k = 1, 16 states: RR, FF, and seven in which 0 came first, with the same seven the other way round:
 *
 *   0 came first   W0 R  C R  F R  W0 W1  C W1  F W1  F C     0 is enabled in the four in which it waits or is inside
 *   1 came first   R W0  R C  R F  W1 W0  W1 C  W1 F  C F     in the three in which 1 has finished: nobody is ahead any
 *   more neither        R R                                        not: 1 may come first and stay inside both
 *   F F                                        not: it never steps again
 *
 * k = 2, 21 states: any of R W C F with any of R W C F is 16; who waits holds ticket 0 or 1 when the other has drawn
 * too, which makes one more of each of W W, W C, C W, W F, F W. Nobody ever waits for the other: process 0 is enabled
 * in all but the five in which it has finished, F R, F W0, F W1, F C, F F.
 */

enum { ISSUE, VALID };

static ticket ticket_of(const struct explored *explored, const struct process *process)
{
    ticket mine;
    memcpy(&mine, process->locals + explored->model.instance.setting.algorithm->about.ticket_locals[0], sizeof mine);
    return mine;
}

static bool has_finished(const struct process *process)
{
    return process->section == REMAINDER && process->passages == 0;
}

/* The same as a predicate: with a valid ticket, or about to draw one that must be valid. */
static bool should_be_enabled(const struct explored *explored, uint32_t state, unsigned i)
{
    const struct process *self = process_in(explored, state, i), *other = process_in(explored, state, 1 - i);
    if (self->section == CRITICAL)
        return true;
    if (self->section == WAITING_ROOM)
        return ticket_of(explored, self) < value_in(explored, state, VALID);
    return !has_finished(self) && (explored->model.instance.setting.k == 2 || has_finished(other));
}

static void ticket_states(unsigned k, unsigned states, unsigned enabled_states)
{
    struct setting setting = setting_of("test:ticket", 2, k);
    memset(setting.passages, 1, sizeof setting.passages);
    struct explored *explored = explored_open(&setting);
    struct enabled enabled;
    assert_int_equal(explored->exploration.states, states);
    enabled_find(&enabled, &explored->exploration.graph);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(count_enabled(explored, &enabled, i), enabled_states);
        for (uint32_t state = 0; state < states; state++) {
            assert_int_equal(enabled_in(&enabled, state, i), should_be_enabled(explored, state, i));
            /* One test of VALID is left to a process that waits with a valid ticket; to leave takes one step. */
            const struct process *self = process_in(explored, state, i);
            if (self->section == WAITING_ROOM && enabled_in(&enabled, state, i))
                assert_int_equal(enabled.own_steps[i][state], 1);
            if (self->section == CRITICAL)
                assert_true(enabled.remainder[state] >> i & 1);
        }
    }
    enabled_close(&enabled);
    explored_close(explored);
}

static void ticket_k_1(void **state)
{
    (void)state;
    ticket_states(1, 16, 7);
}

static void ticket_k_2(void **state)
{
    (void)state;
    ticket_states(2, 21, 16);
}

/* --- the naive k-bakery, n = k = 2
 * ------------------------------------------------------------------------------------
 *
 * Nobody has to wait for a slot, and yet: whoever has not looked at the other's Choosing for the last time can be kept
 * there for ever by the other, which may stop in its doorway. So i is enabled iff it is inside, or past that look (at
 * line 4b, where one read is left).
 */
static void naive_k_bakery(void **test_state)
{
    (void)test_state;
    struct setting setting = setting_of("test:naive_k_bakery", 2, 2);
    struct explored *explored = explored_open(&setting);
    struct enabled enabled;
    enabled_find(&enabled, &explored->exploration.graph);
    for (unsigned i = 0; i < 2; i++) {
        for (uint32_t state = 0; state < explored->exploration.graph.states; state++) {
            const struct process *self = process_in(explored, state, i);
            bool past_the_look = strcmp(self->label, "4b") == 0;
            assert_int_equal(enabled_in(&enabled, state, i), self->section == CRITICAL || past_the_look);
            if (past_the_look)
                assert_int_equal(enabled.own_steps[i][state], 1);
        }
    }
    enabled_close(&enabled);
    explored_close(explored);
}

/* In a passage of the Bakery, only the one that nobody can be ahead of any more is enabled: never two. */
static void bakery_enables_one_at_a_time(void **test_state)
{
    (void)test_state;
    struct setting setting = setting_of("bakery", 2, 1);
    struct explored *explored = explored_open(&setting);
    struct enabled enabled;
    unsigned somebody = 0;
    enabled_find(&enabled, &explored->exploration.graph);
    for (uint32_t state = 0; state < explored->exploration.graph.states; state++) {
        assert_true(__builtin_popcount(enabled.critical[state]) <= 1);
        somebody += enabled.critical[state] != 0;
    }
    assert_true(somebody > 0);
    enabled_close(&enabled);
    explored_close(explored);
}

/* --- the definition, taken literally
 * -----------------------------------------------------------------------------------
 *
 * i is not enabled in s iff s reaches, without i entering, a cycle that contains a step of i.
 */

/* Marks what `from` reaches by edges that do not lead i inside. */
static void mark_reached(const struct graph *graph, unsigned i, uint32_t from, uint8_t *reached)
{
    uint32_t *stack = calloc(graph->states, sizeof *stack), depth = 0;
    memset(reached, 0, graph->states);
    reached[from] = 1;
    stack[depth++] = from;
    while (depth > 0) {
        uint32_t state = stack[--depth];
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            uint32_t to = graph->targets[edge];
            if (reached[to] || graph->standing[to].critical >> i & 1)
                continue;
            reached[to] = 1;
            stack[depth++] = to;
        }
    }
    free(stack);
}

/* Whether i has a step from this state, not into the critical section, that lies on a cycle. */
static bool steps_on_a_cycle(const struct graph *graph, unsigned i, uint32_t state, uint8_t *scratch)
{
    if (graph->standing[state].spins >> i & 1)
        return true;
    for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
        uint32_t to = graph->targets[edge];
        if ((graph->kinds[edge] & (EDGE_PROCESS | EDGE_FAULT)) != i || graph->standing[to].critical >> i & 1)
            continue;
        mark_reached(graph, i, to, scratch);
        if (scratch[state])
            return true;
    }
    return false;
}

static void assert_as_defined(struct setting setting)
{
    struct explored *explored = explored_open(&setting);
    const struct graph *graph = &explored->exploration.graph;
    struct enabled enabled;
    enabled_find(&enabled, graph);
    uint8_t *reached = calloc(1, graph->states), *on_cycle = calloc(1, graph->states);
    for (unsigned i = 0; i < graph->n; i++) {
        for (uint32_t state = 0; state < graph->states; state++)
            on_cycle[state] = !(graph->standing[state].critical >> i & 1) && steps_on_a_cycle(graph, i, state, reached);
        for (uint32_t state = 0; state < graph->states; state++) {
            bool expected = true;
            if (!(graph->standing[state].critical >> i & 1)) {
                mark_reached(graph, i, state, reached);
                for (uint32_t other = 0; other < graph->states && expected; other++)
                    expected = !(reached[other] && on_cycle[other]);
            }
            assert_int_equal(enabled_in(&enabled, state, i), expected);
        }
    }
    free(reached);
    free(on_cycle);
    enabled_close(&enabled);
    explored_close(explored);
}

static void as_defined(void **state)
{
    (void)state;
    assert_as_defined(setting_of("one_bit", 3, 1));
    assert_as_defined(setting_of("burns_lynch", 3, 1));
    assert_as_defined(setting_of("bakery", 2, 1));
    assert_as_defined(setting_of("bakery:looks_twice", 2, 1));
    assert_as_defined(setting_of("test:ticket", 3, 2));
    assert_as_defined(setting_of("test:barging", 3, 2));
    assert_as_defined(setting_of("test:naive_k_bakery", 2, 2));
    struct setting crashing = setting_of("test:ticket:in_turn", 2, 2);
    crashing.crashes = 1;
    assert_as_defined(crashing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticket_k_1),     cmocka_unit_test(ticket_k_2),
        cmocka_unit_test(naive_k_bakery), cmocka_unit_test(bakery_enables_one_at_a_time),
        cmocka_unit_test(as_defined),
    };
    return cmocka_run_group_tests_name("enabled", tests, NULL, NULL);
}
