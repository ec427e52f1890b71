/* SPDX-License-Identifier: MIT
 *
 * The labels of the unbounded timestamp system kept finite: against the same runs with their real numbers.
 */
#include "unit.h"

#include "checker/model/automaton.h"
#include "checker/reduce/label_gaps.h"
#include "checker/reduce/tickets.h"

static const char *const TEXT = "test:labels_and_scans";

static struct setting with_passages(unsigned n, const uint8_t passages[])
{
    struct setting setting = setting_of(TEXT, n, 1);
    memcpy(setting.passages, passages, n);
    return setting;
}

/* A state of another model of the same text, in this one, renamed. */
static void renamed_here(struct explored *here, const struct explored *other, uint32_t number, uint64_t *state)
{
    struct model *model = &here->model;
    memset(state, 0, WORDS_MAX * sizeof *state);
    for (unsigned r = 0; r < model->regs; r++)
        field_set(state, model->register_field[r], value_in(other, number, r));
    for (unsigned i = 0; i < model->n; i++)
        field_set(state, model->process_field[i], automaton_intern(model, i, process_in(other, number, i)));
    tickets_learn(model, state, false);
    assert_int_equal(tickets_normalise(model, state, false), APPLIED);
}

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Renaming the states that real numbers lead to gives the states that renaming at every step leads to: all, and no
 * others. */
static void same_states(unsigned n, const uint8_t passages[])
{
    struct setting setting = with_passages(n, passages);
    struct explored *finite = explored_open(&setting);
    struct stepped_algorithm real_numbers = *setting.algorithm;
    real_numbers.about.climb = (struct climb){0};
    setting.algorithm = &real_numbers;
    setting.ticket_gap = TICKET_GAP_MAX; /* more than all labels of these few passages */
    struct explored *real = explored_open(&setting);
    assert_int_equal(finite->exploration.ambiguous, 0);
    assert_int_equal(real->exploration.ambiguous, 0);
    assert_true(finite->exploration.states < real->exploration.states);

    uint64_t states = real->exploration.states, distinct = 0;
    uint32_t *met = malloc(states * sizeof *met);
    for (uint32_t s = 0; s < states; s++) {
        uint64_t state[WORDS_MAX];
        renamed_here(finite, real, s, state);
        met[s] = store_find(&finite->exploration.store, state);
        assert_int_not_equal(met[s], NO_STATE);
    }
    qsort(met, states, sizeof *met, by_number);
    for (uint64_t s = 0; s < states; s++)
        distinct += s == 0 || met[s] != met[s - 1];
    assert_int_equal(distinct, finite->exploration.states);
    free(met);
    explored_close(finite);
    explored_close(real);
}

static void two_processes(void **state)
{
    (void)state;
    same_states(2, (const uint8_t[]){4, 4});
}

static void three_processes(void **state)
{
    (void)state;
    same_states(3, (const uint8_t[]){2, 1, 2});
}

/* Without end, all that there is; the general renaming has more states, and the same verdicts. */
static void all_passages(void **state)
{
    (void)state;
    struct setting setting = setting_of(TEXT, 2, 1);
    assert_int_equal(states_of(&setting), 42);
    setting = setting_of(TEXT, 3, 1);
    struct explored *explored = explored_open(&setting);
    assert_int_equal(explored->exploration.states, 23020);
    assert_int_equal(explored->exploration.ambiguous, 0);
    explored_close(explored);
}

/* An abort and a shutdown take labels down again, so that the argument of label_gaps.h does not hold, and the general
 * renaming is to be used, as for a text that says nothing of how its tickets are made. */
static void labels_that_fall(void **state)
{
    (void)state;
    struct setting setting = with_passages(3, (const uint8_t[]){1, 1, 1});
    struct stepped_algorithm tickets = *setting.algorithm;
    tickets.about.climb = (struct climb){0};
    for (unsigned aborts = 0; aborts < 2; aborts++) {
        setting.aborts = aborts;
        setting.shutdowns = !aborts;
        struct setting in_general = setting;
        in_general.algorithm = &tickets;
        assert_int_equal(states_of(&setting), states_of(&in_general));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_processes),
        cmocka_unit_test(three_processes),
        cmocka_unit_test(all_passages),
        cmocka_unit_test(labels_that_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
