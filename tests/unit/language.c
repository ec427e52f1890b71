/* SPDX-License-Identifier: MIT
 *
 * The words of the register language in the stepped world, each looked at alone; and what it refuses.
 */
#include "unit.h"

/* --- an algorithm that uses every word once ----------------------------------------------------------------------- */

#define ADMIT_STEPPED
#define ADMIT_ID "unit:words"
#define ADMIT_SYMBOL stepped_unit_words
#include "registers/language.h"

/* A part with registers of its own. */
struct part {
    array grid;
};

struct shared {
    array mark, count;
    struct part part;
};

struct add_two {
    position at;
    proc old;
};

struct look_around {
    position at;
    proc j;
    numberset todo; /* goes beyond the processes */
};

struct locals {
    position at;
    proc j, visits;
    procset todo, marked;
    struct add_two add_two;
    struct look_around look_around;
};

enum { COLUMNS = 20 };

static void name_column(char *name, size_t size, unsigned n, unsigned row, unsigned column)
{
    snprintf(name, size, "(%u of %u)<%c>", row, n, 'a' + (char)column);
}

DECLARE
{
    S->mark = registers("mark", n, 3, 1, .writer = OWN_ELEMENT);
    S->count = registers("count", 1, 8, 0, .writer = ANYBODY);
    S->part.grid = register_rows("grid", n, COLUMNS, 4, ANY_VALUE, .writer = OWN_ROW, .elements = name_column);
    register_rows("plain", n, 2, BOOLEAN, 1, .writer = OWN_ROW);
    register_rows("empty", n, 0, BOOLEAN, 1, .writer = OWN_ROW);
}

PROCEDURE(add_two)
BEGIN
    AT("add")
    update(S->count[0], L.old, (L.old + 2u) % 8);
END

static enum outcome look_around(struct stepping *P, const struct part *S, struct look_around *frame) BEGIN
    for_all ("around", L.j, 16, COLUMNS)(void) get(S->grid[i * COLUMNS + L.j]);
END

/* What it does wrong is chosen by k; 1 is right. */
enum {
    RIGHT = 1,
    TWO_ACCESSES,
    NO_ACCESS_AT_ALL,
    FOREIGN_REGISTER,
    OUT_OF_DOMAIN,
    DOORWAY_TWICE,
    FOREIGN_ROW,
    SET_TOO_SMALL,
    SOME_SET /* is right, too */
};

ENTER
BEGIN
    local(L.visits);
    AT("mark")
    put_if_different(S->mark[i], 1);
    for_all ("all", L.j, 0, n) {
        if (get(S->mark[L.j]) == 2)
            L.visits++;
    }
    for_all_others ("others", L.j)
        await(get(S->mark[L.j]) != 0);
    waiting_room();
    CALL(add_two, L.add_two);
    if (k == SOME_SET) {
        L.marked = (procset)(only(1) | only(3));
        for_all_in ("marked", L.j, L.marked) {
            (void)get(S->mark[L.j]);
            L.marked &= ~only(L.j);
        }
        CALL_PART(look_around, S->part, L.look_around);
    } else if (k == SET_TOO_SMALL) {
        for_all ("too wide", L.j, 0, 65)
            (void)get(S->count[0]);
    } else if (k == FOREIGN_ROW) {
        AT("wrong")
        put(S->part.grid[(i + 1) * COLUMNS], 0);
    } else if (k != RIGHT) {
        AT("wrong")
        if (k != NO_ACCESS_AT_ALL)
            put(S->mark[k == FOREIGN_REGISTER ? (i + 1) % n : i], k == OUT_OF_DOMAIN ? 3 : 2);
        if (k == TWO_ACCESSES)
            (void)get(S->count[0]);
        if (k == DOORWAY_TWICE)
            waiting_room();
    }
END

LEAVE
BEGIN
    AT("unmark")
    put(S->mark[i], 0);
END

ALGORITHM(.title = "Every word", .paper = "-", .figure = "", .doorway = true, .bits = "2n + 3", .fairness = "none");

/* --- stepping it by hand ------------------------------------------------------------------------------------------ */

static struct instance instance;
static struct process process;
static struct access access_made;

static void start(unsigned n, unsigned k, unsigned i, enum register_kind kind, bool any_order)
{
    struct setting setting = {
        .algorithm = &stepped_unit_words, .n = n, .k = k, .registers = kind, .any_order = any_order};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    instance_open(&instance, &setting);
    process_start(&instance, i, &process);
}

static void step(unsigned i, unsigned choice, uint64_t value)
{
    struct process from = process;
    process_step(&instance, i, &from, choice, value, &process, &access_made);
}

static void write_if_different(void **state)
{
    (void)state;
    start(2, RIGHT, 0, ATOMIC, false);
    struct process before = process;
    step(0, 0, 1);
    assert_int_equal(access_made.kind, WRITE_IF_DIFFERENT);
    assert_int_equal(access_made.result, 1);
    process = before;
    step(0, 0, 2);
    assert_int_equal(access_made.result, 1);
    instance_close(&instance);

    /* Not atomic: nothing to write is one step, a write is two. */
    start(2, RIGHT, 0, REGULAR, false);
    before = process;
    step(0, 0, 1);
    assert_false(access_made.begins);
    assert_string_equal(process.label, "all");
    process = before;
    step(0, 0, 2);
    assert_true(access_made.begins);
    assert_string_equal(process.label, "mark");
    step(0, 0, 2);
    assert_int_equal(access_made.result, 1);
    assert_string_equal(process.label, "all");
    instance_close(&instance);
}

/* Goes through the rest of a for_all whose elements `choose` picks; checks which registers it reads. */
static void assert_visits(unsigned i, const char *label, unsigned count, const unsigned *choices,
                          const unsigned *elements)
{
    for (unsigned v = 0; v < count; v++) {
        assert_string_equal(process.label, label);
        step(i, choices == NULL ? 0 : choices[v], 1);
        assert_int_equal(access_made.kind, READ);
        assert_int_equal(access_made.reg, elements[v]);
        assert_int_equal(access_made.choices, choices == NULL ? 1 : count - v);
    }
}

/* Natively for_all goes up, and for_all_others down from i and round. */
static void native_order(void **state)
{
    (void)state;
    start(4, RIGHT, 2, ATOMIC, false);
    step(2, 0, 1);
    assert_visits(2, "all", 4, NULL, (unsigned[]){0, 1, 2, 3});
    assert_visits(2, "others", 3, NULL, (unsigned[]){1, 0, 3});
    assert_string_equal(process.label, "add");
    instance_close(&instance);
}

/* In any order, each choice is one of the elements that are left. */
static void any_order(void **state)
{
    (void)state;
    start(4, RIGHT, 2, ATOMIC, true);
    step(2, 0, 1);
    assert_visits(2, "all", 4, (unsigned[]){3, 1, 0, 0}, (unsigned[]){3, 1, 0, 2});
    assert_visits(2, "others", 3, (unsigned[]){2, 1, 0}, (unsigned[]){3, 1, 0});
    assert_string_equal(process.label, "add");
    instance_close(&instance);
}

static void a_failed_wait_keeps_the_choice_open(void **state)
{
    (void)state;
    start(3, RIGHT, 0, ATOMIC, true);
    step(0, 0, 1);
    assert_visits(0, "all", 3, (unsigned[]){0, 0, 0}, (unsigned[]){0, 1, 2});
    struct process before = process;
    step(0, 1, 0);
    assert_int_equal(access_made.reg, 2);
    assert_memory_equal(&process, &before, instance.process_size);
    step(0, 0, 1);
    assert_int_equal(access_made.reg, 1);
    instance_close(&instance);
}

static void nested_procedure_and_update(void **state)
{
    (void)state;
    start(1, RIGHT, 0, ATOMIC, false);
    step(0, 0, 1);
    step(0, 0, 1);
    assert_int_equal(process.section, WAITING_ROOM);
    assert_string_equal(process.label, "add");
    step(0, 0, 7);
    assert_int_equal(access_made.kind, UPDATE);
    assert_int_equal(access_made.value, 7);
    assert_int_equal(access_made.result, 1);
    assert_int_equal(process.section, CRITICAL);
    instance_close(&instance);
}

/* A for_all over a given set, in the native order and in any; one over more than there are processes; a part. */
static void sets_and_parts(void **state)
{
    (void)state;
    unsigned grid = 6 + 2 * COLUMNS;
    for (unsigned any = 0; any < 2; any++) {
        start(5, SOME_SET, 2, ATOMIC, any == 1);
        while (strcmp(process.label, "marked") != 0)
            step(2, 0, 1);
        if (any)
            assert_visits(2, "marked", 2, (unsigned[]){1, 0}, (unsigned[]){3, 1});
        else
            assert_visits(2, "marked", 2, NULL, (unsigned[]){1, 3});
        if (any)
            assert_visits(2, "around", 4, (unsigned[]){3, 1, 1, 0},
                          (unsigned[]){grid + 19, grid + 17, grid + 18, grid + 16});
        else
            assert_visits(2, "around", 4, NULL, (unsigned[]){grid + 16, grid + 17, grid + 18, grid + 19});
        assert_int_equal(process.section, CRITICAL);
        instance_close(&instance);
    }
}

/* --- what is declared --------------------------------------------------------------------------------------------- */

static void declarations(void **state)
{
    (void)state;
    char name[32];
    start(5, RIGHT, 0, ATOMIC, false);
    assert_int_equal(instance.reg_count, 6 + 5 * COLUMNS + 5 * 2);
    assert_int_equal(shared_bits(&instance), 5 * 2 + 3 + 5 * COLUMNS * 2 + 5 * 2);
    assert_int_equal(shared_bits_each(&instance), UINT64_MAX); /* count is anybody's */
    register_name(&instance, 3, name, sizeof name);
    assert_string_equal(name, "mark[3]");
    register_name(&instance, 5, name, sizeof name);
    assert_string_equal(name, "count");
    assert_int_equal(instance.regs[3].writer, 3);
    assert_int_equal(instance.regs[5].writer, -1);
    unsigned grid = 6, plain = 6 + 5 * COLUMNS;
    register_name(&instance, grid + 3 * COLUMNS + 2, name, sizeof name);
    assert_string_equal(name, "grid(3 of 5)<c>");
    assert_int_equal(instance.regs[grid + 3 * COLUMNS + 2].writer, 3);
    assert_int_equal(initial_value(instance.regs[grid].array), 0);
    register_name(&instance, plain + 9, name, sizeof name);
    assert_string_equal(name, "plain[4][1]");
    assert_int_equal(instance.regs[plain + 9].writer, 4);
    assert_int_equal(initial_value(instance.regs[plain].array), 1);
    instance_close(&instance);
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

/* Process 0 of three goes through ENTER. */
static void run_to_the_end(unsigned wrong)
{
    start(3, wrong, 0, ATOMIC, false);
    while (process.section != CRITICAL)
        step(0, 0, 1);
}

static void refuses(void **state)
{
    static const struct {
        unsigned wrong;
        const char *says;
    } cases[] = {
        {TWO_ACCESSES, "2 shared accesses at \"wrong\""},
        {NO_ACCESS_AT_ALL, "0 shared accesses at \"wrong\""},
        {FOREIGN_REGISTER, "writes mark[1], which only process 1 may write"},
        {OUT_OF_DOMAIN, "writes 3 to mark[0], which has 3 values"},
        {DOORWAY_TWICE, "is not in one"},
        {FOREIGN_ROW, "which only process 1 may write"},
        {SET_TOO_SMALL, "over 65 elements"},
    };
    char message[256];
    (void)state;
    assert_int_equal(end_of(run_to_the_end, RIGHT, message, sizeof message), 0);
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        assert_int_equal(end_of(run_to_the_end, cases[c].wrong, message, sizeof message), 2);
        assert_non_null(strstr(message, "unit:words"));
        if (strstr(message, cases[c].says) == NULL)
            fail_msg("it said: %s", message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_if_different),
        cmocka_unit_test(native_order),
        cmocka_unit_test(any_order),
        cmocka_unit_test(a_failed_wait_keeps_the_choice_open),
        cmocka_unit_test(nested_procedure_and_update),
        cmocka_unit_test(sets_and_parts),
        cmocka_unit_test(declarations),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests_name("language", tests, NULL, NULL);
}
