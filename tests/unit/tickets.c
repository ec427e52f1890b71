/* SPDX-License-Identifier: MIT
 *
 * Unbounded tickets kept finite: renaming keeps order and narrow gaps, merges wide ones, and never guesses.
 */
#include "unit.h"

#include "checker/judge/properties.h"
#include "checker/reduce/normal_form.h"
#include "checker/reduce/tickets.h"

enum { ISSUE, VALID, GAP = 3 };

/* The small ticket lock, both processes in their remainder: the tickets present are 0, ISSUE and VALID. */
static void open_lock(struct model *model)
{
    struct setting setting = setting_of("test:ticket", 2, 1);
    setting.ticket_gap = GAP;
    open_reduced(model, &setting);
}

static void rename_tickets(const struct model *model, uint64_t *issue, uint64_t *valid)
{
    uint64_t state[WORDS_MAX];
    memcpy(state, model->initial, sizeof state);
    field_set(state, model->register_field[ISSUE], *issue);
    field_set(state, model->register_field[VALID], *valid);
    assert_int_equal(tickets_normalise(model, state, false), APPLIED);
    *issue = field_get(state, model->register_field[ISSUE]);
    *valid = field_get(state, model->register_field[VALID]);
}

static void narrow_gaps_stay(void **state)
{
    (void)state;
    struct model model;
    open_lock(&model);
    for (uint64_t lower = 0; lower < GAP; lower++) {
        for (uint64_t gap = 0; gap < GAP; gap++) {
            uint64_t issue = lower, valid = lower + gap;
            rename_tickets(&model, &issue, &valid);
            assert_int_equal(issue, lower);
            assert_int_equal(valid, lower + gap);
        }
    }
    model_close(&model);
}

static void wide_gaps_look_equal(void **state)
{
    (void)state;
    struct model model;
    open_lock(&model);
    uint64_t first_issue = GAP, first_valid = GAP + 1;
    rename_tickets(&model, &first_issue, &first_valid);
    assert_true(first_issue >= GAP);
    assert_int_equal(first_valid, first_issue + 1);
    for (uint64_t wide = GAP + 1; wide < 10 * GAP; wide++) {
        uint64_t issue = wide, valid = wide + 1;
        rename_tickets(&model, &issue, &valid);
        assert_int_equal(issue, first_issue);
        assert_int_equal(valid, first_valid);
    }
    model_close(&model);
}

static void order_is_kept(void **state)
{
    (void)state;
    struct model model;
    open_lock(&model);
    for (uint64_t issue = 0; issue < 5 * GAP; issue++) {
        for (uint64_t valid = 0; valid < 5 * GAP; valid++) {
            uint64_t new_issue = issue, new_valid = valid;
            rename_tickets(&model, &new_issue, &new_valid);
            assert_int_equal(new_issue < new_valid, issue < valid);
            assert_int_equal(new_issue == new_valid, issue == valid);
            assert_int_equal(new_issue == 0, issue == 0);
            /* Once renamed, always renamed. */
            uint64_t again_issue = new_issue, again_valid = new_valid;
            rename_tickets(&model, &again_issue, &again_valid);
            assert_int_equal(again_issue, new_issue);
            assert_int_equal(again_valid, new_valid);
        }
    }
    model_close(&model);
}

/* "At least GAP" can be narrowed until it is "at least 2"; then the width would have to be known, and both outcomes are
 * there. */
static void a_wide_gap_is_used_up(void **test_state)
{
    (void)test_state;
    struct model model;
    open_lock(&model);
    uint64_t issue = 0, valid = 100;
    rename_tickets(&model, &issue, &valid);
    uint64_t widest = valid;
    for (unsigned used = 1; used + 1 < GAP; used++) {
        /* A new ticket above the lower edge, which then goes: the gap between 1 and VALID is all that is known. */
        issue = 1;
        rename_tickets(&model, &issue, &valid);
        assert_int_equal(issue, 1);
        assert_int_equal(valid, widest - used + 1);
        valid--;
    }
    uint64_t still_there[WORDS_MAX], narrow[WORDS_MAX];
    memcpy(still_there, model.initial, sizeof still_there);
    field_set(still_there, model.register_field[ISSUE], 1);
    field_set(still_there, model.register_field[VALID], widest - GAP + 2);
    memcpy(narrow, still_there, sizeof narrow);
    assert_int_equal(tickets_normalise(&model, still_there, false), AMBIGUOUS);
    assert_true(field_get(still_there, model.register_field[VALID]) > GAP);
    assert_int_equal(tickets_normalise(&model, narrow, true), APPLIED);
    assert_int_equal(field_get(narrow, model.register_field[ISSUE]), 1);
    assert_int_equal(field_get(narrow, model.register_field[VALID]), 2);
    model_close(&model);
}

/* A renamed state stands for real tickets of the same order and at least the same gaps, and for no others. */
static void renamed_tickets_stand_for_real_ones(void **test_state)
{
    (void)test_state;
    struct model model;
    open_lock(&model);
    struct process processes[2];
    for (unsigned i = 0; i < 2; i++)
        process_start(&model.instance, i, &processes[i]);
    for (uint64_t issue = 0; issue < 4 * GAP; issue++) {
        for (uint64_t valid = 0; valid < 4 * GAP; valid++) {
            uint64_t state[WORDS_MAX];
            memcpy(state, model.initial, sizeof state);
            field_set(state, model.register_field[ISSUE], issue);
            field_set(state, model.register_field[VALID], valid);
            assert_int_equal(tickets_normalise(&model, state, false), APPLIED);
            uint64_t same[2] = {issue, valid}, moved[2] = {issue + 1, valid}, swapped[2] = {valid, issue};
            assert_true(tickets_represent(&model, state, same, processes));
            bool close = issue < GAP || (issue <= valid && valid - issue < GAP);
            if (close)
                assert_false(tickets_represent(&model, state, moved, processes));
            if (issue != valid)
                assert_false(tickets_represent(&model, state, swapped, processes));
        }
    }
    model_close(&model);
}

static void a_gap_widens_again(void **test_state)
{
    (void)test_state;
    struct model model;
    open_lock(&model);
    uint64_t issue = 0, widest = 100;
    rename_tickets(&model, &issue, &widest);
    /* Narrowed by one, and then the ticket at its lower edge goes. */
    uint64_t valid = widest;
    issue = 1;
    rename_tickets(&model, &issue, &valid);
    issue = 0;
    rename_tickets(&model, &issue, &valid);
    assert_int_equal(valid, widest);
    model_close(&model);
}

/* --- the Bakery --------------------------------------------------------------------------------------------------- */

static enum verdict verdict_on(const struct setting *setting, enum property property)
{
    struct explored *explored = explored_open(setting);
    struct finding finding;
    struct enabled none = {0};
    judge(&finding, &explored->exploration, &none, property);
    enum verdict verdict = finding.verdict;
    finding_close(&finding);
    explored_close(explored);
    return verdict;
}

/* How wide "wide" is changes the number of states, not what is true of them. */
static void verdicts_do_not_depend_on_the_gap(void **state)
{
    (void)state;
    static const enum property properties[] = {EXCLUSION, DEADLOCK_FREEDOM, LOCKOUT_FREEDOM, FCFS, BOUNDED_DOORWAY};
    static const char *const ids[] = {"bakery", "bakery:no_tie_break", "bakery:short_doorway", "bakery:gives_up"};
    for (unsigned a = 0; a < sizeof ids / sizeof ids[0]; a++) {
        for (unsigned p = 0; p < sizeof properties / sizeof properties[0]; p++) {
            struct setting setting = setting_of(ids[a], 2, 1);
            enum verdict usual = verdict_on(&setting, properties[p]);
            setting.ticket_gap = 7;
            assert_int_equal(verdict_on(&setting, properties[p]), usual);
        }
    }
}

static void bakery_has_383_states(void **state)
{
    (void)state;
    struct setting setting = setting_of("bakery", 2, 1);
    assert_int_equal(states_of(&setting), 383);
}

/* With limited passages tickets are finite anyway; a gap wider than any of them merges nothing, and merging loses
 * nothing: each of those states is one that the unlimited exploration has too. */
static void merged_states_are_fewer(void **state)
{
    (void)state;
    struct setting setting = setting_of("bakery", 2, 1);
    memset(setting.passages, 6, sizeof setting.passages);
    setting.ticket_gap = 3;
    uint64_t merged = states_of(&setting);
    setting.ticket_gap = 50;
    assert_true(merged < states_of(&setting));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_gaps_stay),
        cmocka_unit_test(wide_gaps_look_equal),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(a_wide_gap_is_used_up),
        cmocka_unit_test(a_gap_widens_again),
        cmocka_unit_test(verdicts_do_not_depend_on_the_gap),
        cmocka_unit_test(bakery_has_383_states),
        cmocka_unit_test(merged_states_are_fewer),
        cmocka_unit_test(renamed_tickets_stand_for_real_ones),
    };
    return cmocka_run_group_tests_name("tickets", tests, NULL, NULL);
}
