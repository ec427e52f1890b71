/* SPDX-License-Identifier: MIT
 *
 * test.h - cmocka, with cases that a program makes up as it goes: one for every algorithm of the catalogue.
 */
#ifndef TESTS_NATIVE_TEST_H
#define TESTS_NATIVE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES_MAX = 1000 };

struct cases {
    struct CMUnitTest list[CASES_MAX];
    size_t count;
};

/* Adds a case; the name is copied, `parameters` are kept by the caller and given to the test as *state. */
static inline void add_case(struct cases *cases, CMUnitTestFunction test, void *parameters, const char *name)
{
    if (cases->count == CASES_MAX)
        abort();
    cases->list[cases->count++] =
        (struct CMUnitTest){.name = strdup(name), .test_func = test, .initial_state = parameters};
}

static inline int run_cases(const char *suite, struct cases *cases)
{
    return _cmocka_run_group_tests(suite, cases->list, cases->count, NULL, NULL);
}

/* Where ADMIT_TEST_QUICK is set (and not empty), what is large shrinks. */
static inline unsigned unless_quick(unsigned full, unsigned quick)
{
    const char *is_quick = getenv("ADMIT_TEST_QUICK");
    return is_quick != NULL && *is_quick != '\0' ? quick : full;
}

/* The same; and where ADMIT_TEST_FULL is set, the size that is claimed, which takes minutes. */
static inline unsigned sized(unsigned claimed, unsigned full, unsigned quick)
{
    const char *is_full = getenv("ADMIT_TEST_FULL");
    return is_full != NULL && *is_full != '\0' ? claimed : unless_quick(full, quick);
}

#endif
