/* SPDX-License-Identifier: MIT
 *
 * Questions that several processes answer: each once, and again where a share of the memory was not enough.
 */
#include "claims/workers.h"

#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUESTIONS = 100, NEEDS_ALL = 37, MEMORY = 1000 };

struct answers {
    unsigned times[QUESTIONS];
    uint64_t memory[QUESTIONS];
    pid_t by[QUESTIONS];
};

static bool answer(void *context, unsigned q, uint64_t memory)
{
    struct answers *answers = context;
    answers->times[q]++;
    answers->memory[q] = memory;
    answers->by[q] = getpid();
    return q != NEEDS_ALL || memory == MEMORY;
}

static void each_question_is_answered(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 5; workers++) {
        struct answers *answers = shared_memory(sizeof *answers);
        answer_by_workers(answer, answers, QUESTIONS, workers, MEMORY);
        for (unsigned q = 0; q < QUESTIONS; q++) {
            bool alone = workers == 1 || q == NEEDS_ALL;
            assert_int_equal(answers->times[q], workers > 1 && q == NEEDS_ALL ? 2 : 1);
            assert_int_equal(answers->memory[q], alone ? MEMORY : MEMORY / workers);
            assert_int_equal(answers->by[q] == getpid(), alone);
        }
        shared_memory_close(answers, sizeof *answers);
    }
}

static bool end_early(void *context, unsigned q, uint64_t memory)
{
    (void)context, (void)memory;
    if (q == 7)
        _exit(3);
    if (q == 8)
        kill(getpid(), SIGKILL);
    return true;
}

/* Steps a text that does not come back from one of its steps. */
static bool loop_for_ever(void *context, unsigned q, uint64_t memory)
{
    (void)context, (void)q, (void)memory;
    struct setting setting = setting_of("test:unmarked_wait", 2, 1);
    states_of(&setting);
    return true;
}

/* How answer_by_workers ends where a worker does not come back. */
static int status_of(answer_question *question, unsigned count)
{
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        answer_by_workers(question, NULL, count, 2, MEMORY);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_lost_worker_is_noticed(void **state)
{
    (void)state;
    assert_int_equal(status_of(end_early, 7), 0);
    assert_int_equal(status_of(end_early, 8), 3);
    assert_int_not_equal(status_of(end_early, 9), 0);
}

/* Also if the process has stepped texts before it started its workers. */
static void a_text_that_loops_is_refused_in_a_worker(void **state)
{
    (void)state;
    struct setting setting = setting_of("one_bit", 2, 1);
    states_of(&setting);
    assert_int_equal(status_of(loop_for_ever, 2), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_question_is_answered),
        cmocka_unit_test(a_lost_worker_is_noticed),
        cmocka_unit_test(a_text_that_loops_is_refused_in_a_worker),
    };
    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
