/* SPDX-License-Identifier: MIT
 *
 * Texts that the library gives: each thread has those of its own errors; without room for them there is the sentence
 * that goes with the error; and the directory's stays good.
 */
#include "gate_witness.h"

#include <pthread.h>
#include <sys/stat.h>

static void *fail_here(void *name)
{
    if (admit_gate_open(name, 0) != NULL || strstr(admit_last_error_text(), name) == NULL)
        return "another text";
    if (admit_lock_create("one_bit", 1000, 1) != NULL || admit_last_error() != ADMIT_BAD_N)
        return "another error";
    if (admit_lock_size("n_factorial_bit", 60, 1) != 0 || strstr(admit_error_message(ADMIT_N_TOO_LARGE), "60") == NULL)
        return "another message";
    return NULL;
}

static void every_thread_has_its_own(void **state)
{
    (void)state;
    char name[2][16] = {"one", "another"};
    assert_null(fail_here("mine"));
    assert_null(admit_gate_open("mine", 0));
    for (unsigned round = 0; round < 50; round++) {
        pthread_t thread[2];
        void *what;
        for (unsigned t = 0; t < 2; t++)
            assert_int_equal(pthread_create(&thread[t], NULL, fail_here, name[t]), 0);
        for (unsigned t = 0; t < 2; t++) {
            assert_int_equal(pthread_join(thread[t], &what), 0);
            if (what != NULL)
                fail_msg("%s", (const char *)what);
        }
    }
    assert_non_null(strstr(admit_last_error_text(), "mine"));
}

/* A program that has used up all keys, of which the library needs one for the texts and one for gates. The first case,
 * since it makes them when it first needs them. */
static void without_keys_there_is_the_sentence(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        pthread_key_t key;
        admit_hold hold;
        while (pthread_key_create(&key, NULL) == 0)
            ;
        if (admit_gate_open("none", 0) != NULL || admit_last_error() != ADMIT_NO_GATE ||
            strcmp(admit_last_error_text(), admit_error_message(ADMIT_NO_GATE)) != 0)
            _exit(1);
        if (admit_lock_size("n_factorial_bit", 60, 1) != 0 || strlen(admit_error_message(ADMIT_N_TOO_LARGE)) == 0)
            _exit(2);
        admit_gate *gate = admit_gate_open("some", 1);
        if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK || admit_gate_leave(gate, &hold) != ADMIT_OK)
            _exit(3);
        admit_gate_close(gate);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void *its_directory(void *unused)
{
    (void)unused;
    return (void *)admit_gate_directory();
}

static void the_directorys_text_stays_good(void **state)
{
    (void)state;
    pthread_t thread;
    void *others;
    char other[PATH_MAX + 16];
    const char *first = admit_gate_directory();
    assert_non_null(first);
    assert_string_equal(first, test_directory());
    assert_int_equal(pthread_create(&thread, NULL, its_directory, NULL), 0);
    assert_int_equal(pthread_join(thread, &others), 0);
    assert_ptr_equal(others, first);
    snprintf(other, sizeof other, "%s/other", test_directory());
    assert_int_equal(mkdir(other, 0700), 0);
    setenv("ADMIT_DIR", other, 1);
    assert_string_equal(admit_gate_directory(), other);
    setenv("ADMIT_DIR", test_directory(), 1);
    assert_string_equal(first, test_directory());
    assert_ptr_equal(admit_gate_directory(), first);
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_keys_there_is_the_sentence),
        cmocka_unit_test(every_thread_has_its_own),
        cmocka_unit_test(the_directorys_text_stays_good),
    };
    int failed = cmocka_run_group_tests_name("faults: texts", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
