/* SPDX-License-Identifier: MIT
 *
 * What two looks at a gate tell of what happened between them (cli/gates/changes.h): pictures that are made here, one after the
 * other, and what is told of each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/gates/change_text.h"
#include "cli/gates/changes.h"
#include "cli/gates/view.h"

enum { MOST_K = 4, PEOPLE_MAX = 8 };
#define SECOND INT64_C(1000000000)

/* Somebody in a picture: by ticket, with process 1000 + ticket. slot: -1: waits; MOST_K: has none yet. */
struct there {
    unsigned ticket;
    int slot;
    enum admit_condition condition;
};

struct scene {
    admit_view view;
    admit_participant holder[PEOPLE_MAX], waiter[PEOPLE_MAX];
};

static struct comparison comparison;
static struct scene scenes[2];
static unsigned looks;
static char told[1024];

static void add(struct scene *scene, const struct there *there)
{
    const bool inside = there->slot >= 0;
    admit_participant *one = inside ? &scene->holder[scene->view.holders++] : &scene->waiter[scene->view.waiters++];
    *one = (admit_participant){.ticket = there->ticket,
                               .pid = 1000 + (long)there->ticket,
                               .slot = inside ? (unsigned)there->slot : 0,
                               .condition = there->condition};
    snprintf(one->command, sizeof one->command, "job %u", there->ticket);
}

/* "left 3@0" is of ticket 3 with slot 0, "waits 4#1" of the first in line. */
static void tell(void *context, const struct change *change)
{
    static const char *const words[CHANGE_KINDS] = {
        [CHANGE_WAITS] = "waits",     [CHANGE_ENTERED] = "entered",     [CHANGE_LEFT] = "left",
        [CHANGE_PASSED] = "passed",   [CHANGE_GAVE_UP] = "gave-up",     [CHANGE_GONE] = "gone",
        [CHANGE_DIED] = "died",       [CHANGE_RECOVERED] = "recovered", [CHANGE_ORPHANED] = "orphan",
        [CHANGE_STOPPED] = "stopped", [CHANGE_GOES_ON] = "goes-on",     [CHANGE_RESIZED] = "resized",
        [CHANGE_OUTSIDE] = "outside", [CHANGE_UNSEEN] = "unseen"};
    char one[64];
    (void)context;
    assert_non_null(words[change->kind]);
    if (change->who != NULL && change->number != NO_NUMBER)
        snprintf(one, sizeof one, "%u%c%d", (unsigned)change->who->ticket, change->is_inside ? '@' : '#',
                 change->number);
    else if (change->who != NULL)
        snprintf(one, sizeof one, "%u", (unsigned)change->who->ticket);
    else if (change->kind == CHANGE_UNSEEN)
        snprintf(one, sizeof one, "%u/%u/%u", (unsigned)change->entered, (unsigned)change->recovered,
                 (unsigned)change->abandoned);
    else
        snprintf(one, sizeof one, "%u-%u", (unsigned)change->from, (unsigned)change->to);
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s%s %s", told[0] != '\0' ? ", " : "",
             words[change->kind], one);
}

static int open_scenes(void **state)
{
    (void)state;
    looks = 0;
    comparison_close(&comparison);
    return 0;
}

/* What is counted in a picture beside those in it. */
struct counts {
    uint64_t entered, recovered, abandoned;
    unsigned k, outside;
};

static struct counts counts(uint64_t entered, uint64_t recovered, uint64_t abandoned)
{
    return (struct counts){.entered = entered, .recovered = recovered, .abandoned = abandoned};
}

static void look(const char *expected, struct counts counted, const struct there *there, unsigned count)
{
    struct scene *now = &scenes[looks % 2], *before = &scenes[(looks + 1) % 2];
    *now = (struct scene){.view = {.k = counted.k > 0 ? counted.k : 2,
                                   .most_k = MOST_K,
                                   .declared_k = 2,
                                   .entered = counted.entered,
                                   .recovered = counted.recovered,
                                   .abandoned = counted.abandoned,
                                   .outside = counted.outside}};
    now->view.holder = now->holder;
    now->view.waiter = now->waiter;
    for (unsigned t = 0; t < count; t++)
        add(now, &there[t]);
    told[0] = '\0';
    if (looks++ == 0)
        comparison_begin(&comparison, &now->view);
    else
        changes_find(&comparison, &before->view, &now->view, 100 * SECOND, tell, NULL);
    assert_string_equal(told, expected);
}

#define LOOK(expected, counted, ...)                                                                                   \
    look(expected, counted, (const struct there[]){__VA_ARGS__},                                                       \
         sizeof((const struct there[]){__VA_ARGS__}) / sizeof(struct there))
#define NOBODY(expected, ...) look(expected, __VA_ARGS__, NULL, 0)

static void one_comes_and_goes(void **state)
{
    (void)state;
    NOBODY("", counts(5, 0, 0));
    LOOK("entered 6@0", counts(6, 0, 0), {6, 0, 0});
    LOOK("", counts(6, 0, 0), {6, 0, 0});
    NOBODY("left 6@0", counts(6, 0, 0));
}

static void the_next_in_line_goes_in(void **state)
{
    (void)state;
    LOOK("", counts(1, 0, 0), {1, 0, 0}, {2, -1, 0});
    LOOK("waits 3#2", counts(1, 0, 0), {1, 0, 0}, {2, -1, 0}, {3, -1, 0});
    LOOK("left 1@0, entered 2@0", counts(2, 0, 0), {2, 0, 0}, {3, -1, 0});
    /* Its turn has come, and it has no slot yet: that is no entry, and nobody unseen has entered. */
    LOOK("left 2@0", counts(3, 0, 0), {3, MOST_K, 0});
    LOOK("", counts(3, 0, 0), {3, MOST_K, 0});
    LOOK("entered 3@1", counts(3, 0, 0), {3, 1, 0});
}

static void a_death_is_seen_as_a_recovery(void **state)
{
    (void)state;
    LOOK("", counts(1, 0, 0), {1, 0, 0}, {2, -1, 0}, {3, -1, 0});
    LOOK("recovered 1@0, entered 2@0", counts(2, 1, 0), {2, 0, 0}, {3, -1, 0});
    LOOK("recovered 3#1", counts(2, 2, 0), {2, 0, 0});
}

static void one_that_lies_there_is_told_when_it_dies_and_when_it_is_recovered(void **state)
{
    (void)state;
    LOOK("", counts(2, 0, 0), {1, 0, 0}, {2, 1, 0});
    LOOK("died 1@0", counts(2, 0, 0), {1, 0, ADMIT_DIED}, {2, 1, 0});
    LOOK("left 2@1", counts(2, 0, 0), {1, 0, ADMIT_DIED});
    LOOK("recovered 1@0, entered 3@0", counts(3, 1, 0), {3, 0, 0});
    NOBODY("left 3@0", counts(3, 1, 0));
}

/* It may have been counted when it was still seen. */
static void a_death_that_was_counted_before_is_no_other(void **state)
{
    (void)state;
    LOOK("", counts(2, 0, 0), {1, 0, 0}, {2, 1, 0});
    LOOK("died 1@0", counts(2, 1, 0), {1, 0, ADMIT_DIED}, {2, 1, 0});
    LOOK("recovered 1@0", counts(2, 1, 0), {2, 1, 0});
    NOBODY("left 2@1", counts(2, 1, 0));
}

static void an_orphan_is_recovered_and_nobody_else(void **state)
{
    (void)state;
    LOOK("", counts(2, 0, 0), {1, 0, 0}, {2, 1, 0});
    LOOK("orphan 1@0", counts(2, 0, 0), {1, 0, ADMIT_ORPHAN}, {2, 1, 0});
    LOOK("", counts(2, 0, 0), {1, 0, ADMIT_UNKNOWN}, {2, 1, 0});
    LOOK("recovered 1@0, left 2@1, entered 3@0", counts(3, 1, 0), {3, 0, 0});
}

static void who_of_two_has_died_cannot_be_told(void **state)
{
    (void)state;
    LOOK("", counts(2, 0, 0), {1, 0, 0}, {2, 1, 0});
    NOBODY("gone 1@0, gone 2@1, unseen 0/1/0", counts(2, 1, 0));
    LOOK("entered 3@0, entered 4@1", counts(4, 1, 0), {3, 0, 0}, {4, 1, 0});
    NOBODY("recovered 3@0, recovered 4@1", counts(4, 3, 0));
}

static void a_place_is_given_up(void **state)
{
    (void)state;
    LOOK("", counts(1, 0, 0), {1, 0, 0}, {2, -1, 0}, {3, -1, 0});
    LOOK("gave-up 2#1", counts(1, 0, 1), {1, 0, 0}, {3, -1, 0});
    /* It is counted only after it has gone, and looks like an entry until then. */
    LOOK("", counts(2, 0, 1), {1, 0, 0});
    LOOK("gave-up 3", counts(1, 0, 2), {1, 0, 0});
    LOOK("", counts(1, 0, 2), {1, 0, 0});
}

static void one_goes_through_between_two_looks(void **state)
{
    (void)state;
    LOOK("", counts(1, 0, 0), {1, 0, 0}, {2, -1, 0}, {3, -1, 0});
    LOOK("left 1@0, entered 3@0", counts(3, 0, 0), {3, 0, 0});
    LOOK("passed 2", counts(3, 0, 0), {3, 0, 0});
    LOOK("", counts(3, 0, 0), {3, 0, 0});
}

/* Told at the second look after it: what is counted at one may be seen at the next. */
static void those_whom_nobody_saw_are_counted(void **state)
{
    (void)state;
    NOBODY("", counts(1, 0, 0));
    NOBODY("", counts(4, 0, 0));
    NOBODY("unseen 3/0/0", counts(4, 0, 0));
    NOBODY("", counts(5, 0, 0));
    LOOK("entered 5@0", counts(5, 0, 0), {5, 0, 0});
    LOOK("unseen 0/0/2", counts(5, 0, 2), {5, 0, 0});
    LOOK("unseen 0/1/0", counts(5, 1, 2), {5, 0, 0});
    LOOK("", counts(5, 1, 2), {5, 0, 0});
}

static void one_is_stopped_and_goes_on(void **state)
{
    (void)state;
    LOOK("", counts(1, 0, 0), {1, 0, 0}, {2, -1, 0});
    LOOK("stopped 1@0, stopped 2#1", counts(1, 0, 0), {1, 0, ADMIT_STOPPED}, {2, -1, ADMIT_STOPPED});
    LOOK("goes-on 1@0", counts(1, 0, 0), {1, 0, 0}, {2, -1, ADMIT_STOPPED});
}

static void the_numbers_of_the_gate(void **state)
{
    (void)state;
    NOBODY("", counts(1, 0, 0));
    NOBODY("resized 2-4", (struct counts){.entered = 1, .k = 4});
    NOBODY("outside 0-3", (struct counts){.entered = 1, .k = 4, .outside = 3});
    NOBODY("", (struct counts){.entered = 1, .k = 4, .outside = 2});
    NOBODY("outside 2-0", (struct counts){.entered = 1, .k = 4});
}

static void on_etcd_nothing_is_counted(void **state)
{
    (void)state;
    const struct counts none = counts(ADMIT_NOT_COUNTED, ADMIT_NOT_COUNTED, ADMIT_NOT_COUNTED);
    LOOK("", none, {1, 0, 0}, {2, -1, 0}, {3, -1, 0});
    LOOK("gone 1@0, entered 2@0", none, {2, 0, 0}, {3, -1, 0});
    LOOK("gone 3#1", none, {2, 0, 0});
}

/* Numbers that no gate has, of which nothing may come but lines. */
static void what_was_scribbled_does_no_harm(void **state)
{
    (void)state;
    LOOK("", counts(9, 9, 9), {1, 0, 0}, {1, 1, 0}, {1, -1, 0});
    LOOK("", counts(0, 0, 0), {1, 0, 0}, {1, 1, 0}, {1, -1, 0});
    NOBODY("left 1@0, left 1@1", counts(0, 0, 0));
    NOBODY("passed 1", counts(0, 0, 0));
}

static void a_gate_that_was_made_had_nobody(void **state)
{
    struct scene scene = {.view = {.k = 2, .most_k = MOST_K, .entered = 7}};
    (void)state;
    scene.view.holder = scene.holder;
    scene.view.waiter = scene.waiter;
    add(&scene, &(struct there){7, 0, 0});
    add(&scene, &(struct there){8, -1, 0});
    told[0] = '\0';
    comparison_begin_empty(&comparison, &scene.view, SECOND, tell, NULL);
    assert_string_equal(told, "entered 7@0, waits 8#1");
}

static void a_line_has_no_control_characters(void **state)
{
    char line[CHANGE_LINE];
    admit_participant one = {.pid = 12, .user = -1, .command = "rm \033[2J\n\xff x"};
    (void)state;
    change_line(
        &(struct change){.kind = CHANGE_LEFT, .who = &one, .is_inside = true, .number = 3, .lasted = 2 * SECOND},
        100 * SECOND, "a\tb", 6, line);
    assert_non_null(strstr(line, "a?b     left       slot 3    12 -  rm ?[2J?? x (after 2.0 s)"));
    change_line(&(struct change){.kind = CHANGE_UNUSABLE, .text = "no \033gate"}, 100 * SECOND, "a", 0, line);
    assert_non_null(strstr(line, " unusable   no ?gate"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_comes_and_goes, open_scenes),
        cmocka_unit_test_setup(the_next_in_line_goes_in, open_scenes),
        cmocka_unit_test_setup(a_death_is_seen_as_a_recovery, open_scenes),
        cmocka_unit_test_setup(one_that_lies_there_is_told_when_it_dies_and_when_it_is_recovered, open_scenes),
        cmocka_unit_test_setup(a_death_that_was_counted_before_is_no_other, open_scenes),
        cmocka_unit_test_setup(an_orphan_is_recovered_and_nobody_else, open_scenes),
        cmocka_unit_test_setup(who_of_two_has_died_cannot_be_told, open_scenes),
        cmocka_unit_test_setup(a_place_is_given_up, open_scenes),
        cmocka_unit_test_setup(one_goes_through_between_two_looks, open_scenes),
        cmocka_unit_test_setup(those_whom_nobody_saw_are_counted, open_scenes),
        cmocka_unit_test_setup(one_is_stopped_and_goes_on, open_scenes),
        cmocka_unit_test_setup(the_numbers_of_the_gate, open_scenes),
        cmocka_unit_test_setup(on_etcd_nothing_is_counted, open_scenes),
        cmocka_unit_test_setup(what_was_scribbled_does_no_harm, open_scenes),
        cmocka_unit_test_setup(a_gate_that_was_made_had_nobody, open_scenes),
        cmocka_unit_test(a_line_has_no_control_characters),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comparison_close(&comparison);
    return failed;
}
