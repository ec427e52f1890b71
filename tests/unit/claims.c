/* SPDX-License-Identifier: MIT
 *
 * The questions that single sentences of the papers ask (src/claims): for each an algorithm of which it holds, and one
 * of which it does not; and the tables: every row makes sense.
 */
#include "unit.h"

#include "checker/model/fault_info.h"
#include "claims/claims.h"
#include "histories/drive.h"

/* Asks a judge about an algorithm, and checks that a counterexample, if there is one, can be executed and confirmed. */
static enum verdict ask_in(const struct judge *judge, struct setting setting)
{
    struct explored *explored = explored_open(&setting);
    struct finding finding = {.property = judge->shows, .verdict = HOLDS};
    judge->ask(&finding, &explored->exploration, judge);
    if (finding.verdict == HOLDS && finding.fired == 0)
        finding.verdict = VACUOUS;
    if (finding.verdict == VIOLATED)
        assert_true(finding.what[0] != '\0');
    if (finding.has_witness) {
        struct trace trace;
        struct execution execution;
        assert_int_equal(finding.verdict, VIOLATED);
        trace_of(&trace, &finding, &explored->model);
        assert_true(trace_execute(&trace, &execution));
        assert_int_equal(trace_confirm(&trace, &execution), CONFIRMED);
        execution_close(&execution);
        trace_close(&trace);
    }
    enum verdict verdict = finding.verdict;
    finding_close(&finding);
    explored_close(explored);
    return verdict;
}

static enum verdict ask(const struct judge *judge, const char *id, unsigned n)
{
    return ask_in(judge, setting_of(id, n, 1));
}

/* From an arbitrary start. */
static enum verdict ask_from(const struct judge *judge, const char *id, unsigned n)
{
    struct setting setting = setting_of(id, n, 1);
    setting.transient = true;
    return ask_in(judge, setting);
}

/* --- who gets in, in which order ---------------------------------------------------------------------------------- */

static void lowest_trier(void **context)
{
    (void)context;
    assert_int_equal(ask(&lowest_trier_enters, "one_bit", 3), HOLDS);
    assert_int_equal(ask(&lowest_trier_enters, "burns_lynch", 3), HOLDS);
    assert_int_equal(ask(&lowest_trier_enters, "test:flags", 2), VIOLATED);
}

static void first_and_last(void **context)
{
    (void)context;
    assert_int_equal(ask(&first_is_never_locked_out, "one_bit", 3), HOLDS);
    assert_int_equal(ask(&first_is_never_locked_out, "test:flags", 2), VIOLATED);
    assert_int_equal(ask(&last_is_never_locked_out, "bakery", 2), HOLDS);
    assert_int_equal(ask(&last_is_never_locked_out, "one_bit", 2), VIOLATED);
}

static void all_try(void **context)
{
    (void)context;
    assert_int_equal(ask(&progress_if_all_try, "one_bit", 3), HOLDS);
    assert_int_equal(ask(&progress_if_all_try, "test:flags", 3), VIOLATED);
}

static void turns(void **context)
{
    (void)context;
    assert_int_equal(ask(&takes_turns, "one_bit", 1), HOLDS);
    assert_int_equal(ask(&takes_turns, "one_bit", 2), VIOLATED);
}

static void start_is_the_place(void **context)
{
    (void)context;
    assert_int_equal(ask(&starts_first_enters_first, "test:ticket", 2), HOLDS); /* its doorway is one update */
    assert_int_equal(ask(&starts_first_enters_first, "one_bit", 2), VIOLATED);
    assert_int_equal(ask(&starts_first_enters_first, "bakery", 2), VIOLATED);
}

static void label_is_left(void **context)
{
    (void)context;
    const struct judge second = {"", ask_label_is_left, LOCKOUT_FREEDOM, "second for", NULL, 0};
    const struct judge first = {"", ask_label_is_left, LOCKOUT_FREEDOM, "l|first for|give way|wait", NULL, 0};
    const struct judge nowhere = {"", ask_label_is_left, LOCKOUT_FREEDOM, "third for|second", NULL, 0};
    assert_int_equal(ask(&second, "one_bit", 3), HOLDS);
    assert_int_equal(ask(&first, "one_bit", 2), VIOLATED);
    assert_int_equal(ask(&nowhere, "one_bit", 2), VACUOUS);
}

/* --- what registers hold, who reads and writes them --------------------------------------------------------------- */

static void values(void **context)
{
    (void)context;
    const struct judge up_in_gateway = {"", ask_value_at_label, PROPERTIES, "Gateway", "Flag", 1};
    const struct judge up_in_raise = {"", ask_value_at_label, PROPERTIES, "raise", "Flag", 1};
    const struct judge up_inside = {"", ask_value_inside, PROPERTIES, NULL, "x", 1};
    const struct judge down_inside = {"", ask_value_inside, PROPERTIES, NULL, "x", 0};
    assert_int_equal(ask(&up_in_gateway, "burns_lynch", 3), HOLDS);
    assert_int_equal(ask(&up_in_raise, "burns_lynch", 3), VIOLATED);
    assert_int_equal(ask(&up_inside, "one_bit", 3), HOLDS);
    assert_int_equal(ask(&down_inside, "one_bit", 3), VIOLATED);
}

static void implied_false(void **context)
{
    (void)context;
    const struct judge itself = {"", ask_implied_false, PROPERTIES, "Choosing", "Choosing", 0};
    const struct judge number = {"", ask_implied_false, PROPERTIES, "Num", "Choosing", 0};
    assert_int_equal(ask(&itself, "bakery", 2), HOLDS);
    assert_int_equal(ask(&number, "bakery", 2), VIOLATED);
}

static void defaults(void **context)
{
    (void)context;
    assert_int_equal(ask(&rests_with_defaults, "one_bit", 3), HOLDS);
    assert_int_equal(ask(&rests_with_defaults, "test:careless", 2), VIOLATED);
}

static void writers(void **context)
{
    (void)context;
    assert_int_equal(ask(&writes_before_entering, "one_bit", 3), HOLDS);
    assert_int_equal(ask(&writes_before_entering, "test:careless", 2), VIOLATED);
}

static void single_reader(void **context)
{
    (void)context;
    const struct judge of_x = {"", ask_read_by_column, PROPERTIES, NULL, "x", 0};
    assert_int_equal(ask(&of_x, "one_bit", 2), HOLDS);
    assert_int_equal(ask(&of_x, "one_bit", 3), VIOLATED); /* both others read x[0] */
}

static void stabilizing(void **context)
{
    (void)context;
    const struct judge of_x = {"", ask_stabilizes_without_entries, PROPERTIES, NULL, "x", 0};
    const struct judge of_flag = {"", ask_stabilizes_without_entries, PROPERTIES, NULL, "Flag", 0};
    assert_int_equal(ask(&of_x, "one_bit", 2), HOLDS);
    assert_int_equal(ask(&of_flag, "burns_lynch:no_subentry", 2), VIOLATED);
}

/* Of a start with any marks nothing is left to see; One-Bit as written does not recover. */
static void back_to_normal(void **context)
{
    (void)context;
    assert_int_equal(ask_from(&returns_to_normal, "test:careless", 2), HOLDS);
    assert_int_equal(ask_from(&returns_to_normal, "one_bit", 2), VIOLATED);
}

/* --- announcements, discoveries, histories ------------------------------------------------------------------------ */

static const struct announcement ignore = {{"Ignore", ask_up_between, PROPERTIES, NULL, "Ignore", 0},
                                           "2",
                                           "8",
                                           "1|11(a)i|11(a)ii|11b|11(b)i|12|13|14a|14b|15"};
static const struct announcement compete = {{"Compete", ask_up_between, PROPERTIES, NULL, "Compete", 0}, "1", "15", ""};

static void announcements(void **context)
{
    (void)context;
    assert_int_equal(ask(&compete.judge, "zehavi/ideal", 2), HOLDS);
    assert_int_equal(ask(&compete.judge, "zehavi/ideal:competes_late", 2), VIOLATED);
    assert_int_equal(ask(&ignore.judge, "zehavi/ideal", 2), HOLDS);
    assert_int_equal(ask(&ignore.judge, "zehavi/ideal:ignore_late", 2), VIOLATED);
    assert_int_equal(ask(&ignore.judge, "zehavi/ideal:ignore_too_short", 2), VIOLATED);
}

static void discoveries(void **context)
{
    (void)context;
    assert_int_equal(ask(&discovered_since_revealed, "zehavi/ideal", 2), HOLDS);
    assert_int_equal(ask(&discovered_since_revealed, "zehavi/ideal:always_revealed", 2), VIOLATED);
    assert_int_equal(ask(&discovered_since_revealed, "zehavi/ideal:looks_once", 2), VIOLATED);
    assert_int_equal(ask(&stays_discovered, "zehavi/ideal", 2), HOLDS);
    assert_int_equal(ask(&stays_discovered, "zehavi/ideal:always_anew", 2), VIOLATED);
}

static void schedules_of_a_plan(void **context)
{
    (void)context;
    struct drive_report report;
    /* Two Scans of two processes, one read each, and of three. */
    drive_schedules(&report, driven_find("unbounded"), "S/S");
    assert_true(report.complete);
    assert_int_equal(report.runs, 2);
    drive_schedules(&report, driven_find("ideal"), "S/S/S");
    assert_int_equal(report.runs, 6);
    /* Two operations of one step each, of two processes: 4 over 2. */
    drive_schedules(&report, driven_find("ideal"), "LS/LS");
    assert_int_equal(report.runs, 6);
    assert_true(report.premises[PROPOSITION_1] > 0);
    drive_schedules(&report, driven_find("unbounded:as_printed"), "LS/LS");
    assert_int_equal(report.violated, PROPOSITION_1);
    assert_false(report.complete);
    free(report.complaint);
}

/* --- the tables --------------------------------------------------------------------------------------------------- */

static void rows_make_sense(void **context)
{
    (void)context;
    struct rows rows = {0};
    for (unsigned p = 0; p < PAPER_COUNT; p++)
        rows_add(&rows, papers[p], true, NULL);
    assert_true(rows.count > 0);
    for (unsigned r = 0; r < rows.count; r++) {
        const struct row *row = &rows.row[r];
        const struct statement *statement = row->statement;
        const struct stepped_algorithm *algorithm = row->setting.algorithm;
        assert_int_equal((statement->properties != 0) + (statement->judge != NULL) +
                             (statement->enabled_judge != NULL) + (statement->quantity != NULL) +
                             (statement->calculation != NULL) + (statement->history.system != NULL),
                         1);
        assert_true(row->property[0] != '\0');
        assert_true(strlen(row->claim) < sizeof row->claim - 1 && strlen(row->property) < sizeof row->property - 1);
        assert_true(algorithm != NULL || statement->calculation != NULL || statement->history.system != NULL);
        assert_true(statement->history.system == NULL || driven_find(statement->history.system) != NULL);
        assert_int_equal(statement->led_to == NULL, statement->steps == NULL);
        if (algorithm == NULL)
            continue;
        assert_true(row->setting.k <= row->setting.n);
        for (unsigned p = 0; p < PROPERTIES; p++)
            if (row->properties >> p & 1) {
                if (property_info[p].needs_doorway && !algorithm->about.doorway)
                    fail_msg("%s: %s has no doorway", row->claim, algorithm->about.id);
                if (property_undefined_under((enum property)p, &row->setting) != 0)
                    fail_msg("%s: %s is not defined under this fault", row->claim, property_info[p].name);
            }
        struct instance instance;
        instance_open(&instance, &row->setting);
        for (unsigned reg = 0; reg < instance.reg_count && row->setting.registers != ATOMIC; reg++)
            if (instance.regs[reg].writer < 0)
                fail_msg("%s: %s has registers with several writers", row->claim, algorithm->about.id);
        instance_close(&instance);
    }
    rows_close(&rows);
}

/* Rows of one setting share one exploration, whatever stands between them, and each gets its own answer. */
static void settings_are_shared(void **context)
{
    (void)context;
    struct rows rows = {0};
    rows_add(&rows, &bl93, false, NULL);
    rows_answer(&rows, &(struct asking){.traces = true});
    for (unsigned r = 0; r < rows.count; r++) {
        const struct row *row = &rows.row[r];
        assert_int_equal(row_agreement(row), AGREES);
        assert_int_equal(row->has_trace, row->found == VIOLATED);
        for (unsigned other = 0; other < r; other++)
            if (row->has_states && memcmp(&row->setting, &rows.row[other].setting, sizeof row->setting) == 0 &&
                rows.row[other].has_states)
                assert_int_equal(row->states, rows.row[other].states);
    }
    rows_close(&rows);
}

/* --- rows of a paper that nobody wrote ---------------------------------------------------------------------------- */

/* The rows of some statements. */
static struct rows rows_of(const struct statement *statements, unsigned count)
{
    const struct chapter chapter = {statements, count};
    const struct paper paper = {.id = "none", .title = "No paper", .chapters = {&chapter}};
    struct rows rows = {0};
    rows_add(&rows, &paper, true, NULL);
    for (unsigned r = 0; r < rows.count; r++)
        rows.row[r].paper = NULL; /* it ends with this call */
    return rows;
}

/* A row that claims something under a fault is explored with that fault, and with no other, and says so. */
static void faults_are_in_the_setting(void **context)
{
    (void)context;
    for (unsigned f = 0; f < FAULTS; f++) {
        const struct statement statement = {
            .where = "here", .algorithm = "gate", .n = {2, 2}, .behaviours = 1u << f, .properties = P(EXCLUSION)};
        struct rows rows = rows_of(&statement, 1);
        assert_int_equal(rows.count, 1);
        char names[FAULTS][FAULT_NAME_SIZE];
        assert_int_equal(fault_names(&rows.row[0].setting, names), 1);
        assert_memory_equal(names[0], fault_info[f].name, strlen(fault_info[f].name));
        assert_true(strstr(rows.row[0].claim, "here: mutual exclusion, ") == rows.row[0].claim);
        assert_null(strstr(rows.row[0].claim, "(null)"));
        rows_close(&rows);
    }
}

static void every_property_has_words(void **context)
{
    (void)context;
    const struct statement statement = {
        .where = "here", .algorithm = "gate", .n = {2, 2}, .properties = (unsigned)((UINT64_C(1) << PROPERTIES) - 1)};
    struct rows rows = rows_of(&statement, 1);
    assert_int_equal(rows.count, PROPERTIES);
    for (unsigned r = 0; r < rows.count; r++) {
        assert_true(strlen(rows.row[r].claim) > strlen("here: "));
        assert_null(strstr(rows.row[r].claim, "(null)"));
        for (unsigned other = 0; other < r; other++)
            assert_string_not_equal(rows.row[r].claim, rows.row[other].claim);
    }
    rows_close(&rows);
}

/* Rows whose settings differ in anything do not share an exploration. */
static void settings_that_differ_are_not_shared(void **context)
{
    (void)context;
    const struct statement statement = {.where = "here", .algorithm = "gate", .n = {2, 2}, .properties = P(EXCLUSION)};
    const struct statement statements[] = {statement, statement, statement, statement};
    struct rows rows = rows_of(statements, 4);
    assert_int_equal(rows.count, 4);
    rows.row[1].setting.recoveries = 1;
    rows.row[2].setting.undisturbed = true;
    rows_answer(&rows, &(struct asking){.traces = false});
    for (unsigned r = 0; r < rows.count; r++)
        assert_int_equal(rows.row[r].found, HOLDS);
    assert_true(rows.row[1].states > rows.row[0].states);
    assert_true(rows.row[2].states < rows.row[0].states);
    assert_int_equal(rows.row[3].states, rows.row[0].states);
    rows_close(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lowest_trier),
                                       cmocka_unit_test(first_and_last),
                                       cmocka_unit_test(all_try),
                                       cmocka_unit_test(turns),
                                       cmocka_unit_test(start_is_the_place),
                                       cmocka_unit_test(label_is_left),
                                       cmocka_unit_test(values),
                                       cmocka_unit_test(implied_false),
                                       cmocka_unit_test(defaults),
                                       cmocka_unit_test(writers),
                                       cmocka_unit_test(single_reader),
                                       cmocka_unit_test(stabilizing),
                                       cmocka_unit_test(back_to_normal),
                                       cmocka_unit_test(rows_make_sense),
                                       cmocka_unit_test(settings_are_shared),
                                       cmocka_unit_test(announcements),
                                       cmocka_unit_test(discoveries),
                                       cmocka_unit_test(schedules_of_a_plan),
                                       cmocka_unit_test(faults_are_in_the_setting),
                                       cmocka_unit_test(every_property_has_words),
                                       cmocka_unit_test(settings_that_differ_are_not_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
