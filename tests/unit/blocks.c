/* SPDX-License-Identifier: MIT
 *
 * What ends with a block of the register language: whoever stands outside it does not remember what was in it, whatever
 * way it took. And conditions on several registers, which are one step for each that is read.
 */
#include "unit.h"

/* --- an algorithm with every way out ------------------------------------------------------------------------------ */

#define ADMIT_STEPPED
#define ADMIT_ID "unit:blocks"
#define ADMIT_SYMBOL stepped_unit_blocks
#include "registers/language.h"

struct shared {
    array value, way;
};

struct look {
    position at;
    number seen, result;
};

struct locals {
    position at;
    proc j;
    procset todo;
    number in_block, in_passage;
    struct look look;
};

/* How the block is left. */
enum way_out { TO_THE_END, BY_BREAK, BY_CONTINUE, BY_GOTO, BACK, WAYS_OUT };

DECLARE
{
    S->value = registers("value", 4, 8, 0, .writer = ANYBODY);
    S->way = registers("way", 1, WAYS_OUT, TO_THE_END, .writer = ANYBODY);
}

PROCEDURE(look)
BEGIN
    local(L.seen);
    AT("look")
    L.seen = (number)get(S->value[0]);
    AT("look again")
    L.result = (number)(L.seen + get(S->value[0]));
END

ENTER
BEGIN
home:
    AT("home")
    (void)get(S->way[0]);
    for_in_order ("loop", L.j, 1, 3) {
        local(L.in_block);
        L.in_block = (number)get(S->value[0]);
        AT("which way?")
        enum way_out way = (enum way_out)get(S->way[0]);
        if (way == BY_BREAK)
            break;
        if (way == BY_CONTINUE)
            continue;
        if (way == BY_GOTO)
            goto out;
        if (way == BACK)
            try_again(home);
    }
out:
    AT("out")
    (void)get(S->way[0]);
    CALL(look, L.look);
    L.in_passage = L.look.result;
    AT("looked")
    (void)get(S->way[0]);
    for_all ("any", L.j, 0, 2)
        if (any(get(S->value[0]) == 1, get(S->value[1]) == 1, get(S->value[2]) == 1))
            break;
    AT("all")
    if (all(get(S->value[0]) == 1, get(S->value[1]) == 1, get(S->value[2]) == 1)) {
        AT("all are")
        (void)get(S->value[3]);
    }
    AT("last")
    (void)get(S->value[3]);
END

LEAVE
BEGIN
    AT("leave")
    (void)get(S->way[0]);
END

ALGORITHM(.title = "Every way out", .paper = "-", .figure = "", .bits = "17", .fairness = "none");

/* --- stepping it by hand ------------------------------------------------------------------------------------------ */

static struct instance instance;

static void start(struct process *process)
{
    process_start(&instance, 0, process);
}

/* One step, at this marker, that reads this register and finds this value there. */
static void step(struct process *process, const char *marker, unsigned reg, uint64_t value)
{
    struct process from = *process;
    struct access access;
    assert_string_equal(process->label, marker);
    process_step(&instance, 0, &from, 0, value, process, &access);
    assert_int_equal(access.reg, reg);
}

enum { VALUE = 0, WAY = 4 };

/* They are packed in bytes there. */
static struct locals locals_of(const struct process *process)
{
    struct locals locals;
    memcpy(&locals, process->locals, sizeof locals);
    return locals;
}

/* Into the block in round j of the loop, having read this value there. */
static void go_into_block(struct process *process, uint64_t value)
{
    step(process, "loop", VALUE, value);
    assert_int_equal(locals_of(process).in_block, value);
}

/* Two processes that have read different values stand in different states as long as they are in the block. */
static void nothing_is_left_of_a_block(void **state)
{
    static const char *const leads_to[WAYS_OUT] = {
        [TO_THE_END] = "loop", [BY_BREAK] = "out", [BY_CONTINUE] = "loop", [BY_GOTO] = "out", [BACK] = "home"};
    (void)state;
    for (unsigned way = 0; way < WAYS_OUT; way++) {
        struct process one, other;
        start(&one);
        step(&one, "home", WAY, 0);
        other = one;
        go_into_block(&one, 5);
        go_into_block(&other, 6);
        assert_memory_not_equal(&one, &other, instance.process_size);
        step(&one, "which way?", WAY, way);
        step(&other, "which way?", WAY, way);
        assert_string_equal(one.label, leads_to[way]);
        assert_memory_equal(&one, &other, instance.process_size);
        assert_int_equal(locals_of(&one).in_block, 0);
        if (strcmp(one.label, "loop") != 0)
            assert_int_equal(locals_of(&one).j, 0);
    }
}

/* Up to "looked". */
static void come_out(struct process *process, uint64_t seen)
{
    start(process);
    step(process, "home", WAY, 0);
    go_into_block(process, 1);
    step(process, "which way?", WAY, BY_GOTO);
    step(process, "out", WAY, 0);
    step(process, "look", VALUE, seen);
    assert_int_equal(locals_of(process).look.seen, seen);
    step(process, "look again", VALUE, 7 - seen);
}

/* Of a call there is left what its caller took from it. */
static void nothing_is_left_of_a_call(void **state)
{
    static const struct look none;
    struct process one, other;
    (void)state;
    come_out(&one, 2);
    come_out(&other, 3);
    assert_int_equal(locals_of(&one).in_passage, 7);
    struct locals locals = locals_of(&one);
    assert_memory_equal(&locals.look, &none, sizeof none);
    assert_memory_equal(&one, &other, instance.process_size);
}

/* No further than needed, and each read at the same marker. */
static void conditions_are_read_one_by_one(void **state)
{
    struct process process, before;
    (void)state;
    come_out(&process, 2);
    step(&process, "looked", WAY, 0);
    step(&process, "any", VALUE, 0); /* the first round finds none */
    step(&process, "any", VALUE + 1, 0);
    step(&process, "any", VALUE + 2, 0);
    step(&process, "any", VALUE, 0); /* the second does */
    step(&process, "any", VALUE + 1, 1);
    before = process;
    step(&process, "all", VALUE, 1);
    step(&process, "all", VALUE + 1, 1);
    step(&process, "all", VALUE + 2, 1);
    step(&process, "all are", VALUE + 3, 0);
    assert_string_equal(process.label, "last");
    for (unsigned fails = 0; fails < 3; fails++) {
        process = before;
        for (unsigned r = 0; r <= fails; r++)
            step(&process, "all", VALUE + r, r < fails);
        assert_string_equal(process.label, "last");
    }
}

static int open_instance(void **state)
{
    (void)state;
    struct setting setting = {.algorithm = &stepped_unit_blocks, .n = 1, .k = 1};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    instance_open(&instance, &setting);
    return 0;
}

static int close_instance(void **state)
{
    (void)state;
    instance_close(&instance);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_left_of_a_block),
        cmocka_unit_test(nothing_is_left_of_a_call),
        cmocka_unit_test(conditions_are_read_one_by_one),
    };
    return cmocka_run_group_tests_name("blocks", tests, open_instance, close_instance);
}
