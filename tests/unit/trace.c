/* SPDX-License-Identifier: MIT
 *
 * Traces: written, read back and executed again they say the same; nonsense is refused, and what is not shown is not
 * confirmed.
 */
#include "unit.h"

#include "checker/model/fault_info.h"
#include "checker/reduce/tickets.h"
#include "checker/show/trace.h"

/* A counterexample to a property, as JSON. */
static json_t *counterexample(const struct setting *setting, enum property property)
{
    struct explored *explored = explored_open(setting);
    struct finding finding;
    struct enabled enabled = {0};
    enabled_find(&enabled, &explored->exploration.graph);
    judge(&finding, &explored->exploration, &enabled, property);
    assert_int_equal(finding.verdict, VIOLATED);
    struct trace trace;
    trace_of(&trace, &finding, &explored->model);
    json_t *json = trace_to_json(&trace);
    trace_close(&trace);
    finding_close(&finding);
    enabled_close(&enabled);
    explored_close(explored);
    return json;
}

static json_t *some_trace(void)
{
    struct setting setting = setting_of("one_bit", 2, 1);
    return counterexample(&setting, LOCKOUT_FREEDOM);
}

/* Reads a trace and executes it. */
static enum confirmation confirmation_of(const json_t *json)
{
    struct trace trace;
    struct execution execution;
    assert_null(trace_from_json(&trace, json));
    assert_true(trace_execute(&trace, &execution));
    enum confirmation confirmation = trace_confirm(&trace, &execution);
    execution_close(&execution);
    trace_close(&trace);
    return confirmation;
}

/* --- there and back ----------------------------------------------------------------------------------------------- */

static void assert_round_trip(const struct setting *setting, enum property property)
{
    json_t *json = counterexample(setting, property);
    struct trace trace;
    assert_null(trace_from_json(&trace, json));
    json_t *again = trace_to_json(&trace);
    assert_true(json_equal(json, again));
    assert_int_equal(trace.property, property);
    trace_close(&trace);
    assert_int_equal(confirmation_of(json), CONFIRMED);
    json_decref(json);
    json_decref(again);
}

static void a_lasso(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 3, 1);
    assert_round_trip(&setting, LOCKOUT_FREEDOM);
}

static void with_passages(void **state)
{
    (void)state;
    struct setting setting = setting_of("bakery:no_tie_break", 2, 1);
    memset(setting.passages, 1, sizeof setting.passages);
    assert_round_trip(&setting, EXCLUSION);
}

static void with_choices(void **state)
{
    (void)state;
    struct setting setting = setting_of("burns_lynch:counts_on_order", 3, 1);
    setting.any_order = true;
    assert_round_trip(&setting, EXCLUSION);
}

static void with_crashes(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 2, 1);
    setting.crashes = 1;
    assert_round_trip(&setting, DEADLOCK_FREEDOM);
}

static void with_overlapped_reads(void **state)
{
    (void)state;
    struct setting setting = setting_of("bakery:looks_twice", 2, 1);
    setting.registers = REGULAR;
    assert_round_trip(&setting, EXCLUSION);
}

static void with_garbled_reads(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit:rewrites", 2, 1);
    setting.registers = SAFE;
    assert_round_trip(&setting, EXCLUSION);
}

static void assert_comes_back(const struct trace *trace)
{
    struct trace again;
    json_t *json = trace_to_json(trace);
    assert_null(trace_from_json(&again, json));
    assert_true(setting_equal(&again.setting, &trace->setting));
    assert_int_equal(again.property, trace->property);
    trace_close(&again);
    json_decref(json);
}

/* Nothing of a setting is lost, whatever faults there are, and whatever is asked. */
static void settings_come_back(void **state)
{
    (void)state;
    const struct trace trace = {.setting = setting_of("gate", 3, 2), .loop = NO_LOOP, .loop_end = NO_LOOP};
    for (unsigned p = 0; p <= PROPERTIES; p++) {
        struct trace other = trace;
        other.property = (enum property)p;
        assert_comes_back(&other);
    }
    for (unsigned f = 0; f < FAULTS; f++) {
        struct trace other = trace;
        if (1u << f == TRANSIENT) /* which the gate, that remembers registers, is not for */
            other.setting = setting_of("one_bit", 3, 1);
        other.setting.struck[f] = fault_info[f].without_count;
        assert_comes_back(&other);
    }
    struct trace other = trace;
    other.setting.recoveries = 2;
    other.setting.undisturbed = true;
    other.setting.any_order = true;
    other.setting.passages[1] = 7;
    other.setting.registers = SAFE;
    other.setting.ticket_gap = TICKET_GAP_MAX;
    other.setting.ways = (1 << WAYS) - 1;
    assert_comes_back(&other);
}

/* --- nonsense ----------------------------------------------------------------------------------------------------- */

/* The message with which a trace is refused after `key` was set to `value`, which is given up; NULL removes the key. */
static const char *refusal(const char *key, json_t *value)
{
    json_t *json = some_trace();
    struct trace trace;
    if (value == NULL)
        json_object_del(json, key);
    else
        json_object_set_new(json, key, value);
    const char *message = trace_from_json(&trace, json);
    trace_close(&trace);
    json_decref(json);
    return message;
}

static void missing_fields(void **state)
{
    (void)state;
    static const char *const keys[] = {"format",    "algorithm", "n",    "k", "registers", "crashes",
                                       "any_order", "property",  "what", "i", "j",         "steps"};
    for (unsigned f = 0; f < sizeof keys / sizeof keys[0]; f++) {
        assert_non_null(refusal(keys[f], NULL));
        assert_non_null(refusal(keys[f], json_null()));
        assert_non_null(refusal(keys[f], json_object()));
    }
    /* These may be missing. */
    assert_null(refusal("passages", NULL));
    assert_null(refusal("passages", json_null()));
}

static void wrong_values(void **state)
{
    (void)state;
    const struct {
        const char *key;
        json_t *value;
        const char *says;
    } cases[] = {
        {"format", json_string("admit-trace-99"), "another format"},
        {"algorithm", json_string("no_such"), "not in the catalogue"},
        {"property", json_string("no_such"), "not known"},
        {"registers", json_string("no_such"), "not known"},
        {"n", json_integer(0), "out of range"},
        {"n", json_integer(17), "out of range"},
        {"n", json_integer(-1), "out of range"},
        {"k", json_integer(0), "out of range"},
        {"k", json_integer(3), "out of range"},
        {"crashes", json_integer(-1), "out of range"},
        {"crashes", json_integer(3), "out of range"},
        {"recoveries", json_integer(-1), "out of range"},
        {"recoveries", json_integer((INT64_C(1) << 32) + 1), "out of range"},
        {"i", json_integer(2), "out of range"},
        {"j", json_integer(-1), "out of range"},
        {"passages", json_pack("[i]", 1), "passages"},
        {"passages", json_pack("[i, i]", 1, 256), "passages"},
        {"passages", json_pack("[i, i]", 1, -1), "passages"},
        {"passages", json_integer(1), "passages"},
        {"loop", json_integer(1000), "loop"},
        {"steps", json_string("many"), "steps"},
        {"steps", json_pack("[i]", 1), "process"},
        {"steps", json_pack("[{}]"), "process"},
        {"steps", json_pack("[{s:s}]", "process", "0"), "process"},
        {"steps", json_pack("[{s:i}]", "process", 2), "process"},
        {"steps", json_pack("[{s:i}]", "process", -1), "process"},
        {"steps", json_pack("[{s:i, s:i}]", "process", 0, "choice", 256), "choice"},
        {"steps", json_pack("[{s:i, s:i}]", "process", 0, "choice", -1), "choice"},
        {"steps", json_pack("[{s:i, s:s}]", "process", 0, "reads", "minds"), "reads"},
        {"steps", json_pack("[{s:i, s:b, s:b}]", "process", 0, "crash", 1, "timed_look", 1), "two faults"},
    };
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *message = refusal(cases[c].key, cases[c].value);
        if (message == NULL || strstr(message, cases[c].says) == NULL)
            fail_msg("case %u (%s): %s", c, cases[c].key, message == NULL ? "accepted" : message);
    }
}

static void no_object_at_all(void **state)
{
    (void)state;
    struct trace trace;
    json_t *values[] = {json_array(), json_string("trace"), json_integer(1), json_null(), json_object()};
    for (unsigned v = 0; v < sizeof values / sizeof values[0]; v++) {
        assert_non_null(trace_from_json(&trace, values[v]));
        trace_close(&trace);
        json_decref(values[v]);
    }
}

/* --- runs that are not possible, or show nothing ------------------------------------------------------------------ */

/* Executes these steps of one_bit, n = 2; the error, or NULL. */
static const char *execution_error(enum register_kind kind, json_t *steps)
{
    static char error[sizeof((struct execution *)NULL)->error];
    json_t *json = some_trace();
    struct trace trace;
    struct execution execution;
    json_object_set_new(json, "steps", steps);
    json_object_set_new(json, "loop", json_null());
    json_object_set_new(json, "registers", json_string(register_kind_name[kind]));
    assert_null(trace_from_json(&trace, json));
    bool possible = trace_execute(&trace, &execution);
    snprintf(error, sizeof error, "%s", execution.error);
    execution_close(&execution);
    trace_close(&trace);
    json_decref(json);
    return possible ? NULL : error;
}

static void impossible_steps(void **state)
{
    (void)state;
    assert_null(execution_error(ATOMIC, json_pack("[{s:i}]", "process", 0)));
    assert_non_null(
        strstr(execution_error(ATOMIC, json_pack("[{s:i}, {s:i, s:b}]", "process", 0, "process", 0, "crash", 1)),
               "step 2 of process 0: it cannot crash"));
    assert_non_null(strstr(execution_error(ATOMIC, json_pack("[{s:i, s:i}]", "process", 0, "choice", 1)), "choice"));
    /* Nothing overlaps the read. */
    json_t *calm = json_pack("[{s:i}, {s:i, s:s}]", "process", 0, "process", 0, "reads", "new");
    assert_non_null(strstr(execution_error(ATOMIC, calm), "cannot return"));
    /* Process 1 reads x[0] (its second step) while process 0 is in the middle of raising it. */
    for (int garbled = 0; garbled < 2; garbled++) {
        json_t *steps = json_pack("[{s:i}, {s:i}, {s:i}, {s:i, s:s, s:i}]", "process", 1, "process", 1, "process", 0,
                                  "process", 1, "reads", "garbled", "value", garbled);
        assert_null(execution_error(SAFE, json_incref(steps)));
        assert_non_null(strstr(execution_error(REGULAR, steps), "cannot return"));
    }
    json_t *outside = json_pack("[{s:i}, {s:i}, {s:i}, {s:i, s:s, s:i}]", "process", 1, "process", 1, "process", 0,
                                "process", 1, "reads", "garbled", "value", 2);
    assert_non_null(strstr(execution_error(SAFE, outside), "cannot return"));
}

static void tampered_traces_are_not_confirmed(void **state)
{
    (void)state;
    json_t *json = some_trace();
    assert_int_equal(confirmation_of(json), CONFIRMED);
    /* A loop that does not close; one that closes but leaves somebody out; another property. */
    json_t *shifted = json_deep_copy(json);
    json_object_set_new(shifted, "loop", json_integer(0));
    assert_int_equal(confirmation_of(shifted), NOT_CONFIRMED);
    json_decref(shifted);

    json_t *open_ended = json_deep_copy(json);
    json_object_set_new(open_ended, "loop", json_null());
    assert_int_equal(confirmation_of(open_ended), NOT_CONFIRMED);
    json_decref(open_ended);

    json_t *renamed = json_deep_copy(json);
    json_object_set_new(renamed, "property", json_string("deadlock-freedom"));
    assert_int_equal(confirmation_of(renamed), NOT_CONFIRMED);
    json_object_set_new(renamed, "property", json_string("exclusion"));
    assert_int_equal(confirmation_of(renamed), NOT_CONFIRMED);
    json_decref(renamed);
    json_decref(json);
}

/* Process 1 waits for process 0, which never steps: that is no fair loop. */
static void an_unfair_loop_is_not_confirmed(void **state)
{
    (void)state;
    json_t *json = some_trace();
    json_object_set_new(json, "i", json_integer(1));
    json_object_set_new(json, "loop", json_integer(4));
    json_object_set_new(json, "loop_end", json_integer(5));
    json_t *steps = json_pack("[{s:i}, {s:i}, {s:i}, {s:i}, {s:i}]", "process", 0, "process", 1, "process", 1,
                              "process", 1, "process", 1);
    json_object_set_new(json, "steps", steps);
    assert_int_equal(confirmation_of(json), NOT_CONFIRMED);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lasso),
        cmocka_unit_test(with_passages),
        cmocka_unit_test(with_choices),
        cmocka_unit_test(with_crashes),
        cmocka_unit_test(settings_come_back),
        cmocka_unit_test(with_overlapped_reads),
        cmocka_unit_test(with_garbled_reads),
        cmocka_unit_test(missing_fields),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(no_object_at_all),
        cmocka_unit_test(impossible_steps),
        cmocka_unit_test(tampered_traces_are_not_confirmed),
        cmocka_unit_test(an_unfair_loop_is_not_confirmed),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
