/* SPDX-License-Identifier: MIT
 *
 * cmocka.h - what the suites use of cmocka, for homes that have none: another libc, another machine. It writes TAP.
 *
 * As in cmocka, what fails leaves its case by a jump; so it does in a forked child, which must not go on with the cases
 * of its parent: there it ends the process.
 */
#ifndef TESTS_HOMES_CMOCKA_H
#define TESTS_HOMES_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

enum { CASE_FAILED = 1, CASE_SKIPPED };

static jmp_buf leave_case;
static pid_t case_pid;

static inline _Noreturn void end_case(int how)
{
    if (getpid() != case_pid)
        _exit(1);
    longjmp(leave_case, how);
}

__attribute__((format(printf, 3, 4))) static inline void check_case(int is_fine, const char *where, const char *text,
                                                                    ...)
{
    if (is_fine)
        return;
    va_list values;
    va_start(values, text);
    printf("# ");
    vprintf(text, values);
    printf("\n# %s\n", where);
    fflush(stdout);
    va_end(values);
    end_case(CASE_FAILED);
}

#define CASE_TEXT_(line) #line
#define CASE_TEXT(line) CASE_TEXT_(line)
#define CASE_HERE __FILE__ ":" CASE_TEXT(__LINE__)

static inline void check_same(uintmax_t left, uintmax_t right, int same, const char *where, const char *what)
{
    check_case((left == right) == same, where, "%s: %#jx and %#jx", what, left, right);
}

static inline void check_strings(const char *left, const char *right, int same, const char *where, const char *what)
{
    check_case((strcmp(left, right) == 0) == same, where, "%s: \"%s\" and \"%s\"", what, left, right);
}

#define assert_true(c) check_case(!!(c), CASE_HERE, "%s", #c)
#define assert_false(c) check_case(!(c), CASE_HERE, "not %s", #c)
#define assert_non_null(p) check_case((p) != NULL, CASE_HERE, "%s is NULL", #p)
#define assert_null(p) check_case((p) == NULL, CASE_HERE, "%s is not NULL", #p)
#define assert_int_equal(a, b) check_same((uintmax_t)(a), (uintmax_t)(b), 1, CASE_HERE, #a " == " #b)
#define assert_int_not_equal(a, b) check_same((uintmax_t)(a), (uintmax_t)(b), 0, CASE_HERE, #a " != " #b)
#define assert_ptr_equal(a, b) check_same((uintptr_t)(a), (uintptr_t)(b), 1, CASE_HERE, #a " == " #b)
#define assert_ptr_not_equal(a, b) check_same((uintptr_t)(a), (uintptr_t)(b), 0, CASE_HERE, #a " != " #b)
#define assert_string_equal(a, b) check_strings((a), (b), 1, CASE_HERE, #a " == " #b)
#define assert_string_not_equal(a, b) check_strings((a), (b), 0, CASE_HERE, #a " != " #b)
#define assert_memory_equal(a, b, size) check_case(memcmp((a), (b), (size)) == 0, CASE_HERE, "%s == %s", #a, #b)
#define assert_in_range(v, low, high)                                                                                  \
    check_case((uintmax_t)(v) >= (uintmax_t)(low) && (uintmax_t)(v) <= (uintmax_t)(high), CASE_HERE, "%s: %ju", #v,    \
               (uintmax_t)(v))
#define fail_msg(...) check_case(0, CASE_HERE, __VA_ARGS__)
#define skip() end_case(CASE_SKIPPED)
#define print_message(...) (printf(__VA_ARGS__), fflush(stdout))

static inline int run_case(const struct CMUnitTest *test)
{
    void *state = test->initial_state;
    case_pid = getpid();
    int how = setjmp(leave_case);
    if (how == 0 && (test->setup_func == NULL || test->setup_func(&state) == 0))
        test->test_func(&state);
    if (test->teardown_func != NULL)
        test->teardown_func(&state);
    return how;
}

static inline int _cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                          CMFixtureFunction setup, CMFixtureFunction teardown)
{
    int failed = 0;
    void *state = NULL;
    printf("# %s\n1..%zu\n", group, count);
    if (setup != NULL && setup(&state) != 0)
        return 1;
    for (volatile size_t t = 0; t < count; t++) {
        fflush(stdout);
        int how = run_case(&tests[t]);
        printf("%sok %zu - %s%s\n", how == CASE_FAILED ? "not " : "", t + 1, tests[t].name,
               how == CASE_SKIPPED ? " # SKIP" : "");
        failed += how == CASE_FAILED;
    }
    if (teardown != NULL)
        teardown(&state);
    fflush(stdout);
    return failed;
}

#define cmocka_unit_test_teardown(f, end)                                                                              \
    {                                                                                                                  \
        .name = #f, .test_func = (f), .teardown_func = (end)                                                           \
    }
#define cmocka_unit_test(f) cmocka_unit_test_teardown(f, NULL)
#define cmocka_run_group_tests_name(group, tests, setup, teardown)                                                     \
    _cmocka_run_group_tests(group, tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#define cmocka_run_group_tests(tests, setup, teardown) cmocka_run_group_tests_name(#tests, tests, setup, teardown)

#endif
