/* SPDX-License-Identifier: MIT
 *
 * Burns, Lynch 1993, section 5: obliterated, hidden and nullified on histories short enough to see the answer, and a
 * verifier that does not believe what is not so.
 */
#include "unit.h"

#include "bounds/hidden.h"
#include "bounds/variables.h"

/* A computation from q_0 by a history written as digits. */
struct example {
    struct instance instance;
    struct configuration start;
    uint8_t steps[64];
    struct computation computation;
};

static void example_open(struct example *example, const struct stepped_algorithm *algorithm, unsigned n,
                         const char *history)
{
    struct setting setting = {.algorithm = algorithm, .n = n, .k = 1};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    instance_open(&example->instance, &setting);
    configuration_start(&example->start, &example->instance);
    size_t count = strlen(history);
    for (size_t s = 0; s < count; s++)
        example->steps[s] = (uint8_t)(history[s] - '0');
    computation_run(&example->computation, &example->start, example->steps, count);
}

static void example_close(struct example *example)
{
    computation_close(&example->computation);
    configuration_close(&example->start);
    instance_close(&example->instance);
}

/* Each step of the history as one letter: r a read, w a write, o an obliterated write. */
static void assert_deeds(const char *id, unsigned n, const char *history, const char *expected)
{
    struct example example;
    char deeds[65] = "";
    example_open(&example, catalogue_find(id)->algorithm, n, history);
    for (size_t s = 0; s < example.computation.count; s++) {
        const struct done *done = &example.computation.done[s];
        deeds[s] = done->action.deed == READS ? 'r' : done->obliterated ? 'o' : 'w';
    }
    assert_string_equal(deeds, expected);
    example_close(&example);
}

/* The processes that are hidden; Lemma 5.3 must be so of each of them and of all together. */
static void assert_hidden(const char *id, unsigned n, const char *history, procset expected)
{
    struct example example;
    procset hidden = 0;
    example_open(&example, catalogue_find(id)->algorithm, n, history);
    for (unsigned i = 0; i < n; i++) {
        if (!is_hidden(&example.computation, i))
            continue;
        hidden |= the_one(i);
        assert_true(hides(&example.computation, the_one(i)));
    }
    assert_int_equal(hidden, expected);
    assert_true(hides(&example.computation, hidden));
    example_close(&example);
}

/* --- Definitions 5.2 and 5.3 -------------------------------------------------------------------------------------- */

/* A process of this lock reads owner, writes its number to it, reads it again; one more write leaves. */
#define LOCK "test:fischer_undelayed"

static void obliterated_writes(void **state)
{
    (void)state;
    assert_deeds(LOCK, 2, "00", "rw");           /* nobody has written since */
    assert_deeds(LOCK, 2, "0101", "rrow");       /* written over before anybody looked */
    assert_deeds(LOCK, 2, "01001", "rrorw");     /* its own look does not count */
    assert_deeds(LOCK, 3, "0122021", "rrrowrw"); /* p_2 looked before p_1 wrote over it */
    assert_deeds(LOCK, 3, "0122012", "rrroowr"); /* here it came too late to see it */
    assert_deeds(LOCK, 2, "00100", "rwrrw");     /* seen by p_1, then written over by p_0 itself: too late */
    assert_deeds(LOCK, 2, "0000", "rorw");       /* seen by nobody else, then written over by itself */
}

static void hidden_processes(void **state)
{
    (void)state;
    assert_hidden(LOCK, 2, "", 3);     /* at rest */
    assert_hidden(LOCK, 2, "0", 3);    /* has only read */
    assert_hidden(LOCK, 2, "00", 2);   /* has left a mark */
    assert_hidden(LOCK, 2, "0101", 1); /* p_1 has written over it */
    assert_hidden(LOCK, 2, "01001", 1);
    assert_hidden(LOCK, 2, "0000", 3);  /* all that it wrote was seen or may be, but since then it has rested */
    assert_hidden(LOCK, 2, "00001", 3); /* h_1 is 0000 for p_0 */
    assert_hidden(LOCK, 2, "000000", 2);
    assert_hidden(LOCK, 3, "012012", 3);
}

/* What is not hidden is missed. */
static void without_steps_that_are_not_hidden(void **state)
{
    (void)state;
    struct example example;
    example_open(&example, catalogue_find(LOCK)->algorithm, 2, "00");
    assert_false(hides(&example.computation, the_one(0)));
    assert_true(hides(&example.computation, the_one(1)));
    example_close(&example);
}

/* --- nullified variables ------------------------------------------------------------------------------------------ */

static const char *refutation(const struct variables_bound *bound, const struct history *history)
{
    return nullification_refuted(&bound->instance, history, bound->covered);
}

static void play(struct variables_bound *bound, const char *id, unsigned n, enum bound_outcome expected)
{
    struct setting setting = setting_of(id, n, 1);
    bound_variables(bound, &setting, BOUND_STEPS_MAX);
    assert_int_equal(bound->outcome, expected);
}

static void verifier_believes_the_construction(void **state)
{
    (void)state;
    static const char *const ids[] = {"burns_lynch", "one_bit", "bakery", "test:dijkstra", "test:scribbles"};
    for (unsigned a = 0; a < sizeof ids / sizeof ids[0]; a++)
        for (unsigned n = 2; n <= 5; n++) {
            struct variables_bound bound;
            play(&bound, ids[a], n, BOUND_NULLIFIED);
            assert_null(refutation(&bound, &bound.history));
            variables_bound_close(&bound);
        }
}

/* Of all histories in which one step is given to another process, none will do. */
static void verifier_refutes_changed_histories(void **state)
{
    (void)state;
    struct variables_bound bound;
    play(&bound, "test:scribbles", 3, BOUND_NULLIFIED);
    struct history changed = {0};
    const struct history *found = &bound.history;

    history_append(&changed, found->steps, found->count - 1);
    assert_non_null(refutation(&bound, &changed)); /* the last step left out */
    for (unsigned i = 0; i < 3; i++) {
        changed.count = 0;
        history_append(&changed, found->steps, found->count);
        history_add(&changed, i);
        assert_non_null(refutation(&bound, &changed)); /* one step more: who covered has written */
    }
    unsigned refuted = 0;
    for (size_t s = 0; s < found->count; s++) {
        changed.count = 0;
        history_append(&changed, found->steps, found->count);
        changed.steps[s] = (uint8_t)((found->steps[s] + 1) % 3);
        refuted += refutation(&bound, &changed) != NULL;
    }
    assert_int_equal(refuted, found->count);
    history_close(&changed);
    variables_bound_close(&bound);
}

static void verifier_refutes_other_claims(void **state)
{
    (void)state;
    struct variables_bound bound;
    play(&bound, "burns_lynch", 2, BOUND_NULLIFIED);
    unsigned swapped[] = {bound.covered[1], bound.covered[0]}, same[] = {bound.covered[0], bound.covered[0]};
    assert_non_null(nullification_refuted(&bound.instance, &bound.history, swapped));
    assert_non_null(nullification_refuted(&bound.instance, &bound.history, same));

    /* All rest and cover at the start: as the definition stands, that is enough. */
    struct history history = {0};
    assert_null(refutation(&bound, &history));
    /* p_0 has written, and covers its flag again. Nobody could tell, but the write is not obliterated. */
    history_add(&history, 0);
    assert_string_equal(refutation(&bound, &history), "a process is not hidden (Definition 5.3)");
    history_close(&history);
    variables_bound_close(&bound);
}

/* The text lets h_i begin with ret(q_i), in which p_0 has no step if it covers x from its remainder. Then q_2 is q_0,
 * h_1 and h_2 are null, and h is s_2 alone: p_1 writes x, which nobody writes over, and covers y. One step of p_0 makes
 * the difference, whatever follows it. */
static void ret_as_printed_hides_nobody(void **state)
{
    (void)state;
    struct variables_bound bound;
    play(&bound, "test:fast_path", 2, BOUND_NULLIFIED);
    struct history history = {0};
    history_append(&history, (const uint8_t[]){1, 1}, 2);
    assert_string_equal(refutation(&bound, &history), "a process is not hidden (Definition 5.3)");
    history_append(&history, (const uint8_t[]){0, 0, 0, 0, 0}, 5); /* writes x, goes in, and is back */
    assert_null(refutation(&bound, &history));
    assert_int_equal(bound.history.count, history.count);
    assert_memory_equal(bound.history.steps, history.steps, history.count);
    history_close(&history);
    variables_bound_close(&bound);
}

/* --- what a read/write system is ---------------------------------------------------------------------------------- */

#define ADMIT_STEPPED
#define ADMIT_ID "unit:star"
#define ADMIT_SYMBOL stepped_unit_star
#include "registers/language.h"

struct shared {
    array own, common;
};

struct locals {
    position at;
};

DECLARE
{
    S->own = registers("own", n, BOOLEAN, false, .writer = OWN_ELEMENT);
    S->common = registers("common", 1, BOOLEAN, false, .writer = ANYBODY);
}

ENTER
BEGIN
    AT("lower")
    put_if_different(S->own[i], false);
    AT("raise")
    put_if_different(S->own[i], true);
    AT("common")
    put_if_different(S->common[0], true);
END

LEAVE
BEGIN
    AT("exit")
    put(S->own[i], false);
END

ALGORITHM(.title = "*:=*", .paper = "-", .figure = "", .k = 1, .bits = "n + 1", .fairness = "none",
          CLAIMS({BOUNDED_EXIT, ATOMIC, 0}));

static void write_if_different(void **state)
{
    (void)state;
    struct example example;
    example_open(&example, &stepped_unit_star, 2, "000");
    assert_int_equal(example.computation.done[0].action.deed, READS);
    assert_int_equal(example.computation.done[1].action.deed, WRITES);
    assert_int_equal(example.computation.done[2].action.deed, DOES_BOTH);
    example_close(&example);
}

static void refused(void **state)
{
    (void)state;
    struct variables_bound bound;
    struct setting setting = {.algorithm = &stepped_unit_star, .n = 2, .k = 1};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    bound_variables(&bound, &setting, BOUND_STEPS_MAX);
    assert_int_equal(bound.outcome, BOUND_REFUSED);
    variables_bound_close(&bound);
    play(&bound, "test:ticket", 2, BOUND_REFUSED);
    variables_bound_close(&bound);
}

static void limited(void **state)
{
    (void)state;
    struct setting setting = setting_of("test:scribbles", 3, 1);
    struct variables_bound whole, bound;
    bound_variables(&whole, &setting, BOUND_STEPS_MAX);
    for (size_t most = 1; most < whole.history.count; most++) {
        bound_variables(&bound, &setting, most);
        assert_int_equal(bound.outcome, BOUND_UNDECIDED);
        variables_bound_close(&bound);
    }
    bound_variables(&bound, &setting, whole.history.count);
    assert_int_equal(bound.outcome, BOUND_NULLIFIED);
    variables_bound_close(&bound);
    variables_bound_close(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obliterated_writes),
        cmocka_unit_test(hidden_processes),
        cmocka_unit_test(without_steps_that_are_not_hidden),
        cmocka_unit_test(verifier_believes_the_construction),
        cmocka_unit_test(verifier_refutes_changed_histories),
        cmocka_unit_test(verifier_refutes_other_claims),
        cmocka_unit_test(ret_as_printed_hides_nobody),
        cmocka_unit_test(write_if_different),
        cmocka_unit_test(refused),
        cmocka_unit_test(limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
