/* SPDX-License-Identifier: MIT
 *
 * Components, longest runs and fair components, on graphs small enough to see the answer.
 */
#include "unit.h"

#include "checker/judge/infinite_runs.h"

enum { STATES_MAX = 8, EDGES_MAX = 16 };

/* A graph of two processes, edge by edge; everybody is in the waiting room unless a test says otherwise. */
struct drawing {
    struct graph graph;
    uint64_t first[STATES_MAX + 1];
    uint32_t targets[EDGES_MAX];
    uint8_t kinds[EDGES_MAX];
    struct standing standing[STATES_MAX];
    uint8_t in[STATES_MAX];
    struct part part;
};

struct arrow {
    uint32_t from, to;
    uint8_t kind;
};

/* The arrows come in the order of where they start. */
static void draw(struct drawing *drawing, uint32_t states, const struct arrow *arrows, unsigned count)
{
    memset(drawing, 0, sizeof *drawing);
    drawing->graph = (struct graph){.n = 2,
                                    .k = 1,
                                    .states = states,
                                    .edges = count,
                                    .first = drawing->first,
                                    .targets = drawing->targets,
                                    .kinds = drawing->kinds,
                                    .standing = drawing->standing};
    for (unsigned a = 0; a < count; a++) {
        assert_true(a == 0 || arrows[a].from >= arrows[a - 1].from);
        drawing->targets[a] = arrows[a].to;
        drawing->kinds[a] = arrows[a].kind;
        for (uint32_t s = arrows[a].from + 1; s <= states; s++)
            drawing->first[s]++;
    }
    for (uint32_t s = 0; s < states; s++)
        drawing->standing[s].waiting_room = 3;
    memset(drawing->in, 1, states);
    drawing->part = (struct part){.graph = &drawing->graph, .in = drawing->in};
}

#define DRAW(drawing, states, ...)                                                                                     \
    draw(drawing, states, (struct arrow[]){__VA_ARGS__}, sizeof((struct arrow[]){__VA_ARGS__}) / sizeof(struct arrow))

static void assert_runs(const struct drawing *drawing, struct event event, const uint32_t *expected)
{
    uint32_t *runs = longest_runs(&drawing->part, event);
    for (uint32_t s = 0; s < drawing->graph.states; s++)
        assert_int_equal(runs[s], expected[s]);
    free(runs);
}

/* --- components --------------------------------------------------------------------------------------------------- */

static unsigned count_components(const struct components *components)
{
    unsigned count = 0;
    for (uint32_t at = 0; at < components->states; at++)
        count += at == 0 || components->of[components->order[at]] != components->of[components->order[at - 1]];
    return count;
}

static void two_cycles_and_a_bridge(void **state)
{
    (void)state;
    struct drawing d;
    struct components components;
    /* 0 <-> 1 -> 2 -> 3 <-> 4 */
    DRAW(&d, 5, {0, 1, 0}, {1, 0, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 3, 0});
    components_find(&components, &d.part);
    assert_int_equal(count_components(&components), 3);
    assert_int_equal(components.states, 5);
    assert_int_equal(components.of[0], components.of[1]);
    assert_int_equal(components.of[3], components.of[4]);
    /* What is reached has the smaller number. */
    assert_true(components.of[3] < components.of[2] && components.of[2] < components.of[1]);
    components_close(&components);
}

static void only_the_part_counts(void **state)
{
    (void)state;
    struct drawing d;
    struct components components;
    /* A ring of three; without state 2, or without the edges into the critical section, it is none. */
    DRAW(&d, 3, {0, 1, 0}, {1, 2, 0}, {2, 0, EDGE_ENTERS_CRITICAL});
    components_find(&components, &d.part);
    assert_int_equal(count_components(&components), 1);
    components_close(&components);

    d.part.forbidden = EDGE_ENTERS_CRITICAL;
    components_find(&components, &d.part);
    assert_int_equal(count_components(&components), 3);
    components_close(&components);

    d.part.forbidden = 0;
    d.in[2] = 0;
    components_find(&components, &d.part);
    assert_int_equal(count_components(&components), 2);
    assert_int_equal(components.of[2], NO_COMPONENT);
    components_close(&components);
}

/* --- longest runs ------------------------------------------------------------------------------------------------- */

static void the_longer_of_two_ways(void **state)
{
    (void)state;
    struct drawing d;
    /* Steps of process 0: 0 -> 1 -> 3, and 0 -> 3 directly; process 1: 1 -> 2 -> 3 with one of 0 at the end. */
    DRAW(&d, 4, {0, 1, 0}, {0, 3, 0}, {1, 2, 1}, {1, 3, 0}, {2, 3, 0});
    assert_runs(&d, step_of(0), (uint32_t[]){2, 1, 1, 0});
    assert_runs(&d, step_of(1), (uint32_t[]){1, 1, 0, 0});
}

static void the_last_step_may_leave_the_part(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 3, {0, 1, 0}, {1, 2, 0}, {2, 2, 0});
    d.in[2] = 0;
    assert_runs(&d, step_of(0), (uint32_t[]){2, 1, 0});
}

static void a_cycle_of_others_is_no_run_of_mine(void **state)
{
    (void)state;
    struct drawing d;
    /* Process 1 goes round in 0 <-> 1; process 0 leaves it by one step. */
    DRAW(&d, 3, {0, 1, 1}, {1, 0, 1}, {1, 2, 0});
    assert_runs(&d, step_of(0), (uint32_t[]){1, 1, 0});
    assert_runs(&d, step_of(1), (uint32_t[]){UNBOUNDED, UNBOUNDED, 0});
}

static void what_reaches_a_cycle_is_unbounded(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 4, {0, 1, 1}, {0, 3, 0}, {1, 2, 0}, {2, 1, 1});
    assert_runs(&d, step_of(0), (uint32_t[]){UNBOUNDED, UNBOUNDED, UNBOUNDED, 0});
}

static void a_failed_wait_is_a_step(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 2, {0, 1, 1});
    d.standing[1].spins = 1;
    assert_runs(&d, step_of(0), (uint32_t[]){UNBOUNDED, UNBOUNDED});
    assert_runs(&d, step_of(1), (uint32_t[]){1, 0});
    /* It is no entry. */
    assert_runs(&d, entry_of(0), (uint32_t[]){0, 0});
}

static void entries_are_counted_apart(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 4, {0, 1, 0}, {1, 2, 0 | EDGE_ENTERS_CRITICAL}, {2, 3, 1 | EDGE_ENTERS_CRITICAL});
    assert_runs(&d, step_of(0), (uint32_t[]){2, 1, 0, 0});
    assert_runs(&d, entry_of(0), (uint32_t[]){1, 1, 0, 0});
    assert_runs(&d, entry_of(1), (uint32_t[]){1, 1, 1, 0});
}

static void a_crash_is_no_step(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 2, {0, 1, 0 | EDGE_FAULT});
    assert_runs(&d, step_of(0), (uint32_t[]){0, 0});
}

/* That it is asleep still it finds no more than once, so to speak: its next step is to wake. */
static void who_sleeps_does_not_step_in_vain(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 3, {0, 1, 0 | EDGE_TIMED_LOOK}, {1, 2, 0});
    d.standing[0].spins = 1;
    assert_runs(&d, step_of(0), (uint32_t[]){2, 1, 0});
    /* The other one's looks do not help it. */
    d.kinds[0] = 1 | EDGE_TIMED_LOOK;
    assert_runs(&d, step_of(0), (uint32_t[]){UNBOUNDED, 1, 0});
    /* To wake again and again is in vain. */
    DRAW(&d, 2, {0, 1, 0 | EDGE_TIMED_LOOK}, {1, 0, 0});
    d.standing[0].spins = 1;
    assert_runs(&d, step_of(0), (uint32_t[]){UNBOUNDED, UNBOUNDED});
}

/* --- fair components ---------------------------------------------------------------------------------------------- */

static bool whatever(const void *context, const struct standing *standing)
{
    (void)context, (void)standing;
    return true;
}

static bool nobody_crashed(const void *context, const struct standing *standing)
{
    (void)context;
    return standing->crashed == 0;
}

static uint32_t fair(const struct drawing *drawing, component_condition *condition)
{
    struct components components;
    uint32_t state = fair_component(&drawing->part, &components, condition, NULL);
    components_close(&components);
    return state;
}

static void both_must_step(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 2, {0, 1, 0}, {1, 0, 0});
    assert_int_equal(fair(&d, whatever), NOWHERE);
    DRAW(&d, 2, {0, 1, 0}, {1, 0, 1});
    assert_int_equal(fair(&d, whatever), 0);
}

static void failed_waits_are_fair(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 2, {0, 1, 0});
    d.standing[1].spins = 2; /* only process 1 */
    assert_int_equal(fair(&d, whatever), NOWHERE);
    d.standing[1].spins = 3;
    assert_int_equal(fair(&d, whatever), 1);
}

static void a_process_may_rest_in_its_remainder(void **state)
{
    (void)state;
    struct drawing d;
    /* Process 0 goes round; process 1 rests. */
    DRAW(&d, 2, {0, 1, 0}, {1, 0, 0});
    for (uint32_t s = 0; s < 2; s++)
        d.standing[s] = (struct standing){.waiting_room = 1, .remainder = 2};
    assert_int_equal(fair(&d, whatever), 0);
}

static void a_crashed_one_need_not_step(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 2, {0, 1, 0}, {1, 0, 0});
    for (uint32_t s = 0; s < 2; s++)
        d.standing[s].crashed = 2;
    assert_int_equal(fair(&d, whatever), 0);
    assert_int_equal(fair(&d, nobody_crashed), NOWHERE);
}

/* It is not to be relied on that somebody wakes by itself: who is asleep for ever is a fair run. */
static void to_sleep_on_is_fair(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 2, {0, 1, 0 | EDGE_TIMED_LOOK});
    d.standing[0].spins = 3;
    assert_int_equal(fair(&d, whatever), 0);
}

static void one_may_stay_inside_where_that_is_asked(void **state)
{
    (void)state;
    struct drawing d;
    DRAW(&d, 2, {0, 1, 0}, {1, 0, 0});
    for (uint32_t s = 0; s < 2; s++)
        d.standing[s] = (struct standing){.waiting_room = 1, .critical = 2};
    assert_int_equal(fair(&d, whatever), NOWHERE);
    d.part.may_stay_inside = true;
    assert_int_equal(fair(&d, whatever), 0);
}

static void the_smallest_state_is_named(void **state)
{
    (void)state;
    struct drawing d;
    /* Two fair cycles, 1 <-> 2 and 3 <-> 4, and a way to them. */
    DRAW(&d, 5, {0, 1, 0}, {0, 3, 1}, {1, 2, 0}, {2, 1, 1}, {3, 4, 1}, {4, 3, 0});
    assert_int_equal(fair(&d, whatever), 1);
    d.in[1] = 0;
    assert_int_equal(fair(&d, whatever), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cycles_and_a_bridge),
        cmocka_unit_test(only_the_part_counts),
        cmocka_unit_test(the_longer_of_two_ways),
        cmocka_unit_test(the_last_step_may_leave_the_part),
        cmocka_unit_test(a_cycle_of_others_is_no_run_of_mine),
        cmocka_unit_test(what_reaches_a_cycle_is_unbounded),
        cmocka_unit_test(a_failed_wait_is_a_step),
        cmocka_unit_test(entries_are_counted_apart),
        cmocka_unit_test(a_crash_is_no_step),
        cmocka_unit_test(who_sleeps_does_not_step_in_vain),
        cmocka_unit_test(both_must_step),
        cmocka_unit_test(failed_waits_are_fair),
        cmocka_unit_test(a_process_may_rest_in_its_remainder),
        cmocka_unit_test(a_crashed_one_need_not_step),
        cmocka_unit_test(to_sleep_on_is_fair),
        cmocka_unit_test(one_may_stay_inside_where_that_is_asked),
        cmocka_unit_test(the_smallest_state_is_named),
    };
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
