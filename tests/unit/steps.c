/* SPDX-License-Identifier: MIT
 *
 * Steps, (V4) in docs/properties.md, on algorithms small enough to count their states by hand: one shared access is one
 * step, a write to a register that is not atomic is two, sections change inside a step, a crash leaves a begun write
 * open.
 */
#include "unit.h"

#include "checker/model/faults.h"

/* A process that is stepped by hand, one access after the other. */
struct walk {
    struct instance instance;
    struct process process;
    struct access access;
    unsigned i;
};

static struct walk *walk_open(struct setting setting, unsigned i)
{
    struct walk *walk = calloc(1, sizeof *walk);
    walk->i = i;
    instance_open(&walk->instance, &setting);
    process_start(&walk->instance, i, &walk->process);
    return walk;
}

static void walk_close(struct walk *walk)
{
    instance_close(&walk->instance);
    free(walk);
}

static void step(struct walk *walk, uint64_t value)
{
    struct process from = walk->process;
    process_step(&walk->instance, walk->i, &from, 0, value, &walk->process, &walk->access);
}

static void assert_stands(const struct walk *walk, enum section section, const char *label)
{
    assert_int_equal(walk->process.section, section);
    assert_string_equal(walk->process.label, label);
}

/* --- counted by hand ---------------------------------------------------------------------------------------------- */

/* Process 0 of two is in its remainder, at "second for", or inside; process 1 in its remainder, at "first for", "give
 * way", "wait", back at "l", or inside. The bits follow from that. Of the 3 * 6 pairs, all but "both inside" come
 * up. */
static void one_bit_has_17_states(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 2, 1);
    assert_int_equal(states_of(&setting), 17);
}

/* Alone: remainder and critical section, with one step from each to the other. */
static void alone_there_are_two_states(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 1, 1);
    assert_int_equal(states_of(&setting), 2);
}

/* A write that is not atomic adds a state between its two steps: one on the way in, one on the way out. */
static void a_write_in_two_steps(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 1, 1);
    setting.registers = REGULAR;
    assert_int_equal(states_of(&setting), 4);
    setting.registers = SAFE;
    assert_int_equal(states_of(&setting), 4);
}

/* It can crash inside and in the middle of each of its two writes, not in its remainder. */
static void crashes_outside_the_remainder(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 1, 1);
    setting.crashes = 1;
    assert_int_equal(states_of(&setting), 2 + 1);
    setting.registers = SAFE;
    assert_int_equal(states_of(&setting), 4 + 3);
}

/* Passages left are part of a state: 2 and 1 in the remainder and inside, none in the remainder. */
static void passages_are_counted_down(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 1, 1);
    setting.passages[0] = 2;
    assert_int_equal(states_of(&setting), 5);
    setting.passages[0] = 0;
    assert_int_equal(states_of(&setting), 1);
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

static void straight_to_the_critical_section(void **state)
{
    (void)state;
    struct walk *walk = walk_open(setting_of("one_bit", 1, 1), 0);
    assert_stands(walk, REMAINDER, "l");
    step(walk, 0);
    assert_stands(walk, CRITICAL, "exit");
    assert_int_equal(walk->access.kind, WRITE);
    assert_int_equal(walk->access.result, 1);
    step(walk, 1);
    assert_stands(walk, REMAINDER, "l");
    walk_close(walk);
}

static void a_failed_test_changes_nothing(void **state)
{
    (void)state;
    struct walk *walk = walk_open(setting_of("one_bit", 2, 1), 0);
    step(walk, 0);
    assert_stands(walk, WAITING_ROOM, "second for");
    struct process before = walk->process;
    step(walk, 1);
    assert_memory_equal(&walk->process, &before, walk->instance.process_size);
    step(walk, 0);
    assert_stands(walk, CRITICAL, "exit");
    walk_close(walk);
}

/* The doorway of the Bakery is its first step up to line 3, in a nested procedure too; what is forgotten looks
 * equal. */
static void the_doorway_of_the_bakery(void **state)
{
    (void)state;
    struct walk *walk = walk_open(setting_of("bakery", 2, 1), 1);
    struct process start = walk->process;
    static const char *const labels[] = {"2 max", "2 max", "2", "3"};
    for (unsigned s = 0; s < 4; s++) {
        step(walk, 0);
        assert_stands(walk, DOORWAY, labels[s]);
    }
    step(walk, 1); /* line 3 */
    assert_stands(walk, WAITING_ROOM, "4a");
    step(walk, 0);
    assert_stands(walk, WAITING_ROOM, "4b");
    step(walk, 0);
    assert_stands(walk, CRITICAL, "5");
    step(walk, 1);
    assert_memory_equal(&walk->process, &start, walk->instance.process_size);
    walk_close(walk);
}

static void the_largest_ticket_and_one_more(void **state)
{
    (void)state;
    struct walk *walk = walk_open(setting_of("bakery", 3, 1), 0);
    const uint64_t tickets[] = {0, 7, 4};
    step(walk, 0);
    for (unsigned j = 0; j < 3; j++) {
        assert_string_equal(walk->process.label, "2 max");
        step(walk, tickets[j]);
        assert_int_equal(walk->access.kind, READ);
        assert_int_equal(walk->access.reg, j);
    }
    step(walk, 0);
    assert_int_equal(walk->access.kind, WRITE);
    assert_int_equal(walk->access.result, 8);
    walk_close(walk);
}

/* --- registers that are not atomic -------------------------------------------------------------------------------- */

static void begin_and_end(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 2, 1);
    setting.registers = SAFE;
    struct walk *walk = walk_open(setting, 0);
    unsigned reg;
    uint64_t value;
    assert_false(process_open_write(&walk->instance, 0, &walk->process, &reg, &value));
    step(walk, 0);
    /* Begun: it has left the remainder, the register is as it was, and whoever reads it now overlaps the write of 1. */
    assert_stands(walk, WAITING_ROOM, "l");
    assert_true(walk->access.begins);
    assert_int_equal(walk->access.result, 0);
    assert_true(process_open_write(&walk->instance, 0, &walk->process, &reg, &value));
    assert_int_equal(reg, 0);
    assert_int_equal(value, 1);
    step(walk, 0);
    assert_stands(walk, WAITING_ROOM, "second for");
    assert_false(walk->access.begins);
    assert_int_equal(walk->access.result, 1);
    assert_false(process_open_write(&walk->instance, 0, &walk->process, &reg, &value));
    /* A read is one step. */
    step(walk, 0);
    assert_stands(walk, CRITICAL, "exit");
    step(walk, 1);
    assert_stands(walk, EXIT, "exit");
    step(walk, 1);
    assert_stands(walk, REMAINDER, "l");
    walk_close(walk);
}

static void a_crash_leaves_the_write_open(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 2, 1);
    setting.registers = SAFE;
    setting.crashes = 1;
    struct walk *walk = walk_open(setting, 1);
    assert_false(faults_possible(&walk->instance, &walk->process) & CRASH);
    step(walk, 0);
    assert_true(faults_possible(&walk->instance, &walk->process) & CRASH);
    struct process dead;
    unsigned reg;
    uint64_t value;
    fault_begin(&walk->instance, 1, &walk->process, CRASH, &dead);
    assert_true(dead.crashed);
    assert_int_equal(dead.section, WAITING_ROOM);
    assert_false(process_can_step(&dead));
    assert_false(faults_possible(&walk->instance, &dead) & CRASH);
    assert_true(process_open_write(&walk->instance, 1, &dead, &reg, &value));
    assert_int_equal(reg, 1);
    assert_int_equal(value, 1);
    /* After the write has ended, nothing is open. */
    step(walk, 0);
    fault_begin(&walk->instance, 1, &walk->process, CRASH, &dead);
    assert_false(process_open_write(&walk->instance, 1, &dead, &reg, &value));
    walk_close(walk);
}

/* Where two crashed processes left from makes no difference, only the section and the open write do. */
static void the_crashed_look_equal(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 3, 1);
    setting.crashes = 1;
    struct walk *walk = walk_open(setting, 1);
    struct process early, late;
    step(walk, 0);
    assert_stands(walk, WAITING_ROOM, "first for");
    fault_begin(&walk->instance, 1, &walk->process, CRASH, &early);
    step(walk, 0);
    assert_stands(walk, WAITING_ROOM, "second for");
    fault_begin(&walk->instance, 1, &walk->process, CRASH, &late);
    assert_memory_equal(&early, &late, walk->instance.process_size);
    walk_close(walk);
}

/* Reads that overlap a write: process 1 of two may find x[0] up or down while process 0 raises it. */
static void overlapped_reads_return_either(void **test_state)
{
    (void)test_state;
    struct setting setting = setting_of("one_bit", 2, 1);
    setting.registers = SAFE;
    struct explored *explored = explored_open(&setting);
    const struct graph *graph = &explored->exploration.graph;
    unsigned overlaps = 0;
    for (uint32_t s = 0; s < graph->states; s++) {
        if (!process_in(explored, s, 0)->writing || strcmp(process_in(explored, s, 1)->label, "first for") != 0 ||
            process_in(explored, s, 1)->section != WAITING_ROOM)
            continue;
        unsigned ways = 0;
        for (uint64_t edge = graph->first[s]; edge < graph->first[s + 1]; edge++)
            ways += (graph->kinds[edge] & EDGE_PROCESS) == 1;
        assert_int_equal(ways, 2);
        overlaps++;
    }
    assert_true(overlaps > 0);
    explored_close(explored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bit_has_17_states),
        cmocka_unit_test(alone_there_are_two_states),
        cmocka_unit_test(a_write_in_two_steps),
        cmocka_unit_test(crashes_outside_the_remainder),
        cmocka_unit_test(passages_are_counted_down),
        cmocka_unit_test(straight_to_the_critical_section),
        cmocka_unit_test(a_failed_test_changes_nothing),
        cmocka_unit_test(the_doorway_of_the_bakery),
        cmocka_unit_test(the_largest_ticket_and_one_more),
        cmocka_unit_test(begin_and_end),
        cmocka_unit_test(a_crash_leaves_the_write_open),
        cmocka_unit_test(the_crashed_look_equal),
        cmocka_unit_test(overlapped_reads_return_either),
    };
    return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
