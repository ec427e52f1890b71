/* SPDX-License-Identifier: MIT
 *
 * kill -9 before each instruction of a passage, one after the other: a debugger's single steps instead of luck. The
 * storm kills those who are among others; here it is a process that is alone, whose way is written by hand.
 */
#include "gate_witness.h"

#include <stdlib.h>
#include <sys/ptrace.h>

enum { STEPS_MAX = 200000, DEADLINE_S = 20 };

/* What the process that will be killed says of itself, for those who live on. */
struct diary {
    volatile enum { OUTSIDE, INSIDE, DONE } is;
};

static struct diary *new_diary(void)
{
    struct diary *diary = mmap(NULL, sizeof *diary, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(diary != MAP_FAILED);
    return diary;
}

static admit_error enter_in_time(admit_gate *gate, admit_hold *hold)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += DEADLINE_S;
    return admit_gate_enter_until(gate, hold, &until);
}

/* Comes and goes, so that it is alone and knows it; then stops: before a passage, or inside. */
static _Noreturn void be_stepped(admit_gate *gate, struct diary *diary, bool stops_inside)
{
    admit_hold hold;
    for (unsigned pass = 0; pass < 3; pass++)
        if (admit_gate_enter(gate, &hold) != ADMIT_OK || admit_gate_leave(gate, &hold) != ADMIT_OK)
            _exit(1);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(2);
    if (!stops_inside)
        raise(SIGSTOP);
    if (admit_gate_enter(gate, &hold) != ADMIT_OK)
        _exit(1);
    diary->is = INSIDE;
    if (stops_inside)
        raise(SIGSTOP);
    diary->is = OUTSIDE; /* whether it still is, while it leaves, is nobody's business */
    if (admit_gate_leave(gate, &hold) != ADMIT_OK)
        _exit(1);
    diary->is = DONE;
    _exit(0);
}

/* 0: the machine does not allow it. */
static pid_t start_stepped(admit_gate *gate, struct diary *diary, bool stops_inside)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        be_stepped(gate, diary, stops_inside);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return 0;
    assert_true(WIFSTOPPED(status));
    return child;
}

/* Returns how many steps it has made: fewer than told if it was done by then. */
static unsigned step_and_kill(pid_t child, const struct diary *diary, unsigned steps)
{
    int status;
    unsigned made = 0;
    while (made < steps && diary->is != DONE) {
        assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSTOPPED(status));
        made++;
    }
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return made;
}

/* All slots come back, each once; and if it was killed inside, that is told once. */
static void assert_whole(admit_gate *gate, unsigned k, bool died_inside, unsigned steps)
{
    admit_hold hold[3], more;
    unsigned told = 0, slots = 0;
    for (unsigned h = 0; h < k; h++) {
        if (enter_in_time(gate, &hold[h]) != ADMIT_OK)
            fail_msg("killed after %u steps: slot %u of %u: %s", steps, h, k, admit_last_error_text());
        told += hold[h].owner_died;
        slots |= 1u << hold[h].slot;
    }
    assert_int_equal(slots, (1u << k) - 1);
    assert_int_equal(admit_gate_try(gate, &more), ADMIT_NO_SLOT);
    if (died_inside && told != 1)
        fail_msg("killed inside, after %u steps: told %u times", steps, told);
    assert_true(told <= 1);
    for (unsigned h = 0; h < k; h++)
        assert_int_equal(admit_gate_leave(gate, &hold[h]), ADMIT_OK);
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->holders + view->waiters, 0);
    admit_view_free(view);
}

/* Sanitized code has ten times as many instructions. */
static unsigned stride(void)
{
    return getenv("ADMIT_TEST_QUICK") != NULL ? 13 : 1;
}

static void killed_anywhere_in_a_passage_alone(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 3; k++) {
        bool done = false;
        for (unsigned steps = 0; !done && steps < STEPS_MAX; steps += stride()) {
            struct diary *diary = new_diary();
            admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = k, .most_k = k, .capacity = 8});
            assert_non_null(gate);
            pid_t child = start_stepped(gate, diary, false);
            if (child == 0)
                skip();
            done = step_and_kill(child, diary, steps) < steps;
            assert_whole(gate, k, diary->is == INSIDE, steps);
            admit_gate_close(gate);
            munmap(diary, sizeof *diary);
        }
        assert_true(done);
    }
}

static pid_t start_waiter(admit_gate *gate)
{
    pid_t waiter = fork();
    if (waiter != 0)
        return waiter;
    admit_hold hold;
    _exit(enter_in_time(gate, &hold) == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 1);
}

static void wait_for_a_waiter(admit_gate *gate)
{
    unsigned waiters = 0;
    while (waiters == 0) {
        admit_view *view = admit_gate_inspect(gate);
        waiters = view->waiters;
        admit_view_free(view);
        usleep(500);
    }
}

static void killed_anywhere_while_it_hands_over(void **state)
{
    (void)state;
    bool done = false;
    for (unsigned steps = 0; !done && steps < STEPS_MAX; steps += 2 * stride()) {
        struct diary *diary = new_diary();
        admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
        assert_non_null(gate);
        pid_t child = start_stepped(gate, diary, true);
        if (child == 0)
            skip();
        pid_t waiter = start_waiter(gate);
        int status;
        wait_for_a_waiter(gate);
        done = step_and_kill(child, diary, steps) < steps;
        assert_int_equal(waitpid(waiter, &status, 0), waiter);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("killed after %u steps: the next in line has not come in", steps);
        assert_whole(gate, 1, false, steps);
        admit_gate_close(gate);
        munmap(diary, sizeof *diary);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_anywhere_in_a_passage_alone),
        cmocka_unit_test(killed_anywhere_while_it_hands_over),
    };
    return cmocka_run_group_tests_name("gate killed", tests, NULL, NULL);
}
