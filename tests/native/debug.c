/* SPDX-License-Identifier: MIT
 *
 * A debug build ends a program in which a process writes another's single-writer register, and names both; or in which a
 * variable has a value that is too wide for its field of a word, and names that.
 */
#include "test.h"

#include "native/lock.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Compiled with ADMIT_DEBUG. */
extern const struct native_algorithm broken_wrong_writer, broken_wrong_row, broken_too_wide;

static const char wrote_anothers[] = "process 1 wrote, or called its own, a register that only process 2 may write";

static void assert_fatal(const struct native_algorithm *broken, const char *says)
{
    int messages[2];
    assert_int_equal(pipe(messages), 0);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL); /* cmocka would catch it */
        dup2(messages[1], STDERR_FILENO);
        admit_lock_enter(admit_lock_create_by(broken, 3, 1), 1);
        _exit(0);
    }
    close(messages[1]);
    char text[200] = "";
    assert_true(read(messages[0], text, sizeof text - 1) > 0);
    close(messages[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(text, says));
}

static void writing_anothers_register_is_fatal(void **state)
{
    (void)state;
    assert_fatal(&broken_wrong_writer, wrote_anothers);
}

static void writing_into_anothers_row_is_fatal(void **state)
{
    (void)state;
    assert_fatal(&broken_wrong_row, wrote_anothers);
}

static void a_value_too_wide_for_its_field_is_fatal(void **state)
{
    (void)state;
    assert_fatal(&broken_too_wide, "COUNT = 4 does not fit into the 2 bits that it has in its word");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writing_anothers_register_is_fatal),
                                       cmocka_unit_test(writing_into_anothers_row_is_fatal),
                                       cmocka_unit_test(a_value_too_wide_for_its_field_is_fatal)};
    return cmocka_run_group_tests_name("native debug", tests, NULL, NULL);
}
