/* SPDX-License-Identifier: MIT
 *
 * test.h - cmocka, with cases that a program makes up as it goes: one for every algorithm of the catalogue.
 */
#ifndef TESTS_NATIVE_TEST_H
#define TESTS_NATIVE_TEST_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

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

/* To see whether some stay open. */
static inline unsigned descriptors_of_this_process(void)
{
    unsigned many = 0;
    DIR *list = opendir("/proc/self/fd");
    assert_non_null(list);
    while (readdir(list) != NULL)
        many++;
    closedir(list);
    return many;
}

/* Whether the address sanitizer is there, which has needs of its own. */
#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

/* In a child: malloc has nothing more to give, but for one block of about so many bytes, nor has mmap. Not with the
 * sanitizer, which dies of it. False: this machine, or its emulator, does not limit memory so. */
static inline bool use_up_memory_but(size_t left)
{
    struct rlimit none = {0};
    void *volatile kept = left > 0 ? malloc(left) : NULL;
    if (getrlimit(RLIMIT_AS, &none) != 0 || (none.rlim_cur = 0, setrlimit(RLIMIT_AS, &none) != 0) ||
        mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        return false;
    for (size_t size = 1 << 20; size > 0; size = size > 8192 ? size / 2 : size - 8)
        for (void *volatile taken = &none; taken != NULL;)
            taken = malloc(size);
    free(kept);
    return true;
}

#endif
