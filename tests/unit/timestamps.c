/* SPDX-License-Identifier: MIT
 *
 * The timestamp systems: their labels, the histories of each, how many steps an operation takes; and every mutant of
 * them is caught. ADMIT_TIMESTAMP_RUNS=N makes N times as many random runs.
 */
#include "unit.h"

#include "histories/drive.h"

#define ADMIT_STEPPED
#define ADMIT_ID "unit:timestamps"
#include "timestamps/labels.h"

/* --- labels ------------------------------------------------------------------------------------------------------- */

static void digits_are_ordered(void **state)
{
    (void)state;
    static const bool expected[6][6] = {
        {0}, {0, 0, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1}, {0, 0, 0, 1, 0, 0}};
    static const unsigned next[6] = {0, 2, 3, 4, 5, 3};
    for (unsigned a = 1; a <= 5; a++) {
        assert_int_equal(succ(a), next[a]);
        for (unsigned b = 1; b <= 5; b++)
            assert_int_equal(below(a, b), expected[a][b]);
    }
    for (unsigned a = 0; a < 1 << DIGIT_BITS; a++) /* whatever it is made from, a new digit fits */
        assert_true(succ(a) >= 1 && succ(a) <= 5);
}

static label label_from(const char *digits, unsigned n)
{
    label a = 0;
    for (unsigned h = 1; h < n; h++)
        a = with_digit(a, h, (unsigned)(digits[h - 1] - '0'), n);
    return a;
}

static void labels_are_ordered(void **state)
{
    (void)state;
    const label view[] = {label_from("42", 3), label_from("51", 3), label_from("42", 3)};
    proc rank[3];
    order(view, 3, rank);
    assert_int_equal(rank[0], 0); /* equal labels, by process number */
    assert_int_equal(rank[2], 1);
    assert_int_equal(rank[1], 2);
    assert_int_equal(maximum_of(view, 3), 1);
    assert_int_equal(first_label(4), label_from("111", 4));
    assert_int_equal(label_bits(22), 63);
}

/* One Label after another: "process:its new label", or - if it writes none. */
static void labels_follow(unsigned n, const char *vector)
{
    label view[8];
    for (unsigned j = 0; j < n; j++)
        view[j] = first_label(n);
    for (const char *at = vector; *at != '\0'; at += strspn(at, " ")) {
        unsigned i = (unsigned)(at[0] - '0');
        at += 2;
        if (*at == '-') {
            assert_int_equal(maximum_of(view, n), i);
            at++;
            continue;
        }
        assert_int_not_equal(maximum_of(view, n), i);
        view[i] = next_label(view, i, n);
        if (view[i] != label_from(at, n))
            fail_msg("n = %u: another label at \"%s\"", n, at);
        assert_int_equal(maximum_of(view, n), i);
        at += n - 1;
    }
}

static void labels_follow_the_rule(void **state)
{
    (void)state;
    labels_follow(2, "0:2 1:3 0:4 1:5 0:3 1:4 0:5 1:3 1:-");
    labels_follow(3, "0:21 1:22 0:23 1:24 0:25 1:23 0:24 2:31 0:32 1:41 2:42 0:51 1:52 2:31 0:32 2:33 0:34 2:35 1:41 "
                     "0:42");
    labels_follow(4, "0:211 1:212 0:213 1:214 2:221 0:222 1:231 2:232 3:311 0:312 1:321 2:411 3:412 0:421 3:422 0:423 "
                     "3:424 1:511 2:512 0:521 1:522 3:311");
}

/* --- the judge ---------------------------------------------------------------------------------------------------- */

/* A history in words: "Bi" and "Ei" begin and end a Label of process i, "bi" begins a Scan, and "ei:201" ends it, with
 * the processes from the first to the last. */
static enum history_property judged(const char *history, unsigned n)
{
    struct timeline *timeline = timeline_open(n, NO_VIEWS);
    for (const char *at = history; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " ")) {
        unsigned i = (unsigned)(at[1] - '0');
        struct view view = {0};
        if (at[0] == 'B' || at[0] == 'b')
            timeline_begin(timeline, i, at[0] == 'B' ? LABEL_OPERATION : SCAN_OPERATION);
        else if (at[0] == 'E')
            timeline_end(timeline, i, true, NULL);
        for (unsigned r = 0; at[0] == 'e' && r < n; r++)
            view.rank[at[3 + r] - '0'] = r;
        if (at[0] == 'e')
            timeline_end(timeline, i, false, &view);
    }
    timeline_finish(timeline);
    enum history_property violated = timeline_first_violated(timeline);
    if (violated != HISTORY_PROPERTIES)
        assert_true(strlen(timeline_complaint(timeline)) > 0);
    timeline_close(timeline);
    return violated;
}

static void the_judge_knows_right_from_wrong(void **state)
{
    (void)state;
    /* A label is later than one that had ended before it began, not so for two at a time. */
    assert_int_equal(judged("B0 E0 B1 E1 b2 e2:201", 3), HISTORY_PROPERTIES);
    assert_int_equal(judged("B0 E0 B1 E1 b2 e2:210", 3), PROPOSITION_1);
    assert_int_equal(judged("B0 B1 E0 E1 b2 e2:210", 3), HISTORY_PROPERTIES);
    /* A Label of j during the Scan does not excuse the one before. */
    assert_int_equal(judged("B0 E0 B1 E1 b2 B1 E1 e2:210", 3), PROPOSITION_1);
    /* Who is ahead stays ahead until it labels again. */
    assert_int_equal(judged("b0 e0:012 B1 b0 e0:102", 3), PROPOSITION_2);
    assert_int_equal(judged("b0 e0:012 B0 E0 b0 e0:120", 3), HISTORY_PROPERTIES);
    /* 0, then 1, who saw itself ahead of 2: so is 0. */
    assert_int_equal(judged("B2 B0 E0 B1 E1 b1 e1:012 b0 e0:012", 3), HISTORY_PROPERTIES);
    assert_int_equal(judged("B2 B0 E0 B1 E1 b1 e1:012 b0 e0:201", 3), PROPOSITION_3);
    /* Of two who labelled at a time, one is the last in its own Scan, and one the first. */
    assert_int_equal(judged("B0 B1 E0 E1 b0 b1 e0:01 e1:10", 2), PROPOSITION_4);
    assert_int_equal(judged("B0 B1 E0 E1 b0 b1 e0:10 e1:01", 2), PROPOSITION_5);
    assert_int_equal(judged("B0 B1 E1 b1 e1:01 E0", 2), HISTORY_PROPERTIES);
    /* Scans agree about those outside Label; what they say of one lasts. */
    assert_int_equal(judged("b2 e2:012 b2 e2:021", 3), SCANS_AGREE);
    assert_int_equal(judged("b2 e2:012 B1 E1 b2 e2:021", 3), HISTORY_PROPERTIES);
    assert_int_equal(judged("b2 e2:012 B1 E1 b2 e2:102", 3), SCANS_LAST);
    assert_int_equal(judged("b2 e2:012 B1 E1 b1 e1:102", 3), SCANS_LAST);
}

static void cycles_of_labels_are_found(void **state)
{
    (void)state;
    struct timeline *timeline = timeline_open(2, WEAK_VIEWS);
    const struct view start = {.rank = {0, 1}}, turned = {.rank = {1, 0}};
    timeline_ask_not(timeline, SNAPSHOTS);
    timeline_begin(timeline, 0, SCAN_OPERATION);
    timeline_end(timeline, 0, false, &start);
    timeline_finish(timeline);
    assert_false(timeline_violated(timeline));
    timeline_begin(timeline, 0, LABEL_OPERATION);
    timeline_labelled(timeline, 0);
    timeline_end(timeline, 0, true, &start);
    timeline_finish(timeline);
    assert_false(timeline_violated(timeline));
    /* That label 0 of process 1 is above label 1 of process 0, which was chosen above it. */
    timeline_begin(timeline, 1, LABEL_OPERATION);
    timeline_end(timeline, 1, false, &(struct view){.rank = {0, 1}, .serial = {1, 0}});
    timeline_finish(timeline);
    assert_int_equal(timeline_first_violated(timeline), DEFINITION);
    assert_non_null(strstr(timeline_complaint(timeline), "smaller than themselves"));
    timeline_restart(timeline);
    /* A label that nobody has. */
    timeline_begin(timeline, 0, SCAN_OPERATION);
    timeline_end(timeline, 0, false, &(struct view){.rank = {1, 0}, .serial = {0, 1}});
    assert_int_equal(timeline_first_violated(timeline), DEFINITION);
    timeline_restart(timeline);
    /* And against the order of the initial labels. */
    timeline_begin(timeline, 0, SCAN_OPERATION);
    timeline_end(timeline, 0, false, &turned);
    timeline_finish(timeline);
    assert_int_equal(timeline_first_violated(timeline), DEFINITION);
    timeline_close(timeline);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

static uint64_t times(uint64_t runs)
{
    const char *more = getenv("ADMIT_TIMESTAMP_RUNS");
    if (getenv("ADMIT_TEST_QUICK") != NULL && *getenv("ADMIT_TEST_QUICK") != '\0')
        return runs / 8 + 1;
    return more != NULL ? runs * strtoull(more, NULL, 10) : runs;
}

static bool is_quick(void)
{
    return times(8) < 8;
}

/* What the file of each system says that its operations take. */
struct steps {
    unsigned reads[OPERATIONS], writes[OPERATIONS];
};

static struct steps most_steps(const char *system, unsigned n)
{
    if (strcmp(system, "ideal") == 0)
        return (struct steps){{0, 1}, {1, 0}};
    if (strcmp(system, "unbounded") == 0)
        return (struct steps){{n - 1, n - 1}, {1, 0}};
    if (strcmp(system, "snapshot") == 0)
        return (struct steps){{(3 * n + 1) * (n - 1), 3 * n * (n - 1)}, {n + 1, n}};
    return (struct steps){{7 * (n - 1), 5 * (n - 1)}, {n + 3, 1}};
}

static void runs_of(const char *name, unsigned n, uint64_t runs)
{
    const struct driven *system = driven_find(name);
    const struct drive_options options = {.n = n, .runs = times(runs), .steps_each = 4000, .seed = n};
    struct drive_report report;
    drive_randomly(&report, system, &options);
    if (report.violated != HISTORY_PROPERTIES)
        fail_msg("%s, n = %u: %s", name, n, report.complaint);
    for (unsigned p = 0; p < HISTORY_PROPERTIES; p++) {
        bool fires = (system->has_views || (p != DEFINITION && p != SNAPSHOTS)) && (n > 2 || p != PROPOSITION_3);
        if (fires && !is_quick() && report.premises[p] == 0)
            fail_msg("%s, n = %u: the premise of %s is never met", name, n, history_property_name[p]);
    }
    struct steps most = most_steps(name, n);
    /* With two processes, nobody whose saved label is seen is above the process that sees it, so that a Label which
     * reads one writes nothing. */
    most.reads[LABEL_OPERATION] -= strcmp(name, "linear") == 0 && n == 2;
    for (unsigned o = 0; o < OPERATIONS; o++) {
        assert_true(report.reads_max[o] <= most.reads[o]);
        assert_true(report.writes_max[o] <= most.writes[o]);
        if (n <= 4 && !is_quick()) {
            assert_int_equal(report.reads_max[o], most.reads[o]);
            assert_int_equal(report.writes_max[o], most.writes[o]);
        }
    }
}

static void ideal_histories(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 8; n++)
        runs_of("ideal", n, 5);
}

static void unbounded_histories(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 8; n++)
        runs_of("unbounded", n, 60);
}

static void snapshot_histories(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 8; n++)
        runs_of("snapshot", n, 500);
}

static void linear_histories(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 8; n++)
        runs_of("linear", n, 500);
}

static void the_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    const struct drive_options options = {.n = 3, .runs = 3, .steps_each = 1000, .seed = 7};
    struct drive_report first, second;
    drive_randomly(&first, driven_find("linear"), &options);
    drive_randomly(&second, driven_find("linear"), &options);
    assert_memory_equal(first.premises, second.premises, sizeof first.premises);
    assert_memory_equal(first.operations, second.operations, sizeof first.operations);
}

/* --- every interleaving ------------------------------------------------------------------------------------------- */

static void explored_plan(const char *system, const char *plan, uint64_t states)
{
    struct drive_report report;
    drive_everywhere(&report, driven_find(system), plan, 10000000);
    if (report.violated != HISTORY_PROPERTIES)
        fail_msg("%s, %s: %s", system, plan, report.complaint);
    assert_true(report.complete);
    if (report.states != states)
        fail_msg("%s, %s: %llu states, not %llu", system, plan, (unsigned long long)report.states,
                 (unsigned long long)states);
}

static void plans_are_explored(void **state)
{
    (void)state;
    explored_plan("linear", "LS/LS", 1109);
    explored_plan("linear", "LLS/LLS", 11308);
    explored_plan("snapshot", "LLS/LLS", 1921);
    explored_plan("snapshot", "LLLL/LSLS", 5930);
    explored_plan("linear", "LL/S/S", 25649);
    explored_plan("linear", "L/L/S", 42863);
    explored_plan("snapshot", "LL/S/S", 13530);
    explored_plan("snapshot", "LS/L/S", 16634);
    if (is_quick())
        return;
    explored_plan("linear", "LLLL/LSLS", 100607);
    explored_plan("linear", "LS/L/S", 148446);
}

static void a_plan_shows_what_is_wrong(void **state)
{
    (void)state;
    struct drive_report report;
    drive_everywhere(&report, driven_find("linear:one_bit"), "LLL/SSS", 10000000);
    assert_int_equal(report.violated, SNAPSHOTS);
    assert_non_null(strstr(report.complaint, "steps of: "));
    free(report.complaint);
    drive_everywhere(&report, driven_find("linear"), "LS/LS", 100);
    assert_false(report.complete);
}

/* --- mutants ------------------------------------------------------------------------------------------------------ */

static void mutants_are_caught(void **state)
{
    (void)state;
    unsigned mutants = 0;
    for (unsigned s = 0; s < driven_systems_count; s++) {
        const struct driven_entry *entry = &driven_systems[s];
        struct drive_options options = {.steps_each = 4000, .seed = 1};
        unsigned runs;
        char how[16] = "";
        if (entry->brief == NULL)
            continue;
        assert_true(strlen(entry->brief) > 0);
        if (sscanf(entry->caught, "-n %u --runs %u %15s", &options.n, &runs, how) < 2)
            fail_msg("%s: how it is caught is not said: \"%s\"", entry->system->name, entry->caught);
        options.runs = runs;
        options.histories_only = strcmp(how, "--snapshots") != 0;
        struct drive_report report;
        drive_randomly(&report, entry->system, &options);
        if (report.violated == HISTORY_PROPERTIES)
            fail_msg("%s is not caught: %s", entry->system->name, entry->brief);
        free(report.complaint);
        mutants++;
    }
    assert_true(mutants >= 28);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_ordered),         cmocka_unit_test(labels_are_ordered),
        cmocka_unit_test(labels_follow_the_rule),     cmocka_unit_test(the_judge_knows_right_from_wrong),
        cmocka_unit_test(cycles_of_labels_are_found), cmocka_unit_test(ideal_histories),
        cmocka_unit_test(unbounded_histories),        cmocka_unit_test(snapshot_histories),
        cmocka_unit_test(linear_histories),           cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(plans_are_explored),         cmocka_unit_test(a_plan_shows_what_is_wrong),
        cmocka_unit_test(mutants_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
