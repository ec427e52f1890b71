/* SPDX-License-Identifier: MIT
 *
 * Deadlines that no clock shows: whatever is in the timespec, it is a moment that has passed or one to come.
 */
#include "gate_witness.h"

static admit_gate *gate; /* full */

static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* By a child, which is killed if it does not come back. */
static void assert_passed(time_t seconds, long nanoseconds)
{
    pid_t child = fork();
    if (child == 0) {
        struct timespec until = {.tv_sec = seconds, .tv_nsec = nanoseconds};
        admit_hold hold;
        alarm(20);
        _exit(admit_gate_enter_until(gate, &hold, &until) == ADMIT_TIMED_OUT ? 0 : 1);
    }
    int status = status_of(child);
    if (status != 0)
        fail_msg("%lld s, %ld ns: ended with %d", (long long)seconds, nanoseconds, status);
}

/* It waits until it is let in. */
static void assert_to_come(time_t seconds, long nanoseconds)
{
    admit_gate *other = admit_gate_create_private(&(admit_gate_options){.k = 1, .capacity = 4});
    admit_hold hold;
    assert_int_equal(admit_gate_enter(other, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0) {
        struct timespec until = {.tv_sec = seconds, .tv_nsec = nanoseconds};
        alarm(20);
        _exit(admit_gate_enter_until(other, &hold, &until) == ADMIT_OK ? 0 : 1);
    }
    int status = 0;
    while (waiters_of(other) == 0 && waitpid(child, &status, WNOHANG) == 0)
        usleep(200);
    if (status != 0)
        fail_msg("%lld s, %ld ns: ended with %x", (long long)seconds, nanoseconds, (unsigned)status);
    assert_int_equal(admit_gate_leave(other, &hold), ADMIT_OK);
    assert_int_equal(status_of(child), 0);
    admit_gate_close(other);
}

static void what_is_before_the_beginning_has_passed(void **state)
{
    (void)state;
    static const int64_t seconds[] = {
        0, -1, INT32_MIN, INT64_MIN / 1000000000, INT64_MIN / 1000000000 - 5, INT64_MIN, INT64_MIN + 1};
    static const long nanoseconds[] = {0, -1, 1000000000, LONG_MAX, LONG_MIN};
    for (unsigned s = 0; s < sizeof seconds / sizeof seconds[0]; s++)
        for (unsigned n = 0; n < sizeof nanoseconds / sizeof nanoseconds[0]; n++)
            if ((time_t)seconds[s] == seconds[s])
                assert_passed((time_t)seconds[s], nanoseconds[n]);
}

static void what_is_beyond_the_end_is_to_come(void **state)
{
    (void)state;
    static const int64_t seconds[] = {INT32_MAX, INT64_MAX / 1000000000 - 1, INT64_MAX / 1000000000 + 1, INT64_MAX};
    static const long nanoseconds[] = {0, -1, 1000000000, LONG_MAX, LONG_MIN};
    for (unsigned s = 0; s < sizeof seconds / sizeof seconds[0]; s++)
        for (unsigned n = 0; n < sizeof nanoseconds / sizeof nanoseconds[0]; n++)
            if ((time_t)seconds[s] == seconds[s])
                assert_to_come((time_t)seconds[s], nanoseconds[n]);
}

int main(void)
{
    admit_hold hold;
    gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .capacity = 64});
    if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_before_the_beginning_has_passed),
        cmocka_unit_test(what_is_beyond_the_end_is_to_come),
    };
    int failed = cmocka_run_group_tests_name("faults: deadlines", tests, NULL, NULL);
    admit_gate_leave(gate, &hold);
    admit_gate_close(gate);
    return failed;
}
