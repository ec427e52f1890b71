/* SPDX-License-Identifier: MIT
 *
 * Holds that are left to a process which is no child of the one that entered, and does nothing for it.
 */
#include "gate_witness.h"

#include "gate/calls/calls.h"

#include <sys/prctl.h>

static const admit_gate_options one = {.k = 1, .capacity = 8};

static void reap(pid_t child)
{
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void kill_and_reap(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    reap(child);
}

/* One that lives until it is killed, as the next program that it executes. */
static pid_t start_sleeper(void)
{
    pid_t sleeper = fork();
    if (sleeper == 0) {
        execlp("sleep", "sleep", "1000", (char *)NULL);
        _exit(127);
    }
    return sleeper;
}

/* One that is inside, and has left its hold to the heir. */
static pid_t start_keeper(admit_gate *gate, pid_t heir)
{
    int told[2];
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    pid_t keeper = fork();
    if (keeper == 0) {
        admit_hold hold;
        if (admit_gate_enter(gate, &hold) == ADMIT_OK && admit_gate_bequeath_to_process(gate, &hold, heir) == ADMIT_OK)
            say(told[1]);
        for (;;)
            pause();
    }
    assert_true(hear(told[0]));
    close(told[0]), close(told[1]);
    return keeper;
}

static admit_participant holder_of(admit_gate *gate)
{
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->holders, 1);
    admit_participant holder = view->holder[0];
    admit_view_free(view);
    return holder;
}

static void assert_taken(admit_gate *gate)
{
    admit_hold hold;
    assert_int_equal(admit_gate_try(gate, &hold), ADMIT_NO_SLOT);
}

static void it_lasts_until_that_process_has_ended(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&one);
    admit_hold hold;
    pid_t heir = start_sleeper(), keeper = start_keeper(gate, heir);
    assert_int_equal(holder_of(gate).pid, heir);
    assert_int_equal(holder_of(gate).condition, ADMIT_LIVES);
    kill_and_reap(keeper);
    assert_int_equal(holder_of(gate).pid, heir);
    assert_int_equal(holder_of(gate).condition, ADMIT_ORPHAN);
    assert_taken(gate);
    kill_and_reap(heir);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    assert_true(hold.owner_died);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
}

/* The end of that process alone is nothing, as long as the one that entered lives. */
static void the_one_that_entered_holds_as_ever(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&one);
    pid_t heir = start_sleeper(), keeper = start_keeper(gate, heir);
    admit_hold hold;
    kill_and_reap(heir);
    assert_taken(gate);
    kill_and_reap(keeper);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
}

static void it_is_left_while_that_process_lives(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&one);
    pid_t heir = start_sleeper();
    admit_hold hold;
    for (unsigned pass = 0; pass < 3; pass++) {
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
        assert_false(hold.owner_died);
        assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, heir), ADMIT_OK);
        assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, heir), ADMIT_BAD_OPTION);
        assert_int_equal(admit_gate_bequeath(gate, &hold, 0), ADMIT_BAD_OPTION);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    }
    assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, heir), ADMIT_NOT_HOLDING);
    kill_and_reap(heir);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

static void only_to_one_that_lives(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&one);
    pid_t heir = start_sleeper(), later = start_sleeper();
    siginfo_t info;
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, 0), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, -1), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, 0x400000), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, (long)UINT32_MAX + 2), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, heir), ADMIT_OK);
    /* Dead, and not yet buried: it is as good as gone, and another may be named. */
    assert_int_equal(kill(heir, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)heir, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, heir), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_bequeath_to_process(gate, &hold, later), ADMIT_OK);
    assert_int_equal(holder_of(gate).pid, later);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    reap(heir);
    kill_and_reap(later);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

int main(void)
{
    test_directory();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_lasts_until_that_process_has_ended),
        cmocka_unit_test(the_one_that_entered_holds_as_ever),
        cmocka_unit_test(it_is_left_while_that_process_lives),
        cmocka_unit_test(only_to_one_that_lives),
    };
    int failed = cmocka_run_group_tests_name("gate appointed", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
